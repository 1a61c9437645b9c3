#include "app/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bring.h"
#include "app/opening_batch.h"
#include "app/picker.h"
#include "app/rows.h"
#include "app/serve.h"
#include "app/sweep.h"
#include "app/tour.h"
#include "app/walk.h"
#include "case/other_part.h"
#include "case/difference.h"
#include "case/verdict_text.h"

static void load_names(struct app *app)
{
	for (int kind = 0; kind < SS_DOCUMENT_COUNT; kind++) {
		struct choices_names *names = &app->names[kind];

		ss_names_free(names->items, names->count);
		*names = (struct choices_names){ 0 };
		if (kind == SS_DOCUMENT_SCENARIO || kind == SS_DOCUMENT_STORAGE ||
		    kind == SS_DOCUMENT_REVIEW || kind == SS_DOCUMENT_NAMES)
			continue;
		if (ss_registry_names(app->registry, (enum ss_document_kind)kind, &names->items,
				      &names->count) == SS_ENOMEM)
			out_of_memory();
	}
}

void app_init(struct app *app, const struct app_inputs *inputs)
{
	*app = (struct app){
		.registry = inputs->registry,
		.pool = inputs->pool,
		.figure = inputs->figure,
		.is_on_deployment = true,
		.pane = PANE_STEP,
		.slots = { PANE_STEP, PANE_MEMORY, PANE_PROVENANCE },
		.slot_count = 1,
		.page_rows = 10,
		.detail_term = -1,
		.detail_entry = -1,
	};
	ss_spread_default(&app->spread);
	for (int i = 0; i < PANE_ALL; i++)
		app->lists[i].sort = -1;
	draft_init(&app->draft, inputs->scenario);
	app->draft.sm_budget = inputs->sm_budget;
	if (!inputs->is_batch_stated)
		app_keep_workload(app, &inputs->scenario->workload);
	app_follow_pool(app, &app->draft);
	draft_copy(&app->opened, &app->draft);
	draft_copy(&app->source, &app->draft);
	app->source.sm_budget = 0;
	app_set_review(app, NULL);
	snprintf(app->saved_as, sizeof(app->saved_as), "%s",
		 inputs->scenario->file ? inputs->scenario->file : "");
	load_names(app);
	app->fit_tokens = app_context(app);
	/* The first row is a heading. */
	app->lists[PANE_DEPLOYMENT].selected = 1;
}

void app_init_session(struct app *app, const struct session *session)
{
	struct app_inputs inputs = {
		.registry = session->registry,
		.pool = session->pool,
		.figure = session->asked_figure,
		.sm_budget = session->sm_budget,
	};
	struct ss_workload *workload = NULL;

	if (ss_scenario_clone(&inputs.scenario, session->scenario))
		out_of_memory();
	/* The batch loaded may be another than the file's: a shape's mean, or --batch. */
	inputs.is_batch_stated = !session->workload_groups;
	workload = &inputs.scenario->workload;
	free(workload->groups);
	workload->groups = xcalloc(session->group_count + 1, sizeof(*workload->groups));
	workload->group_count = session->group_count;
	workload->has_batch = true;
	if (session->group_count)
		memcpy(workload->groups,
		       session->workload_groups ? session->workload_groups : session->groups,
		       session->group_count * sizeof(*workload->groups));
	workload->decode_threshold = session->decode_threshold;
	app_init(app, &inputs);
	if (session->loaded) {
		struct ss_scenario *loaded = NULL;

		if (ss_scenario_clone(&loaded, session->loaded))
			out_of_memory();
		draft_release(&app->source);
		draft_init(&app->source, loaded);
	}
	app->ttft_tokens = session->ttft_tokens;
	app->spread = session->spread;
	app->acceptance = session->acceptance;
}

static void release_pin(struct app_pin *pin)
{
	draft_release(&pin->draft);
	quote_drop(pin->quote);
}

