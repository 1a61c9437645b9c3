#include "app/walk.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/opening_batch.h"
#include "app/rows.h"
#include "case/review.h"
#include "stepscope/registry.h"

void walk_free(struct walk *walk)
{
	if (!walk)
		return;
	for (size_t i = 0; i < walk->count; i++) {
		free(walk->items[i].name);
		free(walk->items[i].set);
		free(walk->items[i].value);
		free(walk->items[i].scope);
	}
	free(walk->items);
	free(walk);
}

/* -- the list ------------------------------------------------------------------------- */

static void renew_text(char **text, const char *now)
{
	if (*text && !strcmp(*text, now))
		return;
	free(*text);
	*text = xstrdup(now);
}

/* What an entry is now; of one that is gone the last stays. */
static void describe(struct walk_item *item, const struct ss_entry *entry)
{
	char value[64];

	rows_entry_value(entry, value, sizeof(value));
	renew_text(&item->value, value);
	renew_text(&item->set, entry->set);
	renew_text(&item->scope, entry->scope);
}

static void add_item(struct walk *walk, const struct app *app, const struct ss_walk_item *from,
		     const struct ss_influence *influence)
{
	const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, (size_t)from->entry);
	struct walk_item *item = NULL;

	walk->items = xrealloc(walk->items, walk->count + 1, sizeof(*walk->items));
	item = &walk->items[walk->count++];
	*item = (struct walk_item){
		.name = xstrdup(entry->name),
		.is_own = entry->is_own,
		.entry = from->entry,
		.influence = *influence,
		.moves_s = fabs(influence->elasticity) * quote_lead(app->quote, app->figure),
	};
	describe(item, entry);
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

const struct ss_review_entry *walk_said(const struct app *app, const struct walk_item *item)
{
	return ss_review_find(app->review, item->name);
}

static enum walk_verdict verdict_of(const struct app *app, const struct walk_item *item)
{
	const struct ss_review_entry *said = walk_said(app, item);

	if (item->entry < 0)
		return said && said->verdict == SS_JUDGEMENT_STATED ? WALK_STATED : WALK_OPEN;
	switch (review_state(said, ss_kernel_entry(app->quote->kernel, (size_t)item->entry))) {
	case REVIEW_ACCEPTED:
		return WALK_REVIEWED;
	case REVIEW_CHANGED:
		return WALK_CHANGED;
	case REVIEW_OPEN:
		break;
	}
	return draft_whatif(&app->draft, item->name) ? WALK_TRIED : WALK_OPEN;
}

static void judge(struct app *app)
{
	struct walk *walk = app->walk;

	for (size_t i = 0; i < walk->count && app->quote && !app->is_refused; i++)
		walk->items[i].verdict = verdict_of(app, &walk->items[i]);
}

void walk_start(struct app *app)
{
	if (!app->walk)
		app->walk = walk_new(app);
	judge(app);
	/* On from the first one that nobody judged. */
	while (app->walk->at + 1 < walk_length(app->walk) &&
	       app->walk->items[app->walk->at].verdict == WALK_REVIEWED)
		app->walk->at++;
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

static bool is_walked(const struct walk *walk, const struct ss_entry *entry)
{
	for (size_t i = 0; i < walk->count; i++)
		if (walk->items[i].is_own == entry->is_own &&
		    !strcmp(walk->items[i].name, entry->name))
			return true;
	return false;
}

/* What is assumed only now goes to the end of its part of the list. */
static void add_new_ones(struct app *app)
{
	struct walk *walk = app->walk, *now = NULL;
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;
	bool has_any = false;

	for (size_t e = 0; e < count && !has_any && !app->is_refused; e++) {
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, e);

		has_any = review_concerns(app->quote->kernel, app->figure, e) &&
			  !is_walked(walk, entry);
	}
	if (!has_any)
		return;
	now = walk_new(app);
	for (size_t i = 0; i < now->count; i++) {
		bool is_moving = i < now->moving_count, is_rest = i >= walk_length(now);
		size_t at = is_rest ? walk->count : walk_length(walk);
		struct walk_item item = now->items[i];

		if (is_walked(walk, ss_kernel_entry(app->quote->kernel, (size_t)item.entry)))
			continue;
		at = is_moving ? walk->moving_count : is_rest ? walk->count : at;
		walk->items = xrealloc(walk->items, walk->count + 1, sizeof(*walk->items));
		memmove(&walk->items[at + 1], &walk->items[at],
			(walk->count - at) * sizeof(*walk->items));
		walk->items[at] = item;
		now->items[i] = (struct walk_item){ 0 };
		walk->count++;
		walk->moving_count += is_moving;
		walk->own_count += !is_moving && !is_rest;
		walk->at += walk->at >= at && walk->count > 1;
	}
	walk_free(now);
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
		if (item->entry >= 0)
			describe(item, ss_kernel_entry(app->quote->kernel, (size_t)item->entry));
	}
	add_new_ones(app);
	judge(app);
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

