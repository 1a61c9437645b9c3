/*
 * What the program answers to `--complete KIND WORD`: candidates, one a line, each the
 * whole word. One that ends in = or : is gone on from.
 */
#include <stdio.h>
#include <string.h>

#include "case/session.h"
#include "text/xbuf.h"
#include "cli/engine_words.h"
#include "cli/help.h"
#include "cli/run.h"
#include "report/sections.h"
#include "sweep/sweep.h"
#include "stepscope/engine.h"

static void put_names(struct xbuf *out, struct session *session, const char *prefix,
		      enum ss_document_kind kind)
{
	char **names = NULL;
	size_t count = 0;

	if (ss_registry_names(session->registry, kind, &names, &count))
		return;
	for (size_t i = 0; i < count; i++)
		xbuf_printf(out, "%s%s\n", prefix, names[i]);
	ss_names_free(names, count);
}

static void put_scenarios(struct xbuf *out, struct session *session)
{
	char **names;
	size_t count;

	roots_scenarios(&session->roots, &names, &count);
	for (size_t i = 0; i < count; i++)
		xbuf_printf(out, "%s\n", names[i]);
	names_free(names, count);
}

/** Coefficient names of every set, as `NAME=` after a prefix. */
static void put_coefficients(struct xbuf *out, struct session *session, const char *prefix)
{
	char **sets = NULL;
	size_t count = 0;

	if (ss_registry_names(session->registry, SS_DOCUMENT_COEFFICIENTS, &sets, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct ss_coefficient_set *set =
			ss_registry_coefficients(session->registry, sets[i], NULL);

		/* Entries of one name that differ in scope stand together. */
		for (size_t k = 0; set && k < set->count; k++)
			if (!k || strcmp(set->entries[k].name, set->entries[k - 1].name) != 0)
				xbuf_printf(out, "%s%s=\n", prefix, set->entries[k].name);
	}
	ss_names_free(sets, count);
}

static void put_words(struct xbuf *out, const char *prefix, const char *words)
{
	while (words && *words) {
		size_t len = strcspn(words, " ");

		xbuf_puts(out, prefix);
		xbuf_add(out, words, len);
		xbuf_putc(out, '\n');
		words += len + (words[len] == ' ');
	}
}

/** Settings whose values are names of documents. */
static const struct {
	enum ss_field_id field;
	enum ss_document_kind kind;
} named[] = {
	{ SS_F_MODEL, SS_DOCUMENT_MODEL },
	{ SS_F_HARDWARE, SS_DOCUMENT_HARDWARE },
	{ SS_F_FABRIC, SS_DOCUMENT_NETWORK },
	{ SS_F_COEFFICIENTS, SS_DOCUMENT_COEFFICIENTS },
};

/** Values of a setting: documents, its choices, else what the priced release's pack lists. */
static void put_values(struct xbuf *out, struct session *session, const char *prefix,
		       const struct ss_field *field)
{
	const struct ss_pack *pack = NULL;
	bool is_fallback;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (field == ss_field(named[i].field))
			put_names(out, session, prefix, named[i].kind);
	put_words(out, prefix, field->choices);
	if (field->type == SS_TYPE_BOOL)
		put_words(out, prefix, "true false");
	if (field->list != SS_LIST_NONE)
		pack = ss_registry_pack(session->registry, "vllm", SS_PRICED_RELEASE, &is_fallback,
					NULL);
	for (size_t i = 0; pack && i < pack->lists[field->list].count; i++)
		xbuf_printf(out, "%s%s\n", prefix, pack->lists[field->list].items[i]);
}

/** `tp=` for `parallel.tp` where that names one field, unless the whole path was begun. */
static void put_path(struct xbuf *out, enum ss_field_id id, bool is_whole)
{
	const char *path = ss_field(id)->path;
	const char *tail = strrchr(path, '.') ? strrchr(path, '.') + 1 : path;

	xbuf_printf(out, "%s=\n", !is_whole && ss_field_find(tail, NULL) == id ? tail : path);
}

/** How much of a word is no part of the value that is begun: up to the last of some marks. */
static size_t begun_at(const char *word, const char *marks)
{
	size_t at = strlen(word);

	while (at && !strchr(marks, word[at - 1]))
		at--;
	return at;
}

static void put_settings(struct xbuf *out, struct session *session, const char *word)
{
	const char *equals = strchr(word, '=');
	char name[128], prefix[256];
	size_t len = equals ? (size_t)(equals - word) : 0;
	enum ss_field_id id;

	if (!equals) {
		for (int i = 0; i < SS_FIELD_COUNT; i++)
			put_path(out, (enum ss_field_id)i, strchr(word, '.') != NULL);
		return;
	}
	if (len + 1 > sizeof(name) || strlen(word) >= sizeof(prefix))
		return;
	(void)snprintf(name, sizeof(name), "%.*s", (int)len, word);
	id = ss_field_find(name, NULL);
	(void)snprintf(prefix, sizeof(prefix), "%.*s", (int)begun_at(word, "=,|"), word);
	if (id != SS_FIELD_COUNT)
		put_values(out, session, prefix, ss_field(id));
}

/** What may stand after `engine`, and the tables that its list takes. */
static void put_engine_words(struct xbuf *out)
{
#define X(id, name, arguments, own, help) xbuf_puts(out, name "\n");
	ENGINE_COMMAND_LIST(X)
#undef X
	for (int i = 0; i < SS_TABLE_COUNT; i++)
		xbuf_printf(out, "%s\n", ss_table_name((enum ss_table)i));
}

static void put_stages(struct xbuf *out)
{
	for (int i = 0; i < SS_STAGE_COUNT; i++)
		xbuf_printf(out, "%s\n", ss_route_stage_name((enum ss_route_stage)i));
}

static void put_columns(struct xbuf *out)
{
	for (int i = 0; i < SWEEP_COLUMN_COUNT; i++)
		xbuf_printf(out, "%s\n", sweep_column_name((enum sweep_column)i));
}

/** Sections, after those that a list apart by commas has. */
static void put_sections(struct xbuf *out, const char *word)
{
	int len = (int)begun_at(word, ",");

#define X(name) xbuf_printf(out, "%.*s%s\n", len, word, #name);
	SECTION_LIST(X)
#undef X
}

/** What --correct takes. */
static void put_divergences(struct xbuf *out)
{
	xbuf_puts(out, "all\nnone\n");
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++)
		if (ss_divergence((enum ss_divergence_id)i)->has_correction)
			xbuf_printf(out, "%s\n", ss_divergence((enum ss_divergence_id)i)->name);
}

