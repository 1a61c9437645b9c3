#include "resolve/kv_pool.h"

#include <math.h>
#include <string.h>

#include "price/integers.h"
#include "price/kv.h"
#include "price/recurrent.h"
#include "resolve/pool_classes.h"

/** No request is longer, whatever the model. */
#define LENGTH_MOST 1000000000

/* clang-format off */
/** Backend that serves latent attention when nothing picks one: from this capability up. */
static const struct latent_default {
	int sm;
	const char *backend;
} latent_defaults[] = {
	{ 100, "FLASHINFER_MLA" },
	{ 90,  "FLASH_ATTN_MLA" },
	{ 0,   "TRITON_MLA" },
};
/* clang-format on */

const char *latent_backend(const struct ss_kernel *k)
{
	size_t i = 0;

	if (*k->set.attention_backend)
		return k->set.attention_backend;
	while (k->set.sm < latent_defaults[i].sm)
		i++;
	return latent_defaults[i].backend;
}

/* -- the three layouts --------------------------------------------------------------------- */

static int64_t block_unit(const struct ss_kernel *k, bool is_latent)
{
	const struct ss_pack *pack = k->basis->in.pack;
	int64_t unit = pack->block_size_multiple > 0 ? pack->block_size_multiple : 16;
	const char *backend = latent_backend(k);

	for (size_t i = 0; is_latent && i < pack->mla_block_count; i++)
		if (strcmp(pack->mla_blocks[i].backend, backend) == 0)
			return pack->mla_blocks[i].block_size;
	return unit;
}

const char *pool_aligned_backend(const struct ss_kernel *k)
{
	for (size_t i = 0; i < k->pool_plan.count; i++)
		if (k->pool_plan.classes[i].is_latent)
			return latent_backend(k);
	return "";
}

/** Block of a pool whose attention pages must hold a state, else the nominal one. */
static int64_t pool_block(const struct ss_kernel *k, const struct pool_plan *plan)
{
	const struct pool_class *attention = NULL;
	double state = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if (plan->classes[i].layers.kind == POOL_STATE)
			state = fmax(state, plan->classes[i].bytes);
		else
			attention = &plan->classes[i];
	}
	if (!attention || !(state > 0))
		return k->set.block_size;
	return aligned_block(block_unit(k, attention->is_latent), (int64_t)ceil(state),
			     (int64_t)llround(attention->bytes),
			     k->set.is_block_stated ? k->set.block_size : 0,
			     plan->rules.state_mode == POOL_STATE_ALL ? RECURRENT_CHUNK : 0);
}

/** Bytes of one layer's page. */
static double page_of(const struct pool_class *c, int64_t block)
{
	return c->layers.kind == POOL_STATE ? c->bytes : c->bytes * (double)block;
}

/** All layers in one group, whatever their widths. */
static void lay_one_type(struct pool_plan *plan, struct ss_kv_pool *pool)
{
	double block_bytes = 0, page = 0;

	for (size_t i = 0; i < plan->count; i++) {
		double own = page_of(&plan->classes[i], plan->rules.block);

		plan->classes[i].groups = i == 0;
		block_bytes += own * (double)plan->classes[i].layers.layers;
		page = fmax(page, own);
	}
	pool->groups = plan->count > 0;
	pool->page_bytes = whole_bytes(page);
	pool->block_bytes = whole_bytes(block_bytes);
}

/** Groups of equal layer counts on equal pages. */
static void lay_groups(struct pool_plan *plan, struct ss_kv_pool *pool)
{
	struct pool_layers kinds[POOL_CLASSES_MAX];
	int64_t size;

	for (size_t i = 0; i < plan->count; i++) {
		kinds[i] = plan->classes[i].layers;
		if (kinds[i].kind != POOL_STATE)
			pool->page_bytes =
				llround(plan->classes[i].bytes * (double)plan->rules.block);
	}
	size = pool_group_size(kinds, plan->count);
	for (size_t i = 0; i < plan->count; i++) {
		plan->classes[i].groups = pool_group_count(kinds[i].layers, size);
		pool->groups += plan->classes[i].groups;
	}
	pool->block_bytes = pool->page_bytes * size;
}

