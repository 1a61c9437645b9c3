#include "documents/pack_terms.h"

#include <string.h>

#include "documents/documents.h"
#include "stepscope/registry.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(member) offsetof(struct ss_release_row, member)

enum { TERMS_MAX = 1000 };

static const char *const term_names[] = {
#define SS_X(id, name, text) [SS_RELEASE_##id] = name,
	SS_RELEASE_TERMS(SS_X)
#undef SS_X
};

static const char *const term_texts[] = {
#define SS_X(id, name, text) [SS_RELEASE_##id] = text,
	SS_RELEASE_TERMS(SS_X)
#undef SS_X
};

static const struct words term_words = { term_names, COUNT(term_names), 0 };

const char *ss_release_term_name(enum ss_release_term_id term)
{
	return term_names[term];
}

const char *ss_release_term_text(enum ss_release_term_id term)
{
	return term_texts[term];
}

/* Two rows of a term that hold for one release leave open which of them is read. */
static void check_apart(struct reader *r, const struct place *at, const struct ss_release_row *rows,
			size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (rows[i].term == rows[j].term &&
		    (!*rows[i].since ||
		     ss_release_is_within(rows[i].since, rows[j].since, rows[j].until)))
			report(r, SS_ERROR, at, "duplicate-key",
			       "%s of such a release stands in an earlier row; rows of a term go "
			       "from the oldest release to the newest",
			       term_names[rows[i].term]);
}

void read_terms(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "term", KEY_WORD, true, FIELD(term), 0, 0, &term_words, NULL },
		{ "since", KEY_NAME, false, FIELD(since), 0, 0, NULL, NULL },
		{ "until", KEY_NAME, false, FIELD(until), 0, 0, NULL, NULL },
		{ "value", KEY_NUMBER, true, FIELD(value), 0, 1e15, NULL, NULL },
		{ "above", KEY_NUMBER, false, FIELD(above), 0, 1e15, NULL, NULL },
		{ "method", KEY_WORD, true, FIELD(method), 0, 0, &method_words, NULL },
		{ "reason", KEY_TEXT, true, FIELD(reason), 0, 0, NULL, NULL },
		{ "source", KEY_NAME, true, FIELD(source), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	size_t size = read_list_size(r, at, list, TERMS_MAX), i = 0;

	pack->terms = size ? arena_array(r->arena, size, sizeof(*pack->terms)) : NULL;
	if (!pack->terms)
		return;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };
		struct ss_release_row *row = &pack->terms[i];

		row->since = row->until = row->reason = row->source = r->arena->empty;
		if (read_object(r, &place, item, keys, COUNT(keys), row, NULL))
			check_apart(r, &place, pack->terms, i);
	}
	pack->term_count = size;
}

void read_rates(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack)
{
#define RATE(member) offsetof(struct ss_route_rate, member)
	/* clang-format off */
	static const struct key keys[] = {
		{ "route", KEY_NAME, true, RATE(route), 0, 0, NULL, NULL },
		{ "cache", KEY_NAME, false, RATE(cache), 0, 0, NULL, NULL },
		{ "floor_us", KEY_NUMBER, true, RATE(floor), 0, 1e9, NULL, NULL },
		{ "tflops", KEY_NUMBER, false, RATE(tflops), 0.001, 1e6, NULL, NULL },
		{ "gb_s", KEY_NUMBER, false, RATE(gb_s), 0.001, 1e6, NULL, NULL },
		{ "spread", KEY_NUMBER, true, RATE(spread), 0, 1, NULL, NULL },
		{ "method", KEY_WORD, true, RATE(method), 0, 0, &method_words, NULL },
		{ "reason", KEY_TEXT, true, RATE(reason), 0, 0, NULL, NULL },
		{ "source", KEY_NAME, true, RATE(source), 0, 0, NULL, NULL },
	};
	/* clang-format on */
#undef RATE
	size_t size = read_list_size(r, at, list, TERMS_MAX), i = 0;

	pack->rates = size ? arena_array(r->arena, size, sizeof(*pack->rates)) : NULL;
	if (!pack->rates)
		return;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };
		struct ss_route_rate *row = &pack->rates[i];

		row->route = row->cache = row->reason = row->source = r->arena->empty;
		if (read_object(r, &place, item, keys, COUNT(keys), row, NULL) &&
		    (row->tflops > 0) == (row->gb_s > 0))
			report(r, SS_ERROR, &place, "value", "must have one of tflops and gb_s");
	}
	pack->rate_count = size;
}
