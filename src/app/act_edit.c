/* Changing what is priced: values, ways out of a refusal, undo, the baseline. */
#include "app/act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/batch_edit.h"
#include "text/number.h"
#include "app/opening_batch.h"
#include "app/picker.h"
#include "app/rows.h"
#include "app/serve.h"
#include "app/sweep.h"
#include "app/tree.h"

const struct ss_problem *app_refusal(const struct app *app)
{
	for (size_t i = 0; i < app->problems.count; i++) {
		if (app->problems.items[i].severity != SS_WARNING)
			return &app->problems.items[i];
	}
	return NULL;
}

/* Was this way out offered by a problem before? */
static bool is_offered(const struct app *app, size_t problem, size_t fix)
{
	const struct ss_fix *this = &app->problems.items[problem].fixes[fix];

	for (size_t i = 0; i <= problem; i++) {
		const struct ss_problem *other = &app->problems.items[i];
		size_t count = i == problem ? fix : other->fix_count;

		for (size_t f = 0; other->severity != SS_WARNING && f < count; f++) {
			if (!strcmp(other->fixes[f].path, this->path) &&
			    !strcmp(other->fixes[f].value, this->value))
				return true;
		}
	}
	return false;
}

const struct ss_fix *app_fix(const struct app *app, int n)
{
	for (size_t i = 0; app->is_refused && i < app->problems.count; i++) {
		const struct ss_problem *problem = &app->problems.items[i];

		for (size_t f = 0; problem->severity != SS_WARNING && f < problem->fix_count; f++) {
			if (!is_offered(app, i, f) && n-- == 0)
				return &problem->fixes[f];
		}
	}
	return NULL;
}

unsigned act_edited(bool is_changed)
{
	return is_changed ? APP_REDRAW | APP_PRICE : APP_REDRAW;
}

static unsigned change_field(struct app *app, enum ss_field_id field,
			     bool (*next)(struct ss_value *, const struct choices_context *,
					  enum ss_field_id, int),
			     int step)
{
	struct choices_context context = app_choices(app);
	struct ss_value value = { 0 };

	if (field == SS_FIELD_COUNT)
		return 0;
	if (!next(&value, &context, field, step)) {
		app_say(app, false, "%s: no value %s this one; e types one", rows_label(field),
			step > 0 ? "after" : "before");
		return APP_REDRAW;
	}
	return act_edited(history_set_field(&app->history, &app->draft, app->pool, field, &value));
}

static unsigned toggle_divergence(struct app *app)
{
	const struct table *table = &app->tables[PANE_STEP];
	int selected = app->lists[PANE_STEP].selected;
	int id = 0;
	char name[96];
	unsigned bit = 0;

	if ((size_t)selected >= table->shown)
		return 0;
	id = table_at(table, (size_t)selected)->id - ROWS_DIVERGENCE;
	if (id < 0 || id >= SS_DIVERGENCE_COUNT) {
		app_say(app, false, "Space here turns a divergence's correction on and off");
		return APP_REDRAW;
	}
	if (!ss_divergence((enum ss_divergence_id)id)->has_correction) {
		app_say(app, false, "%s is known without a figure: there is no correction",
			ss_divergence((enum ss_divergence_id)id)->name);
		return APP_REDRAW;
	}
	bit = 1u << id;
	snprintf(name, sizeof(name), "%s %s", ss_divergence((enum ss_divergence_id)id)->name,
		 app->draft.corrections & bit ? "as the law" : "corrected");
	return act_edited(history_set_corrections(&app->history, &app->draft,
						  app->draft.corrections ^ bit, name));
}

static unsigned scale_tokens(struct app *app, int step)
{
	if (step > 0 && app->fit_tokens < (int64_t)1 << 40)
		app->fit_tokens = app->fit_tokens ? app->fit_tokens * 2 : 1024;
	else if (step < 0 && app->fit_tokens > 1)
		app->fit_tokens /= 2;
	return APP_REDRAW;
}