/** Every cache at its own page: a block is one of each that keeps the full length. */
static void lay_own_pages(struct pool_plan *plan, struct ss_kv_pool *pool)
{
	double full = 0, all = 0, page = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct pool_class *c = &plan->classes[i];
		double own = page_of(c, plan->rules.block) * (double)c->layers.layers;

		all += own;
		if (c->layers.kind == POOL_FULL)
			full += own;
		if (c->layers.kind != POOL_STATE)
			page = fmax(page, page_of(c, plan->rules.block));
	}
	pool->groups = (int64_t)plan->count;
	pool->page_bytes = whole_bytes(page);
	pool->block_bytes = whole_bytes(full > 0 ? full : all);
	plan->unit_bytes = (double)pool->block_bytes;
}

int64_t pool_plan_blocks(const struct pool_plan *plan, int64_t tokens)
{
	int64_t blocks = 0;
	double bytes = 0;

	if (tokens <= 0)
		return 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct pool_class *c = &plan->classes[i];
		bool is_sharded = c->layers.kind == POOL_FULL && plan->shards > 1;
		int64_t own = pool_group_blocks(
			&c->layers, is_sharded ? divide_up(tokens, plan->shards) : tokens,
			&plan->rules);

		blocks += c->groups * own;
		bytes += (double)own * page_of(c, plan->rules.block) * (double)c->layers.layers;
	}
	if (plan->cause == POOL_GROUPED || !(plan->unit_bytes > 0))
		return blocks;
	return (int64_t)ceil(bytes / plan->unit_bytes);
}

static enum pool_state_mode state_mode(const struct ss_kernel *k)
{
	if (strcmp(k->set.state_mode, "all") == 0)
		return POOL_STATE_ALL;
	return strcmp(k->set.state_mode, "align") == 0 ? POOL_STATE_ALIGN : POOL_STATE_NONE;
}

int64_t state_pages(const struct ss_kernel *k)
{
	switch (state_mode(k)) {
	case POOL_STATE_NONE:
		return 1 + k->set.spec_tokens;
	case POOL_STATE_ALIGN:
		return 2 + k->set.spec_tokens;
	case POOL_STATE_ALL:
		break;
	}
	return 0;
}

/** Largest raw state of a layer. */
static int64_t largest_state(const struct pool_plan *plan)
{
	double bytes = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->classes[i].layers.kind == POOL_STATE)
			bytes = fmax(bytes, plan->classes[i].bytes);
	return whole_bytes(bytes);
}

int64_t pool_longest(const struct pool_plan *plan, int64_t blocks, int64_t longest)
{
	int64_t fits = 0, not_fits = longest + 1;

	while (not_fits - fits > 1) {
		int64_t middle = fits + (not_fits - fits) / 2;

		if (pool_plan_blocks(plan, middle) <= blocks)
			fits = middle;
		else
			not_fits = middle;
	}
	return fits;
}

/** What the engine prints of a pool; without a longest request, the longest one it could hold. */
static void report_pool(const struct ss_kernel *k, const struct pool_plan *plan,
			struct ss_kv_pool *pool)
{
	int64_t length = k->set.max_model_len;

	if (length <= 0) {
		pool->reported_tokens = pool_longest(plan, pool->blocks, LENGTH_MOST);
		return;
	}
	pool->blocks_per_request = pool_plan_blocks(plan, length);
	pool->max_concurrency = pool_concurrency(pool->blocks, pool->blocks_per_request);
	pool->reported_tokens =
		pool_reported_tokens(pool->blocks, pool->blocks_per_request, length);
}

/** The engine divides a sequence over all context-parallel ranks where every KV layer can. */
static bool can_shard(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;

	for (size_t i = 0; i < model->cache_count; i++)
		if (cache_kind(&model->caches[i]) == POOL_WINDOW)
			return false;
	for (size_t i = 0; i < k->cache_count; i++)
		if (model->kinds[i].count && k->caches[i].kv_bytes > 0 &&
		    k->caches[i].kind == SS_ATTENTION_SWA)
			return false;
	return true;
}

