/* Opening a case: registries, names, words, batches, and resolving it again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/app.h"
#include "case/findings.h"
#include "close.h"
#include "case/opening.h"
#include "case/session.h"

#define REGISTRY TEST_SRCDIR "/registry"

static struct session_request request_for(const char *scenario)
{
	struct session_request request = session_request();

	request.registry = REGISTRY;
	request.scenario = scenario;
	return request;
}

static void a_name_opens_the_scenario_beside_the_registry(void **state)
{
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session session;
	struct ss_error err = { 0 };
	struct figures figures;

	(void)state;
	request.figure = SS_FIGURE_SERIAL;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_non_null(session.kernel);
	assert_int_equal(session.group_count, 1);
	assert_int_equal(session.groups[0].count, 32);
	figures_of(&figures, &session);
	/* The published step: 25.22 ms, to its last digit. */
	assert_true(figures.lead_s > 0.025215 && figures.lead_s < 0.025225);
	session_release(&session);
}

static void no_name_opens_the_default(void **state)
{
	struct session_request request = request_for(NULL);
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_string_equal(session_text(session.scenario, 0, SS_F_NAME), SESSION_DEFAULT_SCENARIO);
	session_release(&session);
}

static void settings_apply_in_order_and_the_last_wins(void **state)
{
	static const struct setting settings[] = { { "tp", "3" }, { "tp", "4" } };
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	request.settings = settings;
	request.setting_count = 2;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(ss_kernel_resolution(session.kernel)->tensor_parallel, 4);
	session_release(&session);
}

static void a_refused_case_is_open_without_a_kernel_and_can_be_mended(void **state)
{
	static const struct setting settings[] = { { "tp", "3" } };
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	request.settings = settings;
	request.setting_count = 1;
	assert_int_equal(session_open(&session, &request, &err), SS_EREFUSED);
	assert_null(session.kernel);
	assert_true(ss_problems_count(&session.problems, SS_REFUSAL) > 0);
	assert_int_equal(ss_scenario_set(session.scenario, 0, "tp", "8", &err), SS_OK);
	assert_int_equal(session_resolve(&session, false), SS_OK);
	assert_non_null(session.kernel);
	assert_int_equal(ss_problems_count(&session.problems, SS_REFUSAL), 0);
	session_release(&session);
}

static void a_pool_goes_by_number_or_role_and_an_unknown_one_names_them(void **state)
{
	struct session_request request = request_for("deepseek-v3-h200-pd");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	request.pool = "decode";
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.pool, 1);
	session_release(&session);
	request.pool = "2";
	assert_int_equal(session_open(&session, &request, &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "0 (prefill), 1 (decode)"));
	session_release(&session);
}

static void a_shape_opens_with_one_decode_at_its_mean_length(void **state)
{
	/* chatbot: 256 tokens of prompt, 256 of output; so 256 + 128. */
	struct session_request request = request_for("mixtral-8x7b-h100-tp2-dp2");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.group_count, 1);
	assert_int_equal(session.groups[0].count, 1);
	assert_int_equal(session.groups[0].scheduled, 1);
	assert_int_equal(session.groups[0].computed + 1, 384);
	session_release(&session);
}

static size_t sets_of(const char *model, const char *part)
{
	struct session_request request = request_for(NULL);
	struct session session;
	struct ss_error err = { 0 };
	size_t count;
	enum ss_status rc;

	request.adhoc.model = model;
	request.adhoc.part = part;
	request.skips_resolution = true;
	rc = session_open(&session, &request, &err);
	if (rc)
		fail_msg("%s on %s: %s", model, part, err.message);
	count = ss_scenario_value(session.scenario, 0, SS_F_COEFFICIENTS)->count;
	session_release(&session);
	return count;
}

static void words_take_the_sets_that_their_part_has(void **state)
{
	(void)state;
	/* Six cost-model sets, also where one of them lacks the part; on a V100 three. */
	assert_int_equal(sets_of("qwen3-14b", "h100"), 6);
	assert_int_equal(sets_of("qwen3-14b", "l40s"), 6);
	assert_int_equal(sets_of("qwen3-14b", "gb300"), 6);
	assert_int_equal(sets_of("qwen3.6-27b-awq", "v100-sxm2-16"), 3);
}

