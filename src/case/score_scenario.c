/* The deployment that a published run describes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/score_impl.h"
#include "stepscope/nearest.h"
#include "text/xbuf.h"

/** A reason of our own. */
static enum ss_status refuse(char **reason, const char *format, ...) SS_PRINTF(2, 3);

static enum ss_status refuse(char **reason, const char *format, ...)
{
	struct xbuf text = { 0 };
	va_list args;

	va_start(args, format);
	xbuf_vprintf(&text, format, args);
	va_end(args);
	*reason = text.data;
	return SS_EREFUSED;
}

enum { NAME_SIZE = 160 };

/** `openai/GPT-OSS-120B` as the registry writes it: without who made it, in small letters. */
static void plain_name(char out[NAME_SIZE], const char *name)
{
	const char *slash = strrchr(name, '/');

	(void)snprintf(out, NAME_SIZE, "%s", slash ? slash + 1 : name);
	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

/** The registry's name of a document, into `out`; else that there is none, and the nearest. */
static enum ss_status find_name(char out[NAME_SIZE], struct ss_registry *registry,
				enum ss_document_kind kind, const char *what, const char *name,
				char **reason)
{
	char **names = NULL;
	size_t count = 0;
	enum ss_status rc = ss_registry_names(registry, kind, &names, &count);
	const char *nearest;
	bool is_there = false;

	if (rc)
		return rc;
	plain_name(out, name);
	for (size_t i = 0; i < count && !is_there; i++)
		if (!strcmp(names[i], name)) {
			(void)snprintf(out, NAME_SIZE, "%s", name);
			is_there = true;
		}
	for (size_t i = 0; i < count; i++)
		is_there |= !strcmp(names[i], out);
	nearest = ss_closest_word(out, (const char *const *)names, count);
	if (!is_there)
		rc = refuse(reason, "no %s %s in the registry%s%s%s", what, name,
			    nearest ? " (did you mean " : "", nearest ? nearest : "",
			    nearest ? "?)" : "");
	ss_names_free(names, count);
	return rc;
}

/* -- precision ------------------------------------------------------------------------------ */

/* clang-format off */
/** How tables name the weights, which formats those are, and what vLLM quantises to them. */
static const struct precision {
	const char *name;
	enum ss_dtype stored[2];
	const char *quantization; /* of a 16-bit checkpoint; NULL: none */
} precisions[] = {
	{ "bf16",     { SS_DTYPE_BF16,  SS_DTYPE_FP16 },  NULL },
	{ "bfloat16", { SS_DTYPE_BF16,  SS_DTYPE_FP16 },  NULL },
	{ "fp16",     { SS_DTYPE_BF16,  SS_DTYPE_FP16 },  NULL },
	{ "float16",  { SS_DTYPE_BF16,  SS_DTYPE_FP16 },  NULL },
	{ "fp8",      { SS_DTYPE_FP8,   SS_DTYPE_MXFP8 }, "fp8" },
	{ "mxfp8",    { SS_DTYPE_MXFP8, SS_DTYPE_MXFP8 }, "mxfp8" },
	{ "int8",     { SS_DTYPE_INT8,  SS_DTYPE_INT8 },  "int8" },
	{ "fp4",      { SS_DTYPE_NVFP4, SS_DTYPE_MXFP4 }, "nvfp4" },
	{ "nvfp4",    { SS_DTYPE_NVFP4, SS_DTYPE_NVFP4 }, "nvfp4" },
	{ "mxfp4",    { SS_DTYPE_MXFP4, SS_DTYPE_MXFP4 }, "mxfp4" },
	{ "int4",     { SS_DTYPE_INT4,  SS_DTYPE_INT4 },  "awq" },
};
/* clang-format on */

static const struct precision *find_precision(const char *name)
{
	for (size_t i = 0; i < sizeof(precisions) / sizeof(precisions[0]); i++)
		if (!strcmp(precisions[i].name, name))
			return &precisions[i];
	return NULL;
}

static bool stores(const struct ss_model *m, enum ss_dtype dtype)
{
	if (m->weight_dtype == dtype)
		return true;
	for (size_t k = 0; k < m->kind_count; k++)
		for (size_t i = 0; i < m->kinds[k].node_count; i++)
			if (m->kinds[k].nodes[i].weight_dtype == dtype)
				return true;
	return false;
}

static bool is_sixteen_bit(const struct ss_model *m)
{
	return m->weight_dtype == SS_DTYPE_BF16 || m->weight_dtype == SS_DTYPE_FP16;
}

/** Does it hold such weights already? */
static bool is_stored(const struct ss_model *model, const struct precision *precision)
{
	return stores(model, precision->stored[0]) || stores(model, precision->stored[1]);
}

/** The graph of another checkpoint of the model, `NAME-nvfp4`, into `out`; false without one. */
static bool find_variant(char *out, size_t size, struct ss_registry *registry, const char *name,
			 const struct precision *precision)
{
	char **names = NULL;
	size_t count = 0;
	bool is_there = false;

	if (ss_registry_names(registry, SS_DOCUMENT_MODEL, &names, &count))
		return false;
	for (int d = -1; d < 2 && !is_there; d++) {
		(void)snprintf(out, size, "%s-%s", name,
			       d < 0 ? precision->name : ss_dtype_name(precision->stored[d]));
		for (size_t i = 0; i < count && !is_there; i++)
			is_there = !strcmp(names[i], out);
	}
	ss_names_free(names, count);
	return is_there;
}

/** The graph that is served, on what, and what its weights are quantised to (NULL: as stored). */
struct served {
	char model[NAME_SIZE], part[NAME_SIZE], precision[NAME_SIZE];
	const char *quantization;
};

/** Of a model that is there. */
static enum ss_status find_weights(struct served *out, struct ss_registry *registry, char **reason,
				   struct ss_problems *problems)
{
	const struct precision *precision = find_precision(out->precision);
	const struct ss_model *model;
	char variant[2 * NAME_SIZE];

	if (!*out->precision)
		return SS_OK;
	if (!precision) {
		out->quantization = out->precision;
		return SS_OK;
	}
	model = ss_registry_model(registry, out->model, problems);
	if (!model)
		return score_refuse(reason, SS_EDOCUMENT, problems, "its model graph is faulty");
	if (is_stored(model, precision))
		return SS_OK;
	if (find_variant(variant, sizeof(variant), registry, out->model, precision) &&
	    strlen(variant) < sizeof(out->model)) {
		memcpy(out->model, variant, strlen(variant) + 1);
		return SS_OK;
	}
	out->quantization = precision->quantization;
	if (out->quantization && is_sixteen_bit(model))
		return SS_OK;
	return refuse(
		reason,
		"column precision: the graph of %s holds %s weights; one of the %s checkpoint "
		"is wanted, %s-%s (import makes it of its config.json)",
		out->model, ss_dtype_name(model->weight_dtype), out->precision, out->model,
		out->precision);
}

static enum ss_status find_served(struct served *out, struct ss_registry *registry,
				  const struct ss_run *run, char **reason,
				  struct ss_problems *problems)
{
	enum ss_status rc = find_name(out->model, registry, SS_DOCUMENT_MODEL, "model graph",
				      run->model, reason);

	out->quantization = NULL;
	plain_name(out->precision, run->precision);
	if (!rc)
		rc = find_name(out->part, registry, SS_DOCUMENT_HARDWARE, "part", run->part,
			       reason);
	return rc ? rc : find_weights(out, registry, reason, problems);
}

/* -- settings --------------------------------------------------------------------------------- */

static enum ss_status set(struct ss_scenario *s, const char *path, const char *text, char **reason)
{
	struct ss_error err = { 0 };
	enum ss_status rc = ss_scenario_set(s, 0, path, text, &err);

	if (rc != SS_EUSAGE)
		return rc;
	return refuse(reason, "column %s: %s", path, err.message);
}

static int64_t whole(const struct ss_scenario *s, enum ss_field_id field)
{
	const struct ss_value *value = ss_scenario_value(s, 0, field);

	return value->is_stated && value->integer > 0 ? value->integer : 1;
}

static enum ss_status set_whole(struct ss_scenario *s, const char *path, int64_t value,
				char **reason)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	return set(s, path, text, reason);
}

