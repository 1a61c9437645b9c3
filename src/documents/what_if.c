#include "documents/what_if.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "documents/nearest.h"
#include "stepscope/kernel.h"
#include "stepscope/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { WHAT_IFS_MAX = 10000 };

static const struct {
	const char *name;
	bool has_correction;
} divergences[] = {
#define SS_X(id, name, has_correction, ...) { name, has_correction },
	SS_DIVERGENCES(SS_X)
#undef SS_X
};

const char *correction_name(size_t divergence)
{
	return divergence < COUNT(divergences) ? divergences[divergence].name : "";
}

/* -- values tried --------------------------------------------------------------------- */

static void release_one(struct ss_whatif *tried)
{
	/* A scenario's own names are its own. */
	free((char *)(uintptr_t)tried->name);
}

void what_if_release(struct ss_scenario *s)
{
	for (size_t i = 0; i < s->what_if_count; i++)
		release_one(&s->what_if[i]);
	free(s->what_if);
	s->what_if = NULL;
	s->what_if_count = 0;
}

static struct ss_whatif *find(const struct ss_scenario *s, const char *name)
{
	for (size_t i = 0; i < s->what_if_count; i++)
		if (!strcmp(s->what_if[i].name, name))
			return &s->what_if[i];
	return NULL;
}

static enum ss_status add(struct ss_scenario *s, const char *name, double value)
{
	struct ss_whatif *grown = realloc(s->what_if, (s->what_if_count + 1) * sizeof(*grown));
	char *copy = grown ? strdup(name) : NULL;

	if (grown)
		s->what_if = grown;
	if (!copy)
		return SS_ENOMEM;
	s->what_if[s->what_if_count++] = (struct ss_whatif){ copy, value };
	return SS_OK;
}

static void drop(struct ss_scenario *s, struct ss_whatif *tried)
{
	size_t at = (size_t)(tried - s->what_if);

	release_one(tried);
	s->what_if_count--;
	memmove(tried, tried + 1, (s->what_if_count - at) * sizeof(*tried));
}

enum ss_status ss_scenario_set_what_if(struct ss_scenario *s, const char *name, const double *value)
{
	struct ss_whatif *tried = find(s, name);

	if (!tried)
		return value ? add(s, name, *value) : SS_OK;
	if (value)
		tried->value = *value;
	else
		drop(s, tried);
	return SS_OK;
}

enum ss_status what_if_copy(struct ss_scenario *out, const struct ss_scenario *s)
{
	out->corrections_stated = s->corrections_stated;
	out->corrections_on = s->corrections_on;
	for (size_t i = 0; i < s->what_if_count; i++) {
		enum ss_status rc = add(out, s->what_if[i].name, s->what_if[i].value);

		if (rc)
			return rc;
	}
	return SS_OK;
}

bool what_if_equal(const struct ss_scenario *a, const struct ss_scenario *b)
{
	if (a->what_if_count != b->what_if_count ||
	    a->corrections_stated != b->corrections_stated ||
	    a->corrections_on != b->corrections_on)
		return false;
	for (size_t i = 0; i < a->what_if_count; i++) {
		const struct ss_whatif *other = find(b, a->what_if[i].name);

		if (!other || other->value < a->what_if[i].value ||
		    other->value > a->what_if[i].value)
			return false;
	}
	return true;
}

bool what_if_read(struct reader *r, const cJSON *item, struct ss_scenario *s)
{
	struct place at = { NULL, "what_if", 0 };

	for (const cJSON *child = item ? item->child : NULL; child; child = child->next) {
		struct place place = { &at, child->string, 0 };
		double value = 0;

		if (s->what_if_count == WHAT_IFS_MAX) {
			report(r, SS_ERROR, &at, "limit", "tries more than %d values",
			       WHAT_IFS_MAX);
			return true;
		}
		if (!*child->string)
			report(r, SS_ERROR, &place, "range", "a coefficient's name is empty");
		else if (find(s, child->string))
			report(r, SS_ERROR, &place, "duplicate-key",
			       "the key \"%.80s\" stands here a second time", child->string);
		else if (read_number(r, &place, child, DBL_MIN, DBL_MAX, NULL, &value) &&
			 add(s, child->string, value))
			return false;
	}
	return true;
}

/* -- corrections ---------------------------------------------------------------------- */

unsigned ss_scenario_corrections(const struct ss_scenario *s)
{
	return (SS_CORRECTIONS_DEFAULT & ~s->corrections_stated) |
	       (s->corrections_on & s->corrections_stated);
}

void ss_scenario_set_corrections(struct ss_scenario *s, unsigned set)
{
	s->corrections_stated = set ^ SS_CORRECTIONS_DEFAULT;
	s->corrections_on = set & s->corrections_stated;
}

static void unknown_correction(struct reader *r, const struct place *at, const char *word)
{
	const char *names[COUNT(divergences)];
	const char *nearest;
	size_t count = 0;

	for (size_t i = 0; i < COUNT(divergences); i++) {
		if (divergences[i].has_correction)
			names[count++] = divergences[i].name;
		else if (!strcmp(divergences[i].name, word)) {
			report(r, SS_ERROR, at, "unknown-key",
			       "%.80s is known without a figure: there is no correction", word);
			return;
		}
	}
	nearest = ss_closest_word(word, names, count);
	report(r, SS_ERROR, at, "unknown-key", "no divergence is called \"%.80s\"%s%s%s", word,
	       nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
}

void corrections_read(struct reader *r, const cJSON *item, struct ss_scenario *s)
{
	struct place at = { NULL, "corrections", 0 };

	for (const cJSON *child = item ? item->child : NULL; child; child = child->next) {
		struct place place = { &at, child->string, 0 };
		bool is_on = false;
		size_t i = 0;

		while (i < COUNT(divergences) && (!divergences[i].has_correction ||
						  strcmp(divergences[i].name, child->string) != 0))
			i++;
		if (i == COUNT(divergences)) {
			unknown_correction(r, &place, child->string);
			continue;
		}
		if (s->corrections_stated & (1u << i))
			report(r, SS_ERROR, &place, "duplicate-key",
			       "the key \"%.80s\" stands here a second time", child->string);
		if (!read_bool(r, &place, child, &is_on))
			continue;
		s->corrections_stated |= 1u << i;
		if (is_on)
			s->corrections_on |= 1u << i;
	}
}
