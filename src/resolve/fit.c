#include "resolve/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "price/host.h"
#include "price/integers.h"
#include "resolve/kv_pool.h"
#include "resolve/more_gpus.h"
#include "resolve/pool_classes.h"

#define GIB 1073741824.0

/* clang-format off */
/** Terms of the fixed bytes: name as in the JSON, label. */
#define MEMORY_TERMS(X)                            \
	X(weights_bytes,      "weights")           \
	X(scales_bytes,       "scales")            \
	X(tables_bytes,       "tables")            \
	X(redundant_bytes,    "redundant experts") \
	X(draft_bytes,        "draft")             \
	X(activation_bytes,   "activation")        \
	X(communicator_bytes, "communicator")      \
	X(workspace_bytes,    "workspace")         \
	X(graphs_bytes,       "CUDA graphs")
/* clang-format on */

struct memory_term {
	const char *name, *label;
	int64_t bytes;
};

enum {
#define X(field, label) TERM_##field,
	MEMORY_TERMS(X)
#undef X
		TERM_COUNT
};

/* -- the verdict ------------------------------------------------------------------------ */

/** Bytes no term takes, whatever utilization says. */
static int64_t free_bytes(const struct ss_memory *m)
{
	int64_t bytes = m->visible_bytes - m->total_bytes;

	for (size_t i = 0; i < m->correction_count; i++)
		bytes += m->corrections[i].bytes;
	return bytes;
}

/** Blocks of the longest request; of one token where lengths have no bound. */
static int64_t blocks_of_one(const struct ss_kernel *k)
{
	return k->set.max_model_len > 0 ? k->pool.blocks_per_request
					: pool_plan_blocks(&k->pool_plan, 1);
}

int64_t fit_missing_bytes(const struct ss_kernel *k, double blocks)
{
	const struct ss_kv_pool *p = &k->pool;
	bool is_from_budget = p->blocks == pool_blocks(k->memory.budget_bytes, p->block_bytes);
	double room = is_from_budget ? (double)k->memory.budget_bytes
				     : (double)p->blocks * (double)p->block_bytes;
	double bytes = blocks * (double)p->block_bytes - room;

	return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

enum fit_fault fit_find_fault(const struct ss_kernel *k, int64_t *short_bytes)
{
	const struct ss_memory *m = &k->memory;
	const struct ss_kv_pool *p = &k->pool;
	int64_t needed = blocks_of_one(k);
	double claim;

	*short_bytes = 0;
	if (m->budget_bytes < 0) {
		*short_bytes = -m->budget_bytes;
		return FIT_FIXED;
	}
	claim = (double)p->blocks * (double)p->block_bytes;
	if (claim < (double)m->budget_bytes)
		claim = (double)m->budget_bytes;
	if (claim > (double)free_bytes(m)) {
		*short_bytes = (int64_t)(claim - (double)free_bytes(m));
		return FIT_CLAIM;
	}
	if (needed > p->blocks) {
		*short_bytes = fit_missing_bytes(k, (double)needed);
		return FIT_REQUEST;
	}
	if (pool_has_kind(&k->pool_plan, POOL_STATE) &&
	    graph_mode_has_full_decode(k->set.graph_mode) && k->set.max_num_seqs > p->blocks) {
		*short_bytes = fit_missing_bytes(k, (double)k->set.max_num_seqs);
		return FIT_STATE;
	}
	return FIT_NONE;
}

bool ss_kernel_fits(const struct ss_kernel *kernel)
{
	int64_t short_bytes;

	return fit_find_fault(kernel, &short_bytes) == FIT_NONE;
}

/* -- its wording ------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
	const struct memory_term *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/** Fixed terms, largest first. */
static void sort_terms(const struct ss_memory *m, struct memory_term terms[TERM_COUNT])
{
#define X(field, text) terms[TERM_##field] = (struct memory_term){ #field, text, m->field };
	MEMORY_TERMS(X)
#undef X
	qsort(terms, TERM_COUNT, sizeof(*terms), by_size);
}

/** Every term and correction, so that they sum to what is said of them. */
static void name_terms(char *out, size_t size, const struct ss_memory *m,
		       const struct memory_term *terms)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < TERM_COUNT && terms[i].bytes > 0 && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s %.2f", i ? ", " : "",
					 terms[i].label, (double)terms[i].bytes / GIB);
	for (size_t i = 0; i < m->correction_count && used < size; i++)
		if (m->corrections[i].bytes)
			used += (size_t)snprintf(out + used, size - used, ", %s %+.2f",
						 ss_divergence(m->corrections[i].id)->name,
						 -(double)m->corrections[i].bytes / GIB);
}

