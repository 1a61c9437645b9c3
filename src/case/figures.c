#include "case/figures.h"

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
}
