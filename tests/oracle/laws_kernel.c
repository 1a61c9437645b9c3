/* Cases that need documents: the deployment they describe is resolved. */
#include "law_deployment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* -- refusals ------------------------------------------------------------------------- */

/** Compare a refusal, and its code where there is one. */
static void want_refusal(struct law_case *c, const cJSON *figure, const struct origin *from,
			 const char *code)
{
	struct resolved r;

	resolve(&r, c, from);
	if (cJSON_IsTrue(figure)) {
		want_true(c, r.kernel == NULL, from->model);
		want_true(c, has_code(&r.problems, code), code);
	} else {
		if (!r.kernel)
			print_problems(&r.problems);
		want_true(c, r.kernel != NULL, from->model);
	}
	release(&r);
}

/** More ranks than experts, on a model that has as few as the case gives. */
static void experts_refused(struct law_case *c)
{
	struct origin from = origin_of(c);

	from.model = "mixtral-8x7b-v0.1";
	want_refusal(c, c->want, &from, "E9");
}

static void context_refused(struct law_case *c)
{
	const cJSON *model;
	int i = 0;

	cJSON_ArrayForEach(model, given_list(c, "models"))
	{
		struct origin from = origin_of(c);

		from.model = model->valuestring;
		want_refusal(c, cJSON_GetArrayItem(c->want, i++), &from, "E2");
	}
}

/** The model with as many query heads a rank as the case gives. */
static void sparse_refused(struct law_case *c)
{
	static const char model[] = "glm-5";
	struct origin from = origin_of(c);
	struct small_registry own;
	cJSON *document;
	const cJSON *kind;
	cJSON *node;

	from.model = model;
	if (given(c, "heads_per_rank") <= 0) {
		want_refusal(c, c->want, &from, "E7");
		return;
	}
	model_node(&document, model, "Attention");
	cJSON_ArrayForEach(kind, cJSON_GetObjectItemCaseSensitive(document, "layer_kinds"))
	{
		cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(kind, "nodes"))
		{
			if (cJSON_HasObjectItem(node, "n_q") && !cJSON_HasObjectItem(node, "role"))
				cJSON_SetNumberValue(member(node, "n_q"),
						     given(c, "heads_per_rank") * given(c, "tp"));
		}
	}
	small_registry_make(&own, "models", model, document);
	cJSON_Delete(document);
	from.root = own.root;
	want_refusal(c, c->want, &from, "E7");
	small_registry_remove(&own);
}

/* -- bytes ---------------------------------------------------------------------------- */

static void kernel_bytes_per_token(struct law_case *c)
{
	struct origin from = origin_of(c);
	struct resolved r;

	if (resolve_whole(&r, c, &from))
		want(c, ss_kernel_memory(r.kernel)->kv_bytes_per_token);
	release(&r);
}

/** Of a model whose layers and width the registry gives. */
static void element_bytes(struct law_case *c)
{
	struct origin from = origin_of(c);
	struct resolved r;
	cJSON *document;
	double width = number(model_node(&document, from.model, "Attention"), "d_h");

	cJSON_Delete(document);
	if (resolve_whole(&r, c, &from)) {
		double layers = 0;
		const struct ss_model *model = ss_basis_inputs(r.basis)->model;

		for (size_t i = 0; i < model->kind_count; i++)
			layers += (double)model->kinds[i].count;
		want(c, ss_kernel_memory(r.kernel)->kv_bytes_per_token / (layers * width));
	}
	release(&r);
}

static void cell_bytes(struct law_case *c)
{
	struct origin from = origin_of(c);
	struct resolved r;

	if (resolve_whole(&r, c, &from)) {
		double layers = 0;
		const struct ss_model *model = ss_basis_inputs(r.basis)->model;

		for (size_t i = 0; i < model->kind_count; i++)
			layers += (double)model->kinds[i].count;
		want(c, ss_kernel_memory(r.kernel)->kv_bytes_per_token / layers);
	}
	release(&r);
}

static void all_layers_hold_kv(struct law_case *c)
{
	struct origin from = origin_of(c);
	struct resolved r;
	cJSON *document;
	const cJSON *node = model_node(&document, from.model, "Attention");
	/* One KV head a rank, keys and values at 16 bits. */
	double layer = 2 * number(node, "d_h") * 2;

	cJSON_Delete(document);
	if (resolve_whole(&r, c, &from))
		want_true(c,
			  ss_kernel_memory(r.kernel)->kv_bytes_per_token ==
				  layer * (given(c, "full_layers") + given(c, "window_layers")),
			  c->words);
	release(&r);
}

static void windows_do_not_shard(struct law_case *c)
{
	enum { TOKENS = 4096 };
	struct origin from = origin_of(c);
	struct resolved r;

	if (resolve_whole(&r, c, &from))
		want_true(c,
			  (double)ss_kernel_sequence_bytes(r.kernel, TOKENS) ==
				  TOKENS * ss_kernel_memory(r.kernel)->kv_bytes_per_token,
			  c->words);
	release(&r);
}

