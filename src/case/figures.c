#include "case/figures.h"

void figures_of_step(struct figures *out, const struct ss_kernel *kernel,
		     const struct ss_step *step, enum ss_figure figure, double acceptance)
{
	const struct ss_resolution *r = ss_kernel_resolution(kernel);

	*out = (struct figures){ .step = *step };
	out->lead_s = ss_step_figure(step, figure);
	out->itl_s = ss_kernel_itl_s(kernel, out->lead_s);
	if (!(out->lead_s > 0))
		return;
	out->tokens_per_s = ss_kernel_tokens_per_s(kernel, step, out->lead_s, acceptance);
	out->tokens_per_s_per_gpu = out->tokens_per_s / (double)r->ranks;
	out->prefill_tokens_per_s =
		(double)step->prefill_tokens * (double)r->data_parallel / out->lead_s;
}

void figures_of(struct figures *out, const struct session *session)
{
	struct ss_batch batch = session_batch(session);
	struct ss_step step;

	ss_kernel_step(session->kernel, &batch, &step);
	figures_of_step(out, session->kernel, &step, session->figure, session->acceptance);
	if (session->ttft_tokens > 0) {
		out->has_ttft = true;
		out->ttft_s = ss_kernel_ttft_s(session->kernel, &batch, session->figure,
					       session->ttft_tokens);
	}
}
