/*
 * One step of one scheduler, first come first served: running requests in order of their
 * admission, then waiting ones while nothing had to be preempted.
 */
#include "serve/serve_impl.h"

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* -- blocks ------------------------------------------------------------------------------ */

int64_t pool_blocks_of(const struct pool *pool, int64_t tokens)
{
	const struct ss_serve_engine *e = &pool->engine;

	if (tokens <= 0)
		return 0;
	return e->request_blocks ? e->request_blocks(e->context, tokens)
				 : (tokens + e->block_size - 1) / e->block_size;
}

/** An idle prefix counts as free until what is left is less than it. */
static void drop_idle_prefix(const struct pool *pool, struct rank *rank)
{
	if (rank->has_prefix && !rank->prefix_holders && rank->free < pool->prefix_blocks)
		rank->has_prefix = false;
}

/** Blocks for its first `tokens`. @return false, with nothing taken, where they lack. */
static bool take_blocks(const struct pool *pool, struct rank *rank, struct request *q,
			int64_t tokens)
{
	int64_t need;

	if (tokens <= q->room)
		return true;
	tokens = smaller(tokens, q->prompt + q->output - 1); /* drafts past the end take none */
	need = pool_blocks_of(pool, tokens) - (q->holds_prefix ? pool->prefix_blocks : 0);
	if (need - q->held > rank->free)
		return false;
	if (need > q->held) {
		rank->free -= need - q->held;
		q->held = need;
		drop_idle_prefix(pool, rank);
	}
	/* a pool's law moves at whole blocks alone */
	q->room = (tokens + pool->engine.block_size - 1) / pool->engine.block_size *
		  pool->engine.block_size;
	return true;
}

static void hold_prefix(const struct pool *pool, struct rank *rank, struct request *q)
{
	if (!rank->prefix_holders++)
		rank->free -= pool->prefix_blocks;
	q->holds_prefix = true;
}

static void let_prefix_go(const struct pool *pool, struct rank *rank, struct request *q)
{
	if (!q->holds_prefix)
		return;
	q->holds_prefix = false;
	if (!--rank->prefix_holders)
		rank->free += pool->prefix_blocks;
}

static void release(const struct pool *pool, struct rank *rank, struct request *q)
{
	rank->free += q->held;
	q->held = q->room = 0;
	let_prefix_go(pool, rank, q);
}

/** The first request to compute past the prefix leaves it to all. */
static void share_prefix(const struct pool *pool, struct rank *rank, struct request *q)
{
	if (!pool->prefix_blocks || rank->has_prefix || q->computed < pool->prefix_tokens)
		return;
	rank->has_prefix = true;
	rank->prefix_holders = 1;
	q->holds_prefix = true;
	q->held -= pool->prefix_blocks;
}

/* -- the queue ----------------------------------------------------------------------------- */

void rank_join(struct ss_serve *s, struct rank *rank, int64_t request, bool is_front)
{
	struct request *q = &s->requests[request];

	q->state = SS_SERVE_WAITING;
	q->next = is_front ? rank->first : NO_REQUEST;
	if (rank->first == NO_REQUEST)
		rank->first = rank->last = request;
	else if (is_front)
		rank->first = request;
	else
		rank->last = s->requests[rank->last].next = request;
	rank->waiting_count++;
	s->waiting.now += 1;
}

static void leave_queue(struct ss_serve *s, struct rank *rank)
{
	rank->first = s->requests[rank->first].next;
	if (rank->first == NO_REQUEST)
		rank->last = NO_REQUEST;
	rank->waiting_count--;
	s->waiting.now -= 1;
}

static void preempt_last(struct ss_serve *s, const struct pool *pool, struct rank *rank)
{
	int64_t victim = rank->running[--rank->running_count];
	struct request *q = &s->requests[victim];

	release(pool, rank, q);
	q->computed = q->scheduled = 0;
	q->carry = 0;
	q->preemptions++;
	s->preemptions++;
	s->running.now -= 1;
	rank_join(s, rank, victim, true);
}