static void word_deployment(struct ss_fit *out, const struct ss_kernel *k, enum fit_fault fault)
{
	const struct ss_memory *m = &k->memory;
	struct memory_term terms[TERM_COUNT];
	char shown[320], *why = out->why[SS_VERDICT_DEPLOYMENT];
	const size_t size = sizeof(out->why[0]);

	sort_terms(m, terms);
	name_terms(shown, sizeof(shown), m, terms);
	out->term = terms[0].name;
	switch (fault) {
	case FIT_NONE:
		out->term = "";
		break;
	case FIT_FIXED:
		(void)snprintf(why, size,
			       "no room for KV: fixed bytes take %.2f GiB of the %.2f GiB that "
			       "gpu_memory_utilization %.2f gives (%s)",
			       (double)(m->visible_bytes - free_bytes(m)) / GIB,
			       (double)m->visible_bytes * k->set.utilization / GIB,
			       k->set.utilization, shown);
		break;
	case FIT_CLAIM:
		(void)snprintf(
			why, size,
			"the KV room asked for is not there: fixed bytes leave %.2f GiB of the "
			"%.2f GiB visible (%s)",
			(double)free_bytes(m) / GIB, (double)m->visible_bytes / GIB, shown);
		break;
	case FIT_REQUEST:
		out->term = "pool";
		(void)snprintf(why, size,
			       "one request of %" PRId64 " tokens takes %" PRId64
			       " KV blocks (%.2f GiB), the pool has %" PRId64
			       " (%.2f GiB of room after %s GiB)",
			       most(k->set.max_model_len, 1), blocks_of_one(k),
			       (double)blocks_of_one(k) * (double)k->pool.block_bytes / GIB,
			       k->pool.blocks, (double)m->budget_bytes / GIB, shown);
		break;
	case FIT_STATE:
		out->term = "sequence_fixed_bytes";
		(void)snprintf(
			why, size,
			"full decode graphs need a state block for each of max_num_seqs %" PRId64
			" sequences, the pool has %" PRId64 " blocks",
			k->set.max_num_seqs, k->pool.blocks);
		break;
	}
}

/* -- trying other settings --------------------------------------------------------------- */

/** A deployment changed one setting at a time, resolved anew each time. */
struct trial {
	const struct ss_basis *basis;
	const struct ss_scenario *original;
	struct ss_scenario *scenario;
	size_t pool;
	unsigned corrections;
	int64_t requests, length;     /**< that must fit too; length 0: none */
	const struct ss_batch *batch; /**< of which a line must hold too; NULL: none */
	enum ss_verdict_id line;
	struct ss_kernel *kernel;
	bool is_resolved;  /**< the last trial was not refused: the kernel is its own */
	enum ss_status rc; /**< SS_ENOMEM once memory ran out */
};

static void trial_init(struct trial *t, const struct ss_kernel *k,
		       const struct ss_scenario *scenario, size_t pool)
{
	*t = (struct trial){
		.basis = k->basis, .original = scenario, .pool = pool, .corrections = k->corrections
	};
	t->rc = ss_scenario_clone(&t->scenario, scenario);
}

static void trial_release(struct trial *t)
{
	ss_kernel_free(t->kernel);
	ss_scenario_free(t->scenario);
}

/** Put a field back as the deployment states it. */
static void restore(struct trial *t, enum ss_field_id field)
{
	struct ss_value *value = ss_scenario_value_mut(t->scenario, t->pool, field);

	ss_value_release(value);
	if (ss_value_copy(value, ss_scenario_value(t->original, t->pool, field)))
		t->rc = SS_ENOMEM;
}

/** Does the deployment fit with this number in the field (a share in hundredths)? */
static bool works_with(struct trial *t, enum ss_field_id field, int64_t number)
{
	struct ss_verdict verdict;
	struct ss_value *value;
	enum ss_status rc;

	if (t->rc)
		return false;
	value = ss_scenario_value_mut(t->scenario, t->pool, field);
	ss_value_release(value);
	value->is_stated = true;
	if (ss_field(field)->type == SS_TYPE_FLOAT)
		value->number = (double)number / 100;
	else
		value->integer = number;
	rc = ss_kernel_renew(&t->kernel, t->basis, t->scenario, t->pool, t->corrections, NULL);
	if (rc == SS_ENOMEM)
		t->rc = rc;
	t->is_resolved = rc == SS_OK;
	if (rc)
		return false;
	if (t->batch)
		ss_kernel_verdict(t->kernel, t->batch, &verdict);
	return ss_kernel_fits(t->kernel) && (!t->batch || verdict.lines[t->line].holds) &&
	       (t->length <= 0 || ss_kernel_requests_that_fit(t->kernel, t->length) >= t->requests);
}

