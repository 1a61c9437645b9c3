#include "stepscope/coefficients.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ENTRIES_MAX = 100000, SCOPE_MAX = 1000, SOURCES_MAX = 1000 };

struct set_document {
	struct ss_coefficient_set set;
	struct arena arena;
};

static bool lists_text(char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(list[i], text) == 0)
			return true;
	return false;
}

bool ss_scope_has_hardware(const struct ss_scope *scope, const char *part)
{
	return !scope->hardware_count || lists_text(scope->hardware, scope->hardware_count, part);
}

bool ss_scope_has_model(const struct ss_scope *scope, const char *model)
{
	return !scope->model_count || lists_text(scope->model, scope->model_count, model);
}

static void read_scope(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_scope *scope)
{
	enum { HARDWARE, MODEL, TP, EP, NODES, DIMENSIONS };
	static const struct key keys[] = {
		[HARDWARE] = { "hardware", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[MODEL] = { "model", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[TP] = { "tp", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[EP] = { "ep", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[NODES] = { "nodes_spanned", KEY_LIST, false, 0, 0, 0, NULL, NULL },
	};
	const cJSON *found[DIMENSIONS];
	struct place dimension[DIMENSIONS];

	if (!read_object(r, at, item, keys, COUNT(keys), NULL, found))
		return;
	for (size_t i = 0; i < DIMENSIONS; i++) {
		dimension[i] = (struct place){ at, keys[i].name, 0 };
		if (found[i] && !found[i]->child)
			report(r, SS_ERROR, &dimension[i], "range",
			       "empty; a dimension lists one value at least, or is left out");
	}
	if (!item->child)
		report(r, SS_ERROR, at, "range", "empty; a scope states one dimension at least");
	read_texts(r, &dimension[HARDWARE], found[HARDWARE], SCOPE_MAX, &scope->hardware,
		   &scope->hardware_count);
	read_texts(r, &dimension[MODEL], found[MODEL], SCOPE_MAX, &scope->model,
		   &scope->model_count);
	read_ints(r, &dimension[TP], found[TP], SCOPE_MAX, 1, WIDTH_MAX, &scope->tp,
		  &scope->tp_count);
	read_ints(r, &dimension[EP], found[EP], SCOPE_MAX, 1, WIDTH_MAX, &scope->ep,
		  &scope->ep_count);
	read_ints(r, &dimension[NODES], found[NODES], SCOPE_MAX, 1, WIDTH_MAX,
		  &scope->nodes_spanned, &scope->nodes_spanned_count);
}

static void read_sources(struct reader *r, const struct place *at, const cJSON *list,
			 struct ss_coefficient *entry)
{
	static const struct key keys[] = {
		{ "kind", KEY_TEXT, true, offsetof(struct ss_source, kind), 0, 0, NULL, NULL },
		{ "cite", KEY_NAME, true, offsetof(struct ss_source, cite), 0, 0, NULL, NULL },
		{ "role", KEY_TEXT, true, offsetof(struct ss_source, role), 0, 0, NULL, NULL },
	};
	size_t size = read_list_size(r, at, list, SOURCES_MAX), i = 0;

	if (list && !list->child)
		report(r, SS_ERROR, at, "range", "empty; leave it out or name one source at least");
	entry->sources = size ? arena_array(r->arena, size, sizeof(*entry->sources)) : NULL;
	if (!entry->sources)
		return;
	entry->source_count = size;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };
		struct place kind = { &place, "kind", 0 }, role = { &place, "role", 0 };
		const cJSON *found[COUNT(keys)];
		int word;

		if (!read_object(r, &place, item, keys, COUNT(keys), &entry->sources[i], found))
			continue;
		if (found[0])
			(void)read_word(r, &kind, found[0], &source_kind_words, NULL, &word);
		if (found[2])
			(void)read_word(r, &role, found[2], &source_role_words, NULL, &word);
	}
}

static void read_interval(struct reader *r, const struct place *at, const cJSON *list,
			  struct ss_coefficient *entry)
{
	size_t count = read_list_size(r, at, list, 2), i = 0;

	if (count != 2) {
		report(r, SS_ERROR, at, "type", "wants [low, high]");
		return;
	}
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };

		if (!read_number(r, &place, item, -1e300, 1e300, NULL, &entry->ci95[i]))
			return;
	}
	entry->has_ci95 = true;
	if (entry->ci95[0] > entry->value || entry->ci95[1] < entry->value)
		report(r, SS_ERROR, at, "range",
		       "[%.15g, %.15g] must run upwards and hold the value, %.15g", entry->ci95[0],
		       entry->ci95[1], entry->value);
}

