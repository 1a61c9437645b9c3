#include "app/colon.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/batch_edit.h"
#include "app/bring.h"
#include "text/number.h"
#include "app/opening_batch.h"
#include "app/picker.h"
#include "app/rows.h"
#include "app/serve.h"
#include "app/sweep.h"
#include "app/tour.h"
#include "app/walk.h"
#include "stepscope/engine.h"

static const struct colon_row rows[COLON_COUNT] = {
#define COLON_ROW(id, name_, arguments_, help_) [COLON_##id] = { name_, arguments_, help_ },
	COLON_LIST(COLON_ROW)
#undef COLON_ROW
};

const struct colon_row *colon_row(enum colon_id id)
{
	return &rows[id];
}

/* -- words ---------------------------------------------------------------------------- */

static const char *skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The first word into `word`; what follows it is returned. */
static const char *split_word(const char *text, char *word, size_t size)
{
	size_t len = 0;

	text = skip_blanks(text);
	while (*text && !isspace((unsigned char)*text)) {
		if (len + 1 < size)
			word[len++] = *text;
		text++;
	}
	word[len] = '\0';
	return skip_blanks(text);
}

/* -- completion ----------------------------------------------------------------------- */

struct words {
	char **items;
	size_t count;
	const char *prefix;
	size_t prefix_len;
};

static void offer(struct words *words, const char *word)
{
	if (strncasecmp(word, words->prefix, words->prefix_len) != 0)
		return;
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->items[i], word))
			return;
	}
	words->items = xrealloc(words->items, words->count + 2, sizeof(*words->items));
	words->items[words->count++] = xstrdup(word);
	words->items[words->count] = NULL;
}

/* Settings of the engine's own tree, where the deployment's build has one. */
static void offer_tree(struct words *words, const struct app *app)
{
	const struct ss_reference *reference =
		app->quote ? ss_basis_inputs(app->quote->basis)->reference : NULL;

	for (size_t i = 0; reference && i < reference->field_count; i++) {
		const struct ss_config_field *field = &reference->fields[i];
		char path[256];

		if (!strcmp(field->field, "*"))
			continue;
		snprintf(path, sizeof(path), "engine.sm70.%s%s%s",
			 field->owner_path[0] == '(' ? "" : field->owner_path,
			 field->owner_path[0] == '(' ? "" : ".", field->field);
		offer(words, path);
	}
}

static void offer_fields(struct words *words)
{
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const char *path = ss_field((enum ss_field_id)id)->path;
		const char *name = rows_name((enum ss_field_id)id);
		const char *label = rows_label((enum ss_field_id)id);

		/* The short name where it is enough, and what the deployment pane calls it. */
		offer(words, ss_field_find(name, NULL) == (enum ss_field_id)id ? name : path);
		if (ss_field_find(label, NULL) == (enum ss_field_id)id)
			offer(words, label);
		if (strchr(words->prefix, '.'))
			offer(words, path);
	}
}

static void offer_values(struct words *words, const struct app *app, enum ss_field_id field)
{
	struct choices_context context = app_choices(app);
	char scratch[96];
	const char *word = NULL;

	if (field == SS_FIELD_COUNT)
		return;
	for (size_t n = 0; (word = choices_word(&context, field, n, scratch, sizeof(scratch))); n++)
		offer(words, word);
}

static void offer_entries(struct words *words, const struct app *app, bool assumed_only)
{
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, i);

		if (assumed_only ? entry->method == SS_METHOD_ASSUMED : entry->coefficient != NULL)
			offer(words, entry->name);
	}
}

static void offer_names(struct words *words, const struct app *app, enum ss_document_kind kind)
{
	for (size_t i = 0; i < app->names[kind].count; i++)
		offer(words, app->names[kind].items[i]);
}

