#include "price/step_times.h"

#include <math.h>
#include <string.h>

#include "price/collective.h"

static const double US = 1e-6;

/** Rows up to which shared experts run beside the routed ones. */
static const double BESIDE_ROWS = 256;

/** A pass, with the logarithms its curves are read at. */
struct sight {
	const struct plan *plan;
	const struct batch_sums *sums;
	bool is_graphed;
	double rows, log_rows;
	double head_rows, log_head_rows;
	double moe_us[TIME_SLOTS_MAX]; /**< routed experts of a layer, by slot */
};

/** One kernel's time and where it goes. */
struct timed {
	double us;
	double launch_us; /**< of it: what no byte and no product takes */
	enum ss_resource resource;
	struct time_sight *look; /**< NULL unless asked for */
	const struct coef *read[3];
};

/** The rest of a kernel's time goes to what binds; its floor to the launch. */
static void settle(struct timed *t, double us, const struct time_parts *p)
{
	double work_us = fmax(p->read_us, p->math_us);

	t->us = us;
	t->launch_us = fmax(fmin(p->floor_us + p->depth_us, us - work_us), 0);
	t->resource = p->math_us > p->read_us ? SS_RESOURCE_SM : SS_RESOURCE_HBM;
}

static void keep_look(struct timed *t, double us, double argument, const struct curve *curve,
		      double edge, const struct time_parts *p)
{
	if (t->look)
		*t->look = (struct time_sight){ us, argument, curve, edge, *p };
}

static double gemm_us(const struct time_gemm *g, double rows, double log_rows, struct timed *t)
{
	struct time_parts parts;
	double us;

	if (g->curve) {
		gemm_law_parts(&g->law, rows, &parts);
		us = exp(curve_at(g->curve, log_rows) + g->edge);
	} else {
		us = gemm_law_us(&g->law, rows, &parts);
	}
	us *= g->scale.value;
	settle(t, us, &parts);
	keep_look(t, us, rows, g->curve, g->edge, &parts);
	t->read[0] = &g->scale;
	return us;
}

static void time_moe(struct sight *s, const struct time_moe *m, struct timed *t)
{
	struct time_parts parts;
	double tokens = s->rows * m->funnel;
	double us;

	if (m->curve) {
		moe_law_parts(&m->law, tokens, &parts);
		us = exp(curve_at(m->curve, log(tokens)));
	} else {
		us = moe_law_us(&m->law, tokens, &parts);
	}
	us *= m->scale.value;
	settle(t, us, &parts);
	keep_look(t, us, tokens, m->curve, 0, &parts);
	t->read[0] = &m->scale;
	if (m->slot >= 0)
		s->moe_us[m->slot] = us;
}

static void time_shared(const struct sight *s, const struct time_shared *h, struct timed *t)
{
	struct timed down = { 0 };
	double us = gemm_us(&h->up, s->rows, s->log_rows, t) +
		    gemm_us(&h->down, s->rows, s->log_rows, &down) + h->glue.value;

	t->launch_us += down.launch_us + h->glue.value;
	if (h->beside >= 0 && s->rows <= BESIDE_ROWS) {
		double shown_us = fmax(us - s->moe_us[h->beside], 0);

		t->launch_us *= us > 0 ? shown_us / us : 0;
		us = shown_us;
	}
	t->us = us;
	t->read[1] = &h->glue;
	if (t->look)
		t->look->us = us;
}

static void time_decode(const struct sight *s, const struct decode_law *law, struct timed *t)
{
	struct time_parts parts;
	double us = decode_law_us(law, s->sums->decodes, s->sums->selected[law->selector], &parts) *
		    law->scale.value;

	t->us = us;
	t->launch_us = fmin(parts.floor_us, us);
	t->resource = SS_RESOURCE_HBM;
	keep_look(t, us, s->sums->selected[law->selector], NULL, 0, &parts);
	t->read[0] = &law->scale;
}

static void time_prefill(const struct sight *s, const struct prefill_law *law, struct timed *t)
{
	struct time_parts parts;
	double us = prefill_law_us(law, s->sums->prefills, s->sums->prefill_tokens,
				   s->sums->pairs[law->selector], &parts) *
		    law->scale.value;

	t->us = us;
	t->launch_us = fmin(parts.floor_us, us);
	t->resource = SS_RESOURCE_SM;
	keep_look(t, us, s->sums->prefill_tokens, NULL, 0, &parts);
	t->read[0] = &law->scale;
}

static void time_small(const struct sight *s, const struct time_small *small, struct timed *t)
{
	double launch_us = small->kernels * small->glue.value;
	double read_us = s->rows * small->row_bytes / s->plan->bandwidth / US;
	struct time_parts parts = { .floor_us = launch_us, .read_us = read_us };

	t->us = launch_us + read_us;
	t->launch_us = launch_us;
	t->resource = SS_RESOURCE_HBM;
	keep_look(t, t->us, s->rows, NULL, 0, &parts);
	t->read[0] = &small->glue;
	t->read[1] = &s->plan->derate;
}

