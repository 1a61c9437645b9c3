/* The explorer and its files: saved, exported, opened, read again, kept and taken up. */
#include "term/explorer_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/bring.h"
#include "app/export.h"
#include "app/glance.h"
#include "app/picker.h"
#include "app/store.h"
#include "case/review.h"
#include "files/out.h"
#include "text/xbuf.h"
#include "view/picture.h"

void explorer_keep_session(struct explorer *e)
{
	struct ss_error err = { 0 };

	if (e->keeper && keeper_keep(e->keeper, &e->app, &err))
		app_say(&e->app, true, "the session is not kept: %s %s", err.where, err.message);
}

/* May the file be written? It is ours as we know it, or nothing is there. */
static bool is_free(const char *path, bool is_own, const struct store_stamp *known)
{
	struct store_stamp now = store_stamp(path);

	return !now.exists || (is_own && store_stamp_equal(&now, known));
}

static bool is_own_file(const struct app *app)
{
	return !strcmp(app->wanted, app->saved_as);
}

/* Is there something to write beside the scenario? A review taken back whole is, too. */
static bool has_review(const struct app *app)
{
	return app->review->count || (is_own_file(app) && app->source_review->count);
}

static bool review_differs(const struct app *app, const char *path)
{
	return !is_own_file(app) || !store_stamp(path).exists ||
	       !ss_review_equal(app->review, app->source_review);
}

static bool scenario_differs(const struct app *app)
{
	return !is_own_file(app) || !store_stamp(app->wanted).exists ||
	       app_differs_from_source(app);
}

/* What stands in the way of saving, and whether the user says to write over it. */
static bool may_save(struct explorer *e, const char *review, bool writes, bool writes_review)
{
	struct app *app = &e->app;
	bool is_own = is_own_file(app);
	const char *path = NULL;
	char question[1200];

	if (writes && !is_free(app->wanted, is_own, &app->stamp))
		path = app->wanted;
	else if (writes_review && !is_free(review, is_own, &app->review_stamp))
		path = review;
	if (!path || app->may_overwrite)
		return true;
	snprintf(question, sizeof(question), "%.500s %s.\ny write over it   n leave it", path,
		 is_own ? "was changed since it was read" : "is there already");
	app->pending = APP_SAVE;
	(void)app_confirm(app, QUESTION_OVERWRITE, question);
	return false;
}

static bool write_file(struct app *app, const char *path, const char *text, size_t len,
		       struct store_stamp *stamp)
{
	struct ss_error err = { 0 };

	if (file_write(path, text, len, FILE_REPLACE | FILE_NO_WAIT, &err)) {
		app_say(app, true, "%s %s", err.where, err.message);
		return false;
	}
	*stamp = store_stamp(path);
	return true;
}

static bool write_review(struct app *app, const char *path)
{
	char *text = ss_review_to_json(app->review);
	bool is_written;

	if (!text)
		out_of_memory();
	is_written = write_file(app, path, text, strlen(text), &app->review_stamp);
	free(text);
	return is_written;
}

void explorer_save(struct explorer *e)
{
	struct app *app = &e->app;
	char *review = review_path(app->wanted);
	bool writes = scenario_differs(app);
	bool writes_review = has_review(app) && review_differs(app, review);
	struct xbuf left = { 0 };

	if (!may_save(e, review, writes, writes_review)) {
		free(review);
		return;
	}
	app->may_overwrite = false;
	if ((!writes || write_file(app, app->wanted, xbuf_text(&app->clipboard), app->clipboard.len,
				   &app->stamp)) &&
	    (!writes_review || write_review(app, review))) {
		app_left_behind(app, &left);
		app_saved(app, app->wanted);
		app_say(app, false, "%s %s%s%s%s",
			writes || writes_review ? "saved to" : "nothing new for", app->saved_as,
			writes_review ? " and the review beside it" : "",
			left.len ? "; not in it: " : "", xbuf_text(&left));
	}
	xbuf_release(&left);
	free(review);
}

/* The screen as it is without the prompt that asked for it. */
static void draw_picture(struct explorer *e)
{
	struct app *app = &e->app;
	const struct ss_value *name = &app->draft.scenario->values[SS_F_NAME];
	const char *title = name->is_stated ? name->text : "stepscope";

	screen_draw(&e->screen, &e->page, app);
	app->clipboard.len = 0;
	if (export_picture_of(app->wanted) == EXPORT_SVG)
		picture_svg(&app->clipboard, &e->page, title);
	else
		picture_html(&app->clipboard, &e->page, title);
}

