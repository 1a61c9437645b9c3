#include "resolve/attention_plan.h"

#include <string.h>

#include "price/dcp.h"
#include "price/kv.h"

/** Bytes of an activation element, whatever is served. */
static const double A = 2;

/** Where a role's coefficients are indexed; -1 for a role that has no slot. */
static int role_slot(const struct ss_basis *b, const char *role)
{
	for (size_t i = 0; i < b->role_count; i++)
		if (strcmp(b->roles[i], role) == 0)
			return SS_ATTENTION_COUNT + (int)i;
	return -1;
}

static int last_of(const struct ss_basis *b, enum coef_family family, int slot)
{
	return slot < 0 ? -1 : b->kind[family][slot];
}

/* -- decode ------------------------------------------------------------------------------- */

static void bind_part_wide(struct ss_kernel *k, struct plan_attention *out)
{
	out->decode_rate = coef_optional(k, COEF_DECODE_RATE);
	out->decode_floor = coef_optional(k, COEF_DECODE_FLOOR);
}

/** Own rate, with its own floor or else the part's. False without a rate. */
static bool bind_own(struct ss_kernel *k, struct plan_attention *out, int slot, const char *name)
{
	struct coef rate = coef_bind(k, last_of(k->basis, COEF_DECODE_RATE, slot));
	struct coef floor;

	if (!coef_is_set(rate)) {
		note_absent(&k->notes, COEF_DECODE_RATE, name, WHY_DEFAULT);
		return false;
	}
	floor = coef_bind(k, last_of(k->basis, COEF_DECODE_FLOOR, slot));
	if (!coef_is_set(floor)) {
		note_absent(&k->notes, COEF_DECODE_FLOOR, name, WHY_INHERITS);
		floor = coef_optional(k, COEF_DECODE_FLOOR);
	}
	out->decode_rate = rate;
	out->decode_floor = floor;
	return true;
}

static void bind_decode(struct ss_kernel *k, struct plan_attention *out, const struct ss_node *n)
{
	if (out->is_scorer && bind_own(k, out, role_slot(k->basis, n->role), n->role))
		return;
	if (n->attention != SS_ATTENTION_GQA &&
	    bind_own(k, out, (int)n->attention, ss_attention_kind_name(n->attention)))
		return;
	bind_part_wide(k, out);
}

/* -- prefill ------------------------------------------------------------------------------ */

/** The measured family of a sparse kind or a scorer's role: all five or none. */
static void bind_family(struct ss_kernel *k, struct plan_attention *out, int slot, const char *name)
{
	struct plan_prefill_family *f = &out->family;
	const struct ss_basis *b = k->basis;
	int present;

	f->floor = coef_bind(k, last_of(b, COEF_PREFILL_FLOOR, slot));
	f->rate = coef_bind(k, last_of(b, COEF_PREFILL_RATE, slot));
	f->request = coef_bind(k, last_of(b, COEF_PREFILL_REQUEST, slot));
	f->token = coef_bind(k, last_of(b, COEF_PREFILL_TOKEN, slot));
	f->bytes = coef_bind(k, last_of(b, COEF_PREFILL_BYTES, slot));
	present = coef_is_set(f->floor) + coef_is_set(f->rate) + coef_is_set(f->request) +
		  coef_is_set(f->token) + coef_is_set(f->bytes);
	f->is_used = present == 5;
	if (out->is_scorer && !coef_is_prefill_role(name))
		return;
	if (present == 0)
		note_absent(&k->notes, COEF_PREFILL_RATE, name, WHY_DEFAULT);
	else if (!f->is_used)
		note_assumption(&k->notes, ASSUME_ATTENTION_PREFILL, name, NOTE_TEXT("fallback"),
				WHY_DEFAULT);
}

static void bind_prefill(struct ss_kernel *k, struct plan_attention *out, const struct ss_node *n)
{
	out->prefill_floor = out->work_scale = COEF_NONE;
	if (out->is_scorer)
		bind_family(k, out, role_slot(k->basis, n->role), n->role);
	else if (n->attention == SS_ATTENTION_SPARSE_MLA)
		bind_family(k, out, (int)n->attention, ss_attention_kind_name(n->attention));
	if (out->family.is_used)
		return;
	out->work_scale = coef_optional(k, COEF_PREFILL_SCALE);
	out->prefill_floor = coef_optional(k, COEF_PREFILL_FLOOR);
}

/* -- selection ------------------------------------------------------------------------------ */

static bool is_same_selector(const struct plan_selector *a, const struct plan_selector *b)
{
	return a->is_sparse == b->is_sparse && a->window == b->window && a->topk == b->topk &&
	       a->ratio == b->ratio && a->is_sharded == b->is_sharded &&
	       a->is_per_token == b->is_per_token;
}