static void a_misspelt_coefficient_names_the_nearest(void **state)
{
	static const struct ss_whatif whatifs[] = { { "host_launch_per_kernal", 2 } };
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	request.whatifs = whatifs;
	request.whatif_count = 1;
	assert_int_equal(session_open(&session, &request, &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "host_launch_per_kernel"));
	session_release(&session);
}

static void an_unknown_name_lists_what_there_is(void **state)
{
	struct session_request request = request_for("deepseek-v3-h200");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_EDOCUMENT);
	assert_int_equal(session.problems.count, 1);
	assert_non_null(strstr(session.problems.items[0].message, "deepseek-v3-h200-pd"));
	session_release(&session);
}

static void a_registry_that_is_no_folder_is_bad_usage(void **state)
{
	struct session_request request = request_for(NULL);
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	request.registry = TEST_SRCDIR "/README.md";
	assert_int_equal(session_open(&session, &request, &err), SS_EUSAGE);
	assert_string_equal(err.where, "--registry");
	session_release(&session);
}

static void findings_agree_with_one_another(void **state)
{
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session session;
	struct ss_error err = { 0 };
	struct findings f;
	double shares = 0, terms = 0;
	struct ss_walk_item *walk;
	size_t count;

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(findings_new(&f, &session), SS_OK);
	for (int m = 0; m < SS_METHOD_COUNT; m++)
		shares += f.share.by_method[m];
	for (size_t i = 0; i < f.breakdown.term_count; i++)
		terms += ss_term_figure(&f.breakdown.terms[i], session.figure);
	assert_true(shares > 1 - 1e-9 && shares < 1 + 1e-9);
	assert_true(terms > f.figures.lead_s - 1e-9 && terms < f.figures.lead_s + 1e-9);
	assert_true(f.band_s[0] <= f.figures.lead_s && f.figures.lead_s <= f.band_s[1]);
	walk = findings_walk(&f, &count);
	assert_int_equal(count, f.evidence.assumed);
	free(walk);
	findings_release(&f);
	session_release(&session);
}

/* What Y copies of a session just opened. */
static void copied(const struct session_request *request, struct xbuf *out)
{
	struct session session;
	struct ss_error err = { 0 };
	struct app app;

	out->len = 0;
	assert_int_equal(session_open(&session, request, &err), SS_OK);
	app_init_session(&app, &session);
	app_refresh(&app, APP_PRICE);
	app_command_line(&app, out);
	assert_close(app.spread.share[SS_METHOD_MEASURED],
		     request->spread.share[SS_METHOD_MEASURED], 0);
	app_release(&app);
	session_release(&session);
}

static void the_command_of_a_session_repeats_what_it_was_opened_with(void **state)
{
	static const struct setting settings[] = { { "max_num_seqs", "128" } };
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct xbuf line = { 0 };

	(void)state;
	copied(&request, &line);
	assert_null(strstr(xbuf_text(&line), " --"));
	request.settings = settings;
	request.setting_count = 1;
	request.batch = "64x4096";
	request.acceptance = 0.5;
	request.spread.share[SS_METHOD_MEASURED] = 0.4;
	copied(&request, &line);
	assert_non_null(strstr(xbuf_text(&line), "--set engine.max_num_seqs=128"));
	assert_non_null(strstr(xbuf_text(&line), "--batch 64x4096"));
	assert_non_null(strstr(xbuf_text(&line), "--spread measured=0.4"));
	assert_non_null(strstr(xbuf_text(&line), "--acceptance 0.5"));
	xbuf_release(&line);
}

