#include "app/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "app/rows.h"

void walk_free(struct walk *walk)
{
	if (!walk)
		return;
	for (size_t i = 0; i < walk->count; i++) {
		free(walk->items[i].name);
		free(walk->items[i].set);
		free(walk->items[i].value);
		free(walk->items[i].scope);
		free(walk->items[i].note);
	}
	free(walk->items);
	free(walk);
}

/* -- the list ------------------------------------------------------------------------- */

static void add_item(struct walk *walk, const struct app *app, const struct ss_walk_item *from,
		     const struct ss_influence *influence)
{
	const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, (size_t)from->entry);
	char value[64];

	rows_entry_value(entry, value, sizeof(value));
	walk->items = xrealloc(walk->items, walk->count + 1, sizeof(*walk->items));
	walk->items[walk->count++] = (struct walk_item){
		.name = xstrdup(entry->name),
		.set = xstrdup(entry->set),
		.value = xstrdup(value),
		.scope = xstrdup(entry->scope),
		.is_own = entry->is_own,
		.entry = from->entry,
		.influence = *influence,
		.moves_s = fabs(influence->elasticity) * quote_lead(app->quote, app->figure),
	};
	walk->own_count += from->group == SS_WALK_OWN;
	walk->moving_count += from->group == SS_WALK_MOVES;
}

static void open_page(struct app *app)
{
	struct walk *walk = app->walk;
	const struct walk_item *item = walk->count ? &walk->items[walk->at] : NULL;
	struct ss_batch batch = draft_batch(&app->draft);

	walk->page = (struct ss_walk_page){ 0 };
	if (!item || item->entry < 0 || !app->quote || !app->quote->has_price || app->is_refused)
		return;
	if (ss_kernel_walk_page(app->quote->kernel, &batch, app->figure, item->entry, &walk->page))
		out_of_memory();
}

struct walk *walk_new(struct app *app)
{
	struct walk *walk = xcalloc(1, sizeof(*walk));
	size_t count = ss_kernel_entry_count(app->quote->kernel);
	struct ss_influence *influences = xcalloc(count, sizeof(*influences));
	struct ss_walk_item *order = xcalloc(count, sizeof(*order));
	struct ss_batch batch = draft_batch(&app->draft);
	size_t length = 0;

	if (app->quote->has_price &&
	    ss_kernel_influences(app->quote->kernel, &batch, app->figure, influences))
		out_of_memory();
	length = ss_kernel_walk(app->quote->kernel, influences, order);
	for (size_t i = 0; i < length; i++)
		add_item(walk, app, &order[i], &influences[order[i].entry]);
	free(order);
	free(influences);
	return walk;
}

void walk_start(struct app *app)
{
	if (!app->walk)
		app->walk = walk_new(app);
	open_page(app);
}

size_t walk_length(const struct walk *walk)
{
	return walk->has_rest ? walk->count : walk->own_count + walk->moving_count;
}

/* What each moves now: a value tried moves another part of another price. */
static void measure(struct app *app)
{
	struct walk *walk = app->walk;
	struct ss_batch batch = draft_batch(&app->draft);
	struct ss_influence *influences = NULL;

	if (!app->quote || !app->quote->has_price || app->is_refused)
		return;
	influences = xcalloc(ss_kernel_entry_count(app->quote->kernel), sizeof(*influences));
	if (ss_kernel_influences(app->quote->kernel, &batch, app->figure, influences))
		out_of_memory();
	for (size_t i = 0; i < walk->count; i++) {
		struct walk_item *item = &walk->items[i];

		item->influence =
			item->entry >= 0 ? influences[item->entry] : (struct ss_influence){ 0 };
		item->moves_s =
			fabs(item->influence.elasticity) * quote_lead(app->quote, app->figure);
	}
	free(influences);
}

/* What was stated or tried may have been taken back since. */
static void recheck(const struct app *app, struct walk_item *item)
{
	bool is_tried = draft_whatif(&app->draft, item->name) != NULL;

	if (item->verdict == WALK_STATED && item->entry >= 0)
		item->verdict = WALK_OPEN;
	if (item->verdict == WALK_TRIED && !is_tried)
		item->verdict = WALK_OPEN;
}

