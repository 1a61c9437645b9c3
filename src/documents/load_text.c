/* Short forms of a load, and the line that says what it is. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/value_text.h"
#include "stepscope/load.h"

enum { WORD_MAX = 96 };

struct writer {
	char *out;
	size_t size, length;
};

static void put(struct writer *w, const char *format, ...) SS_PRINTF(2, 3);

static void put(struct writer *w, const char *format, ...)
{
	bool has_room = w->length < w->size;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(has_room ? w->out + w->length : NULL, has_room ? w->size - w->length : 0,
		      format, args);
	va_end(args);
	w->length += n > 0 ? (size_t)n : 0;
}

/* -- read ------------------------------------------------------------------------------------- */

static enum ss_status set(struct ss_scenario *s, const char *field, const char *text,
			  struct ss_error *err)
{
	char path[WORD_MAX];

	/* left unstated, something else would be played */
	if (!*text)
		return ss_fail(err, SS_EUSAGE, "load",
			       "the %s is missing; wants the form 1024/512@64, 1024/512@20/s or "
			       "800..1024/512",
			       field);
	(void)snprintf(path, sizeof(path), "workload.%s", field);
	return ss_scenario_set(s, 0, path, text, err);
}

/** `1024`, or `800..1024`. */
static enum ss_status set_side(struct ss_scenario *s, const char *side, char *text,
			       struct ss_error *err)
{
	char low[24], high[24], tokens[24];
	char *dots = strstr(text, "..");
	enum ss_status rc;

	(void)snprintf(low, sizeof(low), "%s.low", side);
	(void)snprintf(high, sizeof(high), "%s.high", side);
	(void)snprintf(tokens, sizeof(tokens), "%s.tokens", side);
	if (!dots)
		return set(s, tokens, text, err);
	*dots = '\0';
	rc = set(s, low, text, err);
	rc = rc ? rc : set(s, high, dots + 2, err);
	return rc ? rc : set(s, low, text, err);
}

static void clear_load(struct ss_scenario *s)
{
	for (int i = 0; i < SS_FIELD_COUNT; i++)
		if (ss_field((enum ss_field_id)i)->owner == SS_OWNER_WORKLOAD &&
		    i != SS_F_LOAD_SLO && i != SS_F_LOAD_SEED)
			ss_value_release(&s->values[i]);
}

/** A workload's load becomes the scenario's own; its service level where there is none. */
static enum ss_status take_shape(struct ss_scenario *s, struct ss_registry *registry,
				 const char *name, struct ss_error *err)
{
	struct ss_problems problems = { 0 };
	const struct ss_workload_shape *shape =
		registry ? ss_registry_workload(registry, name, &problems) : NULL;
	enum ss_status rc = SS_OK;

	if (!shape) {
		rc = ss_fail(err, SS_EUSAGE, "load", "%s",
			     problems.count ? problems.items[0].message
					    : "wants the form 1024/512@64 or 1024/512@20/s");
		ss_problems_release(&problems);
		return rc;
	}
	clear_load(s);
	for (int i = 0; i < SS_FIELD_COUNT && !rc; i++) {
		if (!shape->values[i].is_stated || s->values[i].is_stated)
			continue;
		rc = ss_value_copy(&s->values[i], &shape->values[i]);
	}
	ss_problems_release(&problems);
	return rc ? ss_fail(err, rc, "", "out of memory") : SS_OK;
}

static enum ss_status set_lengths(struct ss_scenario *s, char *text, struct ss_error *err)
{
	char *slash = strchr(text, '/');
	enum ss_status rc;

	*slash = '\0';
	clear_load(s);
	rc = set_side(s, "prompt", text, err);
	return rc ? rc : set_side(s, "output", slash + 1, err);
}

/** `64` at once, or `20/s`. */
static enum ss_status set_arrival(struct ss_scenario *s, char *text, struct ss_error *err)
{
	size_t length = strlen(text);

	if (length < 3 || strcmp(text + length - 2, "/s") != 0)
		return set(s, "concurrency", text, err);
	text[length - 2] = '\0';
	return set(s, "rate", text, err);
}

enum ss_status ss_load_set(struct ss_scenario *scenario, struct ss_registry *registry,
			   const char *text, struct ss_error *err)
{
	char word[WORD_MAX], *at;
	enum ss_status rc;

	if (!*text || strlen(text) >= sizeof(word))
		return ss_fail(err, SS_EUSAGE, "load",
			       "\"%.40s\" wants the form 1024/512@64, 1024/512@20/s or a "
			       "workload's name",
			       text);
	(void)snprintf(word, sizeof(word), "%s", text);
	at = strchr(word, '@');
	if (at)
		*at++ = '\0';
	rc = strchr(word, '/') ? set_lengths(scenario, word, err)
			       : take_shape(scenario, registry, word, err);
	return rc || !at ? rc : set_arrival(scenario, at, err);
}

/* -- write ------------------------------------------------------------------------------------ */

static void put_count(struct writer *w, int64_t n)
{
	if (n >= 1000)
		put(w, "%lld,%03lld", (long long)(n / 1000), (long long)(n % 1000));
	else
		put(w, "%lld", (long long)n);
}

static void put_length(struct writer *w, const struct ss_length *length)
{
	switch (length->form) {
	case SS_LENGTH_FIXED:
		put_count(w, length->low);
		return;
	case SS_LENGTH_UNIFORM:
		put_count(w, length->low);
		put(w, "..");
		put_count(w, length->high);
		return;
	case SS_LENGTH_NORMAL:
		put(w, "~");
		put_count(w, llround(length->mean));
		return;
	}
}

static void put_arrival(struct writer *w, const struct ss_load *load)
{
	switch (load->arrival) {
	case SS_ARRIVAL_AT_ONCE:
		put(w, " all at once");
		return;
	case SS_ARRIVAL_CONCURRENCY:
		put(w, ", %lld at once", (long long)load->concurrency);
		return;
	case SS_ARRIVAL_RATE:
		put(w, ", %.6g/s", load->rate);
		if (load->burstiness > 0 && load->burstiness != 1)
			put(w, " in bursts of shape %.4g", load->burstiness);
		return;
	case SS_ARRIVAL_TRACE:
		put(w, " of a trace");
		if (load->speedup > 0 && load->speedup != 1)
			put(w, " played %.4g times as fast", load->speedup);
		return;
	}
}

size_t ss_load_describe(const struct ss_load *load, char *out, size_t size)
{
	struct writer w = { out, size, 0 };

	put_count(&w, load->requests);
	put(&w, load->requests == 1 ? " request" : " requests");
	if (load->arrival != SS_ARRIVAL_TRACE) {
		put(&w, " of ");
		put_length(&w, &load->prompt);
		put(&w, " in, ");
		put_length(&w, &load->output);
		put(&w, " out");
	}
	if (load->prefix_tokens) {
		put(&w, " after ");
		put_count(&w, load->prefix_tokens);
		put(&w, " shared");
	}
	put_arrival(&w, load);
	return w.length;
}
