#include "app/picker.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bring.h"
#include "app/glance.h"
#include "app/new_scenario.h"
#include "app/rows.h"
#include "case/about.h"
#include "text/utf8.h"

struct picker *picker_new(enum picker_kind kind, const char *title)
{
	struct picker *picker = xcalloc(1, sizeof(*picker));

	picker->kind = kind;
	snprintf(picker->title, sizeof(picker->title), "%s", title);
	return picker;
}

void picker_free(struct picker *picker)
{
	if (!picker)
		return;
	for (int i = 0; i < picker->count; i++) {
		free(picker->items[i].name);
		free(picker->items[i].about);
		free(picker->items[i].path);
		free(picker->items[i].price);
		free(picker->items[i].why);
	}
	free(picker->items);
	free(picker->shown);
	quote_basis_drop(&picker->basis);
	free(picker);
}

void picker_add(struct picker *picker, const char *name, const char *about, const char *path)
{
	for (int i = 0; i < picker->count; i++)
		if (!strcmp(picker->items[i].name, name))
			return;
	picker->items = xrealloc(picker->items, (size_t)picker->count + 1, sizeof(*picker->items));
	picker->items[picker->count++] = (struct picker_item){ .name = xstrdup(name),
							       .about = xstrdup(about ? about : ""),
							       .path = xstrdup(path ? path : "") };
}

/* -- narrowing ------------------------------------------------------------------------ */