static void offer_argument(struct words *words, const struct app *app, enum colon_id id,
			   const char *first, int position)
{
	switch (id) {
	case COLON_SET:
		if (position == 1) {
			offer_fields(words);
			offer_tree(words, app);
		} else {
			offer_values(words, app, ss_field_find(first, NULL));
		}
		break;
	case COLON_UNSET:
		offer_fields(words);
		offer_tree(words, app);
		break;
	case COLON_SWEEP:
	case COLON_SERIES:
		if (position == 1) {
			offer(words, "batch");
			offer(words, "context");
			offer_fields(words);
			offer_entries(words, app, false);
		} else {
			offer_values(words, app, ss_field_find(first, NULL));
		}
		break;
	case COLON_BATCH:
		offer(words, "steady");
		offer(words, "mixed");
		offer(words, "prefill");
		offer(words, "verify");
		break;
	case COLON_COEF:
		if (position == 1)
			offer_entries(words, app, false);
		break;
	case COLON_WALKTO:
		offer_entries(words, app, true);
		break;
	case COLON_CORRECT:
		offer(words, "all");
		offer(words, "none");
		for (int i = 0; i < SS_DIVERGENCE_COUNT; i++)
			offer(words, ss_divergence((enum ss_divergence_id)i)->name);
		break;
	case COLON_FIGURE:
		for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_COUNT; i++)
			offer(words, ss_figure_name((enum ss_figure)i));
		break;
	case COLON_UNPIN:
		for (size_t i = 0; i < app->pin_count; i++)
			offer(words, app->pins[i].name);
		break;
	case COLON_SORT: {
		const struct table *table = &app->tables[app_focus(app)];

		for (int c = 0; c < table->column_count; c++)
			offer(words, table->columns[c].title);
		break;
	}
	case COLON_GOTO:
		for (int i = 0; i < PANE_ALL; i++)
			offer(words, pane_row((enum pane_id)i)->name);
		break;
	case COLON_HELP:
		for (int i = 0; i < COLON_COUNT; i++)
			offer(words, rows[i].name);
		offer_fields(words);
		offer_entries(words, app, false);
		break;
	case COLON_NEW:
		offer_names(words, app, position == 1 ? SS_DOCUMENT_MODEL : SS_DOCUMENT_HARDWARE);
		break;
	case COLON_THRESHOLD:
	case COLON_SMS:
	case COLON_FIT:
	case COLON_TTFT:
	case COLON_LOAD:
	case COLON_SLO:
	case COLON_PIN:
	case COLON_POOL:
	case COLON_OPTIONS:
	case COLON_OPEN:
	case COLON_IMPORT:
	case COLON_SAVE:
	case COLON_EXPORT:
	case COLON_RECORD:
	case COLON_SAY:
	case COLON_COUNT:
		break;
	}
}

static enum colon_id find(const char *name)
{
	int id = 0;

	while (id < COLON_COUNT && strcmp(rows[id].name, name) != 0)
		id++;
	return (enum colon_id)id;
}

char **colon_complete(const struct app *app, const char *line, size_t start, size_t end)
{
	char prefix[160], name[64], first[160];
	struct words words = { .prefix = prefix };
	const char *rest = NULL;
	int position = 0;

	snprintf(prefix, sizeof(prefix), "%.*s", (int)(end - start), line + start);
	words.prefix_len = strlen(prefix);
	for (size_t i = 0; i < start; i++) {
		bool is_edge = !isspace((unsigned char)line[i]) &&
			       (isspace((unsigned char)line[i + 1]) || i + 1 == start);

		position += is_edge;
	}
	if (!position) {
		for (int id = 0; id < COLON_COUNT; id++)
			offer(&words, rows[id].name);
		for (int id = 0; id < ACT_COUNT; id++)
			offer(&words, action_row((enum action_id)id)->name);
		return words.items;
	}
	rest = split_word(line, name, sizeof(name));
	split_word(rest, first, sizeof(first));
	first[strcspn(first, "=")] = '\0';
	offer_argument(&words, app, find(name), first, position);
	return words.items;
}