static void the_command_of_a_scenario_of_words_names_them(void **state)
{
	static const struct setting settings[] = { { "tp", "2" } };
	struct session_request request = request_for(NULL);
	struct xbuf line = { 0 };

	(void)state;
	request.adhoc.model = "qwen3-14b";
	request.adhoc.part = "h100";
	request.settings = settings;
	request.setting_count = 1;
	copied(&request, &line);
	assert_non_null(strstr(xbuf_text(&line),
			       "stepscope price --model qwen3-14b --part h100 --nodes 1"));
	assert_non_null(strstr(xbuf_text(&line), "--set parallel.tp=2"));
	xbuf_release(&line);
}

/* The workload of the split deployment is one prompt of 4096 tokens in a step. */
static void a_decode_pool_opens_with_what_the_prefill_pool_hands_over(void **state)
{
	struct session_request request = request_for("deepseek-v3-h200-pd");
	struct session session;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.groups[0].scheduled, 4096);
	assert_int_equal(session.groups[0].computed, 0);
	session_release(&session);

	request.pool = "decode";
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.group_count, 1);
	assert_int_equal(session.groups[0].count, 1);
	assert_int_equal(session.groups[0].scheduled, 1);
	assert_int_equal(session.groups[0].computed, 4095);
	session_release(&session);

	/* What the user states holds for any pool. */
	request.batch = "2x512s+0";
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.groups[0].scheduled, 512);
	session_release(&session);
}

static void only_prefills_are_handed_over_and_at_the_whole_prompt(void **state)
{
	static const struct ss_group groups[] = {
		{ 3, 512, 1024, 8192 }, /* a chunk of a longer prompt */
		{ 5, 1, 99, 0 },        /* a decode */
		{ 2, 4, 700, 600 },     /* drafted tokens after a prompt */
		{ 4, 8, 24, 0 },
	};
	struct session_request request = request_for("deepseek-v3-h200-pd");
	struct session session;
	struct ss_error err = { 0 };
	struct ss_group *out;

	(void)state;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	out = opening_groups(session.scenario, 1, 0, groups, 4);
	assert_int_equal(out[0].scheduled, 1);
	assert_int_equal(out[0].computed, 8191);
	assert_int_equal(out[0].count, 3);
	assert_memory_equal(&out[1], &groups[1], sizeof(*out));
	assert_memory_equal(&out[2], &groups[2], sizeof(*out));
	assert_int_equal(out[3].computed, 31);
	free(out);
	/* Eight tokens are no prefill where the threshold says so. */
	out = opening_groups(session.scenario, 1, 8, groups, 4);
	assert_memory_equal(&out[3], &groups[3], sizeof(*out));
	free(out);
	out = opening_groups(session.scenario, 0, 0, groups, 4);
	assert_memory_equal(out, groups, sizeof(groups));
	free(out);
	session_release(&session);
}

static void a_stated_empty_batch_opens_empty_and_none_as_a_decode(void **state)
{
	static const char *const workloads[] = { "{\"batch\": []}", "{\"decode_threshold\": 8}" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct session session = { 0 };
		struct ss_problems problems = { 0 };
		struct xbuf text = { 0 };
		struct ss_scenario *first;
		char *json;

		xbuf_printf(&text,
			    "{\"kind\": \"Scenario\", \"name\": \"x\", \"model\": \"qwen3-14b\", "
			    "\"engine\": \"vllm\", \"engine_version\": \"0.31.0\", "
			    "\"coefficients\": [\"cost-model-primitives\"], "
			    "\"cluster\": {\"hardware\": \"h100\", \"nodes\": 1, "
			    "\"gpus_per_node\": 8}, \"workload\": %s, \"deployment\": "
			    "{\"name\": \"base\", \"pools\": [{\"role\": \"colocated\", "
			    "\"nodes\": 1, \"parallel\": {\"tp\": 1, \"pp\": 1, \"dp\": 1}, "
			    "\"engine\": {}}]}}",
			    workloads[i]);
		first = ss_scenario_parse(xbuf_text(&text), text.len, "x", &problems);
		assert_non_null(first);
		/* Written and read again, it still says the same. */
		json = ss_scenario_to_json(first);
		session.scenario = ss_scenario_parse(json, strlen(json), "x", &problems);
		assert_non_null(session.scenario);
		assert_true(ss_scenario_equal(first, session.scenario));
		assert_int_equal(session_opening_batch(&session), SS_OK);
		assert_int_equal(session.group_count, i);
		free(json);
		ss_scenario_free(first);
		ss_problems_release(&problems);
		xbuf_release(&text);
		session_release(&session);
	}
}

