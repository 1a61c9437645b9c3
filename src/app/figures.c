#include "app/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/xbuf.h"

/** Does a host charge of the step read a fit's remainder? */
static bool host_reads_remainder(const struct session *session, const struct ss_batch *batch)
{
	struct ss_breakdown breakdown = { 0 };
	bool is_found = false;

	if (ss_kernel_breakdown(session->kernel, batch, &breakdown))
		out_of_memory();
	for (size_t i = 0; i < breakdown.term_count; i++) {
		const struct ss_term *term = &breakdown.terms[i];

		for (size_t k = 0; term->resource == SS_RESOURCE_HOST && k < SS_READS_MAX &&
				   term->slope_reads[k] >= 0;
		     k++) {
			const struct ss_entry *entry =
				ss_kernel_entry(session->kernel, (size_t)term->slope_reads[k]);

			is_found |= entry->coefficient && entry->coefficient->is_remainder;
		}
	}
	ss_breakdown_release(&breakdown);
	return is_found;
}

void figures_of(struct figures *out, const struct session *session)
{
	const struct ss_resolution *resolution = ss_kernel_resolution(session->kernel);
	struct ss_batch batch = session_batch(session);

	*out = (struct figures){ 0 };
	ss_kernel_step(session->kernel, &batch, &out->step);
	out->lead_s = ss_step_figure(&out->step, session->figure);
	out->itl_s = ss_kernel_itl_s(session->kernel, out->lead_s);
	out->tokens_per_s = ss_kernel_tokens_per_s(session->kernel, &out->step, out->lead_s,
						   session->acceptance);
	out->tokens_per_s_per_gpu = out->tokens_per_s / (double)resolution->ranks;
	if (out->lead_s > 0)
		out->prefill_tokens_per_s = (double)out->step.prefill_tokens *
					    (double)resolution->data_parallel / out->lead_s;
	if (session->ttft_tokens > 0) {
		out->has_ttft = true;
		out->ttft_s = ss_kernel_ttft_s(session->kernel, &batch, session->figure,
					       session->ttft_tokens);
	}
	out->is_remainder_bound = out->step.bottleneck == SS_RESOURCE_HOST &&
				  host_reads_remainder(session, &batch);
}

const char *figures_bottleneck(const struct figures *figures)
{
	return figures->is_remainder_bound ? "host (fitted remainder)" :
					     ss_resource_name(figures->step.bottleneck);
}

/** The weakest method a part of a term read; a part's datasheet when it read none. */
static enum ss_method weakest(const struct ss_kernel *kernel, const int reads[SS_READS_MAX])
{
	enum ss_method method = SS_METHOD_COUNT;

	for (size_t i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		enum ss_method read = ss_kernel_entry(kernel, (size_t)reads[i])->method;

		if (read < method)
			method = read;
	}
	return method == SS_METHOD_COUNT ? SS_METHOD_VENDOR_SPEC : method;
}

enum ss_status price_share(double share[SS_METHOD_COUNT], const struct session *session)
{
	struct ss_breakdown breakdown = { 0 };
	struct ss_batch batch = session_batch(session);
	double total = 0;
	enum ss_status rc = ss_kernel_breakdown(session->kernel, &batch, &breakdown);

	for (size_t i = 0; i < SS_METHOD_COUNT; i++)
		share[i] = 0;
	for (size_t i = 0; !rc && i < breakdown.term_count; i++) {
		const struct ss_term *term = &breakdown.terms[i];
		double charge = term->floor_s + term->slope_s;
		double kept = fabs(charge) > 0 ? ss_term_figure(term, session->figure) / charge : 0;

		share[weakest(session->kernel, term->floor_reads)] += term->floor_s * kept;
		share[weakest(session->kernel, term->slope_reads)] += term->slope_s * kept;
		total += charge * kept;
	}
	for (size_t i = 0; !rc && total > 0 && i < SS_METHOD_COUNT; i++)
		share[i] /= total;
	ss_breakdown_release(&breakdown);
	return rc;
}