bool colon_is_path(const char *line, size_t start)
{
	char name[64];
	enum colon_id id = COLON_COUNT;

	split_word(line, name, sizeof(name));
	id = find(name);
	return start >= strlen(name) &&
	       (id == COLON_OPEN || id == COLON_IMPORT || id == COLON_SAVE || id == COLON_EXPORT ||
		id == COLON_RECORD);
}

char **colon_complete_value(const struct app *app, enum ss_field_id field, const char *line,
			    size_t start, size_t end)
{
	char prefix[160];
	struct words words = { .prefix = prefix };

	snprintf(prefix, sizeof(prefix), "%.*s", (int)(end - start), line + start);
	words.prefix_len = strlen(prefix);
	offer_values(&words, app, field);
	return words.items;
}

/* -- running -------------------------------------------------------------------------- */

static unsigned said(struct app *app, const struct ss_error *err, bool is_changed)
{
	if (is_changed)
		return APP_REDRAW | APP_PRICE;
	if (err->status)
		app_say(app, true, "%s%s%s", err->where, *err->where ? ": " : "", err->message);
	else if (!app->message[0])
		app_say(app, false, "that is how it is already");
	return APP_REDRAW;
}

/* `set PATH VALUE` or `set PATH=VALUE ...`, several at once. */
static unsigned set(struct app *app, const char *rest)
{
	struct ss_error err = { 0 };
	char path[160], value[256];
	bool is_changed = false;

	if (!*rest) {
		app_say(app, true, "set PATH VALUE, as set tp 4");
		return APP_REDRAW;
	}
	if (*rest == '-')
		return bring_flags(app, rest);
	while (*rest && !err.status) {
		size_t eq = 0;
		const char *after = split_word(rest, path, sizeof(path));

		eq = strcspn(path, "=");
		if (path[eq]) {
			snprintf(value, sizeof(value), "%s", path + eq + 1);
			path[eq] = '\0';
			rest = after;
		} else {
			/* Without "=" the value is all that follows: text may hold blanks. */
			snprintf(value, sizeof(value), "%s", after);
			rest = "";
			if (!*value) {
				app_say(app, true, "set %s to what? (unset %s leaves it out)", path,
					path);
				return APP_REDRAW;
			}
		}
		is_changed |=
			history_set_text(&app->history, &app->draft, app->pool, path, value, &err);
	}
	if (err.status)
		app_say(app, true, "%s%s%s", err.where, *err.where ? ": " : "", err.message);
	return is_changed ? APP_REDRAW | APP_PRICE : said(app, &err, false);
}

static unsigned unset(struct app *app, const char *rest)
{
	struct ss_error err = { 0 };
	enum ss_field_id field = ss_field_find(rest, &err);

	if (field != SS_FIELD_COUNT && ss_field(field)->is_required) {
		app_say(app, true, "%s must be stated", rest);
		return APP_REDRAW;
	}
	err = (struct ss_error){ 0 };
	return said(app, &err,
		    history_set_text(&app->history, &app->draft, app->pool, rest, "", &err));
}

bool app_known_coefficient(const struct app *app, const char *name)
{
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, i);

		if (!strcmp(entry->name, name) && (entry->coefficient || entry->is_absent))
			return true;
	}
	return false;
}

static unsigned coef(struct app *app, const char *rest)
{
	char name[128], text[64];
	double value = 0;
	struct ss_error err = { 0 };

	split_word(split_word(rest, name, sizeof(name)), text, sizeof(text));
	if (!draft_whatif(&app->draft, name) && !app_known_coefficient(app, name)) {
		app_say(app, true, "no coefficient in scope is called \"%s\"", name);
		return APP_REDRAW;
	}
	if (!*text)
		return said(app, &err, history_set_whatif(&app->history, &app->draft, name, NULL));
	if (number_parse(&value, text) != NUMBER_OK || value <= 0) {
		app_say(app, true, "%s: a number above 0, got %s", name, text);
		return APP_REDRAW;
	}
	return said(app, &err, history_set_whatif(&app->history, &app->draft, name, &value));
}

