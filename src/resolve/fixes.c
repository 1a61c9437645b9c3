#include "resolve/fixes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/field_path.h"
#include "documents/nearest.h"
#include "resolve/cache_format.h"
#include "resolve/kernel_impl.h"
#include "resolve/more_gpus.h"

/** Fixes offered for one refusal; those of its own field leave room for another's. */
enum { FIXES_MOST = 3, OWN_MOST = 2 };
/** Neighbours of a number tried to each side, and settings tried for one refusal and for all. */
enum { NEIGHBOURS = 300, TRIES_EACH = 1500, TRIES_MOST = 3000 };
/** Settings changed together, first steps kept for it, and steps compared by their refusals. */
enum { BRIEF_STEPS = 2, SETTINGS_MOST = 8, STEPS_MOST = 4, COMPARED_MOST = 16 };

/** Distance of refusals that stop before the plan is made. */
enum { STAGE = 1000 };

struct setting {
	size_t pool;
	enum ss_field_id field;
	char text[512];
};

struct search {
	const struct ss_basis *basis;
	struct ss_scenario *scenario; /**< a copy, changed for each try */
	size_t pool;
	size_t at_fault; /**< pool the refusal stands in, which must price too */
	unsigned corrections;
	struct ss_kernel *kernel;
	struct ss_problems *problems;
	int tries, tries_most;
	struct setting taken[SETTINGS_MOST]; /**< changes the copy holds */
	size_t taken_count;
};

/** Looking for ways out of one refusal. */
struct hunt {
	struct search *s;
	const char *code, *pointer; /**< of the refusal */
	int from;                   /**< distance before any change */
	int compared;
	struct setting steps[STEPS_MOST]; /**< nearer to a price, or past this refusal */
	size_t step_count;
	bool keeps_steps;
	bool is_brief; /**< several refusals stand: steps that lead on are enough */
	int found, found_most;
	size_t index; /**< problem that is offered what works */
};

/** Other fields a rule reads, after the field at fault itself. */
struct also {
	const char *code;
	enum ss_field_id fields[3];
};

