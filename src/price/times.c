#include "price/times.h"

#include <math.h>

/** (a^q + b^q)^(1/q), as the kernel hides part of one in the other; 1 adds, much takes the larger.
 */
static double joined(double a, double b, double q)
{
	double most = fmax(a, b);
	double least = fmin(a, b);

	if (!(least > 0))
		return most;
	return most * pow(1 + pow(least / most, q), 1 / q);
}

static double law_us(const struct time_parts *p, double q)
{
	return p->floor_us + p->depth_us + joined(p->read_us, p->math_us, q);
}

void gemm_law_parts(const struct gemm_law *law, double rows, struct time_parts *parts)
{
	*parts = (struct time_parts){
		.floor_us = law->floor_us,
		.depth_us = law->depth_us,
		.read_us = law->read_us + law->read_row_us * rows,
		.math_us = law->math_tile_us * ceil(rows / 64),
	};
}

double gemm_law_us(const struct gemm_law *law, double rows, struct time_parts *parts)
{
	gemm_law_parts(law, rows, parts);
	return law_us(parts, law->exponent);
}

void moe_law_parts(const struct moe_law *law, double tokens, struct time_parts *parts)
{
	double touched = law->local * -expm1(law->log_missed * tokens);
	double rows = tokens * law->rows_per_token;

	touched = fmax(touched, law->least);
	*parts = (struct time_parts){
		.floor_us = law->floor_us,
		.depth_us = law->depth_us + law->row_us * rows,
		.read_us = law->read_us * touched,
		.math_us = law->math_us * (rows + touched * law->tile_rows),
	};
}

double moe_law_us(const struct moe_law *law, double tokens, struct time_parts *parts)
{
	moe_law_parts(law, tokens, parts);
	return law_us(parts, law->exponent);
}

double decode_law_us(const struct decode_law *law, double requests, double tokens,
		     struct time_parts *parts)
{
	double q = law->exponent, log_tokens = q * log(fmax(tokens, 1e-9)),
	       log_requests = q * log(fmax(requests, 1e-9));
	double sum = law->token_us * exp(log_tokens) + law->request_us * exp(log_requests) +
		     law->context_us * exp(log_tokens - log_requests);
	double us = sum > 0 ? exp(log(sum) / q) : 0;
	double read_us = fmin(law->token_plain_us * tokens, us);

	*parts = (struct time_parts){ .floor_us = law->floor_us,
				      .depth_us = us - read_us,
				      .read_us = read_us };
	return law->floor_us + us;
}

double prefill_law_us(const struct prefill_law *law, double requests, double tokens, double pairs,
		      struct time_parts *parts)
{
	*parts = (struct time_parts){
		.floor_us = law->floor_us * requests,
		.depth_us = law->depth_us * tokens,
		.read_us = law->token_us * tokens,
		.math_us = law->pair_us * pairs,
	};
	return law_us(parts, 1);
}

static double gemm_at(const struct time_gemm *g, double rows, bool is_by_law)
{
	struct time_parts parts;

	if (is_by_law)
		return g->law.exponent > 0 ? gemm_law_us(&g->law, rows, &parts) * g->scale.value
					   : NAN;
	return g->curve ? exp(curve_at(g->curve, log(rows)) + g->edge) * g->scale.value : NAN;
}

double times_at(const struct time_node *node, double argument, bool is_by_law)
{
	const struct time_moe *m = &node->u.moe;
	struct time_parts parts;

	if (node->shape == TIME_GEMM || node->shape == TIME_HEAD)
		return gemm_at(&node->u.gemm, argument, is_by_law);
	if (node->shape != TIME_MOE)
		return NAN;
	if (is_by_law)
		return moe_law_us(&m->law, argument, &parts) * m->scale.value;
	return m->curve ? exp(curve_at(m->curve, log(argument))) * m->scale.value : NAN;
}