void app_drop_state(struct app *app)
{
	quote_drop(app->quote);
	app->quote = NULL;
	for (size_t i = 0; i < app->pin_count; i++)
		release_pin(&app->pins[i]);
	free(app->pins);
	app->pins = NULL;
	app->pin_count = 0;
	history_release(&app->history);
	draft_release(&app->draft);
	draft_release(&app->opened);
	draft_release(&app->source);
	ss_review_free(app->review);
	ss_review_free(app->source_review);
	app->review = app->source_review = app->history.review = NULL;
	app_forget_workload(app);
	walk_free(app->walk);
	app->walk = NULL;
	sweep_free(app->sweep);
	app->sweep = NULL;
	serve_free(app->serve);
	app->serve = NULL;
	ss_problems_release(&app->problems);
}

void app_release(struct app *app)
{
	app_drop_state(app);
	bring_drop(app);
	tour_record_free(app->record);
	tour_player_free(app->tour);
	quote_basis_drop(&app->basis);
	validated_release(&app->validated);
	ss_kernel_free(app->scratch);
	for (int i = 0; i < PANE_ALL; i++)
		table_release(&app->tables[i]);
	for (int i = 0; i < SS_DOCUMENT_COUNT; i++)
		ss_names_free(app->names[i].items, app->names[i].count);
	picker_free(app->picker);
	xbuf_release(&app->detail);
	xbuf_release(&app->clipboard);
	*app = (struct app){ 0 };
}

void app_open(struct app *app, struct ss_scenario *scenario)
{
	app_drop_state(app);
	draft_init(&app->draft, scenario);
	app->pool = 0;
	app_keep_workload(app, &scenario->workload);
	app_follow_pool(app, &app->draft);
	draft_copy(&app->opened, &app->draft);
	draft_copy(&app->source, &app->draft);
	app_set_review(app, NULL);
	app->fit_tokens = app_context(app);
	snprintf(app->saved_as, sizeof(app->saved_as), "%s", scenario->file ? scenario->file : "");
	for (int i = 0; i < PANE_ALL; i++)
		app->lists[i] = (struct app_list){ .sort = -1 };
	app->lists[PANE_DEPLOYMENT].selected = 1;
	app->overlay = OVERLAY_NONE;
	load_names(app);
}

void app_set_review(struct app *app, struct ss_review *review)
{
	const struct ss_value *name = &app->draft.scenario->values[SS_F_NAME];

	ss_review_free(app->review);
	ss_review_free(app->source_review);
	app->source_review = NULL;
	app->review = review ? review : ss_review_new(name->is_stated ? name->text : "");
	if (!app->review || ss_review_clone(&app->source_review, app->review))
		out_of_memory();
	app->history.review = app->review;
}

void app_say(struct app *app, bool is_error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(app->message, sizeof(app->message), format, args);
	va_end(args);
	app->is_message_error = is_error;
}

unsigned app_ask(struct app *app, enum app_prompt_kind kind, const char *label, const char *initial)
{
	app->prompt.kind = kind;
	app->prompt.is_listed = false;
	app->prompt.selected = app_list(app)->selected;
	snprintf(app->prompt.filter, sizeof(app->prompt.filter), "%s", app_list(app)->filter);
	snprintf(app->prompt.label, sizeof(app->prompt.label), "%s", label);
	snprintf(app->prompt.initial, sizeof(app->prompt.initial), "%s", initial);
	return APP_PROMPT | APP_REDRAW;
}

enum pane_id app_focus(const struct app *app)
{
	return app->is_on_deployment ? PANE_DEPLOYMENT : app->pane;
}

struct app_list *app_list(struct app *app)
{
	return &app->lists[app_focus(app)];
}

static const struct table_row *selected_row(const struct app *app, enum pane_id pane)
{
	const struct table *table = &app->tables[pane];
	int selected = app->lists[pane].selected;

	if (selected < 0 || (size_t)selected >= table->shown)
		return NULL;
	return table_at(table, (size_t)selected);
}

enum ss_field_id app_field(const struct app *app)
{
	const struct table_row *row = selected_row(app, PANE_DEPLOYMENT);