/* What each method must bring with it. */
static void check_method(struct reader *r, const struct place *at, const struct ss_coefficient *e,
			 bool has_value)
{
	struct place value = { at, "value", 0 }, rationale = { at, "rationale", 0 };
	struct place sources = { at, "sources", 0 }, copied = { at, "copied_from", 0 };
	struct place fitted = { at, "fitted", 0 };
	const char *method = ss_method_name(e->method);
	bool is_charged = e->method != SS_METHOD_NOT_CHARGED;

	if (is_charged && !has_value)
		report(r, SS_ERROR, &value, "missing", "missing; it must be stated for %s", method);
	else if (is_charged != (e->value < 0 || e->value > 0))
		report(r, SS_ERROR, &value, "range",
		       "found %.15g, must be 0 for not_charged and for "
		       "nothing else",
		       e->value);
	if (e->is_fitted && e->method != SS_METHOD_MEASURED)
		report(r, SS_ERROR, &fitted, "range", "true, but only a measured value is fitted");
	if (e->method != SS_METHOD_MEASURED && !e->rationale[0])
		report(r, SS_ERROR, &rationale, "missing", "missing; %s needs one", method);
	if ((e->method == SS_METHOD_LITERATURE || e->method == SS_METHOD_VENDOR_SPEC) &&
	    !e->source_count)
		report(r, SS_ERROR, &sources, "missing", "missing; %s needs one source at least",
		       method);
	if (e->method == SS_METHOD_COPIED && !e->copied_from[0])
		report(r, SS_ERROR, &copied, "missing", "missing; copied needs to say from where");
}

