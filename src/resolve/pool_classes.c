#include "resolve/pool_classes.h"

#include <string.h>

const char *pool_cause_text(enum pool_cause cause)
{
	switch (cause) {
	case POOL_GROUPED:
		break;
	case POOL_UNLISTED:
		return "the pack does not say how this release groups window or state caches";
	case POOL_COMPRESSED:
		return "layers that keep a window and a compressed pool are counted as one cache "
		       "of "
		       "the full length";
	case POOL_UNLIKE:
		return "caches of different widths that also keep different lengths are not put in "
		       "one pool of equal blocks";
	case POOL_MANY:
		return "the graph has more kinds of cache than are told apart";
	}
	return "";
}

/* -- caches the graph states ------------------------------------------------------------ */

enum pool_kind cache_kind(const struct ss_cache *cache)
{
	if (strcmp(cache->kind, "state") == 0)
		return POOL_STATE;
	return strcmp(cache->kind, "window") == 0 ? POOL_WINDOW : POOL_FULL;
}

/** Record of a cache dtype, or -1. */
static int64_t find_record(const struct ss_cache *cache, const char *dtype)
{
	for (size_t i = 0; *dtype && i < cache->record_count; i++)
		if (strcmp(cache->record_dtypes[i], dtype) == 0)
			return cache->record_bytes[i];
	return -1;
}

int64_t cache_record_bytes(const struct ss_kernel *k, const struct ss_cache *cache)
{
	int64_t bytes = find_record(cache, k->set.packed_layout);

	if (bytes < 0)
		bytes = find_record(cache, k->set.cache_dtype);
	return bytes < 0 ? cache->bytes_per_token : bytes;
}

const struct ss_cache *cache_without_record(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;

	if (strcmp(k->set.cache_dtype, "auto") == 0)
		return NULL;
	for (size_t i = 0; i < model->cache_count; i++)
		if (find_record(&model->caches[i], k->set.packed_layout) < 0 &&
		    find_record(&model->caches[i], k->set.cache_dtype) < 0)
			return &model->caches[i];
	return NULL;
}

/* -- classes ---------------------------------------------------------------------------- */

static bool is_same(double a, double b)
{
	return !(a < b) && !(a > b);
}

static void add_class(struct pool_plan *plan, const struct pool_class *c)
{
	if (c->layers.layers <= 0 || !(c->bytes > 0))
		return;
	for (size_t i = 0; i < plan->count; i++) {
		struct pool_class *p = &plan->classes[i];

		if (p->layers.kind == c->layers.kind && p->layers.window == c->layers.window &&
		    is_same(p->bytes, c->bytes)) {
			p->layers.layers += c->layers.layers;
			return;
		}
	}
	if (plan->count < POOL_CLASSES_MAX) {
		plan->classes[plan->count++] = *c;
		return;
	}
	plan->cause = POOL_MANY;
	/* counted at full length in the last class, which is never too little */
	plan->classes[plan->count - 1].layers.kind = POOL_FULL;
	plan->classes[plan->count - 1].bytes +=
		c->bytes * (double)c->layers.layers /
		(double)plan->classes[plan->count - 1].layers.layers;
}

static void add_attention(struct pool_plan *plan, int64_t layers, int64_t window, double bytes,
			  bool is_latent)
{
	add_class(plan, &(struct pool_class){
				.layers = { window > 0 ? POOL_WINDOW : POOL_FULL, layers, window },
				.bytes = bytes,
				.is_latent = is_latent,
			});
}

/** Caches of the layers, those of the drafts with their kind. */
static void add_layers(const struct ss_kernel *k, bool has_manager, struct pool_plan *plan)
{
	const struct ss_model *model = k->basis->in.model;

	for (size_t i = 0; i < k->cache_count; i++) {
		const struct layer_cache *c = &k->caches[i];
		const struct ss_layer_kind *kind = &model->kinds[i];
		int64_t layers = kind->count + (k->set.has_drafts ? kind->draft_count : 0);

		add_attention(plan, layers, has_manager ? c->window : 0, c->kv_bytes, c->is_latent);
		add_attention(plan, layers, 0, c->scorer_bytes, false);
		add_class(plan, &(struct pool_class){ .layers = { POOL_STATE, layers, 0 },
						      .bytes = (double)c->state_bytes });
	}
}

static void add_stated(const struct ss_kernel *k, bool has_manager, struct pool_plan *plan)
{
	const struct ss_model *model = k->basis->in.model;

	for (size_t i = 0; i < model->cache_count; i++) {
		const struct ss_cache *c = &model->caches[i];
		enum pool_kind kind = cache_kind(c);
		double bytes = (double)cache_record_bytes(k, c);

		if (kind == POOL_STATE)
			add_class(plan, &(struct pool_class){ .layers = { kind, c->layers, 0 },
							      .bytes = bytes });
		else
			add_attention(plan, c->layers,
				      kind == POOL_WINDOW && has_manager ? c->window : 0, bytes,
				      false);
	}
}

bool pool_has_kind(const struct pool_plan *plan, enum pool_kind kind)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->classes[i].layers.kind == kind)
			return true;
	return false;
}

/* -- what the pack can group --------------------------------------------------------------- */

bool pool_is_one_type(const struct pool_plan *plan)
{
	for (size_t i = 1; i < plan->count; i++)
		if (plan->classes[i].layers.kind != plan->classes[0].layers.kind ||
		    plan->classes[i].layers.window != plan->classes[0].layers.window)
			return false;
	return true;
}

static bool is_listed(const struct ss_kernel *k, enum pool_kind kind)
{
	const struct ss_list *list = &k->basis->in.pack->kv_grouping;

	switch (kind) {
	case POOL_FULL:
		return true;
	case POOL_WINDOW:
		return ss_list_has(list, "window");
	case POOL_STATE:
		break;
	}
	return ss_list_has(list, "state");
}

/** A main attention node that also keeps a compressed pool of what left its window. */
static bool has_compressed(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;

	if (!k->basis->has_sparse || model->cache_count ||
	    ss_list_has(&k->basis->in.pack->kv_grouping, "compressed"))
		return false;
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; model->kinds[i].count && j < model->kinds[i].node_count; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];

			if (n->op == SS_OP_ATTENTION && !*n->role && n->compress_ratio > 1)
				return true;
		}
	return false;
}

static enum pool_cause find_cause(const struct ss_kernel *k, const struct pool_plan *plan)
{
	double bytes = 0;

	if (plan->cause != POOL_GROUPED)
		return plan->cause;
	if (has_compressed(k))
		return POOL_COMPRESSED;
	for (size_t i = 0; i < plan->count; i++)
		if (!is_listed(k, plan->classes[i].layers.kind))
			return POOL_UNLISTED;
	if (pool_is_one_type(plan))
		return POOL_GROUPED;
	for (size_t i = 0; i < plan->count; i++) {
		const struct pool_class *c = &plan->classes[i];

		if (c->layers.kind == POOL_STATE)
			continue;
		if (bytes > 0 && !is_same(bytes, c->bytes))
			return POOL_UNLIKE;
		bytes = c->bytes;
	}
	return POOL_GROUPED;
}

void pool_collect(const struct ss_kernel *k, bool has_hybrid_manager, struct pool_plan *plan)
{
	plan->count = 0;
	plan->cause = POOL_GROUPED;
	if (k->basis->in.model->cache_count)
		add_stated(k, has_hybrid_manager, plan);
	else
		add_layers(k, has_hybrid_manager, plan);
	plan->cause = find_cause(k, plan);
}
