/* What is on disk against what is on screen: saved, read again, left behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/opening_batch.h"
#include "case/merge.h"
#include "text/number.h"

void app_saved(struct app *app, const char *file)
{
	struct ss_scenario *scenario = app_scenario(app);

	snprintf(app->saved_as, sizeof(app->saved_as), "%s", file);
	draft_release(&app->source);
	draft_init(&app->source, scenario);
	ss_review_free(app->source_review);
	if (ss_review_clone(&app->source_review, app->review))
		out_of_memory();
	history_mark_saved(&app->history);
}

bool app_differs_from_source(const struct app *app)
{
	struct draft now = { 0 };
	bool differs;

	draft_init(&now, app_scenario(app));
	now.sm_budget = app->source.sm_budget;
	differs = !draft_equal(&now, &app->source);
	draft_release(&now);
	return differs;
}

static void left(struct xbuf *out, const char *text)
{
	xbuf_printf(out, "%s%s", out->len ? ", " : "", text);
}

void app_left_behind(const struct app *app, struct xbuf *out)
{
	char text[64];

	if (app->draft.sm_budget) {
		snprintf(text, sizeof(text), "SM budget %lld", (long long)app->draft.sm_budget);
		left(out, text);
	}
	if (app->acceptance > 0)
		left(out, "acceptance");
	if (app->ttft_tokens > 0)
		left(out, "TTFT length");
	if (app->figure != SS_FIGURE_LEAD)
		left(out, "lead figure");
	if (app->pin_count)
		left(out, app->pin_count == 1 ? "1 pin" : "the pins");
}

/* -- reading again -------------------------------------------------------------------- */

/* Is the draft's batch one that a user made, and not what the file opens with? */
static bool has_own_batch(const struct app *app)
{
	return !app_is_opening(app);
}

static bool is_priced(struct app *app, struct ss_registry *registry, const struct draft *draft,
		      size_t pool)
{
	struct quote_basis *basis = NULL;
	struct ss_problems problems = { 0 };
	struct quote *quote = quote_new(&basis, registry, draft, pool, app->figure, &problems);
	bool is_good = quote != NULL;

	quote_basis_drop(&basis);
	if (!is_good) {
		const struct ss_problem *why = NULL;

		for (size_t i = 0; i < problems.count && !why; i++)
			if (problems.items[i].severity != SS_WARNING)
				why = &problems.items[i];
		app_say(app, true, "not reloaded: %s", why ? why->message : "it is refused");
	}
	quote_drop(quote);
	ss_problems_release(&problems);
	return is_good;
}

/* Nothing may go on borrowing from the old registry. */
static void change_registry(struct app *app, struct ss_registry *registry)
{
	quote_drop(app->quote);
	app->quote = NULL;
	quote_basis_drop(&app->basis);
	ss_kernel_free(app->scratch);
	app->scratch = NULL;
	app->registry = registry;
	validated_release(&app->validated);
	for (size_t i = 0; i < app->pin_count;) {
		struct app_pin *pin = &app->pins[i];

		quote_drop(pin->quote);
		pin->quote =
			quote_new(&app->basis, registry, &pin->draft, pin->pool, app->figure, NULL);
		if (pin->quote) {
			i++;
			continue;
		}
		/* A pin that no longer prices cannot be compared with. */
		draft_release(&pin->draft);
		app->pin_count--;
		memmove(pin, pin + 1, (app->pin_count - i) * sizeof(*pin));
	}
}

/* The history goes from what is said now to `review`, in one edit. */
static bool take_review(struct app *app, const struct ss_review *review, bool is_joined)
{
	static const char name[] = "the review read from disk again";
	struct ss_review *was = NULL;
	bool is_changed = false;

	if (ss_review_clone(&was, app->review))
		out_of_memory();
	for (size_t i = 0; i < was->count; i++) {
		if (ss_review_find(review, was->entries[i].name) ||
		    !history_drop_review(&app->history, was->entries[i].name, name))
			continue;
		if (is_changed || is_joined)
			history_join(&app->history);
		is_changed = true;
	}
	for (size_t i = 0; i < review->count; i++) {
		if (!history_set_review(&app->history, &review->entries[i], name))
			continue;
		if (is_changed || is_joined)
			history_join(&app->history);
		is_changed = true;
	}
	ss_review_free(was);
	return is_changed;
}

static void reread_review(struct app *app, struct ss_review *review, bool is_joined)
{
	struct ss_review *wanted = NULL;

	if (!review)
		return;
	if (ss_review_clone(&wanted, review))
		out_of_memory();
	if (app->keeps_edits)
		review_merge(wanted, app->source_review, app->review);
	(void)take_review(app, wanted, is_joined);
	ss_review_free(wanted);
	ss_review_free(app->source_review);
	app->source_review = review;
}

static void reread_scenario(struct app *app, struct draft *fresh, struct draft *wanted)
{
	draft_release(&app->source);
	draft_copy(&app->source, fresh);
	draft_release(&app->opened);
	draft_copy(&app->opened, fresh);
	draft_release(fresh);
	(void)history_replace(&app->history, &app->draft, wanted,
			      app->keeps_edits ? "read from disk again, edits kept"
					       : "read from disk again");
}

bool app_reload(struct app *app, struct ss_registry *registry, struct ss_scenario *scenario,
		struct ss_review *review)
{
	struct draft fresh = { 0 }, wanted = { 0 };
	bool is_dirty = history_is_dirty(&app->history), is_own = has_own_batch(app);
	size_t position = app->history.position;
	size_t pools = scenario ? scenario->pool_count : app->draft.scenario->pool_count;
	size_t pool = app->pool < pools ? app->pool : 0;

	if (scenario) {
		draft_init(&fresh, scenario);
		draft_copy(&wanted, &fresh);
		/* What the command line changed is kept as an edit is. */
		if (app->keeps_edits || !is_dirty)
			draft_merge(&wanted, &app->source, &app->draft, is_own);
	} else {
		draft_copy(&wanted, &app->draft);
	}
	if (!is_priced(app, registry, &wanted, pool)) {
		draft_release(&wanted);
		draft_release(&fresh);
		ss_review_free(review);
		return false;
	}
	change_registry(app, registry);
	app->pool = pool;
	if (scenario) {
		if (!is_own || !(app->keeps_edits || !is_dirty))
			app_keep_workload(app, &fresh.scenario->workload);
		app_follow_pool(app, &fresh);
		app_follow_pool(app, &wanted);
		reread_scenario(app, &fresh, &wanted);
	} else {
		draft_release(&wanted);
	}
	reread_review(app, review, app->history.position > position);
	if (!app->keeps_edits || !is_dirty ||
	    (draft_equal(&app->draft, &app->source) &&
	     ss_review_equal(app->review, app->source_review)))
		history_mark_saved(&app->history);
	else
		app->history.saved = SIZE_MAX; /* what undo goes back to is on disk no more */
	app_say(app, false, "%s",
		is_dirty && app->keeps_edits ? "read again, your edits over it"
		: is_dirty                   ? "read again, your edits dropped; u brings them back"
					     : "read again");
	app->keeps_edits = false;
	return true;
}