/* -- how many tokens ------------------------------------------------------------------------- */

/** Under `align` a chunk of a prefill ends on a block. */
static int64_t align_chunk(const struct pool *pool, const struct request *q, int64_t chunk)
{
	int64_t block = pool->engine.block_size, end = q->computed + chunk;
	int64_t last = q->known - q->known % block;
	bool is_prefill = q->computed < q->prompt || q->computed < q->known - 1;

	if (!pool->engine.is_block_aligned || !is_prefill || q->computed >= last)
		return chunk;
	return end < last ? chunk / block * block : last - q->computed;
}

/** What a request would compute, with no limit but the threshold of long prefills. */
static int64_t wanted(const struct pool *pool, const struct request *q)
{
	const struct ss_serve_engine *e = &pool->engine;
	int64_t tokens = q->known - q->computed;

	if (tokens == 1 && q->known > q->prompt) {
		tokens += e->drafts;
		if (e->max_model_len > 0)
			tokens = smaller(tokens, e->max_model_len - q->computed);
	}
	if (e->long_prefill_token_threshold > 0)
		tokens = smaller(tokens, e->long_prefill_token_threshold);
	return tokens;
}

static void put_in_batch(struct rank *rank, struct request *q, int64_t tokens)
{
	struct ss_group *g = rank->group_count ? &rank->groups[rank->group_count - 1] : NULL;

	q->scheduled = tokens;
	rank->scheduled += tokens;
	if (g && g->scheduled == tokens && g->computed == q->computed) {
		g->count++;
		return;
	}
	rank->groups[rank->group_count++] = (struct ss_group){ 1, tokens, q->computed, q->prompt };
}

/* -- the step -------------------------------------------------------------------------------- */

/** @return true when one was preempted. */
static bool schedule_running(struct ss_serve *s, const struct pool *pool, struct rank *rank,
			     int64_t *budget)
{
	bool was_preempted = false;

	for (int64_t i = 0; i < rank->running_count; i++) {
		struct request *q = &s->requests[rank->running[i]];
		int64_t tokens = smaller(wanted(pool, q), *budget);

		q->scheduled = 0;
		tokens = align_chunk(pool, q, tokens);
		if (tokens <= 0)
			continue;
		while (!take_blocks(pool, rank, q, q->computed + tokens)) {
			preempt_last(s, pool, rank);
			was_preempted = true;
			if (i >= rank->running_count)
				return true;
		}
		put_in_batch(rank, q, tokens);
		*budget -= tokens;
	}
	return was_preempted;
}

/** What is computed already as it enters: of the other pool, or of a cached prefix. */
static void take_hits(struct ss_serve *s, const struct pool *pool, struct rank *rank,
		      struct request *q)
{
	if (q->moved) {
		q->computed = q->moved;
		return;
	}
	if (!pool->engine.has_prefix_caching)
		return;
	if (rank->has_prefix && q->known > pool->prefix_tokens) {
		hold_prefix(pool, rank, q);
		q->computed = pool->prefix_tokens;
	}
	if (s->load.trace) {
		const struct ss_trace_row *row = &s->load.trace[q - s->requests];
		int64_t pieces = (int64_t)pieces_find(&rank->pieces, row->hashes, row->hash_count);
		int64_t found = smaller(pieces * SS_TRACE_PIECE, q->known - 1);

		if (found > q->computed)
			q->computed = found;
	}
}

/** Its prompt is whole: others of the trace may take its pieces. */
static void leave_pieces(struct ss_serve *s, struct rank *rank, const struct request *q)
{
	const struct ss_trace_row *row = &s->load.trace[q - s->requests];

	pieces_add(&rank->pieces, row->hashes, row->hash_count);
}