/** As many nodes as its ranks need, where the row states none. */
static enum ss_status set_nodes(struct ss_scenario *s, char **reason)
{
	int64_t ranks =
		whole(s, SS_F_TP) * whole(s, SS_F_PP) * whole(s, SS_F_DP) * whole(s, SS_F_PCP);
	int64_t a_node = whole(s, SS_F_GPUS_PER_NODE);
	int64_t nodes = (ranks + a_node - 1) / a_node;
	enum ss_status rc;

	if (nodes <= whole(s, SS_F_CLUSTER_NODES))
		return SS_OK;
	rc = set_whole(s, "cluster.nodes", nodes, reason);
	return rc ? rc : set_whole(s, "pools[0].nodes", nodes, reason);
}

/** Experts are spread over all ranks or over none. */
static enum ss_status set_experts(struct ss_scenario *s, int64_t ep, char **reason)
{
	int64_t ranks = whole(s, SS_F_TP) * whole(s, SS_F_DP) * whole(s, SS_F_PCP);

	if (ep <= 1)
		return SS_OK;
	if (ep != ranks)
		return refuse(reason,
			      "column ep: experts over %lld ranks of %lld; the engine spreads them "
			      "over all of tp x dp or over none",
			      (long long)ep, (long long)ranks);
	return set(s, "parallel.enable_expert_parallel", "true", reason);
}

