/* One worker: a scenario of its own to change, a kernel renewed in place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/figures.h"
#include "sweep/sweep.h"
#include "cli/run.h"
#include "text/shown.h"

void worker_init(struct worker *worker, const struct sweep_plan *plan)
{
	const struct session *s = plan->session;

	*worker = (struct worker){ .plan = plan };
	if (ss_scenario_clone(&worker->scenario, s->scenario))
		out_of_memory();
	worker->group_count = s->group_count;
	worker->groups = xcalloc(s->group_count, sizeof(*worker->groups));
	if (s->group_count)
		memcpy(worker->groups, s->groups, s->group_count * sizeof(*worker->groups));
	worker->digits = xcalloc(plan->axes.count, sizeof(*worker->digits));
	worker->row.digits = worker->digits;
}

void worker_release(struct worker *worker)
{
	ss_problems_release(&worker->problems);
	ss_kernel_free(worker->kernel);
	ss_scenario_free(worker->scenario);
	free(worker->groups);
	free(worker->digits);
	*worker = (struct worker){ 0 };
}

static void set_field(struct worker *w, const struct axis *axis, const struct axis_value *value)
{
	struct ss_value *at =
		ss_scenario_value_mut(w->scenario, w->plan->session->pool, axis->field);

	ss_value_release(at);
	if (ss_value_copy(at, &value->value))
		out_of_memory();
}

/** A group of this many tokens in all: prefills keep what is computed, decodes what is new. */
static void set_context(struct worker *w, int64_t context)
{
	struct ss_group *group = w->groups;
	int64_t threshold = w->plan->session->decode_threshold;

	if (group->scheduled > (threshold ? threshold : 1)) {
		group->scheduled = context > group->computed ? context - group->computed : 1;
		group->prompt_len = context;
	} else {
		group->computed = context > group->scheduled ? context - group->scheduled : 0;
	}
}

bool worker_take(struct worker *w, const struct axis *axis, const struct axis_value *value)
{
	switch (axis->kind) {
	case AXIS_FIELD:
		set_field(w, axis, value);
		return true;
	case AXIS_COEFFICIENT:
		return true;
	case AXIS_COUNT:
		if (w->group_count)
			w->groups[0].count = (int64_t)value->number;
		return false;
	case AXIS_CONTEXT:
		if (w->group_count)
			set_context(w, (int64_t)value->number);
		return false;
	}
	return false;
}

/** Move to an index, changing only what differs; true when the kernel is stale. */
static bool move_to(struct worker *w, uint64_t index)
{
	bool is_stale = !w->has_row;

	for (size_t a = w->plan->axes.count; a-- > 0;) {
		const struct axis *axis = &w->plan->axes.items[a];
		size_t digit = (size_t)(index % axis->count);

		index /= axis->count;
		if (w->has_row && digit == w->digits[a])
			continue;
		w->digits[a] = digit;
		is_stale |= worker_take(w, axis, &axis->values[digit]);
	}
	w->has_row = true;
	return is_stale;
}

/* A file that fails says nothing about the row: no row is written for it. */
static _Noreturn void document_failed(const struct ss_problems *problems)
{
	int status = EXIT_DOCUMENT;

	for (size_t i = 0; i < problems->count; i++) {
		const struct ss_problem *p = &problems->items[i];

		if (p->severity != SS_ERROR)
			continue;
		say("%s: %s [%s]", p->file, p->message, p->code);
		if (!strcmp(p->code, "io"))
			status = EXIT_FAILED;
	}
	exit(status);
}

static void cut(char *out, size_t size, const char *text)
{
	(void)snprintf(out, size, "%s", text);
}

static bool counts_entries(const struct sweep_plan *plan)
{
	return plan->needs[COLUMN_EVIDENCED] || plan->needs[COLUMN_ENTRIES] ||
	       plan->needs[COLUMN_ASSUMED];
}

/** A renewed kernel knows its price and memory; only a new one counts its entries. */
static enum ss_status make_kernel(struct worker *w, const struct ss_basis *basis)
{
	const struct session *s = w->plan->session;

	if (!counts_entries(w->plan))
		return ss_kernel_renew(&w->kernel, basis, w->scenario, s->pool, s->corrections,
				       &w->problems);
	ss_kernel_free(w->kernel);
	w->kernel = NULL;
	return ss_kernel_new(&w->kernel, basis, w->scenario, s->pool, s->corrections, &w->problems);
}

void worker_refuse(struct worker *w, const char *code, const char *reason)
{
	w->is_resolved = false;
	cut(w->row.code, sizeof(w->row.code), code);
	cut(w->row.reason, sizeof(w->row.reason), reason);
}

void worker_resolve(struct worker *w, const struct ss_basis *basis)
{
	enum ss_status rc;

	worker_refuse(w, "", "");
	ss_problems_release(&w->problems);
	rc = make_kernel(w, basis);
	if (rc == SS_ENOMEM || w->problems.is_out_of_memory)
		out_of_memory();
	if (rc == SS_EDOCUMENT)
		document_failed(&w->problems);
	w->is_resolved = !rc;
	for (size_t i = 0; i < w->problems.count; i++) {
		if (w->problems.items[i].severity != SS_REFUSAL)
			continue;
		cut(w->row.code, sizeof(w->row.code), w->problems.items[i].code);
		cut(w->row.reason, sizeof(w->row.reason), w->problems.items[i].message);
		break;
	}
}

