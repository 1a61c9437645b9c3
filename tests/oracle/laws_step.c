/* Cases of the laws of one step. */
#include "law_case.h"

#include <math.h>
#include <string.h>

#include "price/attention.h"
#include "price/collective.h"
#include "price/experts.h"
#include "price/ramp.h"
#include "price/weight_format.h"

/* -- ramps ---------------------------------------------------------------------------- */

static void efficiency(struct law_case *c)
{
	if (given(c, "n_half") > 0)
		want(c, ramp(given(c, "eps_max"), given(c, "m_half"), given(c, "m")) *
				shape_factor(given(c, "n_half"), given(c, "k_half"), given(c, "n"),
					     given(c, "k")));
	else
		want(c, ramp(given(c, "eps_max"), given(c, "m_half"), given(c, "m")));
}

static double ramp_value(const struct law_case *c, int i)
{
	return ramp(given(c, "eps_max"), given_at(c, "m_half", i), given_at(c, "m", i));
}

static void ramp_values(struct law_case *c)
{
	for (int i = 0; i < cJSON_GetArraySize(c->want); i++)
		want_at(c, i, ramp_value(c, i));
}

static double ramp_of(const struct law_case *c, const char *name)
{
	const cJSON *set = cJSON_GetObjectItemCaseSensitive(c->given, name);

	return ramp(number(set, "eps_max"), number(set, "m_half"), given(c, "m"));
}

static void ramp_ratio(struct law_case *c)
{
	want(c, ramp_of(c, "numerator") / ramp_of(c, "denominator"));
}

static void ramp_is_bounded(struct law_case *c)
{
	const cJSON *m = given_list(c, "m");

	for (int i = 0; i < cJSON_GetArraySize(m); i++)
		want_true(c, ramp_value(c, i) > 0 && ramp_value(c, i) < given(c, "eps_max"),
			  c->words);
}

static void ramp_increases(struct law_case *c)
{
	const cJSON *m = given_list(c, "m");

	for (int i = 1; i < cJSON_GetArraySize(m); i++)
		want_true(c, ramp_value(c, i) > ramp_value(c, i - 1), c->words);
}

/* -- collectives ---------------------------------------------------------------------- */

static int ranks(const struct law_case *c, const char *name)
{
	return (int)given(c, name);
}

static void span(struct law_case *c)
{
	want_true(c, !strcmp(given_text(c, "kind"), "ring"), "a span whose kind is known");
	want(c, span_ring(ranks(c, "group"), ranks(c, "per_node"), given(c, "ratio")));
}

static void span_of_both(struct law_case *c)
{
	int group = ranks(c, "group");
	int per_node = ranks(c, "per_node");

	want(c, span_all_to_all(group, per_node, given(c, "ratio")) /
			span_ring(group, per_node, given(c, "ratio")));
}

/** Traffic of an all-reduce in two levels over that of one flat ring. */
static void span_is_two_level(struct law_case *c)
{
	double g = given(c, "per_node");
	double n = given(c, "nodes");
	double r = given(c, "ratio");
	double two = 2 * (g - 1) / g + 2 * (n - 1) / n / g * r;
	double flat = 2 * (g * n - 1) / (g * n);

	want_true(c, fabs(span_ring((int)(g * n), (int)g, r) - two / flat) <= 1e-12 * two / flat,
		  c->words);
}

static void ratio_of_fabric(struct law_case *c)
{
	want(c, fabric_ratio(given(c, "intra_node_gbps"), given(c, "inter_node_gbps")));
}

static double collective_at(const struct law_case *c, double bytes, bool has_transition)
{
	return collective_us(given(c, "floor_us"),
			     has_transition ? given(c, "transition_B_per_us") : 0,
			     given(c, "peak_B_per_us"), bytes);
}

static void sweep(struct law_case *c)
{
	const cJSON *point;
	int i = 0;

	cJSON_ArrayForEach(point, given_list(c, "points"))
		want_at(c, i++, collective_at(c, number(point, "bytes"), true));
}