void explorer_export(struct explorer *e)
{
	struct app *app = &e->app;
	struct ss_error err = { 0 };
	struct store_stamp now = store_stamp(app->wanted);
	char question[640];

	if (file_out_spares(app->wanted, app->saved_as, &err)) {
		app_say(app, true, "%s is the scenario; choose another file", app->wanted);
		return;
	}
	/* What was made here a moment ago may be made again. */
	if (now.exists && !app->may_overwrite && !store_stamp_equal(&now, &e->exported)) {
		snprintf(question, sizeof(question),
			 "%s is there already.\ny write over it   n leave it", app->wanted);
		app->pending = APP_EXPORT;
		app_confirm(app, QUESTION_OVERWRITE, question);
		return;
	}
	app->may_overwrite = false;
	if (export_picture_of(app->wanted))
		draw_picture(e);
	/* Whoever was to be asked has been by now. */
	if (file_write(app->wanted, xbuf_text(&app->clipboard), app->clipboard.len,
		       FILE_REPLACE | FILE_NO_WAIT, &err))
		app_say(app, true, "%s %s", err.where, err.message);
	else
		app_say(app, false, "written to %s", app->wanted);
	e->exported = store_stamp(app->wanted);
}

/* What a scenario file holds, and what it says of itself. */
static char *describe(const char *path)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *scenario = ss_scenario_load(path, &problems);
	const struct ss_value *words = scenario ? &scenario->values[SS_F_DESCRIPTION] : NULL;
	char subject[200] = "", about[600];

	if (scenario)
		glance_subject(subject, sizeof(subject), scenario);
	else if (problems.count)
		snprintf(subject, sizeof(subject), "x %.190s", problems.items[0].message);
	snprintf(about, sizeof(about), "%s%s%.390s", subject, words && words->is_stated ? "; " : "",
		 words && words->is_stated ? words->text : "");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
	return xstrdup(about);
}

static void add_scenario(struct picker *picker, const char *name, const char *path)
{
	char *about = describe(path);

	picker_add(picker, name, about, path);
	free(about);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && !strcmp(name + len - n, suffix);
}

/* Files of the folder one is in that hold a scenario, or something to make one of. */
static void add_own_files(struct picker *picker)
{
	static const char *const others[] = { ".sh", ".yaml", ".yml", ".log", ".service" };
	char **paths = store_complete("");

	for (char **path = paths; path && *path; path++) {
		struct ss_problems problems = { 0 };
		struct ss_scenario *scenario = NULL;

		if (has_suffix(*path, ".json"))
			scenario = ss_scenario_load(*path, &problems);
		if (scenario)
			add_scenario(picker, *path, *path);
		ss_scenario_free(scenario);
		ss_problems_release(&problems);
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			if (has_suffix(*path, others[i]) && bring_is_likely(*path))
				picker_add(picker, *path, "to import", *path);
	}
	for (char **path = paths; path && *path; path++)
		free(*path);
	free(paths);
}

void explorer_list_scenarios(struct explorer *e)
{
	struct picker *picker = picker_new(PICKER_SCENARIO, "Open a scenario");
	char **names = NULL;
	size_t count = 0;

	add_own_files(picker);
	roots_scenarios(&e->session->roots, &names, &count);
	for (size_t i = 0; i < count; i++) {
		char *path = roots_scenario(&e->session->roots, names[i]);

		if (path)
			add_scenario(picker, names[i], path);
		free(path);
	}
	names_free(names, count);
	picker_show(&e->app, picker, e->app.draft.scenario->values[SS_F_NAME].text);
}

/* Reading a pipe could take for ever, with nobody to stop it. */
static bool is_waited_for(const char *path)
{
	struct stat about;

	return !stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static struct ss_scenario *load(struct explorer *e, const char *name)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *scenario = NULL;
	char *path = roots_scenario(&e->session->roots, name);

	if (path && is_waited_for(path)) {
		app_say(&e->app, true, "%s: is no plain file", path);
		free(path);
		return NULL;
	}
	if (path)
		scenario = ss_scenario_load(path, &problems);
	if (!path)
		app_say(&e->app, true, "no scenario is called \"%s\"", name);
	else if (!scenario)
		app_say(&e->app, true, "%s: %s %s", path,
			problems.count ? problems.items[0].pointer : "",
			problems.count ? problems.items[0].message : "does not load");
	free(path);
	ss_problems_release(&problems);
	return scenario;
}