/** What a request takes whatever its length, and for each token more. */
static void split_request(const struct pool_plan *plan, struct ss_kv_pool *pool)
{
	const struct pool_rules *rules = &plan->rules;
	int64_t many = LENGTH_MOST / rules->block * rules->block;
	double fixed = 0;

	pool->marginal_bytes_per_token = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct pool_class *c = &plan->classes[i];
		enum pool_kind kind = c->layers.kind;
		bool is_state_growing = kind == POOL_STATE && rules->state_mode == POOL_STATE_ALL;
		double block = plan->cause == POOL_GROUPED
				       ? (double)c->groups * (double)pool->block_bytes
				       : page_of(c, rules->block) * (double)c->layers.layers;
		int64_t blocks = pool_group_blocks(&c->layers, many, rules);

		if (kind == POOL_FULL || is_state_growing) {
			pool->marginal_bytes_per_token +=
				block / (double)rules->block /
				(double)(kind == POOL_FULL ? plan->shards : 1);
			blocks -= many / rules->block;
		}
		fixed += (double)blocks * block;
	}
	pool->fixed_bytes_per_request = whole_bytes(fixed);
}

void pool_lay_out(const struct ss_kernel *k, bool has_hybrid_manager, struct pool_plan *plan,
		  struct ss_kv_pool *pool)
{
	plan->unit_bytes = 0;
	plan->shards = can_shard(k) ? (int64_t)k->layout.dcp * k->layout.pcp : 1;
	plan->rules = (struct pool_rules){ .block = k->set.block_size,
					   .max_batched_tokens = k->set.max_batched_tokens,
					   .state_mode = state_mode(k),
					   .spec = k->set.spec_tokens };
	pool_collect(k, has_hybrid_manager, plan);
	*pool = (struct ss_kv_pool){ 0 };
	if (plan->cause == POOL_GROUPED)
		plan->rules.block = pool_block(k, plan);
	if (plan->cause != POOL_GROUPED)
		lay_own_pages(plan, pool);
	else if (pool_is_one_type(plan))
		lay_one_type(plan, pool);
	else
		lay_groups(plan, pool);
	split_request(plan, pool);
	pool->is_grouped = plan->cause == POOL_GROUPED;
	pool->block_size = plan->rules.block;
	pool->state_page_bytes = largest_state(plan);
	pool->blocks = plan->stated_blocks > 0
			       ? plan->stated_blocks
			       : pool_blocks(k->memory.budget_bytes, pool->block_bytes);
	report_pool(k, plan, pool);
}

/* -- the stage ------------------------------------------------------------------------------ */

/** The block the state forces: an assumption's value, or an override of what was asked. */
static void note_block(struct ss_kernel *k)
{
	struct assumption_note *note = note_find(&k->notes, ASSUME_BLOCK_SIZE);
	const struct pool_plan *plan = &k->pool_plan;

	if (plan->cause != POOL_GROUPED || !pool_has_kind(plan, POOL_STATE) ||
	    pool_is_one_type(plan))
		return;
	/* on latent attention the part's generation picks the backend, whose block it goes by */
	if (*pool_aligned_backend(k))
		use_capability(k);
	if (note) {
		note->value = NOTE_NUMBER(k->pool.block_size);
		note->why = WHY_ALIGNED;
	} else if (k->set.block_size < k->pool.block_size) {
		note_override(&k->notes, OVERRIDE_BLOCK_SIZE, NOTE_NUMBER(k->set.block_size),
			      NOTE_NUMBER(k->pool.block_size), WHY_ALIGNED);
	}
}

static int64_t length_cap(const struct ss_kernel *k)
{
	int64_t window = k->set.window;

	return window > 0 ? window : LENGTH_MOST;
}

