/* The deployment that a published run describes. */
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

/** A name the registry does not have, and the nearest it has. */
static enum ss_status check_name(struct ss_registry *registry, enum ss_document_kind kind,
				 const char *what, const char *name, char **reason)
{
	char **names = NULL;
	size_t count = 0;
	enum ss_status rc = ss_registry_names(registry, kind, &names, &count);
	const char *nearest;
	bool is_there = false;

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		is_there |= !strcmp(names[i], name);
	nearest = ss_closest_word(name, (const char *const *)names, count);
	if (!is_there)
		rc = refuse(reason, "no %s %s in the registry%s%s%s", what, name,
			    nearest ? " (did you mean " : "", nearest ? nearest : "",
			    nearest ? "?)" : "");
	ss_names_free(names, count);
	return rc;
}

/* -- precision ------------------------------------------------------------------------------ */

/* clang-format off */
/** How tables name the width of weights, and what vLLM quantises to it. */
static const struct precision {
	const char *name;
	double bytes;             /* of one weight; 0: any format of the name */
	const char *quantization; /* where the checkpoint's graph has no such weights */
} precisions[] = {
	{ "bf16", 2, NULL }, { "bfloat16", 2, NULL }, { "fp16", 2, NULL }, { "float16", 2, NULL },
	{ "fp8", 1, "fp8" }, { "int8", 1, "int8" },
	{ "fp4", 0.5, "nvfp4" }, { "nvfp4", 0.5, "nvfp4" }, { "mxfp4", 0.5, "mxfp4" },
	{ "int4", 0.5, "awq" },
};
/* clang-format on */

static bool has_width(const struct ss_model *m, double bytes)
{
	const double near = 1e-9;
	double own = ss_dtype_bytes(m->weight_dtype);

	if (own > bytes - near && own < bytes + near)
		return true;
	for (size_t k = 0; k < m->kind_count; k++)
		for (size_t i = 0; i < m->kinds[k].node_count; i++) {
			own = ss_dtype_bytes(m->kinds[k].nodes[i].weight_dtype);
			if (own > bytes - near && own < bytes + near)
				return true;
		}
	return false;
}

/** What the weights are quantised to; NULL: as the checkpoint stores them. */
static enum ss_status find_quantization(const struct ss_model *model, const char *precision,
					const char **out, char **reason)
{
	size_t i = 0, count = sizeof(precisions) / sizeof(precisions[0]);

	*out = NULL;
	if (!*precision)
		return SS_OK;
	while (i < count && strcmp(precisions[i].name, precision) != 0)
		i++;
	if (i == count) {
		*out = precision;
		return SS_OK;
	}
	if (has_width(model, precisions[i].bytes))
		return SS_OK;
	*out = precisions[i].quantization;
	return *out ? SS_OK : refuse(reason, "%s holds no %s weights", model->name, precision);
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

static enum ss_status set_all(struct ss_scenario *s, const struct ss_run *run,
			      const struct ss_model *model, char **reason)
{
	const char *quantization;
	enum ss_status rc = find_quantization(model, run->precision, &quantization, reason);

	if (!rc && quantization)
		rc = set(s, "engine.quantization", quantization, reason);
	for (size_t i = 0; i < run->setting_count && !rc; i++)
		rc = set(s, run->settings[i].path, run->settings[i].text, reason);
	if (!rc)
		rc = set_nodes(s, reason);
	return rc ? rc : set_experts(s, run->ep, reason);
}

/** The first problem there is, as a reason. */
static enum ss_status refuse_problems(struct ss_problems *problems, const struct ss_error *err,
				      char **reason)
{
	return refuse(reason, "%s", problems->count ? problems->items[0].message : err->message);
}

enum ss_status score_scenario(struct ss_scenario **out, const struct score *score,
			      const struct ss_run *run, const char *release, char **reason)
{
	struct adhoc words = { .model = run->model, .part = run->part, .engine_version = release };
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc =
		check_name(score->registry, SS_DOCUMENT_MODEL, "model graph", run->model, reason);

	*out = NULL;
	if (!rc)
		rc = check_name(score->registry, SS_DOCUMENT_HARDWARE, "part", run->part, reason);
	if (rc)
		return rc;
	rc = adhoc_scenario(out, score->registry, &words, &problems, &err);
	if (rc && rc != SS_ENOMEM)
		rc = refuse_problems(&problems, &err, reason);
	if (!rc)
		rc = set_all(*out, run, ss_registry_model(score->registry, run->model, NULL),
			     reason);
	ss_problems_release(&problems);
	return rc;
}