static bool has_word(const char *text, const char *word, size_t len)
{
	for (; *text; text++) {
		size_t i = 0;

		while (i < len &&
		       tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

/* Every word typed occurs in the name or in what is said of it. */
static bool matches(const struct picker_item *item, const char *typed)
{
	while (*(typed += strspn(typed, " "))) {
		size_t len = strcspn(typed, " ");

		if (!has_word(item->name, typed, len) && !has_word(item->about, typed, len))
			return false;
		typed += len;
	}
	return true;
}

static void narrow(struct picker *picker)
{
	picker->shown = xrealloc(picker->shown, (size_t)picker->count + 1, sizeof(*picker->shown));
	picker->shown_count = 0;
	for (int i = 0; i < picker->count; i++)
		if (matches(&picker->items[i], picker->typed))
			picker->shown[picker->shown_count++] = i;
	picker->selected = 0;
	/* A name typed from its start on goes before others that hold it. */
	for (int i = picker->shown_count; i-- && *picker->typed;)
		if (has_word(picker->items[picker->shown[i]].name, picker->typed,
			     strlen(picker->typed)) &&
		    !strncmp(picker->items[picker->shown[i]].name, picker->typed,
			     strlen(picker->typed)))
			picker->selected = i;
}

const struct picker_item *picker_selected(const struct picker *picker)
{
	return picker->selected < picker->shown_count
		       ? &picker->items[picker->shown[picker->selected]]
		       : NULL;
}

void picker_show(struct app *app, struct picker *picker, const char *name)
{
	picker_free(app->picker);
	app->picker = picker;
	narrow(picker);
	for (int i = 0; i < picker->count; i++)
		if (!strcmp(picker->items[i].name, name))
			picker->selected = i;
	app->overlay = OVERLAY_CHOOSER;
	app->overlay_top = 0;
}

unsigned picker_move(struct app *app, int by)
{
	struct picker *picker = app->picker;
	int row = picker->selected + by;

	row = row >= picker->shown_count ? picker->shown_count - 1 : row;
	picker->selected = row < 0 ? 0 : row;
	return APP_REDRAW;
}

static void type(struct picker *picker, uint32_t c)
{
	size_t len = strlen(picker->typed);
	char bytes[4];
	size_t n = text_encode(bytes, c);

	if (len + n >= sizeof(picker->typed))
		return;
	memcpy(picker->typed + len, bytes, n);
	picker->typed[len + n] = '\0';
	narrow(picker);
}

static void erase(struct picker *picker)
{
	size_t len = strlen(picker->typed);

	while (len && (picker->typed[--len] & 0xc0) == 0x80)
		;
	picker->typed[len] = '\0';
	narrow(picker);
}

bool picker_key(struct app *app, struct key key, unsigned *asked)
{
	struct picker *picker = app->picker;

	*asked = APP_REDRAW;
	if (app->overlay != OVERLAY_CHOOSER || !picker)
		return false;
	if (!key.mods && key.code >= ' ' && key.code < KEYCODE_NAMED && key.code != 0x7f) {
		type(picker, key.code);
		return true;
	}
	if (key.code == KEYCODE_BACKSPACE) {
		erase(picker);
		return true;
	}
	if (key.mods == MOD_CTRL && (key.code == 'U' || key.code == 'u')) {
		picker->typed[0] = '\0';
		narrow(picker);
		return true;
	}
	if (key.mods == MOD_CTRL && (key.code == 'N' || key.code == 'n'))
		*asked = picker_move(app, 1);
	else if (key.mods == MOD_CTRL && (key.code == 'P' || key.code == 'p'))
		*asked = picker_move(app, -1);
	else
		return false;
	return true;
}

/* -- the values of a setting ---------------------------------------------------------- */

/* Fewer are gone through sooner than read. */
#define PICKER_LEAST 4

bool picker_of_field(struct app *app, enum ss_field_id field)
{
	struct choices_context context = app_choices(app);
	const struct ss_value *now = ss_scenario_value(app->draft.scenario, app->pool, field);
	struct picker *picker;
	char scratch[128], title[96];
	const char *word;

	if (ss_field(field)->type == SS_TYPE_NAME_LIST)
		return false;
	snprintf(title, sizeof(title), "%s", rows_name(field));
	picker = picker_new(PICKER_FIELD, title);
	for (size_t n = 0; (word = choices_word(&context, field, n, scratch, sizeof(scratch)));
	     n++) {
		struct ss_problems problems = { 0 };
		struct xbuf about = { 0 };

		about_document(&about, app->registry, choices_documents(field), word, &problems);
		picker_add(picker, word, xbuf_text(&about), NULL);
		xbuf_release(&about);
		ss_problems_release(&problems);
	}
	if (picker->count < PICKER_LEAST) {
		picker_free(picker);
		return false;
	}
	app->prompt.field = field;
	picker_show(app, picker, now->is_stated && now->text ? now->text : "");
	return true;
}

static unsigned take_value(struct app *app, const char *name)
{
	struct ss_error err = { 0 };

	if (history_set_text(&app->history, &app->draft, app->pool, rows_name(app->prompt.field),
			     name, &err))
		return APP_REDRAW | APP_PRICE;
	if (err.status)
		app_say(app, true, "%s%s%s", err.where, *err.where ? ": " : "", err.message);
	return APP_REDRAW;
}

/* -- a new scenario ------------------------------------------------------------------- */

static void add_documents(struct picker *picker, struct app *app, enum ss_document_kind kind)
{
	for (size_t i = 0; i < app->names[kind].count; i++) {
		struct ss_problems problems = { 0 };
		struct xbuf about = { 0 };

		about_document(&about, app->registry, kind, app->names[kind].items[i], &problems);
		picker_add(picker, app->names[kind].items[i], xbuf_text(&about), NULL);
		xbuf_release(&about);
		ss_problems_release(&problems);
	}
}

static void ask_part(struct app *app, const char *model)
{
	const struct ss_value *part = ss_scenario_value(app->draft.scenario, 0, SS_F_HARDWARE);
	struct picker *picker;
	char title[96];

	snprintf(title, sizeof(title), "New: %.60s on which part?", model);
	picker = picker_new(PICKER_PART, title);
	snprintf(picker->model, sizeof(picker->model), "%s", model);
	add_documents(picker, app, SS_DOCUMENT_HARDWARE);
	picker_show(app, picker, part->is_stated && part->text ? part->text : "");
}

/* A name that holds the word, if only one does. */
static const char *find_name(const struct choices_names *names, const char *word)
{
	const char *found = NULL;
	int count = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], word))
			return names->items[i];
		if (has_word(names->items[i], word, strlen(word))) {
			found = names->items[i];
			count++;
		}
	}
	return count == 1 ? found : NULL;
}

