#include "explorer_fixture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void draw(struct explorer_fixture *f)
{
	while (app_think(&f->app) && !f->is_hurried)
		;
	screen_draw(&f->screen, &f->page, &f->app);
	screen_measured(&f->screen, &f->app);
}

void explorer_open(struct explorer_fixture *f, const char *scenario, int rows, int cols)
{
	/* the published figures are those of the laws */
	explorer_open_as(f, scenario, SS_FIGURE_SERIAL, rows, cols);
}

/* One for all fixtures: documents do not change, and reading them is what takes long. */
static struct ss_registry *registry(void)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	static struct ss_registry *kept;

	if (!kept)
		assert_int_equal(ss_registry_new(&kept, roots, 1, NULL), SS_OK);
	return kept;
}

void explorer_open_as(struct explorer_fixture *f, const char *scenario, enum ss_figure figure,
		      int rows, int cols)
{
	struct app_inputs inputs = { .registry = registry(), .figure = figure };
	struct ss_problems problems = { 0 };
	char path[512];

	memset(f, 0, sizeof(*f));
	snprintf(path, sizeof(path), TEST_SRCDIR "/scenarios/%s.json", scenario);
	inputs.scenario = ss_scenario_load(path, &problems);
	assert_non_null(inputs.scenario);
	ss_problems_release(&problems);
	app_init(&f->app, &inputs);
	assert_int_equal(page_init(&f->page, rows, cols, true), 0);
	app_set_panes(&f->app, layout_right_panes(cols));
	app_refresh(&f->app, APP_PRICE);
	draw(f);
}

void explorer_release(struct explorer_fixture *f)
{
	app_release(&f->app);
	page_release(&f->page);
}

unsigned explorer_key(struct explorer_fixture *f, struct key key)
{
	unsigned asked = app_key(&f->app, key);

	app_refresh(&f->app, asked);
	return asked;
}

void explorer_keys(struct explorer_fixture *f, const char *keys)
{
	struct key key;

	while (key_parse(&keys, &key))
		(void)explorer_key(f, key);
	draw(f);
}

void explorer_type(struct explorer_fixture *f, const char *text)
{
	assert_int_not_equal(f->app.prompt.kind, PROMPT_NONE);
	app_refresh(&f->app, app_prompt_done(&f->app, text));
	draw(f);
}

void explorer_resize(struct explorer_fixture *f, int rows, int cols)
{
	assert_int_equal(page_resize(&f->page, rows, cols), 0);
	app_set_panes(&f->app, layout_right_panes(cols));
	app_refresh(&f->app, 0);
	draw(f);
}

char *explorer_text(struct explorer_fixture *f)
{
	struct xbuf text = { 0 };

	for (int row = 0; row < f->page.rows; row++) {
		char line[4096];

		page_row_text(&f->page, row, line, sizeof(line));
		xbuf_printf(&text, "%s\n", line);
	}
	return text.data;
}

bool explorer_shows(struct explorer_fixture *f, const char *text)
{
	char *screen = explorer_text(f);
	bool is_there = strstr(screen, text) != NULL;

	if (!is_there)
		print_error("no \"%s\" on\n%s", text, screen);
	free(screen);
	return is_there;
}

void explorer_select(struct explorer_fixture *f, enum ss_field_id field)
{
	const struct table *table = &f->app.tables[PANE_DEPLOYMENT];

	for (size_t i = 0; i < table->shown; i++) {
		if (!table_at(table, i)->is_heading && table_at(table, i)->id == (int)field) {
			f->app.lists[PANE_DEPLOYMENT].selected = (int)i;
			app_refresh(&f->app, 0);
			draw(f);
			return;
		}
	}
	fail_msg("no row for %s", ss_field(field)->path);
}

void explorer_find(const struct explorer_fixture *f, struct explorer_findings *out)
{
	assert_true(f->app.draft.whatif_count <= sizeof(out->whatifs) / sizeof(out->whatifs[0]));
	app_borrow_session(&f->app, &out->session, out->whatifs);
	assert_int_equal(findings_new(&out->findings, &out->session), SS_OK);
}

/* -- scenarios that ship ---------------------------------------------------------------- */

/** Most scenarios that ship. */
#define SCENARIOS_MOST 64

static char *scenarios[SCENARIOS_MOST];
static size_t scenario_count;

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int explorer_find_shipped(void **state)
{
	DIR *folder = opendir(TEST_SRCDIR "/scenarios");
	struct dirent *item;

	(void)state;
	assert_non_null(folder);
	while ((item = readdir(folder))) {
		char *dot = strrchr(item->d_name, '.');

		if (!dot || strcmp(dot, ".json") != 0)
			continue;
		assert_true(scenario_count < SCENARIOS_MOST);
		*dot = '\0';
		scenarios[scenario_count++] = xstrdup(item->d_name);
	}
	closedir(folder);
	assert_true(scenario_count > 0);
	qsort(scenarios, scenario_count, sizeof(*scenarios), by_name);
	return 0;
}

int explorer_free_shipped(void **state)
{
	(void)state;
	while (scenario_count)
		free(scenarios[--scenario_count]);
	return 0;
}

void explorer_each_pool(void (*check)(struct explorer_fixture *f))
{
	for (size_t i = 0; i < scenario_count; i++) {
		struct explorer_fixture f;
		size_t pools = 0;

		explorer_open(&f, scenarios[i], 40, 160);
		pools = f.app.draft.scenario->pool_count;
		for (size_t pool = 0; pool < pools; pool++) {
			assert_int_equal(f.app.pool, pool);
			check(&f);
			if (pool + 1 < pools)
				explorer_keys(&f, "}");
		}
		explorer_release(&f);
	}
}