static void time_link(const struct sight *s, const struct time_link *l, struct timed *t)
{
	double log_bytes = l->log_row_bytes + (l->is_by_head ? s->log_head_rows : s->log_rows);
	const struct curve *curve =
		s->is_graphed || !l->eager || l->is_by_head ? l->graph : l->eager;
	const struct coef *scale = curve == l->eager ? &l->eager_scale : &l->scale;
	struct time_parts parts = { 0 };

	if (!curve || log_bytes > l->log_limit) {
		curve = l->over;
		scale = &l->over_scale;
	}
	t->resource = l->resource;
	if (curve) {
		t->us = exp(curve_at(curve, log_bytes)) * scale->value;
		t->read[0] = scale;
	} else {
		double bytes = exp(log_bytes);

		t->us = collective_us(l->law_floor_us, l->law_transition, l->law_peak,
				      bytes * l->span);
		parts.floor_us = fmin(l->law_floor_us, t->us);
	}
	if (t->look)
		keep_look(t, t->us, exp(log_bytes), curve, 0, &parts);
}

static void time_one(struct sight *s, const struct time_node *n, struct timed *t)
{
	switch (n->shape) {
	case TIME_GEMM:
		(void)gemm_us(&n->u.gemm, s->rows, s->log_rows, t);
		break;
	case TIME_HEAD:
		(void)gemm_us(&n->u.gemm, s->head_rows, s->log_head_rows, t);
		break;
	case TIME_MOE:
		time_moe(s, &n->u.moe, t);
		break;
	case TIME_SHARED:
		time_shared(s, &n->u.shared, t);
		break;
	case TIME_DECODE:
		if (s->sums->decodes > 0)
			time_decode(s, &n->u.decode, t);
		break;
	case TIME_PREFILL:
		if (s->sums->prefills > 0)
			time_prefill(s, &n->u.prefill, t);
		break;
	case TIME_SMALL:
		time_small(s, &n->u.small, t);
		break;
	case TIME_LINK:
		time_link(s, &n->u.link, t);
		break;
	}
}

static void sight_open(struct sight *s, const struct plan *plan, const struct batch_sums *sums,
		       double work_rows, enum ss_graph graph)
{
	s->plan = plan;
	s->sums = sums;
	s->is_graphed = graph != SS_GRAPH_EAGER;
	s->rows = work_rows;
	s->log_rows = log(work_rows);
	/* one row of logits a request, and one for every draft token verified */
	s->head_rows = sums->decode_tokens + sums->prefills;
	s->log_head_rows = log(s->head_rows);
	memset(s->moe_us, 0, sizeof(s->moe_us));
}

/* -- rows of the breakdown ------------------------------------------------------------------ */

static void put_row(struct step_rows *rows, const struct time_use *use, const struct time_node *n,
		    const struct timed *t, double count, bool is_draft, bool is_launch)
{
	double us = is_launch ? t->launch_us : t->us - t->launch_us;
	struct ss_term *row;
	int reads[SS_READS_MAX], read_count = 0;

	if (!(us > 0))
		return;
	row = step_row_add(rows);
	if (!row)
		return;
	row->term = n->term;
	row->resource = is_launch ? SS_RESOURCE_LAUNCH : t->resource;
	row->kind = use->kind;
	row->is_draft = is_draft;
	row->count = count;
	row->detail = n->detail;
	row->time_node = (int)use->node;
	for (int i = 0; i < 3; i++)
		if (t->read[i] && coef_is_set(*t->read[i]))
			reads[read_count++] = t->read[i]->entry;
	if (n->shape == TIME_LINK && !t->read[0])
		for (int i = 0; i < 3; i++)
			if (n->u.link.law_entries[i] >= 0)
				reads[read_count++] = n->u.link.law_entries[i];
	reads[read_count] = -1;
	if (is_launch)
		row->floor_s = us * count * US;
	else
		row->slope_s = us * count * US;
	memcpy(is_launch ? row->floor_reads : row->slope_reads, reads,
	       ((size_t)read_count + 1) * sizeof(reads[0]));
}

static void put_rows(struct step_rows *rows, const struct plan *plan, size_t node,
		     const struct timed *t, double passes, bool is_draft)
{
	for (size_t i = 0; i < plan->time_use_count; i++) {
		const struct time_use *use = &plan->time_uses[i];
		double count = passes * (is_draft ? use->draft_count : use->count);

		if (use->node != node || !(count > 0))
			continue;
		put_row(rows, use, &plan->times[node], t, count, is_draft, false);
		put_row(rows, use, &plan->times[node], t, count, is_draft, true);
	}
}

void times_price(const struct plan *plan, const struct batch_sums *sums, double work_rows,
		 enum ss_graph graph, double passes, bool is_draft, struct times_sum *out,
		 struct step_rows *rows)
{
	struct sight s;

	sight_open(&s, plan, sums, work_rows, graph);
	for (size_t i = 0; i < plan->time_count; i++) {
		const struct time_node *n = &plan->times[i];
		double count = passes * (is_draft ? n->draft_count : n->count) * US;
		struct timed t;

		if (!(count > 0))
			continue;
		t = (struct timed){ 0 };
		time_one(&s, n, &t);
		out->resource_s[SS_RESOURCE_LAUNCH] += count * t.launch_us;
		out->resource_s[t.resource] += count * (t.us - t.launch_us);
		if (rows)
			put_rows(rows, plan, i, &t, passes, is_draft);
	}
}

void times_look(const struct plan *plan, const struct batch_sums *sums, double work_rows,
		enum ss_graph graph, size_t node, struct time_sight *out)
{
	struct sight s;

	sight_open(&s, plan, sums, work_rows, graph);
	*out = (struct time_sight){ 0 };
	for (size_t i = 0; i <= node; i++) {
		struct timed t = { .look = i == node ? out : NULL };

		/* what runs beside it comes first */
		if (i == node || plan->times[i].shape == TIME_MOE)
			time_one(&s, &plan->times[i], &t);
	}
}
