/* CUDA graphs: the mode that runs, and the sizes captured under it, in the engine's order. */
#include "resolve/capture.h"

#include <stdlib.h>
#include <string.h>

#include "price/integers.h"
#include "resolve/rules.h"

/* -- sizes ---------------------------------------------------------------------------------- */

static bool put_size(struct settings *s, int64_t size)
{
	if (s->size_count == s->size_capacity) {
		size_t wanted = s->size_capacity ? s->size_capacity * 2 : 128;
		int64_t *sizes = realloc(s->sizes, wanted * sizeof(*sizes));

		if (!sizes)
			return false;
		s->sizes = sizes;
		s->size_capacity = wanted;
	}
	s->sizes[s->size_count++] = size;
	return true;
}

static int compare_sizes(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/** Ascending, each once. */
static void sort_sizes(struct settings *s)
{
	size_t kept = 0, rising = 1;

	while (rising < s->size_count && s->sizes[rising - 1] <= s->sizes[rising])
		rising++;
	if (rising < s->size_count)
		qsort(s->sizes, s->size_count, sizeof(*s->sizes), compare_sizes);
	for (size_t i = 0; i < s->size_count; i++)
		if (kept == 0 || s->sizes[kept - 1] != s->sizes[i])
			s->sizes[kept++] = s->sizes[i];
	s->size_count = kept;
}

static int64_t largest(const struct settings *s)
{
	return s->size_count ? s->sizes[s->size_count - 1] : 0;
}

/** Sizes of a list that fit the token budget; true when some do not. */
static bool keep_fitting(struct settings *s, const int64_t *sizes, size_t count, int64_t unit)
{
	bool is_dropped = false;

	for (size_t i = 0; i < count; i++) {
		int64_t size = sizes[i] * unit;

		if (size > s->max_batched_tokens)
			is_dropped = true;
		else if (!put_size(s, size))
			break;
	}
	return is_dropped;
}

/** 1, 2, 4, every 8 below 256 and every 16 from it, and the budget itself where it is in reach. */
static void grid(struct settings *s, int64_t most)
{
	for (int64_t size = 1; size <= most; size = grid_next(size))
		if (!put_size(s, size))
			return;
	if (s->max_batched_tokens <= most)
		(void)put_size(s, s->max_batched_tokens);
}

/** The build's own sizes for this kind of drafts; NULL: it takes the grid. */
static const struct ss_capture_list *own_list(const struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *method = k->set.spec_tokens > 0 ? k->set.spec_method : "none";

	for (size_t i = 0; i < pack->capture_list_count; i++) {
		const struct ss_capture_list *list = &pack->capture_lists[i];

		if (strcmp(list->drafts, method) == 0 ||
		    (k->set.spec_tokens > 0 && strcmp(list->drafts, "any") == 0))
			return list;
	}
	return NULL;
}

static void put_own_list(struct settings *s, const struct ss_capture_list *list)
{
	int64_t unit = 1 + s->spec_tokens, most_requests = least(s->max_num_seqs, list->most);

	(void)keep_fitting(s, list->tokens, list->token_count, 1);
	for (size_t i = 0; i < list->request_count; i++)
		if (list->requests[i] <= most_requests)
			(void)keep_fitting(s, &list->requests[i], 1, unit);
	(void)keep_fitting(s, &most_requests, 1, unit);
}

/** With drafts a full graph of a decode holds whole verify steps only. */
static void round_to_drafts(struct ss_kernel *k)
{
	struct settings *s = &k->set;
	int64_t unit = 1 + s->spec_tokens, most = largest(s);
	size_t kept = 0;

	if (unit <= 1 || !s->size_count || !graph_mode_has_full_decode(s->graph_mode))
		return;
	for (size_t i = 0; i < s->size_count; i++) {
		int64_t rounded = divide_up(s->sizes[i], unit) * unit;

		if (rounded <= most)
			s->sizes[kept++] = rounded;
	}
	if (!kept && unit <= most)
		s->sizes[kept++] = unit;
	s->size_count = kept;
	sort_sizes(s);
	if (!s->size_count)
		refuse(k, "E15",
		       stated(k, SS_F_CAPTURE_SIZES)->is_stated ? SS_F_CAPTURE_SIZES
								: SS_F_MAX_CAPTURE,
		       "no size captured holds the %lld tokens of a decode with %lld drafts; the "
		       "largest is %lld",
		       (long long)unit, (long long)s->spec_tokens, (long long)most);
}

static int64_t default_maximum(const struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	int64_t ceiling = k->basis->in.part->nvfp4_tflops > 0 ? pack->capture_ceiling_blackwell
							      : pack->capture_ceiling;

	return least(k->set.max_num_seqs * (1 + k->set.spec_tokens) * 2, ceiling);
}

static void stated_sizes(struct ss_kernel *k, const struct ss_value *sizes, int64_t asked)
{
	struct settings *s = &k->set;

	if (keep_fitting(s, sizes->integers, sizes->count, 1))
		note_override(&k->notes, OVERRIDE_CAPTURE_SIZES, NOTE_TEXT(""), NOTE_TEXT(""),
			      WHY_BUDGET);
	sort_sizes(s);
	if (asked && asked != largest(s))
		refuse(k, "E15", SS_F_MAX_CAPTURE,
		       "max_cudagraph_capture_size %lld, and the largest of the "
		       "cudagraph_capture_sizes that run is %lld: stated together they must agree",
		       (long long)asked, (long long)largest(s));
}

static void settle_sizes(struct ss_kernel *k)
{
	const struct ss_value *sizes = stated(k, SS_F_CAPTURE_SIZES);
	int64_t asked = stated_count(k, SS_F_MAX_CAPTURE);
	const struct ss_capture_list *list = asked ? NULL : own_list(k);
	struct settings *s = &k->set;
	int64_t before;

	s->size_count = 0;
	s->ceiling = 0;
	if (s->graph_mode == GRAPH_MODE_NONE)
		return;
	if (sizes->is_stated)
		stated_sizes(k, sizes, asked);
	else if (list)
		put_own_list(s, list);
	else
		grid(s, least(asked ? asked : default_maximum(k), s->max_batched_tokens));
	sort_sizes(s);
	before = largest(s);
	round_to_drafts(k);
	s->ceiling = largest(s);
	if (sizes->is_stated)
		return;
	if (!asked)
		note_assumption(&k->notes, ASSUME_MAX_CAPTURE, NULL, NOTE_NUMBER(s->ceiling),
				list ? WHY_OWN_LIST : WHY_DEFAULT);
	else if (s->ceiling != asked)
		note_override(&k->notes, OVERRIDE_MAX_CAPTURE, NOTE_NUMBER(asked),
			      NOTE_NUMBER(s->ceiling),
			      asked > s->max_batched_tokens ? WHY_BUDGET
			      : s->ceiling != before        ? WHY_DRAFTS
							    : WHY_GRID);
}

/* -- mode ----------------------------------------------------------------------------------- */

void settle_graphs(struct ss_kernel *k)
{
	const struct ss_value *v = stated(k, SS_F_CUDAGRAPH_MODE);
	const struct settings *s = &k->set;
	enum note_reason why = WHY_DEFAULT;
	enum graph_mode mode = GRAPH_MODE_FULL_AND_PIECEWISE;

	if (v->is_stated)
		mode = rules_graph_mode(k, v->text);
	else
		note_assumption(&k->notes, ASSUME_CUDAGRAPH_MODE, NULL,
				NOTE_TEXT(graph_mode_name(mode)), WHY_DEFAULT);
	if (mode == GRAPH_MODE_COUNT)
		mode = GRAPH_MODE_FULL_AND_PIECEWISE;
	if (strcmp(s->all2all, "deepep_high_throughput") == 0 && k->layout.dp > 1)
		why = WHY_HIGH_THROUGHPUT;
	else if (k->basis->has_experts && k->layout.runs_dispatch && k->layout.is_routed &&
		 strcmp(s->all2all, "moonep") == 0)
		why = WHY_MOONEP;
	if (why != WHY_DEFAULT && mode != GRAPH_MODE_NONE) {
		note_override(&k->notes, OVERRIDE_CUDAGRAPH_MODE,
			      NOTE_TEXT(v->is_stated ? graph_mode_name(mode)
						     : "unstated (FULL_AND_PIECEWISE)"),
			      NOTE_TEXT("NONE"), why);
		mode = GRAPH_MODE_NONE;
	}
	k->set.graph_mode = mode;
	settle_sizes(k);
	if (k->basis->has_experts && k->layout.runs_dispatch && k->layout.is_routed &&
	    strcmp(s->all2all, "deepep_v2") == 0)
		note_assumption(
			&k->notes, ASSUME_DEEPEP_V2_MODE, NULL,
			NOTE_TEXT(mode == GRAPH_MODE_NONE ? "deepep_v2_eager" : "deepep_v2_graph"),
			WHY_DEFAULT);
}
