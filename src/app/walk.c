#include "app/walk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/number.h"
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

/* -- pricing with one value changed --------------------------------------------------- */

struct outcome {
	double lead_s, room_bytes; /* NaN where it cannot be priced */
};

static struct outcome price_with(const struct app *app, const char *name, double value)
{
	struct ss_basis_inputs inputs = *ss_basis_inputs(app->quote->basis);
	struct ss_batch batch = draft_batch(&app->draft);
	struct ss_problems problems = { 0 };
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	struct ss_whatif *whatifs = xcalloc(app->draft.whatif_count + 1, sizeof(*whatifs));
	struct outcome outcome = { .lead_s = NAN, .room_bytes = NAN };
	size_t count = 0;

	for (size_t i = 0; i < app->draft.whatif_count; i++) {
		if (strcmp(app->draft.whatifs[i].name, name) != 0)
			whatifs[count++] = (struct ss_whatif){ app->draft.whatifs[i].name,
							       app->draft.whatifs[i].value };
	}
	whatifs[count++] = (struct ss_whatif){ name, value };
	inputs.whatifs = whatifs;
	inputs.whatif_count = count;
	if (!ss_basis_new(&basis, &inputs, &problems) &&
	    !ss_kernel_renew(&kernel, basis, app->draft.scenario, app->pool,
			     app->draft.corrections, &problems)) {
		outcome.room_bytes = (double)ss_kernel_memory(kernel)->budget_bytes;
		if (ss_kernel_has_price(kernel)) {
			struct ss_step step = { 0 };

			ss_kernel_step(kernel, &batch, &step);
			outcome.lead_s = ss_step_figure(&step, app->figure);
		}
	}
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_problems_release(&problems);
	free(whatifs);
	return outcome;
}

/* Step either way for the derivative: small against a knee, large against rounding. */
#define NUDGE 1e-3

static void measure(const struct app *app, struct walk_item *item, const struct ss_entry *entry)
{
	struct outcome down, up;
	double room = (double)ss_kernel_memory(app->quote->kernel)->budget_bytes;
	double span = log((1 + NUDGE) / (1 - NUDGE));

	if (!entry->coefficient || !entry->has_value || !(fabs(entry->value) > 0))
		return;
	down = price_with(app, entry->name, entry->value * (1 - NUDGE));
	up = price_with(app, entry->name, entry->value * (1 + NUDGE));
	if (down.lead_s > 0 && up.lead_s > 0)
		item->elasticity = log(up.lead_s / down.lead_s) / span;
	if (room > 0 && isfinite(down.room_bytes) && isfinite(up.room_bytes))
		item->room_elasticity = (up.room_bytes - down.room_bytes) / room / span;
}

/* -- the list ------------------------------------------------------------------------- */

static void add_item(struct walk *walk, const struct app *app, size_t index, double seconds)
{
	const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, index);
	struct walk_item *item = NULL;
	char value[64];

	rows_entry_value(entry, value, sizeof(value));
	walk->items = xrealloc(walk->items, walk->count + 1, sizeof(*walk->items));
	item = &walk->items[walk->count++];
	*item = (struct walk_item){
		.name = xstrdup(entry->name),
		.set = xstrdup(entry->set),
		.value = xstrdup(value),
		.scope = xstrdup(entry->scope),
		.is_own = entry->is_own,
		.entry = (int)index,
		.seconds = seconds,
	};
	measure(app, item, entry);
}

static double weight(const struct walk_item *item)
{
	double step = fabs(item->elasticity), room = fabs(item->room_elasticity);

	/* What moves the price comes before what moves memory alone. */
	return step > 1e-6 ? 1 + step : room > 1e-6 ? room : 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct walk_item *x = a, *y = b;
	double wx = weight(x), wy = weight(y);

	if (wx < wy || wx > wy)
		return wx < wy ? 1 : -1;
	return x->entry - y->entry;
}

static void find_tries(struct app *app)
{
	static const double factors[WALK_TRIES] = { 0.5, 0.75, 1, 1.25, 1.5 };
	struct walk *walk = app->walk;
	const struct walk_item *item = walk->count ? &walk->items[walk->at] : NULL;
	const struct ss_entry *entry = NULL;

	walk->try_count = 0;
	if (!item || item->entry < 0 || !app->quote || app->is_refused)
		return;
	entry = ss_kernel_entry(app->quote->kernel, (size_t)item->entry);
	if (!entry->coefficient || !entry->has_value)
		return;
	walk->try_count = WALK_TRIES;
	for (size_t i = 0; i < WALK_TRIES; i++) {
		walk->try_value[i] = entry->value * factors[i];
		walk->try_s[i] = price_with(app, entry->name, walk->try_value[i]).lead_s;
	}
}

struct walk *walk_new(struct app *app)
{
	struct walk *walk = xcalloc(1, sizeof(*walk));
	size_t count = ss_kernel_entry_count(app->quote->kernel);
	double *seconds = xcalloc(count, sizeof(*seconds));
	struct walk *outer = app->walk;

