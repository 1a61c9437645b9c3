#include "resolve/fixes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Fixes offered for one refusal, and settings tried for one field. */
enum { FIXES_PER_REFUSAL = 3, TRIES_MAX = 200 };

struct search {
	const struct ss_basis *basis;
	struct ss_scenario *scenario; /**< a copy, changed for each try */
	size_t pool;
	unsigned corrections;
	struct ss_kernel *kernel;
	struct ss_problems *problems;
	size_t index; /**< of the refusal */
	int offered;
};

/** Other fields a rule reads, after the field at fault itself. */
struct also {
	const char *code;
	enum ss_field_id fields[3];
};

static const struct also others[] = {
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
	{ "D8", { SS_F_ALLREDUCE_BACKEND, SS_F_DISABLE_CUSTOM_ALL_REDUCE, SS_FIELD_COUNT } },
	{ "X1", { SS_F_NODES, SS_F_CLUSTER_NODES, SS_FIELD_COUNT } },
	{ "X2", { SS_F_DP_LOCAL, SS_FIELD_COUNT, SS_FIELD_COUNT } },
	{ "X3", { SS_F_TP, SS_F_DP, SS_F_PCP } },
	{ "X4", { SS_F_DP_LOCAL, SS_F_DP, SS_FIELD_COUNT } },
};

static bool works(struct search *s)
{
	return ss_kernel_renew(&s->kernel, s->basis, s->scenario, s->pool, s->corrections, NULL) ==
		       SS_OK &&
	       ss_kernel_has_price(s->kernel);
}

/** Try one value; offer it when everything then resolves. */
static void try_value(struct search *s, enum ss_field_id id, const char *text)
{
	struct ss_value *v = ss_scenario_value_mut(s->scenario, s->pool, id);
	struct ss_value kept = *v;

	if (s->offered >= FIXES_PER_REFUSAL)
		return;
	*v = (struct ss_value){ 0 };
	if (ss_value_parse(v, ss_field(id), text, NULL) == SS_OK && !ss_value_equal(v, &kept) &&
	    works(s)) {
		const struct ss_field *f = ss_field(id);
		char note[160];

		(void)snprintf(note, sizeof(note), "%s", *text ? "" : "leave it unstated");
		ss_problems_add_fix(s->problems, s->index, f->path, text, note);
		s->offered++;
	}
	ss_value_release(v);
	*v = kept;
}

static void try_integer(struct search *s, enum ss_field_id id, int64_t value)
{
	char text[32];

	if ((double)value < ss_field(id)->min || (double)value > ss_field(id)->max || value < 1)
		return;
	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	try_value(s, id, text);
}

/** Nearest first, lower before higher; blocks by 16, budgets from the other budget. */
static void try_integers(struct search *s, enum ss_field_id id)
{
	const struct ss_value *v = ss_scenario_value(s->scenario, s->pool, id);
	int64_t from = v->is_stated && !v->is_auto ? v->integer : 1;
	int64_t step = id == SS_F_BLOCK_SIZE ? 16 : 1;
	int64_t base = from / step * step;

	if (step > 1 && base != from)
		try_integer(s, id, base);
	for (int64_t d = 1; d <= TRIES_MAX && s->offered < FIXES_PER_REFUSAL - 1; d++) {
		try_integer(s, id, base - d * step);
		try_integer(s, id, base + d * step);
		/* far neighbours help nobody once one is found */
		if (s->offered > 0 && d > 16 && d > from)
			break;
	}
}

static void try_budget(struct search *s, enum ss_field_id id)
{
	const enum ss_field_id limits[] = { SS_F_MAX_NUM_SEQS, SS_F_MAX_BATCHED_TOKENS,
					    SS_F_MAX_MODEL_LEN };

	for (size_t i = 0; i < 3; i++) {
		const struct ss_value *v = ss_scenario_value(s->scenario, s->pool, limits[i]);

		if (limits[i] != id && v->is_stated && !v->is_auto)
			try_integer(s, id, v->integer);
	}
	try_value(s, id, "");
}

