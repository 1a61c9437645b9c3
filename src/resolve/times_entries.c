/* Kernel times as rows of provenance: one a family and choice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/times_plan.h"

static const char *const laws[SS_TIMES_COUNT] = {
	[SS_TIMES_GEMM] = "t = the grid's curve at the rows, blended in log n and log k, x value",
	[SS_TIMES_GEMM_LAW] = "t = (floor + depth k + (read^q + math^q)^(1/q)) x value",
	[SS_TIMES_MOE] = "t = the curve of this shape at the tokens of all ranks, x value",
	[SS_TIMES_MOE_LAW] = "t = (floor + depth + rows + (read^q + math^q)^(1/q)) x value",
	[SS_TIMES_DECODE_LAW] = "t = (floor + (read^q + requests^q + context^q)^(1/q)) x value",
	[SS_TIMES_PREFILL_LAW] = "t = (floor + depth n + pairs + reads) x value",
	[SS_TIMES_ALL_REDUCE] = "t = the curve at the bytes, x value",
	[SS_TIMES_NCCL] = "t = the curve at the bytes, x value",
	[SS_TIMES_DEEPEP] = "t = the curve at a rank's tokens, x value",
	[SS_TIMES_GLUE] = "t = value x small kernels",
	[SS_TIMES_PREFILL_HOST] = "once in a step that holds a prefill",
	[SS_TIMES_SYNC_BASE] = "once in a step without async scheduling",
	[SS_TIMES_SYNC_REQUEST] = "t = value x requests, without async scheduling",
};

static const char *reach_words(enum time_reach reach)
{
	switch (reach) {
	case REACH_SHAPE:
		return "";
	case REACH_EDGE:
		return "; a shape beyond the grid, scaled from its edge";
	case REACH_LAW:
		return "; by the law of the format";
	case REACH_OTHER:
		return "; this law at the width of another format";
	}
	return "";
}

int times_distance(const struct ss_kernel *k, const struct ss_times_entry *e)
{
	int measured =
		strncmp(e->measured_with, "vllm ", 5) == 0 ? ss_release_minor(e->measured_with) : 0;

	return measured ? abs(k->times.minor - measured) : 0;
}

static const char *scope_of(struct ss_kernel *k, const struct time_choice *c)
{
	const struct ss_times_entry *e = c->entry;
	const char *release = e->measured_with;
	int distance = times_distance(k, e);
	const char *from = *e->from_text ? e->from_text : "the first";
	const char *to = *e->to_text ? e->to_text : "the last";

	if (!*release && !*e->format)
		return kernel_text(k, "hardware: %s", k->basis->in.part->name);
	return kernel_text(
		k, "hardware: %s%s%s%s%s%s%s, for releases from %s to %s%s%s",
		k->basis->in.part->name, *e->format ? ", format: " : "", e->format,
		*e->kernel ? ", kernel: " : "", e->kernel, *release ? ", measured with " : "",
		release, from, to,
		distance ? kernel_text(k, "; %d minor releases from the scenario's", distance) : "",
		reach_words(c->reach));
}

/** The law's errors stand for a table's: half of what it reads is between its points. */
static void put_interval(struct ss_kernel *k, const struct time_choice *c, struct ss_entry *out)
{
	const struct ss_times_entry *e = c->entry;
	double error = e->p90_error;

	if (e->family == SS_TIMES_GEMM || e->family == SS_TIMES_MOE) {
		const struct ss_times_entry *law = times_entry(
			&k->times, k->times.laws,
			e->family == SS_TIMES_GEMM ? SS_TIMES_GEMM_LAW : SS_TIMES_MOE_LAW,
			e->format);

		error = law ? law->median_error : 0;
	}
	if (!(error > 0))
		return;
	out->has_ci95 = true;
	out->ci95[0] = c->scale * fmax(1 - error, 0.05);
	out->ci95[1] = c->scale * (1 + error);
}

/** A value made by scaling what was measured is one nobody measured. */
static enum ss_method method_of(const struct time_choice *c)
{
	if (strstr(c->entry->kernel, "scaled"))
		return SS_METHOD_ASSUMED;
	return c->entry->method;
}

static void shift(struct coef *c, int first)
{
	if (coef_is_set(*c))
		c->entry += first;
}

static void link_entries(struct ss_kernel *k, int first)
{
	struct plan *plan = &k->plan;

	for (size_t i = 0; i < plan->time_count; i++) {
		struct time_node *n = &plan->times[i];

		switch (n->shape) {
		case TIME_GEMM:
		case TIME_HEAD:
			shift(&n->u.gemm.scale, first);
			break;
		case TIME_MOE:
			shift(&n->u.moe.scale, first);
			break;
		case TIME_SHARED:
			shift(&n->u.shared.up.scale, first);
			shift(&n->u.shared.down.scale, first);
			shift(&n->u.shared.glue, first);
			break;
		case TIME_DECODE:
			shift(&n->u.decode.scale, first);
			break;
		case TIME_PREFILL:
			shift(&n->u.prefill.scale, first);
			break;
		case TIME_SMALL:
			shift(&n->u.small.glue, first);
			break;
		case TIME_LINK:
			shift(&n->u.link.scale, first);
			shift(&n->u.link.eager_scale, first);
			shift(&n->u.link.over_scale, first);
			break;
		}
	}
	shift(&plan->time_host.prefill_step, first);
	shift(&plan->time_host.sync_base, first);
	shift(&plan->time_host.sync_request, first);
}

bool times_put_entries(struct ss_kernel *k)
{
	const struct times_state *t = &k->times;
	int first = (int)k->entry_count;

	for (size_t i = 0; i < t->choice_count; i++) {
		const struct time_choice *c = &t->choices[i];
		double own = c->entry->value > 0 ? c->entry->value : 1;
		struct ss_entry *out = &k->entries[k->entry_count++];

		*out = (struct ss_entry){
			.name = kernel_text(k, "%s", c->name),
			.set = fabs(c->scale - own) > 0 ? SS_WHATIF_SET : SS_TIMES_SET,
			.method = fabs(c->scale - own) > 0 ? SS_METHOD_ASSUMED : method_of(c),
			.scope = scope_of(k, c),
			.value_text = "",
			.value = c->scale,
			.has_value = true,
			.original = own,
			.is_whatif = fabs(c->scale - own) > 0,
			.law = laws[c->family],
			.times = c->entry,
			.times_document = c->document,
		};
		if (!out->is_whatif)
			put_interval(k, c, out);
		if (!out->name || !out->scope)
			return false;
	}
	link_entries(k, first);
	return true;
}
