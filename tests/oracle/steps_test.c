/*
 * Step times and memory of 290 deployments, computed by an independent
 * implementation of the laws; figures in steps.json beside this file.
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

#include "stepscope/kernel.h"
#include "stepscope/registry.h"

static struct ss_registry *registry;
static cJSON *document;
static double tolerance;

static cJSON *read_json(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t used = 0, size = 1 << 22, n;
	cJSON *json = NULL;

	if (!f)
		return NULL;
	text = malloc(size);
	while (text && (n = fread(text + used, 1, size - used - 1, f)) > 0)
		used += n;
	if (text) {
		text[used] = '\0';
		json = cJSON_Parse(text);
	}
	free(text);
	(void)fclose(f);
	return json;
}

static void set(struct ss_scenario *s, const char *path, const char *text)
{
	struct ss_error err = { 0 };

	if (ss_scenario_set(s, 0, path, text, &err) != SS_OK)
		fail_msg("%s=%s: %s", path, text, err.message);
}

static void set_item(struct ss_scenario *s, const char *prefix, const cJSON *item)
{
	char path[160], text[64];

	(void)snprintf(path, sizeof(path), "%s%s", prefix, item->string);
	if (cJSON_IsObject(item)) {
		const cJSON *child;

		(void)snprintf(path, sizeof(path), "%s%s.", prefix, item->string);
		cJSON_ArrayForEach(child, item) set_item(s, path, child);
		return;
	}
	if (cJSON_IsBool(item))
		set(s, path, cJSON_IsTrue(item) ? "true" : "false");
	else if (cJSON_IsString(item))
		set(s, path, item->valuestring);
	else if (cJSON_IsNumber(item)) {
		(void)snprintf(text, sizeof(text), "%.17g", item->valuedouble);
		set(s, path, text);
	}
}

static struct ss_scenario *scenario_of(const cJSON *c)
{
	static const char form[] =
		"{\"kind\":\"Scenario\",\"name\":\"case\",\"model\":\"%s\",\"engine\":\"vllm\","
		"\"engine_version\":\"0.31.0\",\"coefficients\":[%s],\"cluster\":{\"hardware\":\"%"
		"s\","
		"\"nodes\":%d,\"gpus_per_node\":%d%s},\"deployment\":{\"name\":\"base\",\"pools\":["
		"{"
		"\"role\":\"colocated\",\"nodes\":%d,\"parallel\":{\"tp\":1,\"pp\":1,\"dp\":1}}]}}";
	static const char six[] =
		"\"cost-model-primitives\",\"cost-model-collectives\",\"cost-model-memory\","
		"\"cost-model-host-overheads\",\"cost-model-attention\",\"cost-model-recurrent\"";
	static const char volta[] =
		"\"cost-model-host-overheads\",\"cost-model-memory\",\"cost-model-sm70\"";
	const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(c, "cluster");
	const char *part = cJSON_GetObjectItemCaseSensitive(c, "part")->valuestring;
	const cJSON *inter = cJSON_GetObjectItemCaseSensitive(cluster, "inter_node_gb_s");
	const cJSON *rack = cJSON_GetObjectItemCaseSensitive(cluster, "gpus_per_rack");
	const cJSON *item;
	struct ss_problems problems = { 0 };
	struct ss_scenario *s;
	char json[2048], more[128] = "", text[64];
	int nodes = cJSON_GetObjectItemCaseSensitive(cluster, "nodes")->valueint;

	if (cJSON_IsNumber(inter))
		(void)snprintf(more, sizeof(more), ",\"fabric\":\"ib-400g\"");
	(void)snprintf(
		json, sizeof(json), form, cJSON_GetObjectItemCaseSensitive(c, "model")->valuestring,
		strncmp(part, "v100", 4) == 0 ? volta : six, part, nodes,
		cJSON_GetObjectItemCaseSensitive(cluster, "gpus_per_node")->valueint, more, nodes);
	s = ss_scenario_parse(json, strlen(json), "case", &problems);
	if (!s)
		fail_msg("scenario: %s %s", problems.items[0].pointer, problems.items[0].message);
	ss_problems_release(&problems);
	if (cJSON_IsNumber(inter)) {
		(void)snprintf(text, sizeof(text), "%.17g", inter->valuedouble);
		set(s, "cluster.inter_node_gb_s", text);
	}
	if (cJSON_IsNumber(rack)) {
		(void)snprintf(text, sizeof(text), "%d", rack->valueint);
		set(s, "cluster.gpus_per_rack", text);
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(c, "parallel"))
		set_item(s, "parallel.", item);
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(c, "engine"))
		set_item(s, "engine.", item);
	return s;
}

/** How many figures of a case are off; each is printed. */
static int check_number(const char *id, const cJSON *expect, const char *name, double got)
{
	const cJSON *e = cJSON_GetObjectItemCaseSensitive(expect, name);
	double want, slack;

	if (!e)
		return 0;
	want = e->valuedouble;
	slack = fmax(fabs(want) * tolerance, 1e-9);
	if (fabs(got - want) <= slack)
		return 0;
	print_error("%s: %s is %.9g, wants %.9g (%+.3f %%)\n", id, name, got, want,
		    want != 0 ? 100 * (got / want - 1) : 0);
	return 1;
}