static void put_axes(struct xbuf *out, struct session *session, const char *word)
{
	if (!strncmp(word, "coef:", 5)) {
		put_coefficients(out, session, "coef:");
		return;
	}
	put_settings(out, session, word);
	if (!strchr(word, '='))
		xbuf_puts(out, "count=\ncontext=\ncoef:\n");
}

void completion_words(struct xbuf *out, const char *kind, const char *word)
{
	struct session session = { 0 };
	struct ss_error err;

	/* Of `--set=WORD` some shells hand over all. */
	if (word[0] == '-' && word[1] == '-' && strchr(word, '='))
		word = strchr(word, '=') + 1;
	if (session_open_registry(&session, &(struct session_request){ 0 }, &err)) {
		session_release(&session);
		return;
	}
	if (!strcmp(kind, "models"))
		put_names(out, &session, "", SS_DOCUMENT_MODEL);
	else if (!strcmp(kind, "parts"))
		put_names(out, &session, "", SS_DOCUMENT_HARDWARE);
	else if (!strcmp(kind, "fabrics"))
		put_names(out, &session, "", SS_DOCUMENT_NETWORK);
	else if (!strcmp(kind, "scenarios"))
		put_scenarios(out, &session);
	else if (!strcmp(kind, "coefficients"))
		put_coefficients(out, &session, "");
	else if (!strcmp(kind, "settings"))
		put_settings(out, &session, word);
	else if (!strcmp(kind, "axes"))
		put_axes(out, &session, word);
	else if (!strcmp(kind, "columns"))
		put_columns(out);
	else if (!strcmp(kind, "divergences"))
		put_divergences(out);
	else if (!strcmp(kind, "sections"))
		put_sections(out, word);
	else if (!strcmp(kind, "lists"))
		put_words(out, "", LIST_WORDS);
	else if (!strcmp(kind, "engine"))
		put_engine_words(out);
	else if (!strcmp(kind, "stages"))
		put_stages(out);
	session_release(&session);
}