/** Smallest share from `low` hundredths up that works; more room never fits less. 0: none. */
static int64_t find_utilization(struct trial *t, int64_t low)
{
	int64_t high = 99; /* all of a GPU is never the engine's */

	if (low <= high && works_with(t, SS_F_GPU_MEMORY_UTILIZATION, high)) {
		while (low < high) {
			int64_t middle = low + (high - low) / 2;

			if (works_with(t, SS_F_GPU_MEMORY_UTILIZATION, middle))
				high = middle;
			else
				low = middle + 1;
		}
	} else {
		high = 0;
	}
	restore(t, SS_F_GPU_MEMORY_UTILIZATION);
	return high;
}

/** GPUs one engine's tensor-parallel group may take of the pool. */
static int64_t widest_tp(const struct trial *t)
{
	const struct ss_scenario *s = t->original;
	int64_t gpus = ss_scenario_value(s, t->pool, SS_F_NODES)->integer *
		       ss_scenario_value(s, t->pool, SS_F_GPUS_PER_NODE)->integer;
	const enum ss_field_id others[] = { SS_F_PP, SS_F_DP, SS_F_PCP };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		gpus /= most(ss_scenario_value(s, t->pool, others[i])->integer, 1);
	return gpus;
}

/**
 * Smallest width from `low` up that works; widths that are refused lie between. 0: none.
 *
 * @param limits if not NULL, told of the widest one that was too small.
 */
static int64_t find_tp(struct trial *t, int64_t low, struct ss_fit_limits *limits)
{
	struct memory_term terms[TERM_COUNT];
	int64_t found = 0;

	for (int64_t tp = low; tp <= widest_tp(t) && !found && !t->rc; tp++) {
		if (works_with(t, SS_F_TP, tp)) {
			found = tp;
		} else if (limits && t->is_resolved) {
			sort_terms(&t->kernel->memory, terms);
			limits->tp_short = tp;
			limits->tp_short_term = terms[0].label;
			limits->tp_short_bytes = terms[0].bytes;
		}
	}
	restore(t, SS_F_TP);
	return found;
}

/**
 * Twice the width, and so on, on a cluster with as many GPUs more. 0: none.
 *
 * @param more what the cluster takes for it.
 */
static int64_t find_wider(struct trial *t, int64_t tp, struct more_gpus *more)
{
	int64_t found = 0;

	for (int64_t wide = 2 * tp; !found && !t->rc; wide *= 2) {
		int64_t needed = more_gpus_needed(t->original, t->pool, wide);

		if (!needed)
			break;
		more_gpus_for(t->original, t->pool, needed, more);
		for (int i = 0; i < more->count; i++)
			ss_scenario_value_mut(t->scenario, t->pool, more->fields[i])->integer =
				more->values[i];
		if (more->count && works_with(t, SS_F_TP, wide))
			found = wide;
		for (int i = 0; i < more->count; i++)
			restore(t, more->fields[i]);
	}
	restore(t, SS_F_TP);
	return found;
}

/** Longest request of which `requests` fit in the kernel's pool, when a deployment of it works. */
static int64_t find_length(struct trial *t, const struct ss_kernel *k, int64_t requests)
{
	int64_t window = k->set.window;
	int64_t most_tokens = (int64_t)ss_field(SS_F_MAX_MODEL_LEN)->max;
	int64_t length = pool_longest(&k->pool_plan, k->pool.blocks / most(requests, 1),
				      window > 0 ? least(window, most_tokens) : most_tokens);

	if (length > 0 && !works_with(t, SS_F_MAX_MODEL_LEN, length))
		length = 0;
	restore(t, SS_F_MAX_MODEL_LEN);
	return length;
}

/** `number` where the deployment works with it, else 0. */
static int64_t find_stated(struct trial *t, enum ss_field_id field, int64_t number)
{
	int64_t found = 0;

	if (ss_scenario_value(t->original, t->pool, field)->is_stated && number > 0 &&
	    works_with(t, field, number))
		found = number;
	restore(t, field);
	return found;
}

