/*
 * Kernel times by an independent implementation: laws and curves of kernel-times.json, and
 * whole steps by term of kernel-steps.json. Tables: aiconfigurator, commit 095f58a51c4c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "kernel_fixture.h"
#include "resolve/times.h"
#include "resolve/times_plan.h"
#include "stepscope/kernel.h"

static struct ss_registry *registry;

static cJSON *read_json(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t size = 1 << 20, used;
	char *text = f ? calloc(1, size) : NULL;
	cJSON *json = NULL;

	if (text) {
		used = fread(text, 1, size - 1, f);
		json = cJSON_ParseWithLength(text, used);
	}
	free(text);
	if (f)
		(void)fclose(f);
	return json;
}

static const char *text_of(const cJSON *c, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(c, name)->valuestring;
}

static double number_of(const cJSON *c, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(c, name)->valuedouble;
}

/* -- laws and curves ------------------------------------------------------------------------ */

static const struct ss_times *document_of(const cJSON *c, const char *what)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s-%s", text_of(c, "part"), what);
	return ss_registry_times(registry, name, NULL);
}

/** The entry of a family measured with this release, of a format and kernel when given. */
static const struct ss_times_entry *entry_of(const cJSON *c, const struct ss_times *document,
					     enum ss_times_family family)
{
	const cJSON *format = cJSON_GetObjectItemCaseSensitive(c, "format");
	const cJSON *kernel = cJSON_GetObjectItemCaseSensitive(c, "kernel");
	const char *engine = text_of(c, "engine");

	for (size_t i = 0; document && i < document->count; i++) {
		const struct ss_times_entry *e = &document->entries[i];
		const char *with = e->measured_with;
		size_t length = strlen(with), wanted = strlen(engine);

		if (e->family == family && length >= wanted &&
		    strcmp(with + length - wanted, engine) == 0 &&
		    (!format || strcmp(e->format, format->valuestring) == 0) &&
		    (!kernel || strcmp(e->kernel, kernel->valuestring) == 0))
			return e;
	}
	return NULL;
}

static enum time_format format_of(const cJSON *c)
{
	for (int i = 0; i < TIME_FORMAT_COUNT; i++)
		if (strcmp(time_format_name((enum time_format)i), text_of(c, "format")) == 0)
			return (enum time_format)i;
	return TIME_FORMAT_COUNT;
}

static double gemm_us(const cJSON *c)
{
	const struct ss_times_entry *e = entry_of(c, document_of(c, "laws"), SS_TIMES_GEMM_LAW);
	struct gemm_law law = { 0 };
	struct time_parts parts;

	assert_non_null(e);
	times_bind_gemm_law(&law, e, number_of(c, "n"), number_of(c, "k"),
			    time_format_bytes(format_of(c)));
	return gemm_law_us(&law, number_of(c, "m"), &parts);
}

static double moe_us(const cJSON *c)
{
	const struct ss_times_entry *e = entry_of(c, document_of(c, "laws"), SS_TIMES_MOE_LAW);
	struct times_experts shape = {
		.hidden = number_of(c, "hidden"),
		.inner = number_of(c, "inter") / number_of(c, "tp"),
		.top_k = number_of(c, "top_k"),
		.experts = number_of(c, "experts"),
		.ep = number_of(c, "ep"),
		.matrices = 3,
		.bytes = time_format_bytes(format_of(c)),
	};
	struct moe_law law = { 0 };
	struct time_parts parts;

	assert_non_null(e);
	times_bind_moe_law(&law, e, &shape);
	return moe_law_us(&law, number_of(c, "tokens"), &parts);
}

static double curve_us(const struct ss_times_entry *e, const int64_t *key, double x)
{
	struct times_state state = { 0 };
	const struct ss_curve *measured;
	const struct curve *curve;
	double us;

	assert_non_null(e);
	measured = ss_times_curve(e, key);
	assert_non_null(measured);
	curve = times_curve(&state, measured);
	assert_non_null(curve);
	us = exp(curve_at(curve, log(x)));
	times_release(&state);
	return us;
}

static double moe_grid_us(const cJSON *c)
{
	char what[64];
	const int64_t key[SS_TIMES_KEYS_MAX] = {
		(int64_t)number_of(c, "hidden"), (int64_t)number_of(c, "inter"),
		(int64_t)number_of(c, "top_k"),  (int64_t)number_of(c, "experts"),
		(int64_t)number_of(c, "tp"),     (int64_t)number_of(c, "ep"),
	};

	(void)snprintf(what, sizeof(what), "moe-%s", text_of(c, "format"));
	return curve_us(entry_of(c, document_of(c, what), SS_TIMES_MOE), key,
			number_of(c, "tokens"));
}

static double all_reduce_us(const cJSON *c)
{
	const int64_t key[SS_TIMES_KEYS_MAX] = { (int64_t)number_of(c, "ranks") };

	return curve_us(entry_of(c, document_of(c, "links"), SS_TIMES_ALL_REDUCE), key,
			number_of(c, "bytes"));
}

static void laws_and_curves_give_the_computed_microseconds(void **state)
{
	static const struct {
		const char *law;
		double (*us)(const cJSON *c);
	} laws[] = {
		{ "gemm", gemm_us },
		{ "moe", moe_us },
		{ "moe_grid", moe_grid_us },
		{ "all_reduce", all_reduce_us },
	};
	cJSON *document = read_json(TEST_SRCDIR "/tests/oracle/kernel-times.json");
	const cJSON *c;
	int bad = 0, run = 0;

	(void)state;
	assert_non_null(document);
	cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(document, "cases"))
	{
		for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
			double got, want = number_of(c, "us");

			if (strcmp(laws[i].law, text_of(c, "law")) != 0)
				continue;
			got = laws[i].us(c);
			run++;
			if (fabs(got / want - 1) <= 1e-6)
				continue;
			print_error("%s: %.9g us, wants %.9g\n", text_of(c, "id"), got, want);
			bad++;
		}
	}
	assert_int_equal(run,
			 cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(document, "cases")));
	assert_int_equal(bad, 0);
	cJSON_Delete(document);
}