static void sweep_is_close(struct law_case *c)
{
	double two = 0;
	double three = 0;
	const cJSON *points = given_list(c, "points");
	int count = cJSON_GetArraySize(points);
	const cJSON *point;

	cJSON_ArrayForEach(point, points)
	{
		double bytes = number(point, "bytes");
		double measured = number(point, "measured_us");

		two += fabs(log(collective_at(c, bytes, false) / measured)) / count;
		three += fabs(log(collective_at(c, bytes, true) / measured)) / count;
	}
	want_true(c, exp(three) <= 1.25 && three < two, c->words);
}

static void sweep_is_closer_in_the_middle(struct law_case *c)
{
	double two = 0;
	double three = 0;
	const cJSON *point;

	cJSON_ArrayForEach(point, given_list(c, "points"))
	{
		double bytes = number(point, "bytes");
		double measured = number(point, "measured_us");

		if (bytes < 64 * 1024 || bytes > 8 * 1024 * 1024)
			continue;
		two = fmax(two, measured / collective_at(c, bytes, false));
		three = fmax(three, measured / collective_at(c, bytes, true));
	}
	want_true(c, two >= 2 && three <= 1.5, c->words);
}

static double payload(const struct law_case *c, int i)
{
	if (given(c, "tokens") > 0)
		return given(c, "tokens") * given(c, "hidden") * given(c, "element_bytes");
	return given_at(c, "bytes", i);
}

static void time_us(struct law_case *c)
{
	int count = cJSON_IsArray(c->want) ? cJSON_GetArraySize(c->want) : 1;

	for (int i = 0; i < count; i++)
		want_at(c, i, collective_at(c, payload(c, i), true));
}

static void collective_bytes(struct law_case *c)
{
	want(c, payload(c, 0));
}

static void peak_bounds(struct law_case *c)
{
	want_true(c,
		  collective_at(c, payload(c, 0), true) >=
			  payload(c, 0) / given(c, "peak_B_per_us"),
		  c->words);
}

static void floor_or_rate(struct law_case *c)
{
	for (int i = 0; i < cJSON_GetArraySize(given_list(c, "bytes")); i++)
		want_true(c,
			  collective_at(c, payload(c, i), true) ==
				  fmax(given(c, "floor_us"),
				       payload(c, i) / given(c, "peak_B_per_us")),
			  c->words);
}

/* -- experts -------------------------------------------------------------------------- */

static int64_t case_experts(const struct law_case *c)
{
	cJSON *document;
	int64_t experts = given_whole(c, "experts");

	if (experts > 0)
		return experts;
	experts = (int64_t)number(model_node(&document, given_text(c, "model"), "GroupedGEMM"),
				  "experts");
	cJSON_Delete(document);
	return experts;
}

static int64_t case_ep(const struct law_case *c)
{
	int64_t ep = given_whole(c, "ep");

	return ep > 0 ? ep : given_whole(c, "tp") * given_whole(c, "dp");
}

static int64_t heaviest_of(const struct law_case *c)
{
	return experts_heaviest(case_experts(c), 0, case_ep(c));
}

static void heaviest(struct law_case *c)
{
	want(c, (double)heaviest_of(c));
}

/** Ranks that hold the heaviest share where the others hold one expert less. */
static int64_t extra_of(const struct law_case *c)
{
	int64_t spare = heaviest_of(c) * case_ep(c) - case_experts(c);

	return spare ? case_ep(c) - spare : 0;
}

static int64_t lightest_of(const struct law_case *c)
{
	return heaviest_of(c) - (extra_of(c) > 0);
}

static void lightest(struct law_case *c)
{
	want(c, (double)lightest_of(c));
}

static void ranks_with_extra(struct law_case *c)
{
	want(c, (double)extra_of(c));
}

static void imbalance(struct law_case *c)
{
	want(c, (double)heaviest_of(c) / (double)lightest_of(c));
}