/** The first of the queue enters, if it may. */
static bool admit_first(struct ss_serve *s, const struct pool *pool, struct rank *rank,
			int64_t *budget)
{
	int64_t number = rank->first, tokens;
	struct request *q = &s->requests[number];
	const struct ss_serve_engine *e = &pool->engine;
	bool may;

	take_hits(s, pool, rank, q);
	tokens = wanted(pool, q);
	may = e->has_chunked_prefill || tokens <= *budget;
	tokens = align_chunk(pool, q, smaller(tokens, *budget));
	may = may && tokens > 0;
	if (may && e->reserves_full_isl)
		may = pool_blocks_of(pool, q->known) -
			      (q->holds_prefix ? pool->prefix_blocks : 0) <=
		      rank->free;
	if (!may || !take_blocks(pool, rank, q, q->computed + tokens)) {
		let_prefix_go(pool, rank, q);
		q->computed = 0;
		return false;
	}
	leave_queue(s, rank);
	s->prefix_hits += q->computed > 0 && !q->moved;
	q->cached += q->moved ? 0 : q->computed;
	q->moved = 0;
	q->state = SS_SERVE_RUNNING;
	rank->running[rank->running_count++] = number;
	s->running.now += 1;
	put_in_batch(rank, q, tokens);
	*budget -= tokens;
	return true;
}

void rank_schedule(struct ss_serve *s, const struct pool *pool, struct rank *rank)
{
	int64_t budget = pool->engine.max_num_batched_tokens, before = rank->free;

	rank->group_count = 0;
	rank->scheduled = 0;
	if (!schedule_running(s, pool, rank, &budget))
		while (rank->first != NO_REQUEST && budget > 0 &&
		       rank->running_count < pool->engine.max_num_seqs)
			if (!admit_first(s, pool, rank, &budget))
				break;
	s->used.now += (double)(before - rank->free);
}

/* -- its end ----------------------------------------------------------------------------------- */

/** Tokens a decode brings: one, and the whole ones of its accepted drafts. */
static int64_t tokens_made(const struct ss_serve_engine *e, struct request *q)
{
	int64_t whole;

	if (!e->drafts || q->scheduled <= 1)
		return 1;
	q->carry += e->acceptance * (double)(q->scheduled - 1);
	whole = (int64_t)(q->carry + 1e-9);
	q->carry -= (double)whole;
	return 1 + whole;
}

static void count_tokens(struct ss_serve *s, struct request *q, int64_t tokens, double seen)
{
	q->known += smaller(tokens, q->prompt + q->output - q->known);
	if (q->first < 0)
		q->first = seen;
	else
		s->is_incomplete |= !samples_add(&s->itl, seen - q->last);
	q->last = seen;
}

void rank_finish(struct ss_serve *s, const struct pool *pool, struct rank *rank, bool is_decode)
{
	double seen = s->now + pool->engine.output_token_s;
	bool hands_on = s->pool_count > 1 && !is_decode;
	int64_t kept = 0, before = rank->free;

	for (int64_t i = 0; i < rank->running_count; i++) {
		int64_t number = rank->running[i];
		struct request *q = &s->requests[number];
		bool is_verify = q->known > q->prompt && q->known - q->computed == 1;
		bool is_whole = q->scheduled > 0 && q->computed + q->scheduled >= q->known;

		rank->running[kept++] = number;
		if (!q->scheduled)
			continue;
		q->computed = is_whole ? q->known : q->computed + q->scheduled;
		if (pool->engine.has_prefix_caching)
			share_prefix(pool, rank, q);
		if (!is_whole)
			continue;
		if (s->load.trace && q->known == q->prompt)
			leave_pieces(s, rank, q);
		if (hands_on) {
			kept--;
			release(pool, rank, q);
			s->running.now -= 1;
			serve_hand_on(s, number);
			continue;
		}
		count_tokens(s, q, is_verify ? tokens_made(&pool->engine, q) : 1, seen);
		/* accepted drafts are computed too */
		q->computed = q->known - 1;
		if (q->known < q->prompt + q->output)
			continue;
		kept--;
		release(pool, rank, q);
		s->running.now -= 1;
		q->end = seen + pool->engine.completion_s;
		serve_end(s, number);
	}
	rank->running_count = kept;
	s->used.now += (double)(before - rank->free);
}