static int check_step(const char *id, const cJSON *c, const struct ss_kernel *k)
{
	const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect");
	const cJSON *groups = cJSON_GetObjectItemCaseSensitive(c, "batch"), *g;
	const cJSON *budget = cJSON_GetObjectItemCaseSensitive(c, "sm_budget");
	const cJSON *bottleneck = cJSON_GetObjectItemCaseSensitive(expect, "bottleneck");
	struct ss_group list[16] = { { 0 } };
	struct ss_batch batch = { .groups = list };
	struct ss_step step;
	int bad = 0;

	cJSON_ArrayForEach(g, groups)
	{
		struct ss_group *out = &list[batch.group_count++];

		out->count = cJSON_GetObjectItemCaseSensitive(g, "count")->valueint;
		out->scheduled = cJSON_GetObjectItemCaseSensitive(g, "scheduled")->valueint;
		out->computed = cJSON_GetObjectItemCaseSensitive(g, "computed")->valueint;
	}
	batch.decode_threshold = cJSON_GetObjectItemCaseSensitive(c, "decode_threshold")->valueint;
	batch.sm_budget = cJSON_IsNumber(budget) ? budget->valueint : 0;
	ss_kernel_step(k, &batch, &step);
	bad += check_number(id, expect, "overlap_ms", step.overlap_s * 1e3);
	bad += check_number(id, expect, "serial_ms", step.serial_s * 1e3);
	bad += check_number(id, expect, "nooverlap_ms", step.no_overlap_s * 1e3);
	bad += check_number(id, expect, "sm_ms", step.resource_s[SS_RESOURCE_SM] * 1e3);
	bad += check_number(id, expect, "hbm_ms", step.resource_s[SS_RESOURCE_HBM] * 1e3);
	bad += check_number(id, expect, "nvlink_ms", step.resource_s[SS_RESOURCE_NVLINK] * 1e3);
	bad += check_number(id, expect, "nic_ms", step.resource_s[SS_RESOURCE_NIC] * 1e3);
	bad += check_number(id, expect, "host_ms", step.resource_s[SS_RESOURCE_HOST] * 1e3);
	if (bottleneck && strcmp(bottleneck->valuestring, ss_resource_name(step.bottleneck)) != 0) {
		print_error("%s: bottleneck is %s, wants %s\n", id,
			    ss_resource_name(step.bottleneck), bottleneck->valuestring);
		bad++;
	}
	return bad;
}

