#include "law_deployment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* -- a scenario of a case ------------------------------------------------------------- */

cJSON *member(cJSON *object, const char *name)
{
	cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	assert_non_null(item);
	return item;
}

/** Copy a given value under another object, under another name, if it is given. */
static void carry(const struct law_case *c, const char *name, cJSON *to, const char *as)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->given, name);

	if (item)
		cJSON_AddItemToObject(to, as, cJSON_Duplicate(item, 1));
}

/**
 * A width as given, else what the case implies: eight tensor ranks, and as many
 * data ranks as an expert width asks for.
 */
static double width(const struct law_case *c, const char *name)
{
	if (cJSON_HasObjectItem(c->given, name))
		return given(c, name);
	if (!strcmp(name, "tp"))
		return 8;
	return !strcmp(name, "dp") && given(c, "ep") > 8 ? given(c, "ep") / 8 : 1;
}

/** Nodes of eight that hold every rank. */
static int nodes_of(const struct law_case *c)
{
	double ranks = width(c, "tp") * width(c, "dp") * width(c, "pcp");

	return ranks > 8 ? (int)ceil(ranks / 8) : 1;
}

static void add_speculation(cJSON *engine, double tokens)
{
	cJSON *speculative = cJSON_AddObjectToObject(engine, "speculative");

	cJSON_AddStringToObject(speculative, "method", "deepseek_mtp");
	cJSON_AddNumberToObject(speculative, "num_spec_tokens", tokens);
}

char *scenario_text(const struct law_case *c, const char *model, const char *part)
{
	static const char frame[] =
		"{\"kind\":\"Scenario\",\"name\":\"case\",\"engine\":\"vllm\","
		"\"engine_version\":\"0.31.0\",\"coefficients\":[\"cost-model-primitives\","
		"\"cost-model-collectives\",\"cost-model-memory\",\"cost-model-host-overheads\","
		"\"cost-model-attention\",\"cost-model-recurrent\"],\"cluster\":{},"
		"\"deployment\":{\"name\":\"base\",\"pools\":[{\"role\":\"colocated\","
		"\"parallel\":{},\"engine\":{}}]}}";
	static const char *const widths[] = { "tp", "dp", "pcp", "dcp" };
	static const char *const settings[] = {
		"quantization",           "cache_dtype",      "block_size",
		"max_num_batched_tokens", "max_num_seqs",     "max_model_len",
		"cudagraph_mode",         "dcp_comm_backend", "hybrid_kv_cache_manager",
	};
	cJSON *root = cJSON_Parse(frame);
	cJSON *cluster = member(root, "cluster");
	cJSON *pool = cJSON_GetArrayItem(member(member(root, "deployment"), "pools"), 0);
	cJSON *parallel = member(pool, "parallel");
	char *text;

	cJSON_AddStringToObject(root, "model", model);
	cJSON_AddStringToObject(cluster, "hardware", part);
	cJSON_AddNumberToObject(cluster, "nodes", nodes_of(c));
	cJSON_AddNumberToObject(cluster, "gpus_per_node", 8);
	if (nodes_of(c) > 1)
		cJSON_AddStringToObject(cluster, "fabric", "ib-400g");
	cJSON_AddNumberToObject(pool, "nodes", nodes_of(c));
	cJSON_AddNumberToObject(parallel, "pp", 1);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		cJSON_AddNumberToObject(parallel, widths[i], width(c, widths[i]));
	carry(c, "enable_expert_parallel", parallel, "enable_expert_parallel");
	carry(c, "expert_parallel", parallel, "enable_expert_parallel");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		carry(c, settings[i], member(pool, "engine"), settings[i]);
	if (given(c, "spec_tokens") > 0)
		add_speculation(member(pool, "engine"), given(c, "spec_tokens"));
	text = cJSON_PrintUnformatted(root);
	assert_non_null(text);
	cJSON_Delete(root);
	return text;
}

/* -- its kernel ----------------------------------------------------------------------- */

void print_problems(const struct ss_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		if (problems->items[i].severity != SS_WARNING)
			print_error("  %s %s: %s\n", problems->items[i].code,
				    problems->items[i].pointer, problems->items[i].message);
}

void resolve(struct resolved *r, const struct law_case *c, const struct origin *from)
{
	const char *roots[] = { TEST_SRCDIR "/registry", NULL };
	char *text = scenario_text(c, from->model, from->part);
	size_t root_count = 1;

	memset(r, 0, sizeof(*r));
	if (from->root) {
		roots[1] = roots[0];
		roots[0] = from->root;
		root_count = 2;
	}
	r->scenario = ss_scenario_parse(text, strlen(text), c->id, &r->problems);
	cJSON_free(text);
	if (!r->scenario) {
		print_problems(&r->problems);
		fail_msg("%s: its scenario is malformed", c->id);
	}
	assert_int_equal(ss_registry_new(&r->registry, roots, root_count, NULL), SS_OK);
	if (ss_basis_open(&r->basis, r->registry, r->scenario, from->whatif, from->whatif ? 1 : 0,
			  &r->problems)) {
		print_problems(&r->problems);
		fail_msg("%s: its documents do not load", c->id);
	}
	if (ss_kernel_new(&r->kernel, r->basis, r->scenario, 0, SS_CORRECTIONS_DEFAULT,
			  &r->problems))
		r->kernel = NULL;
}

void release(struct resolved *r)
{
	ss_kernel_free(r->kernel);
	ss_basis_free(r->basis);
	ss_scenario_free(r->scenario);
	ss_registry_free(r->registry);
	ss_problems_release(&r->problems);
}

bool resolve_whole(struct resolved *r, struct law_case *c, const struct origin *from)
{
	resolve(r, c, from);
	if (!r->kernel)
		print_problems(&r->problems);
	want_true(c, r->kernel != NULL, "a deployment that is priced");
	return r->kernel != NULL;
}

bool has_code(const struct ss_problems *problems, const char *code)
{
	for (size_t i = 0; i < problems->count; i++)
		if (!strcmp(problems->items[i].code, code))
			return true;
	return false;
}

struct origin origin_of(const struct law_case *c)
{
	struct origin from = { .model = given_text(c, "model"), .part = given_text(c, "part") };

	if (!*from.model)
		from.model = "deepseek-v3";
	if (!*from.part)
		from.part = "h200";
	return from;
}

void small_registry_make(struct small_registry *r, const char *kind, const char *name,
			 const cJSON *document)
{
	char *text = cJSON_PrintUnformatted(document);
	FILE *f;

	assert_non_null(text);
	snprintf(r->root, sizeof(r->root), "laws-XXXXXX");
	assert_non_null(mkdtemp(r->root));
	snprintf(r->folder, sizeof(r->folder), "%s/%s", r->root, kind);
	snprintf(r->path, sizeof(r->path), "%s/%s.json", r->folder, name);
	assert_int_equal(mkdir(r->folder, 0700), 0);
	f = fopen(r->path, "wb");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	cJSON_free(text);
}

void small_registry_remove(const struct small_registry *r)
{
	unlink(r->path);
	rmdir(r->folder);
	rmdir(r->root);
}