/* -- steps ---------------------------------------------------------------------------------- */

/** Which of the oracle's terms ours belongs to. */
static const char *oracle_term(enum ss_term_id term)
{
	static const char *const names[SS_TERM_COUNT] = {
		[SS_TERM_DENSE] = "gemm",
		[SS_TERM_ALL_REDUCE] = "all-reduce",
		[SS_TERM_EXPERTS] = "moe",
		[SS_TERM_SHARED] = "shared",
		[SS_TERM_SMALL] = "small",
		[SS_TERM_ATTENTION_DECODE] = "attention",
		[SS_TERM_ATTENTION_PREFILL] = "prefill attention",
		[SS_TERM_HEAD] = "head",
		[SS_TERM_GRAPH] = "graph",
		[SS_TERM_PREFILL_HOST] = "prefill host",
		[SS_TERM_SYNC] = "sync",
	};

	return names[term] ? names[term] : ss_term_name(term);
}

static size_t add_settings(char *out, size_t size, size_t used, const char *prefix,
			   const cJSON *map)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, map)
	{
		char text[64];

		if (cJSON_IsString(item) && !*item->valuestring)
			continue;
		if (cJSON_IsString(item))
			(void)snprintf(text, sizeof(text), "%s", item->valuestring);
		else if (cJSON_IsBool(item))
			(void)snprintf(text, sizeof(text), "%s",
				       cJSON_IsTrue(item) ? "true" : "false");
		else
			(void)snprintf(text, sizeof(text), "%.0f", item->valuedouble);
		used += (size_t)snprintf(out + used, size - used, "%s%s.%s=%s", used ? " " : "",
					 prefix, item->string, text);
	}
	return used;
}

static int compare_term(const char *id, const char *name, double got, double want)
{
	if (fabs(got - want) <= 1e-3 * fabs(want) + 1e-12)
		return 0;
	print_error("%s: %s is %.9g ms, wants %.9g\n", id, name, got, want);
	return 1;
}

static int check_step(const cJSON *c)
{
	const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect"), *item;
	const cJSON *batch_list = cJSON_GetObjectItemCaseSensitive(c, "batch");
	struct fixture_cluster cluster = { 1, (int)number_of(c, "gpus_per_node"), 0, 0 };
	struct ss_group groups[8] = { { 0 } };
	struct ss_batch batch = { .groups = groups,
				  .decode_threshold = (int64_t)number_of(c, "decode_threshold") };
	struct ss_breakdown b = { 0 };
	struct kernel_fixture f;
	char settings[512] = "";
	double total_s = 0;
	size_t used;
	int bad = 0;

	cJSON_ArrayForEach(item, batch_list) groups[batch.group_count++] =
		(struct ss_group){ (int64_t)number_of(item, "count"),
				   (int64_t)number_of(item, "scheduled"),
				   (int64_t)number_of(item, "computed"), 0 };
	used = (size_t)snprintf(settings, sizeof(settings), "engine_version=%s",
				text_of(c, "engine_version"));
	used = add_settings(settings, sizeof(settings), used, "parallel",
			    cJSON_GetObjectItemCaseSensitive(c, "parallel"));
	(void)add_settings(settings, sizeof(settings), used, "engine",
			   cJSON_GetObjectItemCaseSensitive(c, "engine"));
	fixture_make(&f, text_of(c, "model"), text_of(c, "part"), &cluster, settings);
	assert_non_null(f.kernel);
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_KERNELS, &b), SS_OK);
	cJSON_ArrayForEach(item, expect)
	{
		double seconds = 0;

		for (size_t i = 0; i < b.term_count; i++)
			if (strcmp(oracle_term(b.terms[i].term), item->string) == 0)
				seconds += ss_term_figure(&b.terms[i], SS_FIGURE_KERNELS);
		bad += compare_term(text_of(c, "id"), item->string, 1e3 * seconds,
				    item->valuedouble);
	}
	for (size_t i = 0; i < b.term_count; i++)
		total_s += ss_term_figure(&b.terms[i], SS_FIGURE_KERNELS);
	bad += compare_term(text_of(c, "id"), "total", 1e3 * b.step.kernels_s,
			    number_of(c, "total_ms"));
	bad += compare_term(text_of(c, "id"), "sum of terms", 1e3 * total_s,
			    number_of(c, "total_ms"));
	ss_breakdown_release(&b);
	fixture_release(&f);
	return bad;
}

static void steps_have_the_computed_milliseconds_by_term(void **state)
{
	cJSON *document = read_json(TEST_SRCDIR "/tests/oracle/kernel-steps.json");
	const cJSON *c;
	int bad = 0, run = 0;

	(void)state;
	assert_non_null(document);
	cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(document, "cases"))
	{
		bad += check_step(c);
		run++;
	}
	assert_int_equal(run, 80);
	assert_int_equal(bad, 0);
	cJSON_Delete(document);
}

int main(void)
{
	const char *roots[] = { TEST_SRCDIR "/registry" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_and_curves_give_the_computed_microseconds),
		cmocka_unit_test(steps_have_the_computed_milliseconds_by_term),
	};
	int failed;

	if (ss_registry_new(&registry, roots, 1, NULL) != SS_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ss_registry_free(registry);
	return failed;
}
