/* The walk: what was assumed, in order, and what would replace it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "close.h"
#include "footing_cases.h"

struct walked {
	struct ss_influence *influences;
	struct ss_walk_item *items;
	size_t count;
};

static struct walked walk_of(const struct kernel_fixture *f, const struct ss_batch *batch)
{
	size_t entries = ss_kernel_entry_count(f->kernel);
	struct walked w = { .influences = calloc(entries + 1, sizeof(*w.influences)),
			    .items = calloc(entries + 1, sizeof(*w.items)) };

	assert_int_equal(ss_kernel_influences(f->kernel, batch, SS_FIGURE_SERIAL, w.influences),
			 SS_OK);
	w.count = ss_kernel_walk(f->kernel, w.influences, w.items);
	return w;
}

static void walked_release(struct walked *w)
{
	free(w->influences);
	free(w->items);
}

static const char *name_at(const struct kernel_fixture *f, const struct walked *w, size_t i)
{
	return ss_kernel_entry(f->kernel, (size_t)w->items[i].entry)->name;
}

/* The published case: four that move something, then the kernel's two as made, of 39. */
static void the_default_walk_is_the_published_one(void **state)
{
	static const char *const first[] = {
		"host_launch_per_kernel",
		"attention_decode_floor_mla",
		"host_replay_graph_per_step",
		"cudagraph_capture_bytes_piecewise",
		"engine_version",
		"max_cudagraph_capture_size",
	};
	struct kernel_fixture f;
	struct ss_group decode = { 32, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };
	struct ss_evidence evidence;
	struct walked w;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "engine_version=0.29.0");
	w = walk_of(&f, &batch);
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &evidence);
	assert_int_equal(w.count, 39);
	assert_int_equal(w.count, evidence.assumed);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		assert_string_equal(name_at(&f, &w, i), first[i]);
		assert_int_equal(w.items[i].group, i < 4 ? SS_WALK_MOVES : SS_WALK_OWN);
	}
	assert_int_equal(w.items[6].group, SS_WALK_REST);
	/* 3.11 of 25.22 ms, 2.0 (61 x 13.5 us) and 0.434 */
	assert_close(w.influences[w.items[0].entry].elasticity, 0.1233, 1e-2);
	assert_close(w.influences[w.items[1].entry].elasticity, 61 * 13.5e-6 / 25.22e-3, 1e-2);
	assert_close(w.influences[w.items[2].entry].elasticity, 0.434 / 25.22, 1e-2);
	walked_release(&w);
	fixture_release(&f);
}

static void order_holds(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct walked w = walk_of(f, batch);
	struct ss_evidence evidence;

	ss_kernel_evidence(f->kernel, SS_FIGURE_SERIAL, &evidence);
	assert_int_equal(w.count, evidence.assumed);
	for (size_t i = 1; i < w.count; i++) {
		const struct ss_influence *a = &w.influences[w.items[i - 1].entry];
		const struct ss_influence *b = &w.influences[w.items[i].entry];

		assert_true(w.items[i - 1].group <= w.items[i].group);
		if (w.items[i].group == SS_WALK_MOVES && w.items[i - 1].group == SS_WALK_MOVES)
			assert_true(fabs(a->elasticity) >= fabs(b->elasticity));
		if (w.items[i].group == SS_WALK_REST) {
			assert_close(b->elasticity, 0, 0);
			assert_close(b->room_elasticity, 0, 0);
		}
	}
	walked_release(&w);
}

static void walks_go_by_influence(void **state)
{
	(void)state;
	(void)footing_each_scenario(order_holds);
	footing_each_layout(order_holds);
}

static void every_entry_says_why_and_what_instead(struct kernel_fixture *f,
						  const struct ss_batch *batch)
{
	struct ss_breakdown b = { 0 };

	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);
		const char *setting = ss_kernel_entry_setting(f->kernel, (int)i);
		char text[320];

		/* a measured value may have its sources alone */
		if (e->method == SS_METHOD_ASSUMED)
			assert_true(*ss_kernel_entry_why(f->kernel, (int)i) != '\0');
		assert_in_range(ss_kernel_entry_instead(f->kernel, (int)i, text, sizeof(text)), 1,
				sizeof(text) - 1);
		if (*setting)
			assert_non_null(strstr(text, setting));
		if (e->coefficient)
			assert_string_equal(setting, "");
		(void)ss_kernel_entry_law(f->kernel, batch, &b, (int)i, text, sizeof(text));
	}
	ss_breakdown_release(&b);
}