unsigned picker_new_scenario(struct app *app, const char *words)
{
	char model[96] = "", part[96] = "";
	const char *known;
	struct picker *picker;

	(void)sscanf(words, "%95s %95s", model, part);
	known = *model ? find_name(&app->names[SS_DOCUMENT_MODEL], model) : NULL;
	if (!known) {
		const struct ss_value *now = ss_scenario_value(app->draft.scenario, 0, SS_F_MODEL);

		picker = picker_new(PICKER_MODEL, "New: which model?");
		snprintf(picker->typed, sizeof(picker->typed), "%.60s", model);
		add_documents(picker, app, SS_DOCUMENT_MODEL);
		picker_show(app, picker, !*model && now->is_stated && now->text ? now->text : "");
		return APP_REDRAW;
	}
	snprintf(model, sizeof(model), "%s", known);
	known = *part ? find_name(&app->names[SS_DOCUMENT_HARDWARE], part) : NULL;
	if (known)
		return new_scenario_open(app, model, known);
	ask_part(app, model);
	snprintf(app->picker->typed, sizeof(app->picker->typed), "%.60s", part);
	if (*part)
		narrow(app->picker);
	return APP_REDRAW;
}

/* -- taking --------------------------------------------------------------------------- */

unsigned picker_take(struct app *app)
{
	struct picker *picker = app->picker;
	const struct picker_item *item = picker_selected(picker);
	char name[sizeof(app->wanted)], model[sizeof(picker->model)];

	/* A path may be typed as well. */
	if (!item && picker->kind != PICKER_SCENARIO) {
		app_say(app, true, "nothing here has \"%s\"; ^U takes it back", picker->typed);
		return APP_REDRAW;
	}
	snprintf(name, sizeof(name), "%s",
		 !item         ? picker->typed
		 : *item->path ? item->path
			       : item->name);
	snprintf(model, sizeof(model), "%s", picker->model);
	app->overlay = OVERLAY_NONE;
	switch (picker->kind) {
	case PICKER_SCENARIO:
		return bring_open(app, name);
	case PICKER_FIELD:
		return take_value(app, name);
	case PICKER_MODEL:
		ask_part(app, name);
		return APP_REDRAW;
	case PICKER_PART:
		return new_scenario_open(app, model, name);
	}
	return APP_REDRAW;
}

/* -- prices --------------------------------------------------------------------------- */

static void price_scenario(char *out, size_t size, struct app *app, const char *path)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *scenario =
		bring_is_for(path) ? NULL : ss_scenario_load(path, &problems);

	if (scenario)
		glance(out, size, app, scenario);
	else
		snprintf(out, size, "%s%s", problems.count ? "x " : "",
			 problems.count ? problems.items[0].message : "");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
}

static void price_value(char *out, size_t size, struct app *app, struct picker_item *item)
{
	struct ss_error err = { 0 };
	char why[240] = "";
	struct draft draft;

	draft_copy(&draft, &app->draft);
	if (ss_scenario_set(draft.scenario, app->pool, rows_name(app->prompt.field), item->name,
			    &err))
		snprintf(out, size, "x %s", err.message);
	else
		glance_value(out, size, why, sizeof(why), app, &app->picker->basis, &draft,
			     app->prompt.field);
	item->why = xstrdup(why);
	draft_release(&draft);
}

static void price_item(struct app *app, struct picker_item *item)
{
	struct picker *picker = app->picker;
	char text[320] = "";

	if (picker->kind == PICKER_SCENARIO)
		price_scenario(text, sizeof(text), app, item->path);
	else if (picker->kind == PICKER_FIELD)
		price_value(text, sizeof(text), app, item);
	else if (picker->kind == PICKER_PART)
		new_scenario_price(text, sizeof(text), app, picker->model, item->name);
	item->price = xstrdup(text);
}

bool picker_think(struct app *app)
{
	struct picker *picker = app->picker;

	if (app->overlay != OVERLAY_CHOOSER || !picker || picker->kind == PICKER_MODEL)
		return false;
	/* The selected one first, then those below it, round the end. */
	for (int i = 0; i < picker->shown_count; i++) {
		int at = (picker->selected + i) % picker->shown_count;
		struct picker_item *item = &picker->items[picker->shown[at]];

		if (item->price)
			continue;
		price_item(app, item);
		return true;
	}
	return false;
}
