/*
 * A kept session of any bytes is taken up whole or refused: what it gives can be drawn,
 * priced, undone, made again, and kept once more to give the same.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/keep.h"
#include "explorer_fixture.h"
#include "files/out.h"

static char folder[64];

static void remove_folder(void)
{
	(void)rmdir(folder);
}

static void make_folder(void)
{
	if (*folder)
		return;
	(void)snprintf(folder, sizeof(folder), "/tmp/session-fuzz-XXXXXX");
	FUZZ_CHECK(mkdtemp(folder));
	(void)atexit(remove_folder);
}

/* Put it where an explorer that is gone would have left it, and take it up. */
static bool take_up(struct explorer_fixture *f, const char *text, size_t size)
{
	struct keeper *keeper = keeper_new(folder);
	struct ss_error err = { 0 };
	char path[128];
	bool is_taken;

	(void)snprintf(path, sizeof(path), "%s/kept-abcdef", folder);
	FUZZ_CHECK(keeper && !file_write(path, text, size, FILE_REPLACE | FILE_QUICK, &err));
	FUZZ_CHECK(keeper_find(keeper));
	is_taken = keeper_recover(keeper, &f->app, &err);
	FUZZ_CHECK(is_taken || *err.message);
	keeper_settle(keeper, true);
	keeper_free(keeper, true);
	return is_taken;
}

static void draw(struct explorer_fixture *f)
{
	const struct quote *quote = f->app.quote;

	for (int i = 0; i < 20 && app_think(&f->app); i++)
		;
	screen_draw(&f->screen, &f->page, &f->app);
	screen_measured(&f->screen, &f->app);
	for (int i = 0; quote && quote->has_price && i < SS_FIGURE_COUNT; i++) {
		double s = ss_step_figure(&quote->breakdown.step, (enum ss_figure)i);

		FUZZ_CHECK(isfinite(s) && s >= 0);
	}
}

/* To the start and back to the end is where it was. */
static void undo_and_redo(struct app *app)
{
	struct draft now = { 0 };
	size_t position = app->history.position;

	while (history_undo(&app->history, &app->draft))
		;
	while (app->history.position < position && history_redo(&app->history, &app->draft))
		;
	draft_copy(&now, &app->draft);
	while (history_undo(&app->history, &app->draft))
		;
	while (app->history.position < position && history_redo(&app->history, &app->draft))
		;
	FUZZ_CHECK(draft_equal(&now, &app->draft));
	draft_release(&now);
	app_refresh(app, APP_PRICE);
}

static void keep_again(struct explorer_fixture *f)
{
	struct keeper *keeper = keeper_new(folder), *other = keeper_new(folder);
	struct ss_error err = { 0 };
	struct draft was = { 0 };

	FUZZ_CHECK(keeper && other && !keeper_keep(keeper, &f->app, &err));
	keeper_free(keeper, false);
	draft_copy(&was, &f->app.draft);
	if (keeper_find(other)) {
		FUZZ_CHECK(keeper_recover(other, &f->app, &err));
		FUZZ_CHECK(draft_equal(&was, &f->app.draft));
	}
	keeper_settle(other, true);
	keeper_free(other, true);
	draft_release(&was);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct explorer_fixture f;

	make_folder();
	explorer_open(&f, "llama-3.1-8b-l40s-tp1", 24, 80);
	f.is_hurried = true;
	if (take_up(&f, size ? (const char *)data : "", size)) {
		draw(&f);
		undo_and_redo(&f.app);
		draw(&f);
		keep_again(&f);
		draw(&f);
	}
	explorer_release(&f);
	return 0;
}