static double touched_by(const cJSON *o, double tokens)
{
	return experts_touched(tokens, (int64_t)number(o, "experts"), (int64_t)number(o, "top_k"),
			       (int64_t)number(o, "local"));
}

static void touched(struct law_case *c)
{
	want(c, touched_by(c->given, given(c, "tokens")));
}

static void touched_values(struct law_case *c)
{
	const cJSON *cases = given_list(c, "cases");

	for (int i = 0; i < cJSON_GetArraySize(c->want); i++) {
		const cJSON *o = cases ? cJSON_GetArrayItem(cases, i) : c->given;

		want_at(c, i,
			touched_by(o, cases ? number(o, "tokens") : given_at(c, "tokens", i)));
	}
}

static void touched_does_not_fall(struct law_case *c)
{
	const cJSON *tokens = given_list(c, "tokens");

	for (int i = 1; i < cJSON_GetArraySize(tokens); i++)
		want_true(c,
			  touched_by(c->given, given_at(c, "tokens", i)) >=
				  touched_by(c->given, given_at(c, "tokens", i - 1)),
			  c->words);
}

static void touched_is_local(struct law_case *c)
{
	const cJSON *tokens = given_list(c, "tokens");

	for (int i = 0; i < cJSON_GetArraySize(tokens); i++)
		want_true(c, touched_by(c->given, given_at(c, "tokens", i)) <= given(c, "local"),
			  c->words);
}

/** Payload of one expert at each given format; `fp4` is any of the 4-bit floats. */
static void expert_bytes(struct law_case *c)
{
	double parameters = expert_parameters(3, given_whole(c, "n"), given_whole(c, "k"));
	const cJSON *format;
	int i = 0;

	cJSON_ArrayForEach(format, given_list(c, "expert_weight_dtype"))
	{
		if (!strcmp(format->valuestring, "fp8")) {
			want_at(c, i, weight_bytes(SS_DTYPE_FP8, parameters));
		} else {
			want_true(c, !strcmp(format->valuestring, "fp4"), "a format we know");
			want_at(c, i, weight_bytes(SS_DTYPE_NVFP4, parameters));
			want_at(c, i, weight_bytes(SS_DTYPE_MXFP4, parameters));
		}
		i++;
	}
}

static double shared_parameters(const struct law_case *c)
{
	return given(c, "shared") *
	       expert_parameters(3, given_whole(c, "inner"), given_whole(c, "k")) / given(c, "tp");
}

static void shared_flops(struct law_case *c)
{
	want(c, 2 * shared_parameters(c));
}

static void shared_bytes(struct law_case *c)
{
	want(c, shared_parameters(c)); /* one byte each */
}

/* -- attention ------------------------------------------------------------------------ */

/** Four times the pairs: what heads x head width multiply into FLOPs. */
static void units(struct law_case *c)
{
	const cJSON *points = given_list(c, "points");
	const cJSON *grid = given_list(c, "grid");
	const cJSON *point;
	int i = 0;

	if (!points && !grid)
		want(c, 4 * pairs_window(given(c, "scheduled"), given(c, "prior"),
					 given(c, "window")));
	cJSON_ArrayForEach(point, points)
		want_at(c, i++, 4 * pairs_causal(number(point, "s"), number(point, "c")));
	cJSON_ArrayForEach(point, grid) want_at(
		c, i++,
		4 * pairs_window(number(point, "s"), number(point, "c"), number(point, "w")));
}

static void window_adds_nothing(struct law_case *c)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, given_list(c, "grid"))
		want_true(c,
			  pairs_window(number(p, "s"), number(p, "c"), number(p, "w")) <=
				  pairs_causal(number(p, "s"), number(p, "c")),
			  c->words);
}

static void selected_of(struct law_case *c)
{
	want(c, selected(given_at(c, "contexts", 0), given(c, "window"), given(c, "top_k"),
			 given(c, "ratio")));
}