static int check_memory(const char *id, const cJSON *c, const struct ss_kernel *k)
{
	const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect");
	const struct ss_memory *m = ss_kernel_memory(k);
	struct ss_batch empty = { 0 };
	struct ss_step step;
	int bad = 0;

	ss_kernel_step(k, &empty, &step);
	bad += check_number(id, expect, "weights_bytes", (double)m->weights_bytes);
	bad += check_number(id, expect, "activation_bytes", (double)m->activation_bytes);
	bad += check_number(id, expect, "communicator_bytes", (double)m->communicator_bytes);
	bad += check_number(id, expect, "workspace_bytes", (double)m->workspace_bytes);
	bad += check_number(id, expect, "graphs_bytes", (double)m->graphs_bytes);
	bad += check_number(id, expect, "kv_bytes_per_token", m->kv_bytes_per_token);
	bad += check_number(id, expect, "kv_bytes_4096", (double)ss_kernel_sequence_bytes(k, 4096));
	bad += check_number(id, expect, "kernels", (double)step.kernels);
	bad += check_number(id, expect, "capture_ceiling",
			    (double)ss_kernel_resolution(k)->max_cudagraph_capture_size);
	return bad;
}

static int check_case(const cJSON *c)
{
	const char *id = cJSON_GetObjectItemCaseSensitive(c, "id")->valuestring;
	const cJSON *expect = cJSON_GetObjectItemCaseSensitive(c, "expect");
	bool is_refused = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(expect, "refused"));
	struct ss_scenario *s = scenario_of(c);
	struct ss_problems problems = { 0 };
	struct ss_basis *basis = NULL;
	struct ss_kernel *k = NULL;
	int bad = 0;

	if (ss_basis_open(&basis, registry, s, NULL, 0, &problems) != SS_OK ||
	    ss_kernel_new(&k, basis, s, 0, SS_CORRECTIONS_DEFAULT, &problems) != SS_OK) {
		if (!is_refused) {
			print_error("%s: %s %s\n", id, problems.items[0].code,
				    problems.items[0].message);
			bad = 1;
		}
	} else if (is_refused) {
		print_error("%s: priced, wants a refusal\n", id);
		bad = 1;
	} else if (cJSON_GetObjectItemCaseSensitive(c, "batch")) {
		bad = check_step(id, c, k);
	} else {
		bad = check_memory(id, c, k);
	}
	ss_kernel_free(k);
	ss_basis_free(basis);
	ss_problems_release(&problems);
	ss_scenario_free(s);
	return bad;
}

/** One test a deployment, so that a failure names it. */
static void deployment_has_the_computed_figures(void **state)
{
	const char *base = *state;
	size_t length = strlen(base);
	const cJSON *c;
	int bad = 0, run = 0;

	cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(document, "cases"))
	{
		const char *id = cJSON_GetObjectItemCaseSensitive(c, "id")->valuestring;

		if (strncmp(id, base, length) == 0 && id[length] == '/') {
			bad += check_case(c);
			run++;
		}
	}
	assert_int_equal(bad, 0);
	assert_true(run > 0);
}

#define MOST_DEPLOYMENTS 64

int main(void)
{
	const char *roots[] = { TEST_SRCDIR "/registry" };
	struct CMUnitTest tests[MOST_DEPLOYMENTS];
	char names[MOST_DEPLOYMENTS][64];
	size_t count = 0;
	const cJSON *c;
	int failed;

	document = read_json(TEST_SRCDIR "/tests/oracle/steps.json");
	if (!document || ss_registry_new(&registry, roots, 1, NULL) != SS_OK)
		return 1;
	tolerance = cJSON_GetObjectItemCaseSensitive(document, "tolerance_rel")->valuedouble;
	cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(document, "cases"))
	{
		const char *id = cJSON_GetObjectItemCaseSensitive(c, "id")->valuestring;
		size_t length = strcspn(id, "/");

		if (count && strlen(names[count - 1]) == length &&
		    strncmp(names[count - 1], id, length) == 0)
			continue;
		if (count == MOST_DEPLOYMENTS || length >= sizeof(names[0]))
			return 1;
		memcpy(names[count], id, length);
		names[count][length] = '\0';
		tests[count] =
			(struct CMUnitTest){ names[count], deployment_has_the_computed_figures,
					     NULL, NULL, names[count] };
		count++;
	}
	failed = _cmocka_run_group_tests("steps", tests, count, NULL, NULL);
	ss_registry_free(registry);
	cJSON_Delete(document);
	return failed;
}