	return row && !row->is_heading && row->id < SS_FIELD_COUNT ? (enum ss_field_id)row->id
								   : SS_FIELD_COUNT;
}

int app_entry(const struct app *app)
{
	const struct table_row *row = NULL;

	if (app->is_on_deployment || (app->pane != PANE_PROVENANCE && app->pane != PANE_EVIDENCE))
		return -1;
	row = selected_row(app, app->pane);
	return row && !row->is_heading ? row->id : -1;
}

const struct app_pin *app_baseline(const struct app *app)
{
	return app->pin_count ? &app->pins[0] : NULL;
}

void app_pin(struct app *app, const char *name, bool is_baseline)
{
	size_t at = app->pin_count;
	struct app_pin *pin = NULL;

	if (!app->quote || app->is_refused) {
		app_say(app, true, "a refused deployment cannot be pinned");
		return;
	}
	if (is_baseline && app->pin_count)
		at = 0;
	for (size_t i = 1; !is_baseline && i < app->pin_count; i++) {
		if (!strcmp(app->pins[i].name, name))
			at = i;
	}
	if (at == app->pin_count) {
		app->pins = xrealloc(app->pins, at + 1, sizeof(*app->pins));
		app->pin_count++;
	} else {
		release_pin(&app->pins[at]);
	}
	pin = &app->pins[at];
	*pin = (struct app_pin){ .pool = app->pool, .quote = quote_keep(app->quote) };
	snprintf(pin->name, sizeof(pin->name), "%s", name && *name ? name : app->quote->label);
	draft_copy(&pin->draft, &app->draft);
	app_say(app, false, "pinned %s%s", at ? "" : "as the baseline: ", pin->name);
}

struct choices_context app_choices(const struct app *app)
{
	struct choices_context context = { .scenario = app->draft.scenario, .pool = app->pool };

	const struct ss_basis *basis = quote_basis_of(app->basis);

	/* Of the draft as it is, even where it is refused. */
	if (basis) {
		context.pack = ss_basis_inputs(basis)->pack;
		context.model = ss_basis_inputs(basis)->model;
	}
	if (app->quote) {
		context.resolution = ss_kernel_resolution(app->quote->kernel);
	}
	memcpy(context.names, app->names, sizeof(context.names));
	return context;
}

enum ss_figure app_figure(const struct app *app)
{
	return app->quote ? ss_kernel_lead(app->quote->kernel, app->figure) : app->figure;
}

int64_t app_context(const struct app *app)
{
	const struct ss_workload *workload = &app->draft.scenario->workload;

	for (size_t i = 0; i < workload->group_count; i++) {
		const struct ss_group *group = &workload->groups[i];

		if (group->count > 0 && group->scheduled > 0)
			return group->computed + group->scheduled;
	}
	return 0;
}

void app_set_panes(struct app *app, int count)
{
	int kept = count < 1 ? 1 : count > APP_SLOTS ? APP_SLOTS : count;

	app->slot_count = kept;
	for (int i = 0; i < kept; i++) {
		if (app->slots[i] == app->pane)
			return;
	}
	/* The pane changes places with the one shown first: none is there twice. */
	for (int i = kept; i < APP_SLOTS; i++) {
		if (app->slots[i] == app->pane)
			app->slots[i] = app->slots[0];
	}
	app->slots[0] = app->pane;
}

unsigned app_goto(struct app *app, enum pane_id pane)
{
	int at = 0;

	if (pane == PANE_DEPLOYMENT) {
		app->is_on_deployment = true;
		return APP_REDRAW;
	}
	for (int i = 0; i < app->slot_count; i++) {
		if (app->slot_used[i] < app->slot_used[at])
			at = i;
	}
	for (int i = 0; i < app->slot_count; i++) {
		if (app->slots[i] == pane)
			at = i;
	}
	for (int i = app->slot_count; i < APP_SLOTS; i++) {
		if (app->slots[i] == pane)
			app->slots[i] = app->slots[at];
	}
	app->slots[at] = pane;
	app->slot_used[at] = ++app->slot_clock;
	app->pane = pane;
	app->is_on_deployment = false;
	if (pane == PANE_SWEEP && !app->sweep)
		app->sweep = sweep_new(app);
	if (pane == PANE_SERVE && !app->serve)
		app->serve = serve_new(app);
	return APP_REDRAW;
}