/* The launches of the published step, 972 of them at 3.2 us, at 1.6 us. */
static void a_scenario_is_priced_with_what_it_tries_until_that_is_taken_back(void **state)
{
	static const double tried = 1.6;
	static const struct ss_whatif none = { "host_launch_per_kernel", NAN };
	struct session_request request = request_for("deepseek-v3-h200-fp8-tp8");
	struct session plain, session;
	struct ss_error err = { 0 };
	struct figures usual, figures;
	char path[] = "/tmp/session-test-XXXXXX";
	struct xbuf line = { 0 };
	char *json;
	FILE *file;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(session_open(&plain, &request, &err), SS_OK);
	figures_of(&usual, &plain);
	assert_int_equal(ss_scenario_set_what_if(plain.scenario, "host_launch_per_kernel", &tried),
			 SS_OK);
	ss_scenario_set_corrections(plain.scenario, 1u << SS_DIVERGENCE_HEAD_ROWS);
	json = ss_scenario_to_json(plain.scenario);
	file = fdopen(fd, "w");
	assert_true(file && fputs(json, file) >= 0 && !fclose(file));
	free(json);
	session_release(&plain);

	request.scenario = path;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	assert_int_equal(session.corrections, 1u << SS_DIVERGENCE_HEAD_ROWS);
	figures_of(&figures, &session);
	assert_close(usual.step.serial_s - figures.step.serial_s, 972 * 1.6e-6, 1e-6);
	session_release(&session);
	/* The command that Y copies names the file, and what differs from it. */
	copied(&request, &line);
	assert_null(strstr(xbuf_text(&line), " --"));

	request.whatifs = &none;
	request.whatif_count = 1;
	request.corrections_dropped = ~0u;
	request.corrections_added = SS_CORRECTIONS_DEFAULT;
	assert_int_equal(session_open(&session, &request, &err), SS_OK);
	figures_of(&figures, &session);
	assert_close(figures.step.serial_s, usual.step.serial_s, 1e-12);
	session_release(&session);
	copied(&request, &line);
	assert_non_null(strstr(xbuf_text(&line), "--coef host_launch_per_kernel="));
	xbuf_release(&line);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_opens_the_scenario_beside_the_registry),
		cmocka_unit_test(no_name_opens_the_default),
		cmocka_unit_test(settings_apply_in_order_and_the_last_wins),
		cmocka_unit_test(a_refused_case_is_open_without_a_kernel_and_can_be_mended),
		cmocka_unit_test(a_pool_goes_by_number_or_role_and_an_unknown_one_names_them),
		cmocka_unit_test(a_shape_opens_with_one_decode_at_its_mean_length),
		cmocka_unit_test(words_take_the_sets_that_their_part_has),
		cmocka_unit_test(a_misspelt_coefficient_names_the_nearest),
		cmocka_unit_test(an_unknown_name_lists_what_there_is),
		cmocka_unit_test(a_registry_that_is_no_folder_is_bad_usage),
		cmocka_unit_test(findings_agree_with_one_another),
		cmocka_unit_test(the_command_of_a_session_repeats_what_it_was_opened_with),
		cmocka_unit_test(the_command_of_a_scenario_of_words_names_them),
		cmocka_unit_test(a_decode_pool_opens_with_what_the_prefill_pool_hands_over),
		cmocka_unit_test(only_prefills_are_handed_over_and_at_the_whole_prompt),
		cmocka_unit_test(a_stated_empty_batch_opens_empty_and_none_as_a_decode),
		cmocka_unit_test(a_scenario_is_priced_with_what_it_tries_until_that_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