void walk_follow(struct app *app)
{
	struct walk *walk = app->walk;
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;

	for (size_t i = 0; i < walk->count; i++) {
		struct walk_item *item = &walk->items[i];

		item->entry = -1;
		for (size_t e = 0; e < count && item->entry < 0; e++) {
			const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, e);

			if (!entry->is_shadowed && entry->is_own == item->is_own &&
			    !strcmp(entry->name, item->name))
				item->entry = (int)e;
		}
	}
	for (size_t i = 0; i < walk->count && !app->is_refused; i++)
		recheck(app, &walk->items[i]);
	measure(app);
	open_page(app);
}

/* -- keys ----------------------------------------------------------------------------- */

static unsigned go(struct app *app, long at)
{
	long length = (long)walk_length(app->walk);

	if (!length)
		return APP_REDRAW;
	app->walk->at = (size_t)(at < 0 ? 0 : at >= length ? length - 1 : at);
	open_page(app);
	return APP_REDRAW;
}

unsigned walk_move(struct app *app, int by)
{
	return go(app, (long)app->walk->at + by);
}

static unsigned state(struct app *app, struct walk_item *item)
{
	struct ss_error err = { 0 };
	const char *path = "";

	if (!item->is_own) {
		app_say(app, false, "a coefficient is tried with t; s states a setting");
		return APP_REDRAW;
	}
	if (item->entry >= 0)
		path = ss_kernel_entry_setting(app->quote->kernel, item->entry);
	if (!*path) {
		app_say(app, false, "no setting states %s", item->name);
		return APP_REDRAW;
	}
	if (!history_set_text(&app->history, &app->draft, app->pool, path, item->value, &err)) {
		app_say(app, true, "%s", err.status ? err.message : "it is stated already");
		return APP_REDRAW;
	}
	item->verdict = WALK_STATED;
	app_say(app, false, "%s = %s is stated now", item->name, item->value);
	return APP_REDRAW | APP_PRICE;
}

unsigned walk_apply(struct app *app, enum action_id action)
{
	struct walk *walk = app->walk;
	struct walk_item *item = walk->count ? &walk->items[walk->at] : NULL;

	if (action == ACT_WALK_REST) {
		walk->has_rest = !walk->has_rest;
		return go(app, (long)walk->at);
	}
	if (action == ACT_WALK_EXPORT)
		return app_ask(app, PROMPT_EXPORT, "export the audit (Markdown) to", "audit.md");
	if (!item)
		return APP_REDRAW;
	if (action == ACT_WALK_NEXT)
		return walk_move(app, 1);
	if (action == ACT_WALK_PREV)
		return walk_move(app, -1);
	if (action == ACT_WALK_ACCEPT) {
		if (item->verdict == WALK_OPEN)
			item->verdict = WALK_REVIEWED;
		return walk_move(app, 1);
	}
	if (action == ACT_WALK_STATE)
		return state(app, item);
	if (action == ACT_WALK_NOTE)
		return app_ask(app, PROMPT_NOTE, "note", item->note ? item->note : "");
	if (action != ACT_WALK_TRY)
		return 0;
	return app_ask_entry(app, item->entry) | APP_REDRAW;
}

void walk_tried(struct app *app, bool is_setting)
{
	struct walk_item *item = NULL;

	if (!app->walk || !app->walk->count)
		return;
	item = &app->walk->items[app->walk->at];
	if (is_setting)
		item->verdict = WALK_STATED;
	else
		item->verdict = draft_whatif(&app->draft, item->name) ? WALK_TRIED : WALK_OPEN;
}

unsigned walk_note(struct app *app, const char *text)
{
	struct walk_item *item = NULL;

	if (!app->walk || !app->walk->count)
		return 0;
	item = &app->walk->items[app->walk->at];
	free(item->note);
	item->note = *text ? xstrdup(text) : NULL;
	return APP_REDRAW;
}

unsigned walk_to(struct app *app, const char *name)
{
	if (!app->quote) {
		app_say(app, true, "there is no price to walk");
		return APP_REDRAW;
	}
	walk_start(app);
	for (size_t i = 0; i < app->walk->count; i++) {
		if (strcmp(app->walk->items[i].name, name) != 0)
			continue;
		if (i >= walk_length(app->walk))
			app->walk->has_rest = true;
		return go(app, (long)i);
	}
	if (*name)
		app_say(app, true, "nothing assumed is called \"%s\"", name);
	return APP_REDRAW;
}

const char *walk_verdict_name(enum walk_verdict verdict)
{
	switch (verdict) {
	case WALK_OPEN:
		return "......";
	case WALK_REVIEWED:
		return "reviewed";
	case WALK_TRIED:
		return "tried";
	case WALK_STATED:
		return "stated";
	}
	return "";
}