/* Space, + and -; is_cycle: Space. */
unsigned act_change(struct app *app, int step, bool is_cycle)
{
	if (app->overlay != OVERLAY_NONE || app->walk)
		return 0;
	switch (app_focus(app)) {
	case PANE_DEPLOYMENT:
		if (tree_field(app))
			return act_edited(tree_cycle(app, tree_field(app), step));
		return change_field(app, app_field(app), is_cycle ? choices_cycle : choices_step,
				    step);
	case PANE_STEP:
		return is_cycle ? toggle_divergence(app) : 0;
	case PANE_MEMORY:
		if (!app->memory_field)
			return scale_tokens(app, step);
		return change_field(app, rows_memory_field(app->memory_field), choices_step, step);
	case PANE_BATCH:
		return act_edited(batch_step(app, step, is_cycle));
	case PANE_SWEEP:
		return app->sweep ? sweep_move(app, step, 0) : 0;
	case PANE_SERVE:
		return app->serve ? serve_step(app, step) : 0;
	case PANE_RESOLVED:
	case PANE_PROVENANCE:
	case PANE_EVIDENCE:
	case PANE_COMPARE:
	case PANE_ENGINE:
	case PANE_MODEL:
	case PANE_ALL:
		break;
	}
	return 0;
}

static unsigned ask_field(struct app *app, enum ss_field_id field)
{
	const struct ss_value *value = ss_scenario_value(app->draft.scenario, app->pool, field);
	char text[sizeof(app->prompt.initial)] = "";

	if (picker_of_field(app, field))
		return APP_REDRAW;
	ss_value_format(text, sizeof(text), ss_field(field), value);
	app->prompt.field = field;
	return app_ask(app, PROMPT_VALUE, rows_name(field), text);
}

/* The setting that an assumption of the kernel stands for. */
static enum ss_field_id field_named(const char *name)
{
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		if (!strcmp(rows_name((enum ss_field_id)id), name))
			return (enum ss_field_id)id;
	}
	return SS_FIELD_COUNT;
}

unsigned app_ask_entry(struct app *app, int index)
{
	const struct ss_entry *entry = NULL;
	enum ss_field_id field = SS_FIELD_COUNT;

	if (index < 0 || !app->quote)
		return 0;
	entry = ss_kernel_entry(app->quote->kernel, (size_t)index);
	field = entry->is_own ? field_named(entry->name) : SS_FIELD_COUNT;
	if (field != SS_FIELD_COUNT)
		return ask_field(app, field);
	if (!entry->coefficient) {
		app_say(app, false, "%s is the kernel's own: no setting states it", entry->name);
		return APP_REDRAW;
	}
	snprintf(app->prompt.name, sizeof(app->prompt.name), "%s", entry->name);
	return app_ask(app, PROMPT_WHATIF, "try at (empty: as in its set)",
		       number_plain(entry->value).text);
}

static unsigned ask_tree(struct app *app, const struct ss_config_field *field)
{
	const char *stated = tree_stated(app, field);

	tree_path(field, app->prompt.name, sizeof(app->prompt.name));
	return app_ask(app, PROMPT_TREE, field->field, stated ? stated : "");
}

static unsigned unstate_tree(struct app *app, const struct ss_config_field *field)
{
	struct ss_error err = { 0 };
	char path[256];

	tree_path(field, path, sizeof(path));
	return act_edited(tree_put(app, path, "", &err));
}

unsigned act_ask_edit(struct app *app)
{
	char text[64];

	if (app->overlay == OVERLAY_DETAIL && app->detail_entry >= 0) {
		int entry = app->detail_entry;

		app->overlay = OVERLAY_NONE;
		return app_ask_entry(app, entry);
	}
	if (app->overlay != OVERLAY_NONE || app->walk)
		return 0;
	switch (app_focus(app)) {
	case PANE_DEPLOYMENT:
		if (tree_field(app))
			return ask_tree(app, tree_field(app));
		return app_field(app) == SS_FIELD_COUNT ? 0 : ask_field(app, app_field(app));
	case PANE_PROVENANCE:
	case PANE_EVIDENCE:
		return app_ask_entry(app, app_entry(app));
	case PANE_MEMORY:
		if (app->memory_field)
			return ask_field(app, rows_memory_field(app->memory_field));
		snprintf(text, sizeof(text), "%lld", (long long)app->fit_tokens);
		return app_ask(app, PROMPT_TOKENS, "what fits of requests of N tokens", text);
	case PANE_BATCH:
		return batch_ask(app, app->lists[PANE_BATCH].selected);
	case PANE_SWEEP:
		return app->sweep ? sweep_ask(app) : 0;
	case PANE_SERVE:
		return app->serve ? serve_ask(app) : 0;
	case PANE_RESOLVED:
	case PANE_STEP:
	case PANE_COMPARE:
	case PANE_ENGINE:
	case PANE_MODEL:
	case PANE_ALL:
		break;
	}
	app_say(app, false, "nothing to type here; the settings are in the pane at the left");
	return APP_REDRAW;
}

