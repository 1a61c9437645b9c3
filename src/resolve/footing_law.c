/* The laws with their numbers filled in: `4.71 us + 458752 B / 104250 B/us = 9.11 us`. */
#include "resolve/footing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "price/step.h"
#include "price/times.h"

static const double US = 1e-6;

/** A law being written. */
struct law {
	bool is_whole; /**< of a sum that is said whole, not of the charge alone */
	struct line line;
	const struct ss_kernel *kernel;
	const struct ss_batch *batch;
	const struct ss_term *term;
	struct step_shape shape;
};

/* -- numbers ---------------------------------------------------------------------------- */

/** Microseconds, three digits or more, thousands apart: `9.11`, `434.0`, `3,544.4`. */
static void say_us(struct line *line, double seconds)
{
	double us = seconds / US, size = fabs(us);
	char digits[64];
	size_t whole, n;

	(void)snprintf(digits, sizeof(digits), "%.*f",
		       size >= 100 || !(size > 0) ? 1
		       : size >= 1                ? 2
						  : 2 - (int)floor(log10(size)),
		       size);
	whole = strcspn(digits, ".");
	n = whole;
	line_say(line, "%s", us < 0 ? "-" : "");
	for (size_t i = 0; i < whole; i++, n--)
		line_say(line, "%s%c", i && n % 3 == 0 ? "," : "", digits[i]);
	line_say(line, "%s us", digits + whole);
}

/** A rate as it is stored: digits, no powers of ten. */
static void say_byte_rate(struct line *line, double bytes_per_us)
{
	line_say(line, bytes_per_us >= 1e6 ? " / %.0f B/us" : " / %.6g B/us", bytes_per_us);
}

/** Value of the first coefficient of a family that a list reads; 0 without one. */
static double value_of(const struct law *law, const int reads[SS_READS_MAX],
		       enum coef_family family)
{
	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++)
		if (entry_family(law->kernel, reads[i]) == family)
			return law->kernel->entries[reads[i]].value;
	return 0;
}

static double slope_value(const struct law *law, enum coef_family family)
{
	return value_of(law, law->term->slope_reads, family);
}

static double floor_value(const struct law *law, enum coef_family family)
{
	return value_of(law, law->term->floor_reads, family);
}

/** One of the nodes the term stands for. */
static double each(const struct law *law, double whole)
{
	return law->term->count > 0 ? whole / law->term->count : whole;
}

/** `= t`, and what all nodes come to. */
static void say_result(struct law *law)
{
	const struct ss_term *t = law->term;
	double seconds = t->floor_s + t->slope_s;

	line_say(&law->line, " = ");
	say_us(&law->line, each(law, seconds));
	if (t->count > 1) {
		line_say(&law->line, ", x %.6g = ", t->count);
		say_us(&law->line, seconds);
	}
}

/** The same of a law written for all nodes at once. */
static void say_total(struct law *law)
{
	line_say(&law->line, " = ");
	say_us(&law->line, law->term->floor_s + law->term->slope_s);
}

/* -- rates -------------------------------------------------------------------------------- */

static void say_memory_rate(struct law *law)
{
	const struct plan *plan = &law->kernel->plan;

	line_say(&law->line, " / (%.6g TB/s x %.6g)", plan->bandwidth / plan->derate.value / 1e12,
		 plan->derate.value);
}

static const struct plan_rate *rate_of(const struct law *law)
{
	const struct plan *plan = &law->kernel->plan;

	for (int i = 0; i < plan->rate_count; i++)
		if (strcmp(plan->rates[i].detail, law->term->detail) == 0)
			return &plan->rates[i];
	return &plan->rates[plan->bf16_rate];
}

/** Does the step run on fewer SMs than the part has? */
static bool is_stretched(const struct law *law)
{
	return law->batch->sm_budget > 0 && law->batch->sm_budget < law->kernel->plan.sm_count;
}

static void say_stretch(struct law *law)
{
	if (is_stretched(law))
		line_say(&law->line, " x %lld / %lld", (long long)law->kernel->plan.sm_count,
			 (long long)law->batch->sm_budget);
}