/* Say something of an item in the review; joined: with the edit just made. */
static bool say(struct app *app, struct walk_item *item, enum ss_judgement verdict,
		const char *note, const char *value_text, bool is_joined)
{
	const struct ss_entry *entry =
		item->entry >= 0 ? ss_kernel_entry(app->quote->kernel, (size_t)item->entry) : NULL;
	bool has_value = !value_text && entry && entry->has_value;
	char sha256[SS_SHA256_SIZE], name[200];
	char *json = app_scenario_json(app);
	struct ss_review_entry said = {
		.name = item->name,
		.set = item->set,
		.has_value = has_value,
		.value = has_value ? entry->value : 0,
		.value_text = (char *)(uintptr_t)(value_text            ? value_text
						  : entry && !has_value ? entry->value_text
									: ""),
		.units = (char *)(uintptr_t)(has_value && entry->coefficient
						     ? ss_unit_name(entry->coefficient->units)
						     : ""),
		.verdict = verdict,
		.note = (char *)(uintptr_t)note,
		.reviewer = app->reviewer,
		.date = app->now,
		.scenario_sha256 = sha256,
	};
	bool is_changed = false;

	ss_sha256(sha256, json, strlen(json));
	free(json);
	snprintf(name, sizeof(name), "%s of %s", verdict == SS_JUDGEMENT_OPEN ? "note" : "review",
		 item->name);
	is_changed = history_set_review(&app->history, &said, name);
	if (is_changed && is_joined)
		history_join(&app->history);
	judge(app);
	return is_changed;
}

static const char *note_of(const struct app *app, const struct walk_item *item)
{
	const struct ss_review_entry *said = walk_said(app, item);

	return said ? said->note : "";
}

static unsigned accept(struct app *app, struct walk_item *item)
{
	char note[2048];

	if (item->entry < 0 || item->verdict == WALK_REVIEWED)
		return walk_move(app, 1);
	snprintf(note, sizeof(note), "%s", note_of(app, item));
	(void)say(app, item, SS_JUDGEMENT_ACCEPTED, note, NULL, false);
	app_say(app, false, "%s accepted at %s; a again goes on, ' says why", item->name,
		item->value);
	return APP_REDRAW;
}

static void say_stated(struct app *app, struct walk_item *item, const char *value)
{
	char note[2048];

	snprintf(note, sizeof(note), "%s", note_of(app, item));
	(void)say(app, item, SS_JUDGEMENT_STATED, note, value, true);
}

/* The setting that an entry stands for; NULL: there is none. */
static const struct ss_field *setting_of(const struct app *app, const struct walk_item *item)
{
	const char *path =
		item->entry >= 0 ? ss_kernel_entry_setting(app->quote->kernel, item->entry) : "";
	enum ss_field_id id = *path ? ss_field_find(path, NULL) : SS_FIELD_COUNT;

	return id == SS_FIELD_COUNT ? NULL : ss_field(id);
}

/* A value that names a document is chosen from those there are, never taken unasked. */
static unsigned ask_listed(struct app *app, const struct walk_item *item,
			   const struct ss_field *field)
{
	const struct ss_value *value = ss_scenario_value(app->draft.scenario, app->pool, field->id);
	struct choices_context context = app_choices(app);
	char scratch[128], label[sizeof(app->prompt.label)];
	const char *word = NULL;
	size_t used = 0;

	used = (size_t)snprintf(label, sizeof(label), "%s, of", rows_name(field->id));
	for (size_t n = 0; used < sizeof(label) &&
			   (word = choices_word(&context, field->id, n, scratch, sizeof(scratch)));
	     n++)
		used += (size_t)snprintf(label + used, sizeof(label) - used, " %s", word);
	app->prompt.field = field->id;
	snprintf(app->prompt.name, sizeof(app->prompt.name), "%s", item->name);
	(void)app_ask(app, PROMPT_VALUE, label, value->is_stated && value->text ? value->text : "");
	app->prompt.is_listed = true;
	return APP_PROMPT | APP_REDRAW;
}