unsigned act_unstate(struct app *app)
{
	enum ss_field_id field = app_field(app);
	struct ss_value value = { 0 };
	int entry = app_entry(app);

	if (app->overlay == OVERLAY_DETAIL && app->detail_entry >= 0) {
		app->overlay = OVERLAY_NONE;
		entry = app->detail_entry;
	}
	if (app->overlay != OVERLAY_NONE || app->walk)
		return 0;
	if (entry >= 0 && app->quote)
		return act_edited(history_set_whatif(
			&app->history, &app->draft,
			ss_kernel_entry(app->quote->kernel, (size_t)entry)->name, NULL));
	if (app_focus(app) == PANE_BATCH)
		return act_edited(batch_delete(app));
	if (tree_field(app))
		return unstate_tree(app, tree_field(app));
	if (!app->is_on_deployment || field == SS_FIELD_COUNT)
		return 0;
	if (ss_field(field)->is_required) {
		app_say(app, true, "%s must be stated", rows_name(field));
		return APP_REDRAW;
	}
	return act_edited(history_set_field(&app->history, &app->draft, app->pool, field, &value));
}

/* A way out that takes several settings is one edit: taken back at once. */
static bool take_all(struct app *app, const struct ss_fix *fix, struct ss_error *err)
{
	struct draft changed = { 0 };
	char name[96];

	draft_copy(&changed, &app->draft);
	if (ss_scenario_take_fix(changed.scenario, app->pool, fix, err)) {
		draft_release(&changed);
		return false;
	}
	(void)snprintf(name, sizeof(name), "%.40s = %.30s and more", fix->path,
		       *fix->value ? fix->value : "unstated");
	return history_replace(&app->history, &app->draft, &changed, name);
}

unsigned act_refusal(struct app *app)
{
	if (!app->is_refused)
		app_say(app, false, "nothing is refused");
	app->is_box_hidden = false;
	return APP_REDRAW;
}

unsigned act_take_fix(struct app *app, int n)
{
	const struct ss_fix *fix = app_fix(app, n);
	struct ss_error err = { 0 };

	if (!fix)
		return 0;
	if (fix->also && take_all(app, fix, &err))
		return act_edited(true);
	/* The fix goes away with the problems; its words are used first. */
	if (!fix->also &&
	    history_set_text(&app->history, &app->draft, app->pool, fix->path, fix->value, &err))
		return act_edited(true);
	app_say(app, true, "%s", err.status ? err.message : "that is how it is already");
	return APP_REDRAW;
}

unsigned act_undo(struct app *app, bool is_redo)
{
	const char *name = is_redo ? history_redo(&app->history, &app->draft)
				   : history_undo(&app->history, &app->draft);

	if (!name) {
		app_say(app, false, "nothing to %s", is_redo ? "make again" : "take back");
		return APP_REDRAW;
	}
	app_follow_pool(app, &app->draft);
	app_say(app, false, "%s: %s", is_redo ? "again" : "taken back", name);
	return act_edited(true);
}

unsigned act_to_baseline(struct app *app)
{
	const struct app_pin *pin = app_baseline(app);
	struct draft copy = { 0 };

	if (!pin) {
		app_say(app, false, "no baseline: b pins one");
		return APP_REDRAW;
	}
	draft_copy(&copy, &pin->draft);
	app->pool = pin->pool;
	return act_edited(
		history_replace(&app->history, &app->draft, &copy, "back to the baseline"));
}

unsigned act_next_pool(struct app *app, int by)
{
	size_t count = app->draft.scenario->pool_count;

	if (count < 2) {
		app_say(app, false, "the deployment has one pool");
		return APP_REDRAW;
	}
	app->pool = (app->pool + (by > 0 ? 1 : count - 1)) % count;
	app_follow_pool(app, &app->draft);
	return APP_REDRAW | APP_PRICE;
}

unsigned act_next_figure(struct app *app)
{
	int last = app->quote && ss_kernel_has_kernels(app->quote->kernel) ? SS_FIGURE_KERNELS
									   : SS_FIGURE_OVERLAP;
	int figure = (int)app_figure(app);

	app->figure = (enum ss_figure)(figure < last ? figure + 1 : SS_FIGURE_SERIAL);
	app_say(app, false, "the lead figure is %s", ss_figure_name(app->figure));
	return APP_REDRAW | APP_PRICE;
}
