/*
 * Every model of the registry on every part: what is refused has a way out, and the first
 * that is offered prices when it is taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "case/other_part.h"
#include "case/session.h"

static struct ss_registry *registry;

static int open_registry(void **state)
{
	const char *roots[] = { TEST_SRCDIR "/registry" };

	(void)state;
	return ss_registry_new(&registry, roots, 1, NULL);
}

static int free_registry(void **state)
{
	(void)state;
	ss_registry_free(registry);
	return 0;
}

/* True when it is priced; else `problems` says why not. */
static bool prices(const struct ss_scenario *scenario, struct ss_problems *problems)
{
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	bool is_priced;

	if (ss_basis_open(&basis, registry, scenario, NULL, 0, problems))
		return false;
	is_priced = ss_kernel_new(&kernel, basis, scenario, 0, SS_CORRECTIONS_DEFAULT, problems) ==
			    SS_OK &&
		    ss_kernel_has_price(kernel);
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	return is_priced;
}

static struct ss_scenario *made(const char *model, const char *part)
{
	const struct adhoc words = { .model = model, .part = part };
	struct ss_scenario *scenario = NULL;
	struct ss_error err = { 0 };

	if (adhoc_scenario(&scenario, registry, &words, NULL, &err))
		fail_msg("%s on %s: %s", model, part, err.message);
	return scenario;
}

static void check_way_out(const struct ss_scenario *scenario, const struct ss_problem *problem)
{
	const char *model = session_text(scenario, 0, SS_F_MODEL);
	const char *part = session_text(scenario, 0, SS_F_HARDWARE);
	struct ss_scenario *mended = NULL;

	if (!problem->fix_count)
		fail_msg("%s on %s: no way out of %s", model, part, problem->message);
	assert_int_equal(ss_scenario_clone(&mended, scenario), SS_OK);
	assert_int_equal(ss_scenario_take_fix(mended, 0, &problem->fixes[0], NULL), SS_OK);
	if (!prices(mended, NULL))
		fail_msg("%s on %s: %s = %s (%s) does not price", model, part,
			 problem->fixes[0].path, problem->fixes[0].value, problem->fixes[0].note);
	ss_scenario_free(mended);
}

/* How many refusals there were. */
static size_t check_pair(const char *model, const char *part)
{
	struct ss_scenario *scenario = made(model, part);
	struct ss_problems problems = { 0 };
	size_t refused = 0;

	if (!prices(scenario, &problems)) {
		other_part_offer(&problems, registry, scenario, 0, SS_CORRECTIONS_DEFAULT);
		for (size_t i = 0; i < problems.count; i++) {
			if (problems.items[i].severity != SS_REFUSAL)
				continue;
			refused++;
			check_way_out(scenario, &problems.items[i]);
		}
	}
	ss_problems_release(&problems);
	ss_scenario_free(scenario);
	return refused;
}

static void every_refusal_has_a_way_out_that_prices(void **state)
{
	char **models = NULL, **parts = NULL;
	size_t model_count = 0, part_count = 0, refused = 0;

	(void)state;
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_MODEL, &models, &model_count),
			 SS_OK);
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_HARDWARE, &parts, &part_count),
			 SS_OK);
	for (size_t m = 0; m < model_count; m++)
		for (size_t p = 0; p < part_count; p++)
			refused += check_pair(models[m], parts[p]);
	ss_names_free(models, model_count);
	ss_names_free(parts, part_count);
	assert_true(refused > 50);
}

static void sparse_attention_before_hopper_is_offered_hopper(void **state)
{
	struct ss_scenario *scenario = made("glm-5.3", "a100-sxm");
	struct ss_problems problems = { 0 };

	(void)state;
	assert_false(prices(scenario, &problems));
	assert_string_equal(problems.items[0].code, "E7");
	assert_int_equal(problems.items[0].fix_count, 0);
	other_part_offer(&problems, registry, scenario, 0, SS_CORRECTIONS_DEFAULT);
	assert_true(problems.items[0].fix_count > 0);
	assert_string_equal(problems.items[0].fixes[0].path, "cluster.hardware");
	assert_string_equal(problems.items[0].fixes[0].value, "h100");
	ss_problems_release(&problems);
	ss_scenario_free(scenario);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refusal_has_a_way_out_that_prices),
		cmocka_unit_test(sparse_attention_before_hopper_is_offered_hopper),
	};

	return cmocka_run_group_tests(tests, open_registry, free_registry);
}