/* The stamps of what was read last, and the review beside the scenario. */
static void know_files(struct explorer *e, struct ss_review *review)
{
	char *path = review_path(e->app.saved_as);

	e->app.stamp = store_stamp(e->app.saved_as);
	e->app.review_stamp = *e->app.saved_as ? store_stamp(path) : (struct store_stamp){ 0 };
	free(path);
	app_set_review(&e->app, review);
}

/* A review that does not read is said, and never written over unasked. */
static bool read_review(struct explorer *e, const char *scenario, struct ss_review **out)
{
	struct ss_problems problems = { 0 };
	bool is_good = !review_beside(out, scenario, &problems);

	if (!is_good)
		app_say(&e->app, true, "%s: %s %s", problems.count ? problems.items[0].file : "",
			problems.count ? problems.items[0].pointer : "",
			problems.count ? problems.items[0].message : "does not load");
	ss_problems_release(&problems);
	return is_good;
}

void explorer_open_files(struct explorer *e)
{
	struct ss_review *review = NULL;
	bool is_good = read_review(e, e->app.saved_as, &review);

	know_files(e, review);
	if (!is_good)
		e->app.review_stamp = (struct store_stamp){ 0 };
}

unsigned explorer_open_scenario(struct explorer *e)
{
	struct ss_scenario *scenario = load(e, e->app.wanted);

	if (!scenario)
		return APP_REDRAW;
	app_work_out_batch(scenario, e->session->registry);
	app_open(&e->app, scenario);
	explorer_open_files(e);
	return APP_REDRAW | APP_PRICE;
}

unsigned explorer_reload(struct explorer *e)
{
	struct ss_registry *registry = NULL, *old = e->session->registry;
	struct ss_scenario *scenario = NULL;
	struct ss_review *review = NULL;
	struct store_stamp stamp = store_stamp(e->app.saved_as), review_stamp;
	struct ss_error err = { 0 };
	char *beside = review_path(e->app.saved_as);

	review_stamp = *e->app.saved_as ? store_stamp(beside) : (struct store_stamp){ 0 };
	free(beside);
	if (ss_registry_again(&registry, e->session->registry, &err)) {
		app_say(&e->app, true, "%s %s", err.where, err.message);
		return APP_REDRAW;
	}
	if (e->app.saved_as[0]) {
		scenario = load(e, e->app.saved_as);
		if (!scenario || !read_review(e, e->app.saved_as, &review)) {
			ss_scenario_free(scenario);
			ss_registry_free(registry);
			return APP_REDRAW;
		}
		app_work_out_batch(scenario, registry);
		if (!review && !(review = ss_review_new(e->app.review->scenario)))
			out_of_memory();
	}
	if (!app_reload(&e->app, registry, scenario, review)) {
		ss_registry_free(registry);
		return APP_REDRAW;
	}
	e->app.stamp = stamp;
	e->app.review_stamp = review_stamp;
	e->session->registry = registry;
	/* The session's own kernel and basis borrow from the old one. */
	ss_kernel_free(e->session->kernel);
	e->session->kernel = NULL;
	ss_basis_free(e->session->basis);
	e->session->basis = NULL;
	ss_registry_free(old);
	return APP_REDRAW | APP_PRICE;
}

void explorer_offer_session(struct explorer *e)
{
	char about[200], question[400];

	if (!e->keeper || !keeper_find(e->keeper))
		return;
	keeper_describe(e->keeper, about, sizeof(about));
	snprintf(question, sizeof(question),
		 "A session with unsaved edits was cut short.\n%s\n"
		 "y take it up again   n forget it   Esc ask again next time",
		 about);
	(void)app_confirm(&e->app, QUESTION_RECOVER, question);
}

unsigned explorer_recover(struct explorer *e, bool is_wanted)
{
	struct ss_error err = { 0 };

	if (!e->keeper)
		return 0;
	if (is_wanted && !keeper_recover(e->keeper, &e->app, &err)) {
		app_say(&e->app, true, "%s %s", err.where, err.message);
		return APP_REDRAW;
	}
	/* The old one goes once all of it is kept anew. */
	if (is_wanted && keeper_keep(e->keeper, &e->app, &err)) {
		app_say(&e->app, true, "the session is not kept: %s %s", err.where, err.message);
		keeper_settle(e->keeper, false);
		return APP_REDRAW | APP_PRICE;
	}
	keeper_settle(e->keeper, true);
	if (is_wanted)
		app_say(&e->app, false, "taken up again, with its edits to take back");
	else
		explorer_offer_session(e);
	return APP_REDRAW | APP_PRICE;
}
