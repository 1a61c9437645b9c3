/*
 * The Engine pane of a deployment whose build has an architecture reference:
 * the tree of owners, notices, links both ways, and the way from a setting to
 * what declares it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/tree.h"
#include "explorer_fixture.h"

static struct explorer_fixture f;

static int open_it(void **state)
{
	(void)state;
	explorer_open(&f, "qwen3.6-27b-awq-v100-tp4", 24, 80);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	explorer_release(&f);
	return 0;
}

static void find(const char *text)
{
	explorer_keys(&f, "/");
	explorer_type(&f, text);
}

static void the_notices_stand_under_their_titles(void **state)
{
	const struct table *table = &f.app.tables[PANE_ENGINE];
	const struct ss_reference *reference = tree_reference(&f.app);
	size_t notices = 0;

	(void)state;
	explorer_keys(&f, "9");
	assert_true(explorer_shows(&f, "sources older than this reference"));
	/* the first row that is no notice is selected */
	assert_true(explorer_shows(&f, ">decode, captured"));
	/* long names leave the reasons room, and more of it on a wider screen */
	assert_true(explorer_shows(&f, "gate: requires native_abs.."));
	explorer_resize(&f, 40, 120);
	explorer_keys(&f, "z");
	assert_true(explorer_shows(&f, "gate: requires native_absent paged_decode"));
	for (size_t i = 0; i + 1 < table->shown; i++) {
		const char *first = table_text(table, i + 1, 0);

		for (int t = 0; t < SS_TABLE_COUNT; t++) {
			struct ss_names texts = ss_table_notices(reference, (enum ss_table)t);
			const char *title = ss_table_title((enum ss_table)t);

			if (!table_at(table, i)->is_heading || !texts.count ||
			    strcmp(table_text(table, i, 0), title) != 0)
				continue;
			assert_true(table_at(table, i + 1)->is_heading);
			assert_memory_equal(first + 2, texts.items[0], 40);
			notices++;
		}
	}
	/* all tables but that of fields, which the tree of owners holds */
	assert_int_equal(notices, SS_TABLE_COUNT - 1);
}

static void the_tree_holds_every_path_and_field(void **state)
{
	const struct table *table = &f.app.tables[PANE_ENGINE];
	const struct ss_reference *reference = tree_reference(&f.app);
	size_t paths = 0, rows = 0;

	(void)state;
	explorer_keys(&f, "9");
	for (size_t i = 0; i < reference->owner_count; i++)
		paths += reference->owners[i].paths.count;
	for (size_t i = 0; i < table->shown; i++) {
		if (table_at(table, i)->is_heading &&
		    !strcmp(table_text(table, i, 0), ss_table_title(SS_TABLE_CODECS)))
			break;
		if (table_at(table, i)->is_heading)
			rows = 0;
		else
			rows++;
	}
	assert_int_equal(rows, paths + reference->field_count);
	find("gather_dense");
	/* the search stops at the field, under the three parts of its owner's path */
	assert_string_equal(table_text(table, (size_t)f.app.lists[PANE_ENGINE].selected, 0),
			    "    gather_dense");
	assert_string_equal(table_text(table, (size_t)f.app.lists[PANE_ENGINE].selected, 1),
			    "= True");
}

static void a_row_opens_with_its_links_both_ways(void **state)
{
	(void)state;
	explorer_keys(&f, "9");
	find("decode_xqa_paged  decode  codecs");
	explorer_keys(&f, "<Enter>");
	explorer_keys(&f, "G");
	assert_true(explorer_shows(&f, "decode 6: decode_xqa_paged, choice, read"));
	explorer_keys(&f, "<Esc>");
	find("gather_dense  = True");
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "vllm.config.flash_v100.FlashV100Options"));
	assert_true(explorer_shows(&f, "prefill_prefix_gather_splitd_d256, choice, read"));
}

static void what_an_earlier_route_would_need_follows_the_block(void **state)
{
	const struct table *table = &f.app.tables[PANE_ENGINE];

	(void)state;
	explorer_keys(&f, "9 /");
	explorer_type(&f, "prefill, no prefix");
	explorer_keys(&f, "<Down>");
	assert_non_null(strstr(table_text(table, (size_t)f.app.lists[PANE_ENGINE].selected, 2),
			       "chunk 8000-8192, has 7840: block 784 does not divide 8192"));
	explorer_keys(&f, ":");
	explorer_type(&f, "set block_size 800");
	explorer_keys(&f, "9 g /");
	explorer_type(&f, "prefill, no prefix");
	explorer_keys(&f, "<Down>");
	assert_string_equal(table_text(table, (size_t)f.app.lists[PANE_ENGINE].selected, 1),
			    "prefill_dense_d256_gqa_79t_fp32");
}

static void a_setting_leads_to_what_declares_it(void **state)
{
	const struct table *table = &f.app.tables[PANE_ENGINE];
	static const struct {
		enum ss_field_id field;
		const char *owner, *name;
	} rows[] = {
		{ SS_F_CUDAGRAPH_MODE, "compilation_config", "cudagraph_mode" },
		{ SS_F_TP, "parallel_config", "tensor_parallel_size" },
		{ SS_F_MAX_NUM_SEQS, "scheduler_config", "max_num_seqs" },
		{ SS_F_BLOCK_SIZE, "cache_config", "block_size" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ss_config_field *field =
			tree_declared(tree_reference(&f.app), rows[i].field);
		const char *name;

		assert_non_null(field);
		assert_string_equal(field->owner_path, rows[i].owner);
		assert_string_equal(field->field, rows[i].name);
		explorer_select(&f, rows[i].field);
		explorer_keys(&f, "O");
		assert_int_equal(app_focus(&f.app), PANE_ENGINE);
		name = table_text(table, (size_t)f.app.lists[PANE_ENGINE].selected, 0);
		assert_string_equal(name + strspn(name, " "), rows[i].name);
		explorer_keys(&f, "<Esc>");
	}
	/* what this product alone has is declared nowhere */
	assert_null(tree_declared(tree_reference(&f.app), SS_F_HOST_NVCC));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_notices_stand_under_their_titles),
		TEST(the_tree_holds_every_path_and_field),
		TEST(a_row_opens_with_its_links_both_ways),
		TEST(what_an_earlier_route_would_need_follows_the_block),
		TEST(a_setting_leads_to_what_declares_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
