#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/step.h"
#include "price/step_times.h"
#include "resolve/times_plan.h"

static const double US = 1e-6;

const char *ss_graph_name(enum ss_graph graph)
{
	static const char *const names[] = { "eager", "piecewise", "full" };

	return names[graph];
}

const char *ss_figure_name(enum ss_figure figure)
{
	static const char *const names[] = { "lead", "serial", "no_overlap", "overlap", "kernels" };

	return figure < SS_FIGURE_COUNT ? names[figure] : "";
}

const char *ss_term_name(enum ss_term_id term)
{
	static const char *const names[] = {
#define SS_X(id, name, label) name,
		SS_TERMS(SS_X)
#undef SS_X
	};

	return names[term];
}

const char *ss_term_label(enum ss_term_id term)
{
	static const char *const labels[] = {
#define SS_X(id, name, label) label,
		SS_TERMS(SS_X)
#undef SS_X
	};

	return labels[term];
}

enum ss_status ss_figure_find(const char *name, enum ss_figure *out, struct ss_error *err)
{
	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_COUNT; i++)
		if (strcmp(ss_figure_name((enum ss_figure)i), name) == 0) {
			*out = (enum ss_figure)i;
			return SS_OK;
		}
	return ss_fail(err, SS_EUSAGE, "figure",
		       "no figure %s; there are: serial, no_overlap, overlap, kernels", name);
}

const char *ss_term_label_in(enum ss_term_id term, enum ss_graph graph)
{
	return term == SS_TERM_GRAPH && graph == SS_GRAPH_EAGER ? "eager launches"
								: ss_term_label(term);
}

double ss_step_figure(const struct ss_step *step, enum ss_figure figure)
{
	switch (figure) {
	case SS_FIGURE_LEAD:
	case SS_FIGURE_KERNELS:
		return step->has_kernels ? step->kernels_s : step->serial_s;
	case SS_FIGURE_SERIAL:
		return step->serial_s;
	case SS_FIGURE_NO_OVERLAP:
		return step->no_overlap_s;
	case SS_FIGURE_OVERLAP:
		return step->overlap_s;
	case SS_FIGURE_COUNT:
		break;
	}
	return 0;
}

static bool is_kernels(const struct ss_step *step, enum ss_figure figure)
{
	return step->has_kernels && (figure == SS_FIGURE_LEAD || figure == SS_FIGURE_KERNELS);
}

const double *ss_step_resources(const struct ss_step *step, enum ss_figure figure)
{
	return is_kernels(step, figure) ? step->kernels_resource_s : step->resource_s;
}

enum ss_resource ss_step_bottleneck(const struct ss_step *step, enum ss_figure figure)
{
	return is_kernels(step, figure) ? step->kernels_bottleneck : step->bottleneck;
}

bool ss_kernel_has_kernels(const struct ss_kernel *kernel)
{
	return kernel->plan.time_count > 0;
}

enum ss_figure ss_kernel_lead(const struct ss_kernel *kernel, enum ss_figure figure)
{
	if (figure != SS_FIGURE_LEAD && figure != SS_FIGURE_KERNELS)
		return figure;
	return ss_kernel_has_kernels(kernel) ? SS_FIGURE_KERNELS : SS_FIGURE_SERIAL;
}

double ss_term_hidden(const struct ss_term *term, enum ss_figure figure)
{
	/* what leads is Serial among the laws' terms; measured kernels hide nothing */
	return term->hidden_s[figure == SS_FIGURE_LEAD ? SS_FIGURE_SERIAL : figure];
}

double ss_term_figure(const struct ss_term *term, enum ss_figure figure)
{
	return term->floor_s + term->slope_s - ss_term_hidden(term, figure);
}

void ss_kernel_step(const struct ss_kernel *kernel, const struct ss_batch *batch,
		    struct ss_step *out)
{
	step_price(&kernel->plan, batch, kernel->corrections, SS_FIGURE_LEAD, out, NULL);
}