/** `12.3 GFLOP x ... / (989 TFLOP/s x 0.8 x m / (m + half))`. */
static void say_compute(struct law *law, const struct plan_rate *rate, double flops, double rows,
			double factor, double scale)
{
	line_say(&law->line, "%.6g GFLOP", flops / factor / 1e9);
	if (fabs(factor - 1) > 1e-9)
		line_say(&law->line, " x %.6g", factor);
	say_stretch(law);
	line_say(&law->line, " / (%.6g TFLOP/s x %.6g", rate->peak / 1e12, rate->eps.value);
	if (rate->m_half.value > 0)
		line_say(&law->line, " x %.6g / (%.6g + %.6g)", rows, rows, rate->m_half.value);
	if (scale > 0)
		line_say(&law->line, " x %.6g", scale);
	line_say(&law->line, ")");
}

/** Is it the LM head at the width the engine holds it in? */
static bool is_widened(const struct law *law)
{
	return law->term->term == SS_TERM_HEAD &&
	       law->kernel->corrections & (1u << SS_DIVERGENCE_HEAD_WIDTH);
}

/** What a shape or a wider format stretches a GEMM's FLOPs by, from the seconds charged. */
static double shape_stretch(const struct law *law, const struct plan_rate *rate, double rows)
{
	double half = rate->m_half.value > 0 ? rate->m_half.value : 0;
	double stretch = is_stretched(law) ? (double)law->kernel->plan.sm_count /
						     (double)law->batch->sm_budget
					   : 1;

	if ((!coef_is_set(rate->n_half) && !is_widened(law)) || !(law->term->flops > 0))
		return 1;
	return law->term->slope_s * rate->peak * rate->eps.value * rows / (rows + half) /
	       (law->term->flops * stretch);
}

static void say_gemm(struct law *law, double rows)
{
	const struct plan_rate *rate = rate_of(law);
	double stretch = shape_stretch(law, rate, rows);

	say_compute(law, rate, law->term->flops * stretch, rows, stretch, 0);
	say_total(law);
}

static void say_experts(struct law *law)
{
	double imbalance = slope_value(law, COEF_IMBALANCE);

	say_compute(law, rate_of(law), law->term->flops, law->shape.work_rows,
		    imbalance > 0 ? imbalance : 1, 0);
	say_total(law);
}

static void say_read(struct law *law)
{
	line_say(&law->line, "%.0f B", law->term->bytes);
	say_memory_rate(law);
	say_total(law);
}

/* -- attention ------------------------------------------------------------------------------ */

static void say_decode(struct law *law)
{
	double rate = slope_value(law, COEF_DECODE_RATE);

	if (rate > 0) {
		line_say(&law->line, "%.6g us + %.0f B", floor_value(law, COEF_DECODE_FLOOR),
			 each(law, law->term->bytes));
		say_byte_rate(&law->line, rate);
	} else {
		line_say(&law->line, "%.0f B", each(law, law->term->bytes));
		say_memory_rate(law);
	}
	say_result(law);
}

static void say_prefill_family(struct law *law, double rate)
{
	line_say(&law->line, "%.6g us + %.6g x %.6g us + %.6g x %.6g us + %.0f B",
		 floor_value(law, COEF_PREFILL_FLOOR), law->shape.prefills,
		 slope_value(law, COEF_PREFILL_REQUEST), law->shape.prefill_tokens,
		 slope_value(law, COEF_PREFILL_TOKEN), each(law, law->term->bytes));
	say_byte_rate(&law->line, slope_value(law, COEF_PREFILL_BYTES));
	line_say(&law->line, " + %.6g GFLOP", each(law, law->term->flops) / 1e9);
	say_stretch(law);
	line_say(&law->line, " / %.6g TFLOP/s", rate / 1e6);
}