static int64_t find_seqs(struct trial *t, const struct ss_kernel *k, int64_t seqs)
{
	int64_t found = least(seqs, k->set.max_batched_tokens);

	if (found > 0 && !works_with(t, SS_F_MAX_NUM_SEQS, found))
		found = 0;
	restore(t, SS_F_MAX_NUM_SEQS);
	return found;
}

/* -- fixes ------------------------------------------------------------------------------- */

#define FIXES_MAX 4

static void add_fix(struct trial *t, struct ss_fit *out, enum ss_field_id field, int64_t number,
		    const char *note)
{
	struct ss_fix *fix = &out->fixes[out->fix_count];
	char text[32];

	if (number <= 0 || t->rc)
		return;
	if (ss_field(field)->type == SS_TYPE_FLOAT)
		(void)snprintf(text, sizeof(text), "%.2f", (double)number / 100);
	else
		(void)snprintf(text, sizeof(text), "%" PRId64, number);
	fix->path = strdup(ss_field(field)->path);
	fix->value = strdup(text);
	fix->note = strdup(note);
	out->fix_count++;
	if (!fix->path || !fix->value || !fix->note)
		t->rc = SS_ENOMEM;
}

/** Settings to take with the last fix. */
static void extend_fix(struct trial *t, struct ss_fit *out, const struct more_gpus *more)
{
	struct ss_fix **end = &out->fixes[out->fix_count - 1].also;
	char text[32];

	for (int i = 0; i < more->count && !t->rc; i++) {
		struct ss_fix *fix = calloc(1, sizeof(*fix));

		if (!fix) {
			t->rc = SS_ENOMEM;
			return;
		}
		(void)snprintf(text, sizeof(text), "%" PRId64, more->values[i]);
		*end = fix;
		end = &fix->also;
		fix->path = strdup(ss_field(more->fields[i])->path);
		fix->value = strdup(text);
		fix->note = strdup("");
		if (!fix->path || !fix->value || !fix->note)
			t->rc = SS_ENOMEM;
	}
}

static void find_width_fix(struct trial *t, struct ss_fit *out, const struct ss_kernel *k)
{
	int64_t tp = find_tp(t, k->layout.tp + 1, NULL);
	struct more_gpus more = { .count = 0 };
	char note[160] = "on more GPUs, with";
	size_t used = strlen(note);

	if (tp > 0) {
		add_fix(t, out, SS_F_TP, tp, "the smallest width that fits");
		return;
	}
	tp = find_wider(t, k->layout.tp, &more);
	for (int i = 0; i < more.count && used < sizeof(note); i++) {
		int n = snprintf(note + used, sizeof(note) - used, "%s %s = %" PRId64, i ? "," : "",
				 ss_field(more.fields[i])->path, more.values[i]);

		used += n > 0 ? (size_t)n : 0;
	}
	add_fix(t, out, SS_F_TP, tp, note);
	if (tp > 0 && !t->rc)
		extend_fix(t, out, &more);
}

static void find_fixes(struct trial *t, struct ss_fit *out, const struct ss_kernel *k,
		       enum fit_fault fault)
{
	int64_t share = (int64_t)(k->set.utilization * 100 + 0.5);

	if (fault == FIT_REQUEST)
		add_fix(t, out, SS_F_MAX_MODEL_LEN, find_length(t, k, 1),
			"the longest request that fits");
	if (fault == FIT_STATE)
		add_fix(t, out, SS_F_MAX_NUM_SEQS, find_seqs(t, k, k->pool.blocks),
			"the most sequences that fit");
	if (fault == FIT_CLAIM) {
		add_fix(t, out, SS_F_KV_CACHE_MEMORY_BYTES,
			find_stated(t, SS_F_KV_CACHE_MEMORY_BYTES, free_bytes(&k->memory)),
			"all that is free");
		add_fix(t, out, SS_F_NUM_GPU_BLOCKS,
			find_stated(t, SS_F_NUM_GPU_BLOCKS,
				    free_bytes(&k->memory) / most(k->pool.block_bytes, 1)),
			"all that is free");
	}
	add_fix(t, out, SS_F_GPU_MEMORY_UTILIZATION, find_utilization(t, share + 1),
		"the smallest share that fits");
	find_width_fix(t, out, k);
}