static int selector_of(struct ss_kernel *k, const struct ss_node *n, bool is_sharded)
{
	bool is_sparse = n->attention == SS_ATTENTION_SPARSE_MLA;
	struct plan *plan = &k->plan;
	struct plan_selector s = {
		.is_sparse = is_sparse,
		.window = (double)n->window,
		.topk = is_sparse ? (double)n->index_topk : 0,
		.ratio = is_sparse ? (double)n->compress_ratio : 0,
		.is_sharded = is_sharded,
		.is_per_token = is_sparse && k->set.spec_tokens > 0,
	};

	for (int i = 0; i < plan->selector_count; i++)
		if (is_same_selector(&plan->selectors[i], &s))
			return i;
	if (plan->selector_count == PLAN_SELECTORS_MAX) {
		refuse(k, "P5", SS_F_MODEL, "model %s has more than %d ways to select a context",
		       k->basis->in.model->name, PLAN_SELECTORS_MAX);
		return 0;
	}
	plan->selectors[plan->selector_count] = s;
	return plan->selector_count++;
}

/* -- exchanges ------------------------------------------------------------------------------- */

static void bind_exchanges(const struct ss_kernel *k, struct plan_attention *out,
			   const struct ss_node *n)
{
	const struct layout *l = &k->layout;
	int64_t output = out->is_latent && n->kv_lora_rank ? n->kv_lora_rank : n->d_h;
	struct dcp_exchange row = dcp_exchange(1, n->n_q, n->d_h, output, l->tp, l->pcp, l->dcp);
	size_t i = 0;

	if (l->pcp > 1 && out->is_scorer)
		out->pcp_widths[i++] = (double)(n->n_kv * n->d_h) * A;
	if (out->is_scorer)
		return;
	out->dcp_row_width = row.query_bytes;
	out->dcp_lse_width = row.lse_bytes;
	out->dcp_out_width = row.combine_bytes;
	out->dcp_a2a_width = row.all_to_all_bytes;
	out->latent_width = (double)n->d_h * A;
	if (l->pcp <= 1)
		return;
	out->pcp_widths[i++] = (double)output * A;
	if (n->d_h > output)
		out->pcp_widths[i] = (double)(n->d_h - output) * A;
}

/** The layer's node that holds its cache; NULL when it has none. */
static const struct ss_node *main_node(const struct ss_layer_kind *kind)
{
	for (size_t i = 0; i < kind->node_count; i++)
		if (kind->nodes[i].op == SS_OP_ATTENTION && !*kind->nodes[i].role)
			return &kind->nodes[i];
	return NULL;
}

static double scorer_bytes(const struct ss_layer_kind *kind, const struct layer_cache *cache,
			   const struct ss_node *n)
{
	const struct ss_node *main = main_node(kind);

	if (!main)
		return scorer_key_bytes_per_token(n->n_kv, n->d_h);
	return cache->kv_bytes * (double)(n->n_kv * n->d_h) / (double)(main->n_kv * main->d_h);
}

void attention_plan_make(struct ss_kernel *k, struct plan_attention *out,
			 const struct ss_layer_kind *kind, const struct layer_cache *cache,
			 const struct ss_node *n)
{
	double tp = k->layout.tp;
	double heads = (double)n->n_q;
	bool is_scorer = *n->role != '\0';
	bool is_sharded = k->layout.dcp > 1 && dcp_shards(n->attention);

	*out = (struct plan_attention){
		.detail = is_scorer ? n->role : ss_attention_kind_name(n->attention),
		.is_scorer = is_scorer,
		.is_latent = ss_attention_is_latent(n->attention),
		.is_sharded = is_sharded,
		.prefill_entry = -1,
		.pair_flops = is_scorer ? 2 : 4,
		.prefill_width = heads * (double)n->d_h / (is_scorer ? 1 : tp),
		.scorer_window = is_scorer ? (double)n->window : 0,
		.scorer_ratio = is_scorer ? (double)n->compress_ratio : 0,
	};
	bind_decode(k, out, n);
	bind_prefill(k, out, n);
	bind_exchanges(k, out, n);
	if (is_scorer) {
		out->bytes_per_token = scorer_bytes(kind, cache, n);
		out->family_bytes = scorer_key_bytes_per_token(n->n_kv, n->d_h);
		return;
	}
	out->selector = selector_of(k, n, is_sharded);
	out->bytes_per_token = out->family_bytes = cache->kv_bytes;
	if (n->attention == SS_ATTENTION_MLA && n->qk_nope_head_dim > 0 && n->v_head_dim > 0) {
		double keys = (double)(n->qk_nope_head_dim + n->qk_rope_head_dim);

		out->corrected_width = heads * (keys + (double)n->v_head_dim) / tp;
		out->prefix_flops = 2 * (double)n->kv_lora_rank * heads *
				    (double)(n->qk_nope_head_dim + n->v_head_dim) / tp;
	}
}