/** Keys read by a scorer at the given ratios; its time is linear in them. */
static double scored(const struct law_case *c, int i)
{
	return scorer_tokens(1 << 20, 16, 0, given_at(c, "pool_ratio", i));
}

static void scorer_falls(struct law_case *c)
{
	int count = cJSON_GetArraySize(given_list(c, "pool_ratio"));

	want_true(c, count == 6, "six ratios");
	for (int i = 1; i < count; i++)
		want_true(c, scored(c, i) < scored(c, i - 1), c->words);
}

static void scorer_halves(struct law_case *c)
{
	want_true(c, (scored(c, 0) - scored(c, 1)) / (scored(c, 1) - scored(c, 2)) == 2, c->words);
}

static void scorer_without_a_ratio(struct law_case *c)
{
	want_true(c, scorer_tokens(1000, 2, 0, 0) == scorer_tokens(1000, 2, 0, 1), c->words);
}

/* clang-format off */
const struct law_row law_step_rows[] = {
	{ "ramp",       "efficiency",          efficiency },
	{ "ramp",       "values",              ramp_values },
	{ "ramp",       "ratio",               ramp_ratio },
	{ "span",       "span",                span },
	{ "span",       "ratio_a2a_to_ring",   span_of_both },
	{ "span",       "ratio",               ratio_of_fabric },
	{ "collective", "law_us",              sweep },
	{ "collective", "time_us",             time_us },
	{ "collective", "bytes",               collective_bytes },
	{ "experts",    "base",                lightest },
	{ "experts",    "heaviest",            heaviest },
	{ "experts",    "ranks_with_extra",    ranks_with_extra },
	{ "experts",    "imbalance",           imbalance },
	{ "experts",    "experts_touched",     touched },
	{ "experts",    "values",              touched_values },
	{ "experts",    "bytes_per_expert",    expert_bytes },
	{ "experts",    "flops_per_token",     shared_flops },
	{ "experts",    "bytes_per_rank_fp8",  shared_bytes },
	{ "window",     "units",               units },
	{ "sparse",     "selected",            selected_of },
	{ NULL,         NULL,                  NULL },
};

const struct law_relation law_relations[] = {
	{ "0 < value < eps_max", ramp_is_bounded },
	{ "strictly increasing in m", ramp_increases },
	{ "0 < efficiency < 0.95", NULL },
	{ "equals the two-level all-reduce traffic [2(g-1)/g + (2(n-1)/n)/g*r] over the flat 2(G-1)/G",
	  span_is_two_level },
	{ "geometric mean error over the sweep with three constants <= 1.25 and below the two-constant law",
	  sweep_is_close },
	{ "worst under-prediction in 64 KiB..8 MiB: two-constant >= 2.0x, three-constant <= 1.5x",
	  sweep_is_closer_in_the_middle },
	{ "time >= bytes/peak even if the transition rate is ten times the peak", peak_bounds },
	{ "equals the floor-or-rate law", floor_or_rate },
	{ "512 one-byte values + four 4-byte scales + 64 two-byte rope values = 512+16+128", NULL },
	{ "equals ceil(tokens / (block*dcp))", NULL },
	{ "each node is priced at its own format, bytes and rate", NULL },
	{ "non-decreasing", touched_does_not_fall },
	{ "never above 32", touched_is_local },
	{ "pcp 1: dcp must divide tp; pcp > 1: dcp in {1, pcp, tp*pcp}", NULL },
	{ "full attention exchanges every row of the step as soon as one request has prior context; a decode always has",
	  NULL },
	{ "never above the unwindowed count", window_adds_nothing },
	{ "multiply by q_heads*head_dim/tp for FLOPs", NULL },
	{ "six distinct, strictly decreasing times", scorer_falls },
	{ "(t1-t2)/(t2-t4)=2", scorer_halves },
	{ "ratio 0 behaves as 1", scorer_without_a_ratio },
	{ NULL, NULL },
};
/* clang-format on */
