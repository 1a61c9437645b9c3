#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "app/action.h"

static void every_name_is_unique_and_found(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);

		assert_true(row->name[0] && row->brief[0] && row->help[0] && row->where);
		assert_int_equal(action_by_name(row->name), i);
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(row->name));
	}
	assert_int_equal(action_by_name("no-such-action"), ACT_NONE);
}

static void every_key_reads_and_is_written_the_same(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ACT_COUNT; i++) {
		const char *text = action_row((enum action_id)i)->keys;
		const char *before = text;
		struct key key;

		while (key_parse(&text, &key)) {
			char name[16];

			key_text(key, name, sizeof(name));
			assert_memory_equal(name, before, strlen(name));
			before = text;
		}
		assert_string_equal(text, "");
	}
}

static void no_key_stands_twice_in_one_context(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);
		const char *text = row->keys;
		struct key key;
		unsigned bit;

		while (key_parse(&text, &key))
			for (bit = 1; bit < ACTION_WHERE_END; bit <<= 1)
				if (row->where & bit)
					/* the search takes the first, so a second is not itself */
					assert_int_equal(action_for_key(key, bit), i);
	}
}

static struct key key_of(const char *text)
{
	struct key key = { 0, 0 };

	assert_true(key_parse(&text, &key));
	return key;
}

static void a_mode_shadows_its_pane_and_the_rest(void **state)
{
	(void)state;
	assert_int_equal(action_for_key(key_of("s"), 0), ACT_SORT);
	assert_int_equal(action_for_key(key_of("s"), ACTION_WALK), ACT_WALK_STATE);
	assert_int_equal(action_for_key(key_of("a"), 0), ACT_NONE);
	assert_int_equal(action_for_key(key_of("a"), ACTION_BATCH), ACT_GROUP_ADD);
	assert_int_equal(action_for_key(key_of("a"), ACTION_BATCH | ACTION_REFUSED), ACT_FIX_A);
	assert_int_equal(action_for_key(key_of("j"), ACTION_TOUR), ACT_ROW_DOWN);
	assert_int_equal(action_for_key(key_of("q"), ACTION_TOUR), ACT_TOUR_PAUSE);
}

/* The keys the explorer is specified with, by the names of its manual. */
static void the_specified_keys_are_all_there(void **state)
{
	static const char keys[] = "h j k l <Down> <Up> <Left> <Right> <PgUp> <PgDn> g G <Tab> "
				   "<S-Tab> 0 1 2 3 4 5 6 7 8 9 / n N f s <Enter> <Esc> u ^R b B m "
				   "{ } w F o S x y Y r : ? q ^Z ^L <Space> + - e <Del> z";
	static const char walk[] = "] [ a t s ' E <Tab>";
	const char *text = keys;
	struct key key;

	(void)state;
	while (key_parse(&text, &key))
		assert_int_not_equal(action_for_key(key, 0), ACT_NONE);
	assert_string_equal(text, "");
	text = walk;
	while (key_parse(&text, &key))
		assert_true(action_row(action_for_key(key, ACTION_WALK))->where & ACTION_WALK);
	assert_string_equal(text, "");
	assert_int_equal(action_for_key(key_of("D"), ACTION_BATCH), ACT_GROUP_COPY);
	assert_int_equal(action_for_key(key_of("T"), ACTION_TOUR_FREE), ACT_TOUR_RETURN);
}

static void key_names_are_read_strictly(void **state)
{
	static const char *const bad[] = { "", "<Nope>", "<X-Tab>", "ab", "^1", "<Tab", "\x01" };
	struct key key = { 9, 9 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *text = bad[i];

		assert_false(key_parse(&text, &key));
		assert_ptr_equal(text, bad[i]);
	}
	assert_int_equal(key.code, 9);
	key = key_of("<S-Tab>");
	assert_int_equal(key.code, KEYCODE_TAB);
	assert_int_equal(key.mods, MOD_SHIFT);
	assert_int_equal(key_of("<").code, '<');
	assert_int_equal(key_of("^").code, '^');
	assert_int_equal(key_of("<C-Left>").mods, MOD_CTRL);
}

static void the_first_key_is_the_one_shown(void **state)
{
	char name[16];

	(void)state;
	assert_string_equal(action_key_name(ACT_REDO, name, sizeof(name)), "^R");
	assert_string_equal(action_key_name(ACT_ROW_DOWN, name, sizeof(name)), "j");
	assert_string_equal(action_where_name(ACTION_WALK), "the walk");
}

static void a_footer_has_whole_keys_only(void **state)
{
	static const enum action_id actions[] = { ACT_VALUE_NEXT, ACT_EDIT, ACT_REDO, ACT_UNSTATE,
						  ACT_NONE };
	char text[80];

	(void)state;
	assert_string_equal(action_footer(actions, 80, text, sizeof(text)),
			    "Spc next  e edit  ^R redo  Del unstate");
	assert_string_equal(action_footer(actions, 37, text, sizeof(text)),
			    "Spc next  e edit  ^R redo");
	assert_string_equal(action_footer(actions, 3, text, sizeof(text)), "");
	assert_string_equal(action_footer(actions, 80, text, 12), "Spc next");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_unique_and_found),
		cmocka_unit_test(every_key_reads_and_is_written_the_same),
		cmocka_unit_test(no_key_stands_twice_in_one_context),
		cmocka_unit_test(a_mode_shadows_its_pane_and_the_rest),
		cmocka_unit_test(the_specified_keys_are_all_there),
		cmocka_unit_test(key_names_are_read_strictly),
		cmocka_unit_test(a_footer_has_whole_keys_only),
		cmocka_unit_test(the_first_key_is_the_one_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