/* -- pricing -------------------------------------------------------------------------- */

static void price(struct app *app)
{
	struct quote *quote = NULL;

	app->prices++;
	ss_problems_release(&app->problems);
	quote = quote_new(&app->basis, app->registry, &app->draft, app->pool, app->figure,
			  &app->problems);
	app->is_refused = !quote;
	app->is_box_hidden = false;
	if (!quote)
		other_part_offer(&app->problems, app->registry, app->draft.scenario, app->pool,
				 app->draft.corrections);
	if (quote) {
		quote_drop(app->quote);
		app->quote = quote;
	}
}

/* What the next value of the selected setting would do. */
static void preview(struct app *app)
{
	enum ss_field_id field = app_field(app);
	struct choices_context context = app_choices(app);
	struct ss_scenario *changed = NULL;
	struct ss_problems problems = { 0 };
	struct ss_value value = { 0 };
	char text[64] = "unstated";
	struct ss_batch batch = draft_batch(&app->draft);
	enum ss_status rc = SS_OK;

	app->preview[0] = '\0';
	if (!app->is_on_deployment || field == SS_FIELD_COUNT ||
	    !choices_cycle(&value, &context, field, 1))
		return;
	if (value.is_stated && ss_field(field)->type == SS_TYPE_BOOL)
		snprintf(text, sizeof(text), "%s", value.integer ? "on" : "off");
	else if (value.is_stated)
		ss_value_format(text, sizeof(text), ss_field(field), &value);
	if (ss_field(field)->owner == SS_OWNER_SCENARIO || !app->quote) {
		snprintf(app->preview, sizeof(app->preview), "Next %s", text);
		ss_value_release(&value);
		return;
	}
	if (ss_scenario_clone(&changed, app->draft.scenario))
		out_of_memory();
	ss_value_release(ss_scenario_value_mut(changed, app->pool, field));
	*ss_scenario_value_mut(changed, app->pool, field) = value;
	rc = ss_kernel_renew(&app->scratch, app->quote->basis, changed, app->pool,
			     app->draft.corrections, &problems);
	if (rc == SS_ENOMEM || problems.is_out_of_memory)
		out_of_memory();
	if (rc) {
		const char *why = "refused";

		for (size_t i = 0; i < problems.count; i++) {
			if (problems.items[i].severity != SS_WARNING) {
				why = problems.items[i].message;
				break;
			}
		}
		snprintf(app->preview, sizeof(app->preview), "Next %s: x %s", text, why);
	} else {
		struct ss_verdict verdict;
		char fit[80] = "";

		ss_kernel_verdict(app->scratch, &batch, &verdict);
		if (!verdict.holds) {
			snprintf(fit, sizeof(fit), ", ");
			verdict_word(fit + 2, sizeof(fit) - 2, &verdict);
		}
		if (ss_kernel_has_price(app->scratch) && app->quote->has_price) {
			struct difference_side was = { app->quote->kernel, &batch, app->figure };
			struct difference_side next = { app->scratch, &batch, app->figure };
			struct difference change;

			difference_of(&change, &was, &next);
			rows_change(app->preview, sizeof(app->preview), text, &change, fit);
		} else {
			snprintf(app->preview, sizeof(app->preview), "Next %s: no price%s", text,
				 fit);
		}
	}
	ss_problems_release(&problems);
	ss_scenario_free(changed);
}

