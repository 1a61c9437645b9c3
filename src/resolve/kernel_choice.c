#include "resolve/kernel_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
/* What a kernel's name holds, and the engine's word for it; the first that is found counts. */
static const struct {
	const char *part, *backend;
} words[] = {
	{ "flashinfer_trtllm",  "flashinfer_trtllm" },
	{ "flashinfer_cutlass", "flashinfer_cutlass" },
	{ "flashinfer_cutedsl", "flashinfer_cutedsl" },
	{ "deep_gemm",          "deep_gemm" },
	{ "marlin",             "marlin" },
	{ "triton",             "triton" },
	{ "vllm_fused_moe",     "triton" },
	{ "trtllm",             "flashinfer_trtllm" },
};
/* clang-format on */

/** Releases count to less than this. */
enum { FAR = 1000 };

const char *kernel_backend(const struct ss_times_entry *e)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(e->kernel, words[i].part))
			return words[i].backend;
	return "";
}

int kernel_fits(const struct ss_kernel *k, const struct ss_times_entry *e, const char *backend)
{
	bool is_asked = *backend && strcasecmp(kernel_backend(e), backend) == 0;
	int distance;

	if (ss_times_holds(e, k->times.minor))
		return is_asked ? FAR + 2 : 1;
	if (!is_asked)
		return 0;
	distance = abs(k->times.minor - ss_release_minor(e->measured_with));
	return 2 + (distance < FAR ? FAR - distance : 0);
}

/* -- reasons -------------------------------------------------------------------------------- */

static void moe_reason(const struct ss_kernel *k, char *out, size_t size)
{
	const struct ss_times_entry *e = k->times.experts;
	const char *asked = k->set.moe_backend;

	if (!k->basis->has_experts)
		(void)snprintf(out, size, "the model has no routed experts");
	else if (!e)
		(void)snprintf(out, size, "%s; its experts are priced by the laws, not measured",
			       *asked ? "as stated" : "the release's choice");
	else if (!*asked)
		(void)snprintf(out, size, "the release's for %s on %s: %s, measured with %s",
			       e->format, k->basis->in.part->name, e->kernel, e->measured_with);
	else if (strcasecmp(kernel_backend(e), asked) == 0)
		(void)snprintf(out, size, "as stated: %s, measured with %s", e->kernel,
			       e->measured_with);
	else
		(void)snprintf(out, size,
			       "as stated; priced by %s, measured with %s: no other "
			       "was measured for %s on %s",
			       e->kernel, e->measured_with, e->format, k->basis->in.part->name);
}

static void reduce_reason(const struct ss_kernel *k, char *out, size_t size)
{
	const char *why = "published runs of vLLM on Hopper had it off";

	if (k->set.is_reduce_stated)
		why = k->layout.tp > 1 ? "as stated" : "as stated; one rank reduces nothing";
	else if (k->layout.tp <= 1)
		why = "one rank reduces nothing";
	else if (k->set.has_reduce_fusion)
		why = "published runs of vLLM on data-centre Blackwell had it on";
	else if (k->set.sm < 90 || k->set.sm >= 110)
		why = "FlashInfer's kernel is for Hopper and data-centre Blackwell";
	(void)snprintf(out, size, "%s", why);
}

void ss_kernel_choice_reason(const struct ss_kernel *kernel, enum ss_field_id field, char *out,
			     size_t size)
{
	const struct settings *s = &kernel->set;

	switch ((int)field) {
	case SS_F_MOE_BACKEND:
		moe_reason(kernel, out, size);
		break;
	case SS_F_LINEAR_BACKEND:
		(void)snprintf(out, size, "%s",
			       *s->linear_backend
				       ? "as stated; GEMMs were measured as the release chooses, "
					 "and are priced so"
				       : "the release's choice for each shape, as it was measured");
		break;
	case SS_F_FUSE_ALLREDUCE_RMS:
		reduce_reason(kernel, out, size);
		break;
	case SS_F_FUSE_ACT_QUANT:
		(void)snprintf(out, size, "%s",
			       s->is_act_stated ? "as stated"
						: "a compiler pass, off unless stated");
		break;
	default:
		(void)snprintf(out, size, "%s", "");
		break;
	}
}