void ss_kernel_step_of(const struct ss_kernel *kernel, const struct ss_batch *batch,
		       enum ss_figure figure, struct ss_step *out)
{
	step_price(&kernel->plan, batch, kernel->corrections, figure, out, NULL);
}

enum ss_status ss_kernel_breakdown(const struct ss_kernel *kernel, const struct ss_batch *batch,
				   enum ss_figure figure, struct ss_breakdown *out)
{
	struct step_rows rows = { .terms = out->terms, .capacity = out->term_capacity };

	step_price(&kernel->plan, batch, kernel->corrections, figure, &out->step, &rows);
	out->terms = rows.terms;
	out->term_count = rows.count;
	out->term_capacity = rows.capacity;
	return rows.is_incomplete ? SS_ENOMEM : SS_OK;
}

void ss_breakdown_release(struct ss_breakdown *breakdown)
{
	free(breakdown->terms);
	*breakdown = (struct ss_breakdown){ 0 };
}

/** The argument of a measured kernel, as its curve or law takes it. */
static const char *argument_of(enum time_shape shape)
{
	switch (shape) {
	case TIME_LINK:
		return "bytes";
	case TIME_MOE:
	case TIME_DECODE:
	case TIME_PREFILL:
		return "tokens";
	case TIME_GEMM:
	case TIME_HEAD:
	case TIME_SHARED:
	case TIME_SMALL:
		break;
	}
	return "rows";
}

/** Whose times a charge took, once the kernel has its entries. */
static const struct ss_times_entry *times_of(const struct ss_kernel *k, const struct ss_term *term)
{
	int read = term->slope_reads[0] >= 0 ? term->slope_reads[0] : term->floor_reads[0];

	return read >= 0 && (size_t)read < k->entry_count ? k->entries[read].times : NULL;
}

double ss_kernel_time_at(const struct ss_kernel *kernel, const struct ss_term *term,
			 double argument, bool is_by_law)
{
	return times_at(&kernel->plan.times[term->time_node], argument, is_by_law);
}

void ss_kernel_time_sight(const struct ss_kernel *kernel, const struct ss_batch *batch,
			  const struct ss_term *term, struct ss_time_sight *out)
{
	const struct ss_times_entry *entry = times_of(kernel, term);
	const struct time_node *node = &kernel->plan.times[term->time_node];
	struct time_sight sight;

	step_look(&kernel->plan, batch, kernel->corrections, term->is_draft,
		  (size_t)term->time_node, &sight);
	*out = (struct ss_time_sight){
		.us = sight.us,
		.argument = sight.argument,
		.beyond = exp(sight.edge),
		.floor_us = sight.parts.floor_us,
		.depth_us = sight.parts.depth_us,
		.read_us = sight.parts.read_us,
		.math_us = sight.parts.math_us,
		.argument_name = argument_of(node->shape),
		.role = node->role,
		.n = node->n,
		.k = node->k,
		.kernel_name = entry ? entry->kernel : "",
		.measured_with = entry ? entry->measured_with : "",
		.release_distance = entry ? times_distance(kernel, entry) : 0,
	};
	if (!sight.curve)
		return;
	out->log_x = sight.curve->log_x;
	out->log_us = sight.curve->log_value;
	out->point_count = sight.curve->count;
}

/* -- around a step ---------------------------------------------------------------------- */

double ss_kernel_admission_s(const struct ss_kernel *kernel, int64_t prompt_tokens)
{
	const struct plan_host *h = &kernel->plan.host;

	return admission(h->admission_request.value, h->admission_token.value, prompt_tokens) * US;
}

double ss_kernel_output_token_s(const struct ss_kernel *kernel)
{
	return kernel->plan.host.output_token.value * US;
}

double ss_kernel_completion_s(const struct ss_kernel *kernel)
{
	return kernel->plan.host.completion.value * US;
}

double ss_kernel_itl_s(const struct ss_kernel *kernel, double lead_s)
{
	return lead_s + ss_kernel_output_token_s(kernel);
}