static unsigned correct(struct app *app, const char *rest)
{
	unsigned corrections = app->draft.corrections;
	struct ss_error err = { 0 };
	char name[128];

	if (ss_corrections_parse(&corrections, rest, &err))
		return said(app, &err, false);
	snprintf(name, sizeof(name), "correct %.100s", rest);
	return said(app, &err,
		    history_set_corrections(&app->history, &app->draft, corrections, name));
}

static bool read_whole(struct app *app, const char *text, int64_t *out)
{
	enum number_error error = number_parse_whole(out, text);

	if (error == NUMBER_OK && *out >= 0)
		return true;
	app_say(app, true, "a whole number of 0 or more, got \"%s\"", text);
	return false;
}

static unsigned number(struct app *app, enum colon_id id, const char *rest)
{
	struct ss_error err = { 0 };
	int64_t value = 0;

	if (!read_whole(app, rest, &value))
		return APP_REDRAW;
	if (id == COLON_THRESHOLD)
		return said(app, &err, history_set_threshold(&app->history, &app->draft, value));
	if (id == COLON_SMS)
		return said(app, &err, history_set_sm_budget(&app->history, &app->draft, value));
	if (id == COLON_FIT) {
		app->fit_tokens = value;
		return app_goto(app, PANE_MEMORY);
	}
	if (id == COLON_TTFT) {
		app->ttft_tokens = value;
		return app_goto(app, PANE_STEP);
	}
	if ((size_t)value >= app->draft.scenario->pool_count) {
		app_say(app, true, "pools are numbered 0 to %zu",
			app->draft.scenario->pool_count - 1);
		return APP_REDRAW;
	}
	app->pool = (size_t)value;
	app_follow_pool(app, &app->draft);
	return APP_REDRAW | APP_PRICE;
}

static unsigned figure(struct app *app, const char *rest)
{
	struct ss_error err = { 0 };

	if (!ss_figure_find(rest, &app->figure, &err))
		return APP_REDRAW | APP_PRICE;
	app_say(app, true, "%s", err.message);
	return APP_REDRAW;
}

static unsigned unpin(struct app *app, const char *rest)
{
	for (size_t i = 0; i < app->pin_count; i++) {
		if (strcmp(app->pins[i].name, rest) != 0)
			continue;
		draft_release(&app->pins[i].draft);
		quote_drop(app->pins[i].quote);
		app->pin_count--;
		memmove(&app->pins[i], &app->pins[i + 1],
			(app->pin_count - i) * sizeof(*app->pins));
		return APP_REDRAW;
	}
	app_say(app, true, "nothing is pinned as \"%s\"", rest);
	return APP_REDRAW;
}

static unsigned sort_by(struct app *app, const char *rest)
{
	struct app_list *list = app_list(app);
	const struct table *table = &app->tables[app_focus(app)];

	for (int c = 0; c < table->column_count; c++) {
		if (strcasecmp(table->columns[c].title, rest) != 0)
			continue;
		list->sort = c;
		list->is_descending = table->columns[c].is_right;
		return APP_REDRAW;
	}
	app_say(app, true, "no column is called \"%s\"", rest);
	return APP_REDRAW;
}

static unsigned help(struct app *app, const char *topic)
{
	enum colon_id id = find(topic);
	enum ss_field_id field = SS_FIELD_COUNT;

	if (!*topic)
		return app_apply(app, ACT_HELP);
	app->detail.len = 0;
	snprintf(app->detail_title, sizeof(app->detail_title), "%.90s", topic);
	field = ss_field_find(topic, NULL);
	if (id != COLON_COUNT) {
		xbuf_printf(&app->detail, ":%s %s\n\n%s\n", rows[id].name, rows[id].arguments,
			    rows[id].help);
	} else if (field != SS_FIELD_COUNT) {
		rows_field_help(app, field, &app->detail);
	} else if (!rows_entry_help(app, topic, &app->detail)) {
		app_say(app, true, "no command, setting or coefficient is called \"%s\"", topic);
		return APP_REDRAW;
	}
	app->overlay = OVERLAY_DETAIL;
	app->overlay_top = 0;
	app->detail_term = app->detail_entry = -1;
	return APP_REDRAW;
}