/** `auto`: the most that fits; the model's own window when nothing does. */
static void settle_length(struct ss_kernel *k)
{
	struct assumption_note *note = note_find(&k->notes, ASSUME_MAX_MODEL_LEN);
	int64_t length = pool_longest(&k->pool_plan, k->pool.blocks, length_cap(k));

	k->set.max_model_len = length > 0 ? length : k->set.window;
	if (note && k->set.max_model_len > 0)
		note->value = NOTE_NUMBER(k->set.max_model_len);
	report_pool(k, &k->pool_plan, &k->pool);
}

void resolve_pool(struct ss_kernel *k)
{
	k->pool_plan.stated_blocks = stated_count(k, SS_F_NUM_GPU_BLOCKS);
	pool_lay_out(k, k->set.has_hybrid_manager, &k->pool_plan, &k->pool);
	note_block(k);
	if (k->pool_plan.cause != POOL_GROUPED)
		note_assumption(&k->notes, ASSUME_KV_CACHE_GROUPING, NULL, NOTE_TEXT("own pages"),
				WHY_UNSUPPORTED);
	if (cache_without_record(k))
		note_assumption(&k->notes, ASSUME_CACHE_RECORD, NULL,
				NOTE_TEXT(cache_without_record(k)->name), WHY_DEFAULT);
	if (k->set.has_connector && pool_has_kind(&k->pool_plan, POOL_WINDOW) &&
	    !stated(k, SS_F_HYBRID_KV_MANAGER)->is_stated)
		note_assumption(&k->notes, ASSUME_HYBRID_KV_MANAGER, NULL, NOTE_TEXT("on"),
				WHY_DEFAULT);
	if (k->set.is_model_len_auto)
		settle_length(k);
}

/* -- questions to a kernel ------------------------------------------------------------------ */

int64_t pool_tokens_without_manager(const struct ss_kernel *k)
{
	struct pool_plan plan = { .stated_blocks = k->pool_plan.stated_blocks };
	struct ss_kv_pool pool;

	pool_lay_out(k, false, &plan, &pool);
	return pool.reported_tokens;
}

const struct ss_kv_pool *ss_kernel_kv_pool(const struct ss_kernel *kernel)
{
	return &kernel->pool;
}

int64_t ss_kernel_request_blocks(const struct ss_kernel *kernel, int64_t tokens)
{
	return pool_plan_blocks(&kernel->pool_plan, tokens);
}

int64_t ss_kernel_requests_that_fit(const struct ss_kernel *kernel, int64_t tokens)
{
	int64_t blocks = pool_plan_blocks(&kernel->pool_plan, tokens);

	return blocks > 0 ? kernel->pool.blocks / blocks : 0;
}

int64_t ss_kernel_sequence_bytes(const struct ss_kernel *kernel, int64_t tokens)
{
	const struct ss_kernel *k = kernel;
	int64_t bytes;

	if (tokens <= 0)
		return 0;
	bytes = paged_bytes(tokens, k->set.block_size, k->all_kv_sharded ? k->layout.dcp : 1,
			    k->memory.kv_bytes_per_token);
	if (k->pool_plan.rules.state_mode == POOL_STATE_ALL &&
	    pool_has_kind(&k->pool_plan, POOL_STATE)) {
		int64_t pages = kv_pages(tokens, k->set.block_size, 1) + k->set.spec_tokens;

		for (size_t i = 0; i < k->pool_plan.count; i++) {
			const struct pool_class *c = &k->pool_plan.classes[i];

			if (c->layers.kind == POOL_STATE)
				bytes += pages * c->layers.layers * llround(c->bytes);
		}
	}
	return bytes;
}

int64_t ss_kernel_batch_bytes(const struct ss_kernel *kernel, const struct ss_batch *batch)
{
	double bytes = 0;

	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		if (g->count > 0 && g->scheduled > 0)
			bytes += (double)g->count *
				 (double)pool_plan_blocks(&kernel->pool_plan,
							  g->computed + g->scheduled) *
				 (double)kernel->pool.block_bytes;
	}
	return bytes < 9.2e18 ? (int64_t)bytes : INT64_MAX;
}