double ss_kernel_tokens_per_s(const struct ss_kernel *kernel, const struct ss_step *step,
			      double lead_s, double acceptance)
{
	double per_request = 1 + acceptance * (double)kernel->set.spec_tokens;

	if (lead_s <= 0)
		return 0;
	return (double)step->decode_requests * per_request * kernel->layout.dp / lead_s;
}

/** Decodes of a batch, after which a chunk of the prompt is put. */
static size_t decodes_of(const struct ss_kernel *kernel, const struct ss_batch *batch,
			 struct ss_group *out, int64_t *tokens)
{
	int64_t threshold = batch->decode_threshold > 0 ? batch->decode_threshold
							: kernel->plan.default_threshold;
	size_t n = 0;

	*tokens = 0;
	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		if (g->count <= 0 || g->scheduled <= 0 || g->scheduled > threshold)
			continue;
		out[n++] = *g;
		*tokens += g->count * g->scheduled;
	}
	return n;
}

/* More than any prompt is served in; each is a step priced. */
#define TTFT_CHUNKS_MAX 16384

double ss_kernel_ttft_s(const struct ss_kernel *kernel, const struct ss_batch *batch,
			enum ss_figure figure, int64_t prompt_tokens)
{
	struct ss_group *groups = calloc(batch->group_count + 1, sizeof(*groups));
	struct ss_batch chunked = *batch;
	double total =
		ss_kernel_admission_s(kernel, prompt_tokens) + ss_kernel_output_token_s(kernel);
	int64_t budget, done = 0, decode_tokens;
	size_t n;

	if (!groups)
		return INFINITY;
	n = decodes_of(kernel, batch, groups, &decode_tokens);
	budget = kernel->set.max_batched_tokens - decode_tokens;
	if (!kernel->set.has_chunked_prefill && prompt_tokens > budget)
		budget = 0;
	/* a batch that fills the budget leaves no room for a prefill, or hardly any */
	if (budget <= 0 || prompt_tokens / budget > TTFT_CHUNKS_MAX) {
		free(groups);
		return prompt_tokens > 0 ? INFINITY : total;
	}
	chunked.groups = groups;
	chunked.group_count = n + 1;
	while (done < prompt_tokens) {
		int64_t chunk = prompt_tokens - done < budget ? prompt_tokens - done : budget;
		struct ss_step step;

		groups[n] = (struct ss_group){ 1, chunk, done, prompt_tokens };
		step_price(&kernel->plan, &chunked, kernel->corrections, figure, &step, NULL);
		total += ss_step_figure(&step, figure);
		done += chunk;
	}
	free(groups);
	return total;
}

double ss_kernel_pd_transfer_s(const struct ss_kernel *kernel, int64_t tokens, enum ss_place place)
{
	const struct ss_part *part = kernel->basis->in.part;
	bool is_domain = part->gpus_per_rack > 0 && part->intra_rack_gb_s > 0;
	double rate = place == SS_PLACE_SAME_NODE || (place == SS_PLACE_SAME_RACK && is_domain)
			      ? part->intra_node_gb_s
			      : kernel->inter_node_gb_s;

	if (tokens <= 0)
		return 0;
	if (rate <= 0)
		return INFINITY;
	return fmax((double)tokens * kernel->memory.kv_bytes_per_token / (rate * 1e9),
		    kernel->pd_floor_us * US);
}

double ss_kernel_tier_s(const struct ss_kernel *kernel, const char *tier, bool is_write,
			int64_t bytes, int64_t queue_depth)
{
	const struct ss_storage *storage = kernel->basis->in.storage;
	struct coef link = coef_bind(kernel, kernel->basis->plain[COEF_HOST_LINK]);

	for (size_t i = 0; storage && i < storage->count; i++) {
		const struct ss_storage_class *c = &storage->classes[i];
		double rate;

		if (strcmp(c->name, tier) != 0)
			continue;
		rate = (is_write ? c->write_mb_s : c->read_mb_s) * 1e6;
		if (coef_is_set(link))
			rate = fmin(rate, link.value * 1e6);
		if (queue_depth > 1)
			rate /= (double)queue_depth;
		return fmax(c->base_latency_us * US, (double)bytes / rate);
	}
	return INFINITY;
}