static void whole_expert_bytes(struct law_case *c)
{
	want(c, given(c, "moe_layers") * given(c, "experts") * given(c, "per_expert"));
}

static void experts_off_are_sharded(struct law_case *c)
{
	struct origin from = origin_of(c);
	double whole = given(c, "moe_layers") * given(c, "experts") * given(c, "per_expert");
	struct resolved r;

	if (resolve_whole(&r, c, &from)) {
		double bytes = (double)ss_kernel_memory(r.kernel)->weights_bytes;

		/* The case counts a byte a parameter; the graph may be stored wider. */
		bytes /= ss_dtype_bytes(ss_basis_inputs(r.basis)->model->weight_dtype);
		want_true(c, bytes >= whole / 8 && bytes <= 1.5 * whole / 8, c->words);
	}
	release(&r);
}

/* -- a step --------------------------------------------------------------------------- */

/** FLOPs and bytes of one term over all layers, and its charge. */
struct charge {
	double flops, bytes, seconds;
};

static struct charge charge_of(const struct resolved *r, const struct ss_batch *batch,
			       enum ss_term_id term)
{
	struct ss_breakdown b = { 0 };
	struct charge sum = { 0 };

	assert_int_equal(ss_kernel_breakdown(r->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++) {
		if (b.terms[i].term != term)
			continue;
		sum.flops += b.terms[i].flops;
		sum.bytes += b.terms[i].bytes;
		sum.seconds += b.terms[i].floor_s + b.terms[i].slope_s;
	}
	ss_breakdown_release(&b);
	return sum;
}

static const struct ss_group decodes[] = { { .count = 32, .scheduled = 1, .computed = 4095 } };
static const struct ss_batch decode_batch = { .groups = decodes, .group_count = 1 };

static void imbalance_multiplies_compute(struct law_case *c)
{
	const struct ss_whatif once = { "moe_routing_imbalance_median", 1 };
	const struct ss_whatif twice = { "moe_routing_imbalance_median", 2 };
	struct origin from = origin_of(c);
	struct resolved a, b;

	from.whatif = &once;
	if (resolve_whole(&a, c, &from)) {
		from.whatif = &twice;
		if (resolve_whole(&b, c, &from)) {
			struct charge one = charge_of(&a, &decode_batch, SS_TERM_EXPERTS);
			struct charge two = charge_of(&b, &decode_batch, SS_TERM_EXPERTS);

			want_true(c, one.seconds > 0, "experts that cost time");
			want_true(c, fabs(two.seconds - 2 * one.seconds) <= 1e-12 * two.seconds,
				  c->words);
			one = charge_of(&a, &decode_batch, SS_TERM_EXPERTS_READ);
			two = charge_of(&b, &decode_batch, SS_TERM_EXPERTS_READ);
			want_true(c, one.bytes > 0 && one.bytes == two.bytes, c->words);
		}
		release(&b);
	}
	release(&a);
}

/** An entry the kernel records for what its coefficients lack. */
static bool has_absent_entry(const struct ss_kernel *kernel, const char *name)
{
	for (size_t i = 0; i < ss_kernel_entry_count(kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(kernel, i);

		if (e->is_own && e->is_absent && !strcmp(e->name, name))
			return true;
	}
	return false;
}

/** The set without the coefficient prices as with 1, and says so. */
static void imbalance_defaults_to_one(struct law_case *c)
{
	static const char set[] = "cost-model-primitives";
	static const char name[] = "moe_routing_imbalance_median";
	const struct ss_whatif once = { name, 1 };
	struct origin from = origin_of(c);
	struct small_registry own;
	cJSON *document = read_document(TEST_SRCDIR "/registry/coefficients/"
						    "cost-model-primitives.json");
	cJSON *entries = member(document, "coefficients");
	struct resolved a, b;

	for (int i = cJSON_GetArraySize(entries) - 1; i >= 0; i--) {
		cJSON *found = member(cJSON_GetArrayItem(entries, i), "name");

		if (!strcmp(found->valuestring, name))
			cJSON_DeleteItemFromArray(entries, i);
	}
	small_registry_make(&own, "coefficients", set, document);
	cJSON_Delete(document);
	from.whatif = &once;
	if (resolve_whole(&a, c, &from)) {
		want_true(c, !has_absent_entry(a.kernel, name), "nothing said where it is known");
		from.whatif = NULL;
		from.root = own.root;
		if (resolve_whole(&b, c, &from)) {
			want_true(c,
				  charge_of(&a, &decode_batch, SS_TERM_EXPERTS).seconds ==
					  charge_of(&b, &decode_batch, SS_TERM_EXPERTS).seconds,
				  c->words);
			want_true(c, has_absent_entry(b.kernel, name), c->words);
		}
		release(&b);
	}
	release(&a);
	small_registry_remove(&own);
}

/** A batch that is uniform replays one whole graph; one that is not runs in pieces. */
static void uniform_decode(struct law_case *c)
{
	struct ss_group groups[8];
	struct ss_batch batch = { .groups = groups };
	struct origin from = origin_of(c);
	struct resolved r;
	struct ss_step step;
	const cJSON *request;

	cJSON_ArrayForEach(request, given_list(c, "requests"))
	{
		assert_true(batch.group_count < sizeof(groups) / sizeof(groups[0]));
		groups[batch.group_count++] = (struct ss_group){
			.count = 1,
			.scheduled = (int64_t)number(request, "scheduled"),
			.computed = 4096,
		};
	}
	if (resolve_whole(&r, c, &from)) {
		ss_kernel_step(r.kernel, &batch, &step);
		want(c, step.graph == SS_GRAPH_FULL);
		for (size_t i = 0; i < batch.group_count; i++)
			groups[i].scheduled = 1 + given_whole(c, "spec_tokens");
		ss_kernel_step(r.kernel, &batch, &step);
		want_true(c, step.graph == SS_GRAPH_FULL, "uniform once all schedule the same");
	}
	release(&r);
}

static void kernels_of(struct law_case *c)
{
	struct origin from = origin_of(c);
	struct resolved r;
	struct ss_step step;

	if (resolve_whole(&r, c, &from)) {
		ss_kernel_step(r.kernel, &decode_batch, &step);
		want(c, (double)step.kernels);
	}
	release(&r);
}

/** The batch a host case describes: decodes, and a prefill where it says or where T asks. */
static void host_step(struct law_case *c)
{
	struct ss_group groups[2] = { decodes[0], { .count = 0, .scheduled = 64 } };
	struct ss_batch batch = { .groups = groups, .group_count = 2 };
	struct origin from = origin_of(c);
	int64_t tokens = given_whole(c, "tokens");
	struct resolved r;
	struct ss_step step;

	if (strstr(given_text(c, "batch"), "prefill")) {
		groups[1].count = 1;
	} else if (tokens > given_whole(c, "max_num_seqs")) {
		groups[1].count = 1;
		groups[1].scheduled = tokens - groups[0].count;
	} else if (tokens > 0) {
		groups[0].count = tokens;
	}
	if (resolve_whole(&r, c, &from)) {
		ss_kernel_step(r.kernel, &batch, &step);
		want(c, step.resource_s[SS_RESOURCE_HOST] * 1e6);
	}
	release(&r);
}

/* -- documents ------------------------------------------------------------------------ */

/** The name of the width below 1. */
static const char *wrong_width(const struct law_case *c)
{
	return given(c, "tp") < 1 ? "tp" : "dp";
}

/** The document layer must point at that width and find nothing else. */
static void document_error(struct law_case *c)
{
	struct ss_problems problems = { 0 };
	char *text = scenario_text(c, "deepseek-v3", "h200");
	struct ss_scenario *scenario =
		ss_scenario_parse(text, strlen(text), "case.json", &problems);
	const char *name;

	want_true(c, scenario == NULL, "refused as a document");
	for (size_t i = 0; i < problems.count; i++) {
		if (problems.items[i].severity != SS_ERROR)
			continue;
		name = strrchr(problems.items[i].pointer, '/');
		want_true(c, name && !strcmp(name + 1, wrong_width(c)), problems.items[i].pointer);
	}
	want_true(c, ss_problems_count(&problems, SS_ERROR) == 1, "one error");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
	cJSON_free(text);
}

/* clang-format off */
const struct law_row law_document_rows[] = {
	{ "layout", "document_error", document_error },
	{ NULL,     NULL,             NULL },
};

const struct law_row law_kernel_rows[] = {
	{ "experts",  "refused",                experts_refused },
	{ "experts",  "whole_expert_bytes_fp8", whole_expert_bytes },
	{ "pcp",      "refused",                context_refused },
	{ "sparse",   "refused",                sparse_refused },
	{ "sparse",   "cell_bytes_per_layer",   cell_bytes },
	{ "kv_bytes", "bytes_per_token",        kernel_bytes_per_token },
	{ "kv_bytes", "element_bytes",          element_bytes },
	{ "host",     "host_us",                host_step },
	{ "host",     "uniform_decode",         uniform_decode },
	{ "host",     "kernels",                kernels_of },
	{ NULL,       NULL,                     NULL },
};

const struct law_relation law_kernel_relations[] = {
	{ "never below one KV head a rank", NULL },
	{ "all 36 attention layers hold KV for per-token bytes", all_layers_hold_kv },
	{ "DCP leaves the stored bytes unsharded because window layers do not shard",
	  windows_do_not_shard },
	{ "multiplies routed FLOPs only, not bytes touched", imbalance_multiplies_compute },
	{ "1.0 when the registry has no such entry, and that is disclosed",
	  imbalance_defaults_to_one },
	{ "rank weights lie in [whole_expert_bytes/8, 1.5*whole_expert_bytes/8]",
	  experts_off_are_sharded },
	{ "every attention layer must be latent and no layer recurrent", NULL },
	{ NULL, NULL },
};
/* clang-format on */