static void say_prefill(struct law *law)
{
	const struct plan *plan = &law->kernel->plan;
	double rate = slope_value(law, COEF_PREFILL_RATE);
	double floor = floor_value(law, COEF_PREFILL_FLOOR);

	if (rate > 0) {
		say_prefill_family(law, rate);
	} else {
		if (floor > 0)
			line_say(&law->line, "%.6g us + ", floor);
		say_compute(law, &plan->rates[plan->bf16_rate], each(law, law->term->flops),
			    law->shape.rows, 1, slope_value(law, COEF_PREFILL_SCALE));
	}
	say_result(law);
}

static void say_recurrent(struct law *law)
{
	const struct plan *plan = &law->kernel->plan;
	double decode_rate = slope_value(law, COEF_RECURRENT_RATE);
	double scan_rate = slope_value(law, COEF_SCAN_RATE);

	if (decode_rate > 0)
		line_say(&law->line, "%.6g us + %.6g tokens / %.6g tokens/us",
			 floor_value(law, COEF_RECURRENT_FLOOR), law->shape.decode_tokens,
			 decode_rate);
	else if (scan_rate > 0)
		line_say(&law->line, "%.6g us + %.6g tokens / %.6g tokens/us",
			 floor_value(law, COEF_SCAN_FLOOR), law->shape.prefill_tokens, scan_rate);
	else
		say_compute(law, &plan->rates[plan->bf16_rate], each(law, law->term->flops),
			    law->shape.rows, 1, 0);
	say_result(law);
}

static void say_mhc(struct law *law)
{
	double rate = slope_value(law, COEF_MHC_RATE);

	if (rate > 0)
		line_say(&law->line, "%.6g us + %.6g tokens / %.6g tokens/us",
			 floor_value(law, COEF_MHC_FLOOR), law->shape.work_rows, rate);
	else {
		line_say(&law->line, "%.0f B", each(law, law->term->bytes));
		say_memory_rate(law);
	}
	say_result(law);
}

static void say_table(struct law *law)
{
	if (law->term->resource != SS_RESOURCE_PCIE) {
		say_read(law);
		return;
	}
	line_say(&law->line, "%.0f B", law->term->bytes);
	say_byte_rate(&law->line, law->kernel->entries[law->term->slope_reads[0]].value);
	say_total(law);
}

/* -- links ------------------------------------------------------------------------------------ */

static bool is_link(const struct plan_link *l, const struct ss_term *t)
{
	return l->term == t->term && l->resource == t->resource &&
	       l->floor.entry == t->floor_reads[0];
}

/** The link a row was charged on: those alike share one path. */
static const struct plan_link *link_of(const struct law *law)
{
	const struct plan *plan = &law->kernel->plan;
	const struct plan_link *context[] = {
		&plan->dcp_query, &plan->dcp_lse,    &plan->dcp_out,
		&plan->dcp_a2a,   &plan->dcp_prefix, &plan->pcp_gather
	};

	for (size_t i = 0; i < plan->op_count; i++)
		if (plan->ops[i].kind == PLAN_LINK && is_link(&plan->ops[i].u.link, law->term))
			return &plan->ops[i].u.link;
	for (size_t i = 0; i < sizeof(context) / sizeof(context[0]); i++)
		if (is_link(context[i], law->term))
			return context[i];
	return NULL;
}

static void say_payload(struct law *law, const struct plan_link *l, double rate)
{
	line_say(&law->line, "%.0f B", each(law, law->term->bytes));
	if (fabs(l->span - 1) > 1e-9)
		line_say(&law->line, " x %.6g", l->span);
	say_byte_rate(&law->line, rate);
}

static void say_link(struct law *law)
{
	const struct plan_link *l = link_of(law);
	bool has_peak;

	if (!l)
		return;
	has_peak = l->peak.value > 0 && law->term->bytes > 0;
	line_say(&law->line, "%s%.6g us", has_peak ? "max(" : "", l->floor.value);
	if (l->transition.value > 0 && law->term->bytes > 0) {
		line_say(&law->line, " + ");
		say_payload(law, l, l->transition.value);
	}
	if (has_peak) {
		line_say(&law->line, ", ");
		say_payload(law, l, l->peak.value);
		line_say(&law->line, ")");
	}
	say_result(law);
}