	quote_influence(app->quote, app->figure, seconds);
	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < count; i++) {
			const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, i);

			if (entry->method != SS_METHOD_ASSUMED || entry->is_shadowed ||
			    entry->is_own != (own == 1))
				continue;
			add_item(walk, app, i, seconds[i]);
		}
		if (own)
			walk->own_count = walk->count;
	}
	free(seconds);
	if (walk->count > walk->own_count)
		qsort(walk->items + walk->own_count, walk->count - walk->own_count,
		      sizeof(*walk->items), by_weight);
	for (size_t i = walk->own_count; i < walk->count; i++)
		walk->moving_count += weight(&walk->items[i]) > 0;
	app->walk = walk;
	find_tries(app);
	app->walk = outer;
	return walk;
}

size_t walk_length(const struct walk *walk)
{
	return walk->has_rest ? walk->count : walk->own_count + walk->moving_count;
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
	find_tries(app);
}

/* -- keys ----------------------------------------------------------------------------- */

static unsigned go(struct app *app, long at)
{
	long length = (long)walk_length(app->walk);

	if (!length)
		return APP_REDRAW;
	app->walk->at = (size_t)(at < 0 ? 0 : at >= length ? length - 1 : at);
	find_tries(app);
	return APP_REDRAW;
}

unsigned walk_move(struct app *app, int by)
{
	return go(app, (long)app->walk->at + by);
}

static unsigned state(struct app *app, struct walk_item *item)
{
	struct ss_error err = { 0 };

	if (!item->is_own) {
		app_say(app, false, "a coefficient is tried with t; s states a setting");
		return APP_REDRAW;
	}
	if (ss_field_find(item->name, NULL) == SS_FIELD_COUNT) {
		app_say(app, false, "no setting states %s", item->name);
		return APP_REDRAW;
	}
	if (!history_set_text(&app->history, &app->draft, app->pool, item->name, item->value,
			      &err)) {
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
	unsigned asked = 0;

	if (action == ACT_WALK_REST) {
		walk->has_rest = !walk->has_rest;
		return go(app, (long)walk->at);
	}
	if (action == ACT_WALK_EXPORT)
		return app_ask(app, PROMPT_EXPORT, "export the audit to", "audit.txt");
	if (!item)
		return APP_REDRAW;
	if (action == ACT_WALK_NEXT)
		return walk_move(app, 1);
	if (action == ACT_WALK_PREV)
		return walk_move(app, -1);
	if (action == ACT_WALK_ACCEPT) {
		item->verdict = WALK_REVIEWED;
		return walk_move(app, 1);
	}
	if (action == ACT_WALK_STATE)
		return state(app, item);
	if (action == ACT_WALK_NOTE)
		return app_ask(app, PROMPT_NOTE, "note", item->note ? item->note : "");
	if (action != ACT_WALK_TRY)
		return 0;
	asked = app_ask_entry(app, item->entry);
	if (asked & APP_PROMPT)
		item->verdict = WALK_TRIED;
	return asked ? asked : APP_REDRAW;
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
	if (!app->walk)
		app->walk = walk_new(app);
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

/* FNV-1a, so that a changed audit shows; it is no proof of who wrote it. */
static uint64_t checksum(const struct xbuf *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < text->len; i++) {
		hash ^= (unsigned char)text->data[i];
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}

void walk_audit(const struct app *app, struct xbuf *out)
{
	const struct walk *walk = app->walk;
	struct xbuf body = { 0 };

	xbuf_printf(&body, "Audit of what is assumed in the price of %s\n",
		   app->draft.scenario->values[SS_F_NAME].text);
	xbuf_puts(&body, "as ");
	app_command_line(app, &body);
	if (app->quote && app->quote->has_price)
		xbuf_printf(&body, "\n%s figure %s; %zu of %zu entries on evidence, %zu assumed\n",
			   ss_figure_name(app->figure),
			   number_time(quote_lead(app->quote, app->figure)).text,
			   app->quote->evidence.evidenced, app->quote->evidence.total,
			   app->quote->evidence.assumed);
	for (size_t i = 0; i < walk->count; i++) {
		const struct walk_item *item = &walk->items[i];

		xbuf_printf(&body, "\n%zu %s = %s\n  set %s, verdict %s\n", i + 1, item->name,
			   item->value, item->set,
			   item->verdict == WALK_OPEN ? "open" : walk_verdict_name(item->verdict));
		xbuf_printf(&body, "  elasticity %s of the step, %s of the room for KV\n",
			   number_signed(item->elasticity, 3).text,
			   number_signed(item->room_elasticity, 3).text);
		if (item->is_own && *item->scope)
			xbuf_printf(&body, "  %s\n", item->scope);
		if (item->note)
			xbuf_printf(&body, "  note: %s\n", item->note);
	}
	xbuf_puts(out, xbuf_text(&body));
	xbuf_printf(out, "\nchecksum (FNV-1a of all above this line) %016" PRIx64 "\n", checksum(&body));
	xbuf_release(&body);
}