/** The limit that a batch passes, raised to what it asks. */
static void find_limit_fix(struct trial *t, struct ss_fit *out)
{
	enum ss_field_id field = ss_verdict_field(t->line);
	double asked = out->verdict.lines[t->line].asked;

	if (asked < ss_field(field)->max && works_with(t, field, (int64_t)asked))
		add_fix(t, out, field, (int64_t)asked, "as much as the batch asks");
	restore(t, field);
}

/** What each line that does not hold is for; the first is what there are fixes for. */
static void word_verdict(struct ss_fit *out, const struct ss_kernel *k, enum fit_fault fault)
{
	const struct ss_verdict_line *batch = &out->verdict.lines[SS_VERDICT_BATCH];
	const size_t size = sizeof(out->why[0]);

	word_deployment(out, k, fault);
	if (!batch->holds)
		(void)snprintf(out->why[SS_VERDICT_BATCH], size,
			       "the batch takes %.0f KV blocks (%.2f GiB), the pool has %" PRId64
			       " (%.2f GiB)",
			       batch->asked, batch->asked * (double)k->pool.block_bytes / GIB,
			       k->pool.blocks,
			       (double)k->pool.blocks * (double)k->pool.block_bytes / GIB);
	for (int i = 0; i < SS_VERDICT_COUNT; i++)
		if (!out->verdict.lines[i].holds &&
		    ss_verdict_field((enum ss_verdict_id)i) != SS_FIELD_COUNT)
			(void)verdict_why_limit(&out->verdict, (enum ss_verdict_id)i, out->why[i],
						size);
	if (fault == FIT_NONE && !batch->holds)
		out->term = "pool";
}

static enum ss_verdict_id first_failing(const struct ss_verdict *verdict)
{
	int i = 0;

	while (i < SS_VERDICT_COUNT && verdict->lines[i].holds)
		i++;
	return (enum ss_verdict_id)i;
}

enum ss_status ss_fit_new(struct ss_fit *out, const struct ss_kernel *kernel,
			  const struct ss_scenario *scenario, size_t pool,
			  const struct ss_batch *batch)
{
	struct ss_fit fit = { .term = "" };
	int64_t short_bytes = 0;
	enum fit_fault fault = fit_find_fault(kernel, &short_bytes);
	struct trial t;

	ss_kernel_verdict(kernel, batch, &fit.verdict);
	fit.fits = fit.verdict.holds;
	if (fit.fits) {
		*out = fit;
		return SS_OK;
	}
	word_verdict(&fit, kernel, fault);
	fit.fixes = calloc(FIXES_MAX, sizeof(*fit.fixes));
	if (!fit.fixes)
		return SS_ENOMEM;
	trial_init(&t, kernel, scenario, pool);
	t.line = first_failing(&fit.verdict);
	t.batch = t.line == SS_VERDICT_DEPLOYMENT ? NULL : batch;
	memcpy(fit.reason, fit.why[t.line], sizeof(fit.reason));
	fit.short_bytes = fit.verdict.lines[t.line].short_bytes;
	if (!t.rc && ss_verdict_field(t.line) != SS_FIELD_COUNT)
		find_limit_fix(&t, &fit);
	else if (!t.rc)
		find_fixes(&t, &fit, kernel, fault);
	trial_release(&t);
	if (t.rc) {
		ss_fit_release(&fit);
		return t.rc;
	}
	*out = fit;
	return SS_OK;
}

void ss_fit_release(struct ss_fit *fit)
{
	struct ss_problem fixes;

	if (!fit)
		return;
	fixes = (struct ss_problem){ .fixes = fit->fixes, .fix_count = fit->fix_count };
	ss_problem_drop_fixes(&fixes);
	*fit = (struct ss_fit){ .term = "" };
}

enum ss_status ss_fit_limits_find(struct ss_fit_limits *out, const struct ss_kernel *kernel,
				  const struct ss_scenario *scenario, size_t pool, int64_t requests,
				  int64_t length)
{
	struct ss_fit_limits limits = { .tp_short_term = "" };
	enum ss_status rc;
	struct trial t;

	trial_init(&t, kernel, scenario, pool);
	if (!t.rc) {
		limits.max_model_len = find_length(&t, kernel, requests);
		limits.max_num_seqs =
			find_seqs(&t, kernel, ss_kernel_requests_that_fit(kernel, length));
		t.requests = most(requests, 1);
		t.length = length;
		limits.tp = find_tp(&t, 1, &limits);
		limits.gpu_memory_utilization = (double)find_utilization(&t, 1) / 100;
	}
	rc = t.rc;
	trial_release(&t);
	if (!rc)
		*out = limits;
	return rc;
}