static const struct also others[] = {
	{ "missing", { SS_F_CLUSTER_NODES, SS_F_NODES, SS_FIELD_COUNT } },
	{ "C1", { SS_F_QUANTIZATION, SS_F_ENGRAM_CPU_OFFLOAD, SS_FIELD_COUNT } },
	{ "C2", { SS_F_TP, SS_F_DP, SS_F_EXPERT_PARALLEL } },
	{ "C3", { SS_F_CUDAGRAPH_MODE, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "P4", { SS_F_QUANTIZATION, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "E14", { SS_F_CACHE_DTYPE, SS_F_SM70, SS_FIELD_COUNT } },
	{ "E16", { SS_F_ATTENTION_BACKEND, SS_F_QUANTIZATION, SS_F_TP } },
	{ "E15", { SS_F_CAPTURE_SIZES, SS_F_MAX_CAPTURE, SS_F_SPEC_TOKENS } },
	{ "E11", { SS_F_EXPERT_PARALLEL, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "E7", { SS_F_CACHE_DTYPE, SS_F_TP, SS_F_DCP } },
	{ "E6", { SS_F_DCP, SS_F_TP, SS_F_HYBRID_KV_MANAGER } },
	{ "E10", { SS_F_MAX_NUM_SEQS, SS_F_CHUNKED_PREFILL, SS_FIELD_COUNT } },
	{ "E9", { SS_F_TP, SS_F_DP, SS_F_ENABLE_EPLB } },
	{ "E5", { SS_F_CP_INTERLEAVE, SS_F_DCP, SS_FIELD_COUNT } },
	{ "E4", { SS_F_DCP_COMM_BACKEND, SS_F_PCP, SS_F_DCP } },
	{ "E3", { SS_F_DCP, SS_F_PCP, SS_FIELD_COUNT } },
	{ "P2", { SS_F_DCP_Q_REPLICATE, SS_F_DCP, SS_FIELD_COUNT } },
	{ "D1", { SS_F_DCP, SS_F_TP, SS_FIELD_COUNT } },
	{ "D2", { SS_F_DCP, SS_F_PCP, SS_FIELD_COUNT } },
	{ "D6", { SS_F_ROLE, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "D7", { SS_F_PD_CONNECTOR, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "D8", { SS_F_ALLREDUCE_BACKEND, SS_F_DISABLE_CUSTOM_ALL_REDUCE, SS_FIELD_COUNT } },
	{ "X1", { SS_F_NODES, SS_F_CLUSTER_NODES, SS_FIELD_COUNT } },
	{ "X2", { SS_F_DP_LOCAL, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "X3", { SS_F_TP, SS_F_DP, SS_F_PCP } },
	{ "X4", { SS_F_DP_LOCAL, SS_F_DP, SS_FIELD_COUNT } },
};

/* -- trying ------------------------------------------------------------------------------- */

static int resolve_pool_of(struct search *s, size_t pool, struct ss_problems *problems)
{
	enum ss_status rc =
		ss_kernel_renew(&s->kernel, s->basis, s->scenario, pool, s->corrections, problems);
	const struct ss_kernel *k = s->kernel;
	int refusals;

	s->tries++;
	if (rc == SS_OK && k->has_price)
		return 0;
	refusals = k && k->refusals < STAGE / 2 ? (int)k->refusals + !k->has_price : STAGE / 2;
	/* settings are checked before caches, plan and memory: what stops there is farther */
	return k && k->plan.layer_count ? refusals : STAGE + refusals;
}

/** How far the copy is from a price: 0 is priced, and less is nearer. */
static int resolve(struct search *s, struct ss_problems *problems)
{
	int distance = resolve_pool_of(s, s->pool, problems);

	if (distance == 0 && s->at_fault != s->pool)
		distance = resolve_pool_of(s, s->at_fault, problems);
	return distance;
}

/** Does the same refusal still stand? */
static bool stands(struct hunt *h)
{
	struct ss_problems list = { 0 };
	bool is_there = false;

	(void)resolve(h->s, &list);
	for (size_t i = 0; i < list.count; i++)
		is_there |= strcmp(list.items[i].code, h->code) == 0 &&
			    strcmp(list.items[i].pointer, h->pointer) == 0;
	ss_problems_release(&list);
	return is_there;
}

/** Set a field of the copy; what it held goes to `kept`. False: not a value of the field. */
static bool put(struct search *s, const struct setting *c, struct ss_value *kept)
{
	struct ss_value *v = ss_scenario_value_mut(s->scenario, c->pool, c->field);
	struct ss_value tried = { 0 };

	if (ss_value_parse(&tried, ss_field(c->field), c->text, NULL) != SS_OK ||
	    ss_value_equal(&tried, v) || (!tried.is_stated && ss_field(c->field)->is_required)) {
		ss_value_release(&tried);
		return false;
	}
	*kept = *v;
	*v = tried;
	return true;
}

static void put_back(struct search *s, const struct setting *c, struct ss_value *kept)
{
	struct ss_value *v = ss_scenario_value_mut(s->scenario, c->pool, c->field);

	ss_value_release(v);
	*v = *kept;
}

/** The path `--set` takes, with the pool where there are several. */
static void path_of(const struct search *s, const struct setting *c, char *out, size_t size)
{
	const struct ss_field *f = ss_field(c->field);

	if (f->owner == SS_OWNER_POOL && s->scenario->pool_count > 1)
		(void)snprintf(out, size, "pools[%zu].%s", c->pool, f->path);
	else
		(void)snprintf(out, size, "%s%s", ss_field_prefix(f->owner), f->path);
}

/** The same, short: the tail alone where it names the field. */
static void label_of(const struct search *s, const struct setting *c, char *out, size_t size)
{
	const char *path = ss_field(c->field)->path, *tail = strrchr(path, '.');

	if (!tail || s->scenario->pool_count > 1 || ss_field_find(tail + 1, NULL) != c->field)
		path_of(s, c, out, size);
	else
		(void)snprintf(out, size, "%s", tail + 1);
}

static bool is_offered(const struct ss_problem *p, const char *path, const char *value)
{
	for (size_t i = 0; i < p->fix_count; i++)
		if (strcmp(p->fixes[i].path, path) == 0 && strcmp(p->fixes[i].value, value) == 0)
			return true;
	return false;
}

/** Offer what the copy holds: the first change, and the others with it. */
static void offer(struct search *s, size_t index)
{
	char path[160], note[600] = "";
	size_t used = 0;

	if (s->taken_count == 1 && !*s->taken[0].text)
		(void)snprintf(note, sizeof(note), "leave it unstated");
	for (size_t i = 1; i < s->taken_count && used < sizeof(note); i++) {
		const struct setting *c = &s->taken[i];
		int n;

		label_of(s, c, path, sizeof(path));
		n = snprintf(note + used, sizeof(note) - used, "%s%s = %s", i > 1 ? ", " : "with ",
			     path, *c->text ? c->text : "unstated");
		used += n > 0 ? (size_t)n : 0;
	}
	path_of(s, &s->taken[0], path, sizeof(path));
	if (is_offered(&s->problems->items[index], path, s->taken[0].text))
		return;
	ss_problems_add_fix(s->problems, index, path, s->taken[0].text, note);
	for (size_t i = 1; i < s->taken_count; i++) {
		path_of(s, &s->taken[i], path, sizeof(path));
		ss_problems_extend_fix(s->problems, index, path, s->taken[i].text);
	}
}

/** Try one value. True: enough is found. */
static bool try_text(struct hunt *h, size_t pool, enum ss_field_id field, const char *text)
{
	struct search *s = h->s;
	struct setting c = { .pool = pool, .field = field };
	struct ss_value kept;
	int d;

	if (h->found >= h->found_most || s->tries >= s->tries_most ||
	    (h->is_brief && h->step_count >= BRIEF_STEPS))
		return true;
	for (size_t i = 0; i < s->taken_count; i++)
		if (s->taken[i].field == field && s->taken[i].pool == pool)
			return false;
	if (strlen(text) >= sizeof(c.text))
		return false;
	memcpy(c.text, text, strlen(text) + 1);
	if (!put(s, &c, &kept))
		return false;
	d = resolve(s, NULL);
	if (d == 0) {
		s->taken[s->taken_count++] = c;
		offer(s, h->index);
		s->taken_count--;
		h->found++;
	} else if (h->keeps_steps && h->step_count < STEPS_MOST &&
		   (d < h->from || (d == h->from && h->compared++ < COMPARED_MOST && !stands(h)))) {
		h->steps[h->step_count++] = c;
	}
	put_back(s, &c, &kept);
	return h->found >= h->found_most;
}

/* -- what to try for a field, nearest first ------------------------------------------------- */

static bool try_integer(struct hunt *h, size_t pool, enum ss_field_id id, int64_t value)
{
	char text[32];

	if ((double)value < ss_field(id)->min || (double)value > ss_field(id)->max || value < 1)
		return false;
	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	return try_text(h, pool, id, text);
}

static int64_t count_of(const struct search *s, size_t pool, enum ss_field_id id)
{
	const struct ss_value *v = ss_scenario_value(s->scenario, pool, id);

	return v->is_stated && !v->is_auto ? v->integer : 0;
}

/** No value above this can do; 0: no such bound. */
static int64_t bound_of(const struct search *s, size_t pool, enum ss_field_id id)
{
	if (ss_field(id)->section == SS_SECTION_PARALLEL)
		return count_of(s, pool, SS_F_NODES) * count_of(s, 0, SS_F_GPUS_PER_NODE);
	if (id == SS_F_CP_INTERLEAVE && s->kernel)
		return s->kernel->set.block_size;
	return 0;
}

/** Nearest first, lower before higher; blocks by 16. */
static bool try_integers(struct hunt *h, size_t pool, enum ss_field_id id)
{
	const struct ss_value *v = ss_scenario_value(h->s->scenario, pool, id);
	int64_t step = id == SS_F_BLOCK_SIZE ? 16 : 1;
	int64_t from = v->is_stated && !v->is_auto ? v->integer : 1;
	int64_t bound = bound_of(h->s, pool, id);
	int64_t base = bound > 0 && from > bound ? bound : from / step * step;
	int found = h->found;

	if ((!v->is_stated || base != from) && try_integer(h, pool, id, base))
		return true;
	for (int64_t d = 1; d <= NEIGHBOURS; d++) {
		if (try_integer(h, pool, id, base - d * step))
			return true;
		if ((!bound || base + d * step <= bound) &&
		    try_integer(h, pool, id, base + d * step))
			return true;
		/* far neighbours help nobody once one is found */
		if (h->found - found >= OWN_MOST || (h->found > found && d > 16 && d > from))
			return false;
	}
	return h->found == found && try_integer(h, pool, id, 1);
}

/** A budget is set by what it must hold. */
static bool try_budget(struct hunt *h, size_t pool, enum ss_field_id id)
{
	const struct settings *set = h->s->kernel ? &h->s->kernel->set : NULL;
	const enum ss_field_id limits[] = { SS_F_MAX_NUM_SEQS, SS_F_MAX_BATCHED_TOKENS,
					    SS_F_MAX_MODEL_LEN };
	int64_t values[3] = { 0 }, from = count_of(h->s, pool, id);
	int found = h->found;

	for (size_t i = 0; i < 3; i++)
		values[i] = limits[i] == id ? 0 : count_of(h->s, pool, limits[i]);
	if (set && !values[2] && id != SS_F_MAX_MODEL_LEN)
		values[2] = set->max_model_len;
	for (size_t n = 0; n < 3 && h->found == found; n++) {
		size_t nearest = 0;

		for (size_t i = 1; i < 3; i++)
			if (values[i] > 0 &&
			    (values[nearest] <= 0 ||
			     llabs(values[i] - from) < llabs(values[nearest] - from)))
				nearest = i;
		if (values[nearest] > 0 && try_integer(h, pool, id, values[nearest]))
			return true;
		values[nearest] = 0;
	}
	return try_text(h, pool, id, "");
}

static bool try_words(struct hunt *h, size_t pool, enum ss_field_id id, const char *words)
{
	char word[64];

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n < sizeof(word)) {
			memcpy(word, words, n);
			word[n] = '\0';
			if (try_text(h, pool, id, word))
				return true;
		}
		words += n;
		words += strspn(words, " ");
	}
	return false;
}

/** Names like the one stated, then leaving it out, then the rest in the pack's order. */
static bool try_list(struct hunt *h, size_t pool, enum ss_field_id id)
{
	const struct ss_field *f = ss_field(id);
	const struct ss_pack *pack = ss_basis_inputs(h->s->basis)->pack;
	const struct ss_list *list = f->list == SS_LIST_NONE ? NULL : &pack->lists[f->list];
	const struct ss_value *v = ss_scenario_value(h->s->scenario, pool, id);
	char stated[64] = "";
	int found = h->found;

	if (v->is_stated && strlen(v->text) < sizeof(stated))
		memcpy(stated, v->text, strlen(v->text) + 1);
	for (unsigned d = 1; list && *stated && d <= edit_limit(stated); d++)
		for (size_t i = 0; i < list->count; i++)
			if (ss_edit_distance(stated, list->items[i]) == d &&
			    try_text(h, pool, id, list->items[i]))
				return true;
	/* a cache that is not served was asked to be narrow */
	for (size_t i = 0; list && id == SS_F_CACHE_DTYPE && i < list->count; i++) {
		const struct cache_format *format = cache_format_find(list->items[i]);

		if (format && format->class == CACHE_PLAIN && format->bytes <= 1 &&
		    h->found == found && try_text(h, pool, id, list->items[i]))
			return true;
	}
	if (try_text(h, pool, id, ""))
		return true;
	if (f->choices && try_words(h, pool, id, f->choices))
		return true;
	for (size_t i = 0; list && i < list->count; i++)
		if (h->found - found >= OWN_MOST ||
		    (strcmp(list->items[i], "auto") != 0 && try_text(h, pool, id, list->items[i])))
			break;
	return h->found >= h->found_most;
}

static bool try_field(struct hunt *h, size_t pool, enum ss_field_id id)
{
	switch (ss_field(id)->type) {
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
		if (ss_field(id)->section == SS_SECTION_BUDGETS)
			return try_budget(h, pool, id);
		return try_integers(h, pool, id);
	case SS_TYPE_BOOL:
		return try_text(h, pool, id, "true") || try_text(h, pool, id, "false") ||
		       try_text(h, pool, id, "");
	case SS_TYPE_CHOICE:
	case SS_TYPE_TEXT:
		return try_list(h, pool, id);
	case SS_TYPE_FLOAT:
	case SS_TYPE_NAME:
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		break;
	}
	return try_text(h, pool, id, "");
}

/* -- one refusal ------------------------------------------------------------------------------ */

static enum ss_field_id field_at(const struct search *s, const char *pointer, size_t *pool)
{
	char own[160];

	for (size_t p = 0; p < s->scenario->pool_count; p++)
		for (int i = 0; i < SS_FIELD_COUNT; i++) {
			ss_scenario_pointer(own, sizeof(own), p, (enum ss_field_id)i);
			if (strcmp(own, pointer) == 0) {
				*pool = ss_field((enum ss_field_id)i)->owner == SS_OWNER_POOL
						? p
						: s->pool;
				return (enum ss_field_id)i;
			}
		}
	*pool = SIZE_MAX;
	return SS_FIELD_COUNT;
}

/** Try one entry of a map, as the rule offers it. True: enough is found. */
static bool try_entry(struct hunt *h, enum ss_field_id id, const struct ss_fix *fix)
{
	struct search *s = h->s;
	struct ss_value *v = ss_scenario_value_mut(s->scenario, s->pool, id);
	struct ss_value kept = { 0 };

	/* beside other changes the entry could not be told of */
	if (s->taken_count || s->tries >= s->tries_most || ss_value_copy(&kept, v))
		return false;
	if (ss_scenario_set(s->scenario, s->pool, fix->path, fix->value, NULL) == SS_OK &&
	    resolve(s, NULL) == 0) {
		ss_problems_add_fix(s->problems, h->index, fix->path, fix->value, fix->note);
		h->found++;
	}
	ss_value_release(v);
	*v = kept;
	return h->found >= h->found_most;
}

/** Fixes that came with the rule. */
static bool try_given(struct hunt *h, const struct ss_fix *fixes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct field_path place;
		enum ss_field_id id = field_locate(fixes[i].path, &place, NULL);

		if (id == SS_FIELD_COUNT)
			continue;
		if (place.key ? try_entry(h, id, &fixes[i])
			      : try_text(h, place.pool == SIZE_MAX ? h->s->pool : place.pool, id,
					 fixes[i].value))
			return true;
	}
	return false;
}

static bool try_others(struct hunt *h, size_t pool, enum ss_field_id own)
{
	size_t pools = h->s->scenario->pool_count;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		for (size_t j = 0; j < 3 && strcmp(others[i].code, h->code) == 0; j++) {
			enum ss_field_id id = others[i].fields[j];
			size_t first = pool == SIZE_MAX ? 0 : pool;

			if (id == SS_FIELD_COUNT || id == own)
				continue;
			for (size_t p = first; p < (pool == SIZE_MAX ? pools : first + 1); p++)
				if (try_field(h, p, id))
					return true;
		}
	return false;
}

/** Take settings together, the first of them told first. True: enough is found. */
static bool try_together(struct hunt *h, size_t pool, const struct more_gpus *more, int from)
{
	struct search *s = h->s;
	struct setting c = { .pool = pool, .field = more->fields[from] };
	struct ss_value kept;
	bool is_done;

	if (from + 1 == more->count)
		return try_integer(h, pool, c.field, more->values[from]);
	(void)snprintf(c.text, sizeof(c.text), "%lld", (long long)more->values[from]);
	if (s->taken_count + 2 > SETTINGS_MOST || !put(s, &c, &kept))
		return false;
	s->taken[s->taken_count++] = c;
	is_done = try_together(h, pool, more, from + 1);
	s->taken_count--;
	put_back(s, &c, &kept);
	return is_done;
}

/** The GPUs that the widths ask for. True: enough is found. */
static bool try_more_gpus(struct hunt *h, size_t pool)
{
	const struct ss_scenario *scenario = h->s->scenario;
	struct more_gpus more;

	more_gpus_for(scenario, pool,
		      more_gpus_needed(scenario, pool, count_of(h->s, pool, SS_F_TP)), &more);
	return more.count && try_together(h, pool, &more, 0);
}

static void hunt(struct hunt *h, const struct ss_fix *given, size_t given_count)
{
	size_t pool;
	enum ss_field_id field = field_at(h->s, h->pointer, &pool);

	if (try_given(h, given, given_count))
		return;
	if (strcmp(h->code, "X3") == 0 && pool != SIZE_MAX && try_more_gpus(h, pool))
		return;
	if (field != SS_FIELD_COUNT && field != SS_F_MODEL && field != SS_F_COEFFICIENTS &&
	    try_field(h, pool, field))
		return;
	(void)try_others(h, pool, field);
}

/* -- several settings at once --------------------------------------------------------------------
 */

static bool complete(struct search *s, size_t index);

/** Take one step and go on from there; what then works is offered. */
static bool follow(struct search *s, const struct setting *step, size_t index)
{
	struct ss_value kept;
	bool is_done;

	if (!put(s, step, &kept))
		return false;
	s->taken[s->taken_count++] = *step;
	is_done = complete(s, index);
	s->taken_count--;
	put_back(s, step, &kept);
	return is_done;
}

static const struct ss_problem *first_refusal(const struct ss_problems *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].severity == SS_REFUSAL)
			return &list->items[i];
	return NULL;
}

/** The copy is still refused: find the change that ends it, or one that leads on. */
static bool complete(struct search *s, size_t index)
{
	struct ss_problems list = { 0 };
	struct hunt h = { .s = s, .found_most = 1, .index = index };
	const struct ss_problem *p;
	bool is_done;

	h.from = resolve(s, &list);
	h.keeps_steps = s->taken_count + 1 < SETTINGS_MOST;
	h.is_brief = h.keeps_steps && h.from % STAGE > 1;
	p = first_refusal(&list);
	if (p) {
		h.code = p->code;
		h.pointer = p->pointer;
		hunt(&h, p->fixes, p->fix_count);
	}
	is_done = h.found > 0;
	for (size_t i = 0; i < h.step_count && !is_done; i++)
		is_done = follow(s, &h.steps[i], index);
	ss_problems_release(&list);
	return is_done;
}

/* -- all refusals
 * ----------------------------------------------------------------------------------- */

static void search_one(struct search *s, size_t index)
{
	struct ss_problem *p = &s->problems->items[index];
	struct ss_problem given = { .fixes = p->fixes, .fix_count = p->fix_count };
	struct hunt h = { .s = s,
			  .code = p->code,
			  .pointer = p->pointer,
			  .keeps_steps = true,
			  .found_most = FIXES_MOST,
			  .index = index };
	int offered = 0;
	size_t pool;

	(void)field_at(s, p->pointer, &pool);
	s->at_fault = pool == SIZE_MAX ? s->pool : pool;
	h.from = resolve(s, NULL);
	/* those that came with the rule are tried first, and offered only if they do */
	p->fixes = NULL;
	p->fix_count = 0;
	s->tries_most = s->tries + TRIES_EACH < TRIES_MOST ? s->tries + TRIES_EACH : TRIES_MOST;
	hunt(&h, given.fixes, given.fix_count);
	for (size_t i = 0; i < h.step_count && !h.found && offered < OWN_MOST; i++)
		offered += follow(s, &h.steps[i], index);
	ss_problem_drop_fixes(&given);
}

/** A way out of one refusal is a way out of all: one that has none takes another's. */
static void share(struct ss_problems *problems, size_t first)
{
	const struct ss_fix *fix = NULL;

	for (size_t i = first; i < problems->count && !fix; i++)
		if (problems->items[i].severity == SS_REFUSAL && problems->items[i].fix_count)
			fix = problems->items[i].fixes;
	for (size_t i = first; fix && i < problems->count; i++) {
		if (problems->items[i].severity != SS_REFUSAL || problems->items[i].fix_count)
			continue;
		ss_problems_add_fix(problems, i, fix->path, fix->value, fix->note);
		for (const struct ss_fix *also = fix->also; also; also = also->also)
			ss_problems_extend_fix(problems, i, also->path, also->value);
	}
}

void fixes_search(struct ss_problems *problems, size_t first, const struct ss_basis *basis,
		  const struct ss_scenario *scenario, size_t pool, unsigned corrections)
{
	struct search s = {
		.basis = basis, .pool = pool, .corrections = corrections, .problems = problems
	};

	if (ss_scenario_clone(&s.scenario, scenario) != SS_OK)
		return;
	for (size_t i = first; i < problems->count; i++)
		if (problems->items[i].severity == SS_REFUSAL)
			search_one(&s, i);
	share(problems, first);
	ss_kernel_free(s.kernel);
	ss_scenario_free(s.scenario);
}