static unsigned state(struct app *app, struct walk_item *item)
{
	const struct ss_field *field = setting_of(app, item);
	struct ss_error err = { 0 };
	char value[160];

	if (!item->is_own) {
		app_say(app, false, "a coefficient is tried with t; s states a setting");
		return APP_REDRAW;
	}
	if (!field) {
		app_say(app, false, "%s %s",
			item->entry < 0 ? "nothing is assumed any more of" : "no setting states",
			item->name);
		return APP_REDRAW;
	}
	if (choices_is_listed(field->id))
		return ask_listed(app, item, field);
	snprintf(value, sizeof(value), "%s", item->value);
	if (!history_set_text(&app->history, &app->draft, app->pool, field->path, value, &err)) {
		app_say(app, true, "%s", err.status ? err.message : "it is stated already");
		return APP_REDRAW;
	}
	say_stated(app, item, value);
	app_say(app, false, "%s = %s is stated now", item->name, value);
	return APP_REDRAW | APP_PRICE;
}

static unsigned try(struct app *app, struct walk_item *item)
{
	const struct ss_field *field = setting_of(app, item);
	unsigned asked = 0;

	if (field && choices_is_listed(field->id))
		return ask_listed(app, item, field);
	asked = app_ask_entry(app, item->entry);
	/* The answer is for this one, wherever the walk stands then. */
	snprintf(app->prompt.name, sizeof(app->prompt.name), "%s", item->name);
	return asked | APP_REDRAW;
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
	if (app->is_refused && action != ACT_WALK_NOTE) {
		app_say(app, true, "what is refused has no walk: u takes the last edit back");
		return APP_REDRAW;
	}
	if (action == ACT_WALK_ACCEPT)
		return accept(app, item);
	if (action == ACT_WALK_STATE)
		return state(app, item);
	if (action == ACT_WALK_TRY)
		return try(app, item);
	if (action != ACT_WALK_NOTE)
		return 0;
	snprintf(app->prompt.name, sizeof(app->prompt.name), "%s", item->name);
	return app_ask(app, PROMPT_NOTE, "note", note_of(app, item));
}

/* The item a prompt was opened for. */
static struct walk_item *asked_of(const struct app *app)
{
	for (size_t i = 0; app->walk && i < app->walk->count; i++)
		if (!strcmp(app->walk->items[i].name, app->prompt.name))
			return &app->walk->items[i];
	return NULL;
}

void walk_tried(struct app *app, bool is_setting)
{
	struct walk_item *item = asked_of(app);
	const struct ss_field *field = item ? setting_of(app, item) : NULL;
	const struct ss_value *value = NULL;
	char text[160];

	if (!field || !is_setting)
		return;
	value = ss_scenario_value(app->draft.scenario, app->pool, field->id);
	if (!value->is_stated)
		return;
	ss_value_format(text, sizeof(text), field, value);
	say_stated(app, item, text);
}

unsigned walk_note(struct app *app, const char *text)
{
	struct walk_item *item = asked_of(app);
	const struct ss_review_entry *said = item ? walk_said(app, item) : NULL;
	struct ss_review_entry changed;

	if (!item)
		return 0;
	if (!said && *text)
		(void)say(app, item, SS_JUDGEMENT_OPEN, text, NULL, false);
	if (!said)
		return APP_REDRAW;
	/* A note on a judgement is of its value: that stays, and by whom. */
	changed = *said;
	changed.note = (char *)(uintptr_t)text;
	if (said->verdict == SS_JUDGEMENT_OPEN && !*text)
		(void)history_drop_review(&app->history, item->name, "note taken away");
	else
		(void)history_set_review(&app->history, &changed, "note");
	judge(app);
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
	case WALK_CHANGED:
		return "changed";
	}
	return "";
}