/** A server is started for the lengths it is measured at: no longer than memory allows. */
static enum ss_status set_all(struct ss_scenario *s, const struct ss_run *run,
			      const char *quantization, const struct session_request *asked,
			      char **reason)
{
	enum ss_status rc = set(s, "engine.max_model_len", "auto", reason);

	if (!rc && quantization)
		rc = set(s, "engine.quantization", quantization, reason);
	for (size_t i = 0; i < run->setting_count && !rc; i++)
		rc = set(s, run->settings[i].path, run->settings[i].text, reason);
	for (size_t i = 0; i < asked->setting_count && !rc; i++)
		rc = set(s, asked->settings[i].path, asked->settings[i].text, reason);
	if (!rc)
		rc = set_nodes(s, reason);
	return rc ? rc : set_experts(s, run->ep, reason);
}

static char *first_problem(const struct ss_problems *problems, const char *otherwise)
{
	static const char pool[] = "/deployment/pools/0/";
	const struct ss_problem *p = NULL;
	struct xbuf text = { 0 };
	const char *at;

	for (size_t i = 0; i < problems->count && !p; i++)
		if (problems->items[i].severity != SS_WARNING)
			p = &problems->items[i];

	if (!p)
		return xstrdup(otherwise);
	at = p->pointer;
	if (!strncmp(at, pool, strlen(pool)))
		at += strlen(pool);
	at += *at == '/';
	xbuf_printf(&text, "%s%s%s", at, *at ? ": " : "", p->message);
	return text.data;
}

enum ss_status score_refuse(char **reason, enum ss_status rc, const struct ss_problems *problems,
			    const char *otherwise)
{
	if (rc == SS_ENOMEM || problems->is_out_of_memory)
		return SS_ENOMEM;
	for (size_t i = 0; i < problems->count; i++)
		if (!strcmp(problems->items[i].code, "io"))
			return SS_EIO;
	*reason = first_problem(problems, otherwise);
	return SS_EREFUSED;
}

enum ss_status score_scenario(struct ss_scenario **out, const struct score *score,
			      const struct ss_run *run, const char *release, char **reason,
			      struct ss_problems *problems)
{
	struct ss_error err = { 0 };
	struct served served;
	struct adhoc words = { .model = served.model,
			       .part = served.part,
			       .engine_version = release };
	enum ss_status rc = find_served(&served, score->registry, run, reason, problems);

	*out = NULL;
	if (rc)
		return rc;
	rc = adhoc_scenario(out, score->registry, &words, problems, &err);
	if (rc)
		return score_refuse(reason, rc, problems, err.message);
	return set_all(*out, run, served.quantization, score->request, reason);
}
