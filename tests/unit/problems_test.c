#include "stepscope/problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_problem_keeps_its_own_copy_of_the_text(void **state)
{
	struct ss_problems list = { 0 };
	char file[] = "a.json";
	size_t index = ss_problems_add(&list, SS_ERROR, "range", file, "/tp",
				       "must be above 0, got %d", -1);

	(void)state;
	file[0] = 'x';
	assert_int_equal(index, 0);
	assert_string_equal(list.items[0].code, "range");
	assert_string_equal(list.items[0].file, "a.json");
	assert_string_equal(list.items[0].pointer, "/tp");
	assert_string_equal(list.items[0].message, "must be above 0, got -1");
	ss_problems_release(&list);
	assert_int_equal(list.count, 0);
	assert_null(list.items);
}

static void missing_text_is_empty(void **state)
{
	struct ss_problems list = { 0 };

	(void)state;
	assert_int_equal(ss_problems_add(&list, SS_WARNING, NULL, NULL, NULL, "said"), 0);
	assert_string_equal(list.items[0].code, "");
	assert_string_equal(list.items[0].file, "");
	assert_string_equal(list.items[0].pointer, "");
	ss_problems_release(&list);
}

static void control_bytes_never_reach_a_message(void **state)
{
	struct ss_problems list = { 0 };

	(void)state;
	assert_int_equal(ss_problems_add(&list, SS_ERROR, "x", "", "", "a%sb\n", "\033[31m"), 0);
	assert_string_equal(list.items[0].message, "a?[31mb?");
	ss_problems_release(&list);
}

static void severities_are_counted_apart(void **state)
{
	struct ss_problems list = { 0 };

	(void)state;
	(void)ss_problems_add(&list, SS_ERROR, "a", "", "", "1");
	(void)ss_problems_add(&list, SS_REFUSAL, "b", "", "", "2");
	(void)ss_problems_add(&list, SS_ERROR, "c", "", "", "3");
	assert_int_equal(ss_problems_count(&list, SS_ERROR), 2);
	assert_int_equal(ss_problems_count(&list, SS_REFUSAL), 1);
	assert_int_equal(ss_problems_count(&list, SS_WARNING), 0);
	ss_problems_release(&list);
}

static void fixes_belong_to_their_problem(void **state)
{
	struct ss_problems list = { 0 };
	size_t index;

	(void)state;
	(void)ss_problems_add(&list, SS_WARNING, "a", "", "", "first");
	index = ss_problems_add(&list, SS_REFUSAL, "D1", "", "/tp", "second");
	ss_problems_add_fix(&list, index, "tp", "4", "fits");
	ss_problems_add_fix(&list, index, "tp", "2", NULL);
	ss_problems_add_fix(&list, 7, "tp", "1", "nowhere");
	assert_int_equal(list.items[0].fix_count, 0);
	assert_int_equal(list.items[1].fix_count, 2);
	assert_string_equal(list.items[1].fixes[0].value, "4");
	assert_string_equal(list.items[1].fixes[0].note, "fits");
	assert_string_equal(list.items[1].fixes[1].note, "");
	ss_problems_release(&list);
}

static void past_the_limit_one_last_problem_says_so(void **state)
{
	struct ss_problems list = { 0 };

	(void)state;
	for (int i = 0; i < SS_PROBLEMS_MAX; i++)
		assert_int_equal(ss_problems_add(&list, SS_ERROR, "x", "", "", "%d", i), i);
	assert_int_equal(ss_problems_add(&list, SS_ERROR, "x", "f", "/p", "lost"), SS_PROBLEMS_MAX);
	assert_string_equal(list.items[SS_PROBLEMS_MAX].code, "limit");
	assert_int_equal(ss_problems_add(&list, SS_ERROR, "x", "", "", "lost"), SIZE_MAX);
	assert_int_equal(list.count, SS_PROBLEMS_MAX + 1);
	ss_problems_release(&list);
}

static void nobody_has_to_listen(void **state)
{
	(void)state;
	assert_int_equal(ss_problems_add(NULL, SS_ERROR, "x", "", "", "said"), SIZE_MAX);
	ss_problems_add_fix(NULL, 0, "tp", "1", "");
	assert_int_equal(ss_problems_count(NULL, SS_ERROR), 0);
	ss_problems_release(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_problem_keeps_its_own_copy_of_the_text),
		cmocka_unit_test(missing_text_is_empty),
		cmocka_unit_test(control_bytes_never_reach_a_message),
		cmocka_unit_test(severities_are_counted_apart),
		cmocka_unit_test(fixes_belong_to_their_problem),
		cmocka_unit_test(past_the_limit_one_last_problem_says_so),
		cmocka_unit_test(nobody_has_to_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