static void no_entry_is_left_unexplained(void **state)
{
	(void)state;
	(void)footing_each_scenario(every_entry_says_why_and_what_instead);
	footing_each_layout(every_entry_says_why_and_what_instead);
}

static int entry_named(const struct kernel_fixture *f, const char *name)
{
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++)
		if (strcmp(ss_kernel_entry(f->kernel, i)->name, name) == 0)
			return (int)i;
	fail();
	return -1;
}

/* Of what the kernel assumed itself, nothing that is read stands behind what is not. */
static void what_moves_nothing_is_walked_last_of_the_own(void **state)
{
	static const char *const cases[] = { "qwen3.5-397b-b200-tp8", "glm-5-h200-fp8-tp8",
					     "qwen3.6-27b-awq-v100-tp2" };
	struct ss_group decode = { 8, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct kernel_fixture f;
		struct walked w;
		bool has_dead = false;

		fixture_open(&f, cases[c], "");
		w = walk_of(&f, &batch);
		for (size_t i = 0; i < w.count; i++) {
			const struct ss_influence *at = &w.influences[w.items[i].entry];
			bool is_dead = !at->is_read && !at->is_memory &&
				       !*ss_kernel_entry_setting(f.kernel, w.items[i].entry);

			if (w.items[i].group != SS_WALK_OWN)
				continue;
			assert_false(has_dead && !is_dead);
			has_dead |= is_dead;
		}
		assert_true(has_dead);
		walked_release(&w);
		fixture_release(&f);
	}
}

/* The steps of the page are those of the published walk: 3.2 us x 972 either way. */
static void a_page_tries_five_values(void **state)
{
	struct kernel_fixture f;
	struct ss_group decode = { 32, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };
	struct ss_walk_page page;
	struct ss_breakdown b = { 0 };
	char text[320];
	int entry;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	entry = entry_named(&f, "host_launch_per_kernel");
	assert_int_equal(ss_kernel_walk_page(f.kernel, &batch, SS_FIGURE_SERIAL, entry, &page),
			 SS_OK);
	assert_int_equal(page.point_count, SS_WALK_POINTS);
	assert_close(page.figure_s, 25.22e-3, 1e-3);
	assert_close(page.moves_s, 972 * 3.2e-6, 1e-6);
	assert_close(page.points[0].value, 1.6, 1e-12);
	assert_close(page.points[0].figure_s, 23.67e-3, 5e-4);
	assert_close(page.points[2].figure_s, page.figure_s, 1e-12);
	assert_close(page.points[4].figure_s, 26.78e-3, 5e-4);
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_SERIAL, &b), SS_OK);
	(void)ss_kernel_entry_law(f.kernel, &batch, &b, entry, text, sizeof(text));
	assert_string_equal(text, "434.0 us + 3.2 us x 972 = 3,544.4 us");
	/* 58 expert layers are the largest charge, the 3 dense ones another: 3 x 39.28 us */
	entry = entry_named(&f, "attention_decode_floor_mla");
	(void)ss_kernel_entry_law(f.kernel, &batch, &b, entry, text, sizeof(text));
	assert_non_null(strstr(text, "x 58 = 2,278.5 us; 1 more charge, 117.9 us"));
	ss_breakdown_release(&b);

	/* captured graphs move the room alone */
	entry = entry_named(&f, "cudagraph_capture_bytes_piecewise");
	assert_int_equal(ss_kernel_walk_page(f.kernel, &batch, SS_FIGURE_SERIAL, entry, &page),
			 SS_OK);
	assert_int_equal(page.point_count, SS_WALK_POINTS);
	assert_close(page.moves_s, 0, 0);
	assert_close(page.points[4].figure_s, page.figure_s, 0);
	assert_int_equal(page.points[2].room_bytes - page.points[4].room_bytes, 858783744 / 2);

	/* a setting is a choice: there is nothing to scale */
	entry = entry_named(&f, "max_cudagraph_capture_size");
	assert_int_equal(ss_kernel_walk_page(f.kernel, &batch, SS_FIGURE_SERIAL, entry, &page),
			 SS_OK);
	assert_int_equal(page.point_count, 0);
	(void)ss_kernel_entry_instead(f.kernel, entry, text, sizeof(text));
	assert_string_equal(text, "state engine.max_cudagraph_capture_size");
	fixture_release(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_walk_is_the_published_one),
		cmocka_unit_test(walks_go_by_influence),
		cmocka_unit_test(what_moves_nothing_is_walked_last_of_the_own),
		cmocka_unit_test(no_entry_is_left_unexplained),
		cmocka_unit_test(a_page_tries_five_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