static void try_words(struct search *s, enum ss_field_id id, const char *words)
{
	char word[64];

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n < sizeof(word)) {
			memcpy(word, words, n);
			word[n] = '\0';
			try_value(s, id, word);
		}
		words += n;
		words += strspn(words, " ");
	}
}

static void try_list(struct search *s, enum ss_field_id id)
{
	const struct ss_field *f = ss_field(id);
	const struct ss_pack *pack = ss_basis_inputs(s->basis)->pack;

	try_value(s, id, "");
	if (f->choices)
		try_words(s, id, f->choices);
	if (f->list == SS_LIST_NONE)
		return;
	for (size_t i = 0; i < pack->lists[f->list].count; i++)
		try_value(s, id, pack->lists[f->list].items[i]);
}

static void try_field(struct search *s, enum ss_field_id id)
{
	switch (ss_field(id)->type) {
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
		if (ss_field(id)->section == SS_SECTION_BUDGETS)
			try_budget(s, id);
		else
			try_integers(s, id);
		break;
	case SS_TYPE_BOOL:
		try_value(s, id, "true");
		try_value(s, id, "false");
		break;
	case SS_TYPE_CHOICE:
	case SS_TYPE_TEXT:
		try_list(s, id);
		break;
	case SS_TYPE_FLOAT:
	case SS_TYPE_NAME:
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		try_value(s, id, "");
		break;
	}
}

static enum ss_field_id field_at(const struct search *s, const char *pointer)
{
	char own[160];

	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		ss_scenario_pointer(own, sizeof(own), s->pool, (enum ss_field_id)i);
		if (strcmp(own, pointer) == 0)
			return (enum ss_field_id)i;
	}
	return SS_FIELD_COUNT;
}

static void search_one(struct search *s, size_t index)
{
	enum ss_field_id field = field_at(s, s->problems->items[index].pointer);
	const char *code = s->problems->items[index].code;

	s->index = index;
	s->offered = (int)s->problems->items[index].fix_count;
	if (field != SS_FIELD_COUNT && field != SS_F_MODEL && field != SS_F_COEFFICIENTS)
		try_field(s, field);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		for (size_t j = 0; j < 3 && strcmp(others[i].code, code) == 0; j++)
			if (others[i].fields[j] != SS_FIELD_COUNT && others[i].fields[j] != field)
				try_field(s, others[i].fields[j]);
}

/** Fixes that came with a rule are kept only if they price. */
static void prune(struct search *s, size_t index)
{
	struct ss_problem *p = &s->problems->items[index];
	size_t kept = 0;

	for (size_t i = 0; i < p->fix_count; i++) {
		struct ss_fix fix = p->fixes[i];
		struct ss_scenario *whole = NULL;
		bool is_good = false;

		if (ss_scenario_clone(&whole, s->scenario) == SS_OK &&
		    ss_scenario_set(whole, s->pool, fix.path, fix.value, NULL) == SS_OK)
			is_good = ss_kernel_renew(&s->kernel, s->basis, whole, s->pool,
						  s->corrections, NULL) == SS_OK;
		ss_scenario_free(whole);
		if (is_good) {
			p->fixes[kept++] = fix;
			continue;
		}
		free(fix.path);
		free(fix.value);
		free(fix.note);
	}
	p->fix_count = kept;
}

void fixes_search(struct ss_problems *problems, size_t first, const struct ss_basis *basis,
		  const struct ss_scenario *scenario, size_t pool, unsigned corrections)
{
	struct search s = {
		.basis = basis, .pool = pool, .corrections = corrections, .problems = problems
	};

	if (ss_scenario_clone(&s.scenario, scenario) != SS_OK)
		return;
	for (size_t i = first; i < problems->count; i++) {
		if (problems->items[i].severity != SS_REFUSAL)
			continue;
		prune(&s, i);
		search_one(&s, i);
	}
	ss_kernel_free(s.kernel);
	ss_scenario_free(s.scenario);
}