static void make_list(struct app *app, enum pane_id pane)
{
	struct app_list *list = &app->lists[pane];
	struct table *table = &app->tables[pane];

	/* These follow from the price alone, and are long: moving in them makes nothing anew. */
	if ((pane != PANE_ENGINE && pane != PANE_MODEL) || list->made != app->prices)
		rows_make(table, app, pane);
	list->made = app->prices;
	table_arrange(table, list->filter, list->sort, list->is_descending);
	list->count = (int)table->shown;
	if (pane == PANE_MEMORY)
		return;
	if (list->selected >= list->count)
		list->selected = list->count ? list->count - 1 : 0;
	/* Headings, and the notices under them, are passed over. */
	while (list->selected + 1 < list->count &&
	       table_at(table, (size_t)list->selected)->is_heading)
		list->selected++;
	while (list->selected > 0 && table_at(table, (size_t)list->selected)->is_heading)
		list->selected--;
}

static bool shows(const struct app *app, enum pane_id pane)
{
	for (int i = 0; i < app->slot_count; i++)
		if (app->slots[i] == pane)
			return true;
	return app->pane == pane;
}

void app_refresh(struct app *app, unsigned asked)
{
	if (asked & APP_PRICE) {
		price(app);
		/* Text that is open stays, but what it was of may be gone. */
		app->detail_term = app->detail_entry = -1;
		app->detail_at = 0;
		if (app->walk)
			walk_follow(app);
	}
	make_list(app, PANE_DEPLOYMENT);
	for (int i = 0; i < app->slot_count; i++)
		make_list(app, app->slots[i]);
	if (app->pane == PANE_SWEEP && app->sweep)
		sweep_refresh(app);
	if (app->serve && shows(app, PANE_SERVE))
		serve_refresh(app);
	if (app->overlay == OVERLAY_NONE && !app->walk)
		preview(app);
	tour_record_follow(app);
}

void app_borrow_session(const struct app *app, struct session *out, struct ss_whatif *whatifs)
{
	struct ss_batch batch = draft_batch(&app->draft);

	*out = (struct session){
		.registry = app->registry,
		.scenario = app->draft.scenario,
		.basis = app->quote->basis,
		.kernel = app->quote->kernel,
		.pool = app->pool,
		.corrections = app->draft.corrections,
		.figure = app_figure(app),
		.groups = app->draft.scenario->workload.groups,
		.group_count = batch.group_count,
		.decode_threshold = batch.decode_threshold,
		.sm_budget = batch.sm_budget,
		.whatifs = whatifs,
		.whatif_count = app->draft.whatif_count,
		.ttft_tokens = app->ttft_tokens,
		.spread = app->spread,
		.acceptance = app->acceptance,
	};
	for (size_t i = 0; i < app->draft.whatif_count; i++)
		whatifs[i] = (struct ss_whatif){ app->draft.whatifs[i].name,
						 app->draft.whatifs[i].value };
}

static bool shows_influence(const struct app *app)
{
	for (int i = 0; i < app->slot_count; i++) {
		if (app->slots[i] == PANE_PROVENANCE || app->slots[i] == PANE_EVIDENCE)
			return true;
	}
	return false;
}

bool app_think(struct app *app)
{
	struct quote *quote = app->quote;
	struct ss_batch batch = draft_batch(&app->draft);

	if (picker_think(app))
		return true;
	if (app->pane == PANE_SWEEP && app->sweep && sweep_think(app))
		return true;
	if (app->serve && shows(app, PANE_SERVE) && serve_think(app))
		return true;
	if (quote && shows(app, PANE_EVIDENCE) &&
	    validated_think(&app->validated, app->registry, app->draft.scenario))
		return true;
	if (!quote || !quote->has_price || quote->influences || app->is_refused ||
	    !shows_influence(app))
		return false;
	quote->influences =
		xcalloc(ss_kernel_entry_count(quote->kernel), sizeof(*quote->influences));
	if (ss_kernel_influences(quote->kernel, &batch, app->figure, quote->influences) ||
	    ss_kernel_band(quote->kernel, &batch, app->figure, &app->spread, quote->band_s))
		out_of_memory();
	app_refresh(app, 0);
	return true;
}
