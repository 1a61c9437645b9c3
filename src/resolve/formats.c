#include "resolve/formats.h"

#include <string.h>

enum ss_dtype stored_format(const struct ss_kernel *k, const struct ss_node *node, bool is_head)
{
	if (node->weight_dtype != SS_DTYPE_UNSTATED)
		return node->weight_dtype;
	if (!is_head && k->set.served_as != SS_DTYPE_UNSTATED)
		return k->set.served_as;
	return k->basis->in.model->weight_dtype;
}

enum ss_dtype shared_expert_format(const struct ss_kernel *k, const struct ss_node *node)
{
	return node->shared_weight_dtype != SS_DTYPE_UNSTATED ? node->shared_weight_dtype
							      : stored_format(k, node, false);
}

/** What computes a format on this part. */
struct compute {
	double peak_tflops;
	enum coef_format ramp;
	enum coef_format own; /**< a weight-only kernel that may be measured; FORMAT_COUNT: none */
	bool is_assumed_peak;
};

static struct compute compute_of(struct ss_kernel *k, enum ss_dtype stored, bool is_grouped)
{
	const struct ss_part *part = k->basis->in.part;
	struct compute c = { .peak_tflops = part->bf16_tflops,
			     .ramp = FORMAT_BF16,
			     .own = FORMAT_COUNT };
	enum coef_format narrow = is_grouped ? FORMAT_W4A16_GROUPED : FORMAT_W4A16;

	switch (stored) {
	case SS_DTYPE_UNSTATED:
	case SS_DTYPE_COUNT:
	case SS_DTYPE_BF16:
	case SS_DTYPE_FP16:
		break;
	case SS_DTYPE_FP8:
		if (part->fp8_tflops > 0)
			return (struct compute){ part->fp8_tflops, FORMAT_FP8, FORMAT_COUNT,
						 false };
		c.own = FORMAT_W8A16_FP8;
		break;
	case SS_DTYPE_MXFP8:
		/* block-scaled 8-bit kernels came with the native 4-bit ones */
		if (part->nvfp4_tflops > 0 && part->fp8_tflops > 0)
			return (struct compute){ part->fp8_tflops, FORMAT_FP8, FORMAT_COUNT,
						 false };
		c.own = FORMAT_W8A16_MXFP8;
		break;
	case SS_DTYPE_NVFP4:
	case SS_DTYPE_MXFP4:
		if (part->nvfp4_tflops > 0)
			return (struct compute){ part->nvfp4_tflops, FORMAT_NVFP4, FORMAT_COUNT,
						 false };
		c.own = narrow;
		break;
	case SS_DTYPE_INT4:
		c.own = narrow;
		break;
	case SS_DTYPE_INT8:
		c.peak_tflops = part->fp8_tflops;
		c.ramp = FORMAT_FP8;
		break;
	case SS_DTYPE_FP32:
		c.peak_tflops = k->set.sm >= 80 ? part->bf16_tflops / 2 : part->fp32_tflops;
		c.is_assumed_peak = true;
		break;
	}
	return c;
}

static void bind_ramp(struct ss_kernel *k, struct plan_rate *rate, enum coef_format f)
{
	const struct ss_basis *b = k->basis;

	rate->eps = coef_bind(k, b->format[0][f]);
	rate->m_half = coef_bind(k, b->format[1][f]);
	rate->n_half = coef_bind(k, b->format[2][f]);
	rate->k_half = coef_bind(k, b->format[3][f]);
}

static void check_ramp(struct ss_kernel *k, const struct plan_rate *rate, enum coef_format f)
{
	const char *name = coef_format_name(f);
	const char *part = k->basis->in.part->name;

	if (!coef_is_set(rate->eps) || !coef_is_set(rate->m_half))
		refuse_price(k, "C1", "no set has gemm_eps_max_%s and gemm_m_half_%s for %s", name,
			     name, part);
	else if (coef_is_set(rate->n_half) != coef_is_set(rate->k_half))
		refuse_price(
			k, "C1",
			"gemm_n_half_%s and gemm_k_half_%s go together; only one is in the sets",
			name, name);
}

static const char *rate_detail(enum ss_dtype stored, const struct compute *c)
{
	return c->own == FORMAT_COUNT ? ss_dtype_name(stored) : coef_format_name(c->own);
}

static void make_rate(struct ss_kernel *k, struct plan_rate *rate, enum ss_dtype stored,
		      const struct compute *c)
{
	*rate = (struct plan_rate){ .peak = c->peak_tflops * 1e12, .peak_entry = -1 };
	rate->detail = rate_detail(stored, c);
	if (c->peak_tflops <= 0) {
		refuse_price(k, stored == SS_DTYPE_INT8 ? "P4" : "C1",
			     "%s weights: the catalogue states no %s rate for %s",
			     ss_dtype_name(stored), ss_dtype_name(stored), k->basis->in.part->name);
		rate->peak = 1;
	}
	if (c->is_assumed_peak && c->peak_tflops > 0)
		note_assumption(&k->notes, ASSUME_COMPUTE_RATE, ss_dtype_name(stored),
				NOTE_REAL(c->peak_tflops), WHY_DEFAULT);
	if (c->own != FORMAT_COUNT) {
		bind_ramp(k, rate, c->own);
		if (coef_is_set(rate->eps) && coef_is_set(rate->m_half)) {
			check_ramp(k, rate, c->own);
			return;
		}
		note_assumption(&k->notes, ASSUME_GEMM_EPS_MAX, coef_format_name(c->own),
				NOTE_TEXT("bf16"), WHY_DEFAULT);
	}
	bind_ramp(k, rate, c->ramp);
	check_ramp(k, rate, c->ramp);
}

int format_rate(struct ss_kernel *k, enum ss_dtype stored, bool is_grouped)
{
	struct compute c = compute_of(k, stored, is_grouped);
	const char *detail = rate_detail(stored, &c);

	for (int i = 0; i < k->plan.rate_count; i++)
		if (strcmp(k->plan.rates[i].detail, detail) == 0)
			return i;
	if (k->plan.rate_count == PLAN_RATES_MAX)
		return 0;
	make_rate(k, &k->plan.rates[k->plan.rate_count], stored, &c);
	return k->plan.rate_count++;
}

bool model_is_bfloat16(const struct ss_model *model)
{
	if (model->weight_dtype == SS_DTYPE_BF16 || model->embedding_dtype == SS_DTYPE_BF16)
		return true;
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++)
			if (model->kinds[i].nodes[j].weight_dtype == SS_DTYPE_BF16)
				return true;
	return false;
}