static void read_entry(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_coefficient *e)
{
	enum {
		NAME,
		VALUE,
		UNITS,
		METHOD,
		FITTED,
		SCOPE,
		CI95,
		COPIED,
		SOURCES,
		RATIONALE,
		SUPERSEDES,
		REMAINDER,
		VALIDATED,
		UNSUPPORTED
	};
	/* clang-format off */
#define ENTRY(member) offsetof(struct ss_coefficient, member)
	static const struct key keys[] = {
		[NAME] = { "name", KEY_NAME, true, ENTRY(name), 0, 0, NULL, NULL },
		[VALUE] = { "value", KEY_NUMBER, false, ENTRY(value), 0, SS_COEFFICIENT_MOST, NULL, NULL },
		[UNITS] = { "units", KEY_WORD, true, ENTRY(units), 0, 0, &unit_words, NULL },
		[METHOD] = { "method", KEY_WORD, true, ENTRY(method), 0, 0, &method_words, NULL },
		[FITTED] = { "fitted", KEY_BOOL, true, ENTRY(is_fitted), 0, 0, NULL, NULL },
		[SCOPE] = { "scope", KEY_OBJECT, true, 0, 0, 0, NULL, NULL },
		[CI95] = { "ci95", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[COPIED] = { "copied_from", KEY_TEXT, false, ENTRY(copied_from), 0, 0, NULL, NULL },
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[RATIONALE] = { "rationale", KEY_TEXT, false, ENTRY(rationale), 0, 0, NULL, NULL },
		[SUPERSEDES] = { "supersedes", KEY_TEXT, false, ENTRY(supersedes), 0, 0, NULL, NULL },
		[REMAINDER] = { "remainder", KEY_BOOL, false, ENTRY(is_remainder), 0, 0, NULL, NULL },
		[VALIDATED] = { "validated", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		[UNSUPPORTED] = { "unsupported", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place scope = { at, "scope", 0 }, ci95 = { at, "ci95", 0 };
	struct place sources = { at, "sources", 0 };

	if (!read_object(r, at, item, keys, COUNT(keys), e, found))
		return;
	if (found[SCOPE])
		read_scope(r, &scope, found[SCOPE], &e->scope);
	if (found[SOURCES])
		read_sources(r, &sources, found[SOURCES], e);
	if (found[CI95])
		read_interval(r, &ci95, found[CI95], e);
	if (found[METHOD])
		check_method(r, at, e, found[VALUE] != NULL);
}

/* FNV-1a, case-blind as scopes compare. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		hash ^= c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
		hash *= 1099511628211u;
	}
	return hash;
}

static uint64_t hash_ints(const int64_t *list, size_t count, uint64_t salt)
{
	uint64_t sum = salt;

	for (size_t i = 0; i < count; i++)
		sum += ((uint64_t)list[i] + salt) * 0x9e3779b97f4a7c15u;
	return sum * salt;
}

/* Sums, so that the order of a dimension's values does not matter. */
static uint64_t hash_identity(const struct ss_coefficient *e)
{
	const struct ss_scope *s = &e->scope;
	uint64_t hash = hash_text(e->name);

	for (size_t i = 0; i < s->hardware_count; i++)
		hash += hash_text(s->hardware[i]) * 3;
	for (size_t i = 0; i < s->model_count; i++)
		hash += hash_text(s->model[i]) * 5;
	return hash + hash_ints(s->tp, s->tp_count, 7) + hash_ints(s->ep, s->ep_count, 11) +
	       hash_ints(s->nodes_spanned, s->nodes_spanned_count, 13);
}

static bool same_texts(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (!lists_text(b, b_count, a[i]) || !lists_text(a, a_count, b[i]))
			return false;
	return true;
}

static bool lists_int(const int64_t *list, size_t count, int64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool same_ints(const int64_t *a, size_t a_count, const int64_t *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (!lists_int(b, b_count, a[i]) || !lists_int(a, a_count, b[i]))
			return false;
	return true;
}

static bool same_identity(const struct ss_coefficient *a, const struct ss_coefficient *b)
{
	const struct ss_scope *s = &a->scope, *t = &b->scope;

	return strcmp(a->name, b->name) == 0 &&
	       same_texts(s->hardware, s->hardware_count, t->hardware, t->hardware_count) &&
	       same_texts(s->model, s->model_count, t->model, t->model_count) &&
	       same_ints(s->tp, s->tp_count, t->tp, t->tp_count) &&
	       same_ints(s->ep, s->ep_count, t->ep, t->ep_count) &&
	       same_ints(s->nodes_spanned, s->nodes_spanned_count, t->nodes_spanned,
			 t->nodes_spanned_count);
}

static void check_repeats(struct reader *r, const struct place *at,
			  const struct ss_coefficient_set *set)
{
	size_t size = 16;
	unsigned *slots; /* index + 1 of an entry, 0 when free */

	while (size < set->count * 2)
		size *= 2;
	slots = arena_array(r->arena, size, sizeof(*slots));
	if (!slots)
		return;
	for (size_t i = 0; i < set->count; i++) {
		uint64_t hash = hash_identity(&set->entries[i]);
		size_t slot = (size_t)(hash ^ hash >> 29) & (size - 1);
		struct place place = { at, NULL, i };

		while (slots[slot] &&
		       !same_identity(&set->entries[i], &set->entries[slots[slot] - 1]))
			slot = (slot + 1) & (size - 1);
		if (slots[slot])
			report(r, SS_ERROR, &place, "duplicate",
			       "\"%.80s\" stands a second time for the same scope, first as entry "
			       "%u",
			       set->entries[i].name, slots[slot] - 1);
		else
			slots[slot] = (unsigned)i + 1;
	}
}

/* Where a part's entries are kept, or where they belong in the order of names. */
static size_t find_hardware(const struct ss_coefficient_set *set, const char *name, bool *is_there)
{
	size_t low = 0, high = set->hardware_count;

	*is_there = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcasecmp(set->by_hardware[middle].hardware, name);

		if (order == 0) {
			*is_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_hardware(struct ss_coefficient_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct ss_scope *scope = &set->entries[i].scope;

		for (size_t h = 0; h < scope->hardware_count; h++) {
			bool is_there;
			size_t at = find_hardware(set, scope->hardware[h], &is_there);

			if (!is_there) {
				memmove(&set->by_hardware[at + 1], &set->by_hardware[at],
					(set->hardware_count - at) * sizeof(*set->by_hardware));
				set->by_hardware[at] =
					(struct ss_hardware_entries){ scope->hardware[h], NULL, 0 };
				set->hardware_count++;
			}
			set->by_hardware[at].count++;
		}
		set->everywhere_count += scope->hardware_count == 0;
	}
}

static void add_entry(struct ss_hardware_entries *list, unsigned entry)
{
	/* A scope may name one part twice. */
	if (!list->count || list->entries[list->count - 1] != entry)
		list->entries[list->count++] = entry;
}

static void index_hardware(struct reader *r, struct ss_coefficient_set *set)
{
	size_t names = 0;

	for (size_t i = 0; i < set->count; i++)
		names += set->entries[i].scope.hardware_count;
	set->by_hardware = arena_array(r->arena, names + 1, sizeof(*set->by_hardware));
	if (!set->by_hardware)
		return;
	count_hardware(set);
	set->everywhere =
		arena_array(r->arena, set->everywhere_count + 1, sizeof(*set->everywhere));
	for (size_t h = 0; h < set->hardware_count; h++) {
		size_t size = set->by_hardware[h].count + set->everywhere_count;

		set->by_hardware[h].count = 0;
		set->by_hardware[h].entries = arena_array(r->arena, size, sizeof(unsigned));
	}
	if (r->arena->is_out_of_memory)
		return;
	set->everywhere_count = 0;
	for (size_t i = 0; i < set->count; i++) {
		const struct ss_scope *scope = &set->entries[i].scope;

		for (size_t h = 0; h < scope->hardware_count; h++) {
			bool is_there;
			size_t at = find_hardware(set, scope->hardware[h], &is_there);

			add_entry(&set->by_hardware[at], (unsigned)i);
		}
		if (scope->hardware_count)
			continue;
		set->everywhere[set->everywhere_count++] = (unsigned)i;
		for (size_t h = 0; h < set->hardware_count; h++)
			add_entry(&set->by_hardware[h], (unsigned)i);
	}
}

static void read_set(struct reader *r, const cJSON *root, const char *stem,
		     struct ss_coefficient_set *set)
{
	enum { KIND, NAME, DESCRIPTION, COMMENT, ENTRIES };
	/* clang-format off */
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[NAME] = { "name", KEY_NAME, true, offsetof(struct ss_coefficient_set, name), 0, 0, NULL, NULL },
		[DESCRIPTION] = { "description", KEY_TEXT, false, offsetof(struct ss_coefficient_set, description), 0, 0, NULL, NULL },
		[COMMENT] = { "comment", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		[ENTRIES] = { "coefficients", KEY_LIST, true, 0, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "coefficients", 0 };
	size_t i = 0;

	if (!check_kind(r, root, SS_DOCUMENT_COEFFICIENTS) ||
	    !read_object(r, NULL, root, keys, COUNT(keys), set, found))
		return;
	check_name(r, set->name, stem);
	if (!found[ENTRIES])
		return;
	if (!found[ENTRIES]->child)
		report(r, SS_ERROR, &at, "range", "empty; a set holds one entry at least");
	set->count = read_list_size(r, &at, found[ENTRIES], ENTRIES_MAX);
	set->entries = set->count ? arena_array(r->arena, set->count, sizeof(*set->entries)) : NULL;
	if (!set->entries)
		return;
	for (const cJSON *item = found[ENTRIES]->child; item; item = item->next, i++) {
		struct place place = { &at, NULL, i };

		set->entries[i].name = set->entries[i].rationale = r->arena->empty;
		set->entries[i].copied_from = set->entries[i].supersedes = r->arena->empty;
		read_entry(r, &place, item, &set->entries[i]);
	}
	check_repeats(r, &at, set);
	if (!r->error_count && !r->arena->is_out_of_memory)
		index_hardware(r, set);
}

struct ss_coefficient_set *coefficients_read(const cJSON *root, const char *file, const char *stem,
					     struct ss_problems *problems)
{
	struct set_document *doc = calloc(1, sizeof(*doc));
	struct reader r = { problems, file, doc ? &doc->arena : NULL, 0 };

	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	read_set(&r, root, stem, &doc->set);
	if (check_memory(&r) || r.error_count) {
		ss_coefficient_set_free(&doc->set);
		return NULL;
	}
	return &doc->set;
}

void ss_coefficient_set_free(struct ss_coefficient_set *set)
{
	struct set_document *doc = (struct set_document *)set;

	if (!doc)
		return;
	arena_release(&doc->arena);
	free(doc);
}