static void resolve(struct worker *w)
{
	const struct sweep_plan *plan = w->plan;
	size_t basis = 0;

	for (size_t a = 0; a < plan->axes.count; a++)
		basis += plan->basis_steps[a] * w->digits[a];
	if (plan->bases[basis])
		worker_resolve(w, plan->bases[basis]);
	else
		worker_refuse(w, plan->basis_codes[basis], plan->basis_reasons[basis]);
}

/** Releases between the one asked for and the pack it is taken as. */
static double release_distance(const struct worker *w)
{
	const char *asked = ss_scenario_value(w->scenario, 0, SS_F_ENGINE_VERSION)->text;
	const struct ss_pack *pack = ss_basis_inputs(ss_kernel_basis(w->kernel))->pack;

	return (double)ss_release_distance(asked, pack->version);
}

static void price_memory(struct worker *w, const struct ss_batch *batch)
{
	const struct ss_memory *m = ss_kernel_memory(w->kernel);
	const bool *needs = w->plan->needs;
	double *n = w->row.numbers;

	n[COLUMN_WEIGHTS] = (double)m->weights_bytes;
	n[COLUMN_FIXED] = (double)m->total_bytes;
	n[COLUMN_BUDGET] = (double)m->budget_bytes;
	n[COLUMN_KV_TOKEN] = m->kv_bytes_per_token;
	n[COLUMN_RANKS] = (double)ss_kernel_resolution(w->kernel)->ranks;
	if (needs[COLUMN_BATCH_BYTES])
		n[COLUMN_BATCH_BYTES] = (double)ss_kernel_batch_bytes(w->kernel, batch);
	if (needs[COLUMN_FITS]) {
		struct ss_verdict verdict;

		ss_kernel_verdict(w->kernel, batch, &verdict);
		w->row.fits = verdict.holds;
	}
	if (needs[COLUMN_DISTANCE])
		n[COLUMN_DISTANCE] = release_distance(w);
	if (needs[COLUMN_POOL_TOKENS] || needs[COLUMN_CONCURRENCY]) {
		const struct ss_kv_pool *pool = ss_kernel_kv_pool(w->kernel);

		if (pool->blocks_per_request) {
			n[COLUMN_POOL_TOKENS] = (double)pool->reported_tokens;
			n[COLUMN_CONCURRENCY] = pool->max_concurrency;
		}
	}
	if (counts_entries(w->plan)) {
		struct ss_evidence evidence;

		ss_kernel_evidence(w->kernel, w->plan->session->figure, &evidence);
		n[COLUMN_EVIDENCED] = (double)evidence.evidenced;
		n[COLUMN_ENTRIES] = (double)evidence.total;
		n[COLUMN_ASSUMED] = (double)evidence.assumed;
	}
}

static void price_step(struct worker *w, const struct ss_batch *batch)
{
	const struct session *s = w->plan->session;
	double *n = w->row.numbers;
	struct ss_step step;
	struct figures f;

	ss_kernel_step_of(w->kernel, batch, s->figure, &step);
	if (!ss_step_is_price(&step)) {
		w->row.is_priced = false;
		cut(w->row.code, sizeof(w->row.code), "range");
		cut(w->row.reason, sizeof(w->row.reason),
		    "a value that the step reads makes no time");
		return;
	}
	figures_of_step(&f, w->kernel, &step, s->figure, s->acceptance);
	n[COLUMN_LEAD] = f.lead_s;
	n[COLUMN_SERIAL] = step.serial_s;
	n[COLUMN_MEASURED] = step.has_kernels ? step.kernels_s : NAN;
	n[COLUMN_OVERLAP] = step.overlap_s;
	n[COLUMN_NO_OVERLAP] = step.no_overlap_s;
	n[COLUMN_ITL] = f.itl_s;
	n[COLUMN_KERNELS] = (double)step.kernels;
	n[COLUMN_TOKENS] = f.tokens_per_s;
	n[COLUMN_TOKENS_GPU] = f.tokens_per_s_per_gpu;
	n[COLUMN_PREFILL] = f.prefill_tokens_per_s;
	w->row.bottleneck = ss_resource_name(ss_step_bottleneck(&step, s->figure));
	w->row.graph = ss_graph_name(step.graph);
}

void worker_price(struct worker *worker, uint64_t index)
{
	if (move_to(worker, index))
		resolve(worker);
	worker_price_here(worker, index);
}

void worker_price_here(struct worker *worker, uint64_t index)
{
	const struct session *s = worker->plan->session;
	struct ss_batch batch = { worker->groups, worker->group_count, s->decode_threshold,
				  s->sm_budget };
	struct sweep_row *row = &worker->row;

	row->index = index;
	row->is_refused = !worker->is_resolved;
	row->is_priced = worker->is_resolved && ss_kernel_has_price(worker->kernel);
	row->fits = false;
	row->bottleneck = row->graph = "";
	for (size_t i = 0; i < SWEEP_COLUMN_COUNT; i++)
		row->numbers[i] = NAN;
	if (row->is_refused)
		return;
	price_memory(worker, &batch);
	if (row->is_priced)
		price_step(worker, &batch);
	if (row->is_priced && worker->plan->is_served)
		worker_serve(worker);
}