/* -- host ---------------------------------------------------------------------------------------
 */

static const struct plan_host *host_of(const struct law *law)
{
	return &law->kernel->plan.host;
}

static double graph_s(const struct law *law)
{
	const struct plan *plan = &law->kernel->plan;

	switch (law->shape.graph) {
	case SS_GRAPH_FULL:
		return plan->host.replay.value * US;
	case SS_GRAPH_PIECEWISE:
		return plan->host.replay.value * (double)plan->segments * US;
	case SS_GRAPH_EAGER:
		return plan->host.eager.value * (double)plan->kernels * US;
	}
	return 0;
}

/** The whole host law, of which launches are one part. Drafts replay no graph. */
/** Its own charge, or the host's time of which it is a part. */
static void say_launch(struct law *law)
{
	double launches_s = host_of(law)->per_kernel.value * law->term->count * US;
	double before_s = law->term->is_draft || !law->is_whole ? 0 : graph_s(law);

	if (before_s > 0) {
		say_us(&law->line, before_s);
		line_say(&law->line, " + ");
	}
	line_say(&law->line, "%.6g us x %.6g = ", host_of(law)->per_kernel.value, law->term->count);
	say_us(&law->line, before_s + launches_s);
}

static void say_graph(struct law *law)
{
	double each_us = law->shape.graph == SS_GRAPH_EAGER ? host_of(law)->eager.value
							    : host_of(law)->replay.value;

	line_say(&law->line, "%.6g us x %.6g", each_us, law->term->count);
	say_total(law);
}

static void say_requests(struct law *law)
{
	const struct plan_host *h = host_of(law);
	struct ss_step step;
	double device_s = 0;

	if (!h->is_async) {
		line_say(&law->line, "%.6g us x %.6g", h->per_request.value, law->term->count);
		say_total(law);
		return;
	}
	ss_kernel_step(law->kernel, law->batch, &step);
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		if (r != SS_RESOURCE_HOST)
			device_s += step.resource_s[r];
	line_say(&law->line, "max(%.6g us x %.6g - ", h->per_request.value, law->term->count);
	say_us(&law->line, device_s);
	line_say(&law->line, ", 0 us)");
	say_total(law);
}

/* -- a term ---------------------------------------------------------------------------------------
 */

static void say_term(struct law *law)
{
	switch (law->term->term) {
	case SS_TERM_DENSE:
	case SS_TERM_SHARED:
		say_gemm(law, law->shape.work_rows);
		break;
	case SS_TERM_HEAD:
		say_gemm(law, law->shape.head_rows);
		break;
	case SS_TERM_EXPERTS:
		say_experts(law);
		break;
	case SS_TERM_DENSE_READ:
	case SS_TERM_EXPERTS_READ:
	case SS_TERM_SHARED_READ:
	case SS_TERM_HEAD_READ:
	case SS_TERM_ELEMENTWISE:
		say_read(law);
		break;
	case SS_TERM_ATTENTION_DECODE:
	case SS_TERM_SCORER_DECODE:
		say_decode(law);
		break;
	case SS_TERM_ATTENTION_PREFILL:
	case SS_TERM_SCORER_PREFILL:
		say_prefill(law);
		break;
	case SS_TERM_FUSED_FLOOR:
		line_say(&law->line, "-%.6g us", -each(law, law->term->floor_s) / US);
		say_result(law);
		break;
	case SS_TERM_RECURRENT:
		say_recurrent(law);
		break;
	case SS_TERM_MHC:
		say_mhc(law);
		break;
	case SS_TERM_TABLE:
		say_table(law);
		break;
	case SS_TERM_ALL_REDUCE:
	case SS_TERM_ALL_GATHER:
	case SS_TERM_REDUCE_SCATTER:
	case SS_TERM_ALL2ALL:
	case SS_TERM_DCP:
	case SS_TERM_PCP:
		say_link(law);
		break;
	case SS_TERM_LAUNCH:
		say_launch(law);
		break;
	case SS_TERM_GRAPH:
		say_graph(law);
		break;
	case SS_TERM_REQUESTS:
		say_requests(law);
		break;
	case SS_TERM_PREFILL_HOST:
	case SS_TERM_SYNC:
		line_say(&law->line, "%.6g us x %.6g", each(law, law->term->slope_s) / US,
			 law->term->count);
		say_total(law);
		break;
	case SS_TERM_SMALL:
	case SS_TERM_COUNT:
		break;
	}
}