static unsigned show_options(struct app *app)
{
	app->detail.len = 0;
	snprintf(app->detail_title, sizeof(app->detail_title), "Options");
	own_options_list(&app->detail, &app->own, app->own_file);
	app->overlay = OVERLAY_DETAIL;
	app->overlay_top = 0;
	app->detail_term = app->detail_entry = -1;
	return APP_REDRAW;
}

static unsigned run(struct app *app, enum colon_id id, const char *rest)
{
	struct ss_error err = { 0 };
	enum pane_id pane = PANE_ALL;

	switch (id) {
	case COLON_SET:
		return set(app, rest);
	case COLON_UNSET:
		return unset(app, rest);
	case COLON_BATCH:
		return said(app, &err, batch_set(app, rest, &err));
	case COLON_COEF:
		return coef(app, rest);
	case COLON_CORRECT:
		return correct(app, rest);
	case COLON_THRESHOLD:
	case COLON_SMS:
	case COLON_FIT:
	case COLON_TTFT:
	case COLON_POOL:
		return number(app, id, rest);
	case COLON_FIGURE:
		return figure(app, rest);
	case COLON_SWEEP:
	case COLON_SERIES:
		return sweep_command(app, id == COLON_SERIES, rest);
	case COLON_LOAD:
		return serve_command(app, rest);
	case COLON_SLO:
		return serve_promise(app, rest);
	case COLON_PIN:
		app_pin(app, rest, !app->pin_count);
		return APP_REDRAW;
	case COLON_UNPIN:
		return unpin(app, rest);
	case COLON_SORT:
		return sort_by(app, rest);
	case COLON_GOTO:
		pane = pane_by_name(rest);
		if (pane != PANE_ALL)
			return app_goto(app, pane);
		app_say(app, true, "no pane is called \"%s\"", rest);
		return APP_REDRAW;
	case COLON_WALKTO:
		return walk_to(app, rest);
	case COLON_OPEN:
		return *rest ? bring_open(app, rest) : APP_OPEN | APP_REDRAW;
	case COLON_OPTIONS:
		return show_options(app);
	case COLON_NEW:
		return picker_new_scenario(app, rest);
	case COLON_IMPORT:
		return bring_ask(app, rest);
	case COLON_SAVE:
		if (!*rest)
			return app_apply(app, ACT_SAVE_AS);
		return app_save(app, rest);
	case COLON_EXPORT:
		if (!*rest)
			return app_apply(app, ACT_EXPORT);
		return app_export(app, rest);
	case COLON_RECORD:
		return app_record(app, rest);
	case COLON_SAY:
		return tour_record_say(app, rest);
	case COLON_HELP:
		return help(app, rest);
	case COLON_COUNT:
		break;
	}
	return 0;
}

unsigned colon_run(struct app *app, const char *line)
{
	char name[64];
	const char *rest = split_word(line, name, sizeof(name));
	char argument[512];
	enum colon_id id = find(name);
	enum action_id action = action_by_name(name);
	size_t len = 0;

	if (!*name)
		return APP_REDRAW;
	snprintf(argument, sizeof(argument), "%s", rest);
	len = strlen(argument);
	while (len && isspace((unsigned char)argument[len - 1]))
		argument[--len] = '\0';
	if (id != COLON_COUNT && (*argument || action == ACT_NONE))
		return run(app, id, argument);
	if (action != ACT_NONE)
		return app_apply(app, action);
	app_say(app, true, "no command is called \"%s\"; Tab lists them", name);
	return APP_REDRAW;
}