/** A measured kernel: its curve where the step stands, or the parts of its law. */
static void say_measured(struct law *law)
{
	struct ss_time_sight sight;
	double us;

	ss_kernel_time_sight(law->kernel, law->batch, law->term, &sight);
	us = sight.us * US;
	if (sight.point_count) {
		line_say(&law->line, "measured curve at %.6g %s", sight.argument,
			 sight.argument_name);
		if (fabs(sight.beyond - 1) > 1e-9)
			line_say(&law->line, " x %.4g beyond its grid", sight.beyond);
	} else {
		line_say(&law->line, "law at %.6g %s: floor ", sight.argument,
			 sight.argument_name);
		say_us(&law->line, sight.floor_us * US);
		line_say(&law->line, ", depth ");
		say_us(&law->line, sight.depth_us * US);
		line_say(&law->line, ", reads ");
		say_us(&law->line, sight.read_us * US);
		line_say(&law->line, ", math ");
		say_us(&law->line, sight.math_us * US);
	}
	line_say(&law->line, " = ");
	say_us(&law->line, us);
	if (law->term->count > 1) {
		line_say(&law->line, ", x %.6g = ", law->term->count);
		say_us(&law->line, us * law->term->count);
	}
	line_say(&law->line, ", here its %s",
		 law->term->resource == SS_RESOURCE_LAUNCH ? "floor" : "work");
}

static size_t say_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
		      const struct ss_term *term, bool is_whole, char *out, size_t size)
{
	struct law law = {
		.is_whole = is_whole,
		.line = { .out = out, .size = size },
		.kernel = kernel,
		.batch = batch,
		.term = term,
	};

	if (size)
		out[0] = '\0';
	step_shape_of(&kernel->plan, batch, kernel->corrections, term->is_draft, &law.shape);
	if (term->time_node >= 0)
		say_measured(&law);
	else
		say_term(&law);
	return law.line.length;
}

size_t ss_kernel_term_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
			  const struct ss_term *term, char *out, size_t size)
{
	return say_law(kernel, batch, term, true, out, size);
}

size_t ss_kernel_charge_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
			    const struct ss_term *term, char *out, size_t size)
{
	return say_law(kernel, batch, term, false, out, size);
}

size_t ss_kernel_entry_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
			   const struct ss_breakdown *breakdown, int entry, char *out, size_t size)
{
	const struct ss_term *largest = NULL;
	struct line line = { .out = out, .size = size };
	double all_s = 0;
	size_t count = 0;

	for (size_t i = 0; breakdown && i < breakdown->term_count; i++) {
		const struct ss_term *t = &breakdown->terms[i];

		if (!reads_hold(t->floor_reads, entry) && !reads_hold(t->slope_reads, entry))
			continue;
		count++;
		all_s += t->floor_s + t->slope_s;
		if (!largest || t->floor_s + t->slope_s > largest->floor_s + largest->slope_s)
			largest = t;
	}
	if (largest) {
		line.length = say_law(kernel, batch, largest, true, out, size);
		if (count > 1) {
			line_say(&line, "; %zu more charge%s, ", count - 1, count > 2 ? "s" : "");
			say_us(&line, all_s - largest->floor_s - largest->slope_s);
		}
		return line.length;
	}
	for (int i = 0; i < SS_MEMORY_TERM_COUNT; i++) {
		int reads[SS_READS_MAX];

		ss_kernel_memory_reads(kernel, (enum ss_memory_term)i, reads);
		if (reads_hold(reads, entry))
			return ss_kernel_memory_law(kernel, (enum ss_memory_term)i, out, size);
	}
	if (size)
		out[0] = '\0';
	return 0;
}
