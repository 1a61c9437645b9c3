/* Writing a tour from what is done: each change is found by comparing states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "app/tour.h"

struct tour_record {
	struct xbuf text;
	char file[512];
	struct draft last; /* as the last line left it */
	size_t pin_count;
	enum pane_id focus;
	int sort;
	enum ss_figure figure;
};

void tour_record_free(struct tour_record *record)
{
	if (!record)
		return;
	xbuf_release(&record->text);
	draft_release(&record->last);
	free(record);
}

static void note_fields(struct tour_record *record, const struct app *app)
{
	const struct ss_scenario *now = app->draft.scenario, *was = record->last.scenario;

	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *row = ss_field((enum ss_field_id)id);
		size_t pools = row->owner == SS_OWNER_POOL ? now->pool_count : 1;

		for (size_t p = 0; p < pools && p < was->pool_count; p++) {
			const struct ss_value *value = ss_scenario_value(now, p, row->id);
			size_t len = ss_value_format(NULL, 0, row, value);

			if (ss_value_equal(value, ss_scenario_value(was, p, row->id)))
				continue;
			if (row->owner == SS_OWNER_POOL && p)
				xbuf_printf(&record->text, "set pools[%zu].%s=", p, row->path);
			else
				xbuf_printf(&record->text, "set %s=", row->path);
			ss_value_format(xbuf_reserve(&record->text, len), len + 1, row, value);
			record->text.len += len;
			xbuf_putc(&record->text, '\n');
		}
	}
}

static void note_batch(struct tour_record *record, const struct app *app)
{
	const struct ss_workload *now = &app->draft.scenario->workload;
	const struct ss_workload *was = &record->last.scenario->workload;
	size_t len = ss_batch_format(NULL, 0, now->groups, now->group_count);
	char *text = xmalloc(len + 1), *old = NULL;
	size_t old_len = ss_batch_format(NULL, 0, was->groups, was->group_count);

	old = xmalloc(old_len + 1);
	ss_batch_format(text, len + 1, now->groups, now->group_count);
	ss_batch_format(old, old_len + 1, was->groups, was->group_count);
	if (strcmp(text, old) != 0)
		xbuf_printf(&record->text, "batch %s\n", text);
	free(text);
	free(old);
}

static void note_whatifs(struct tour_record *record, const struct app *app)
{
	const struct draft *now = &app->draft, *was = &record->last;

	for (size_t i = 0; i < now->whatif_count; i++) {
		const double *old = draft_whatif(was, now->whatifs[i].name);
		double value = now->whatifs[i].value;

		if (!old || *old < value || *old > value)
			xbuf_printf(&record->text, "coef %s %s\n", now->whatifs[i].name,
				    number_plain(value).text);
	}
	for (size_t i = 0; i < was->whatif_count; i++) {
		if (!draft_whatif(now, was->whatifs[i].name))
			xbuf_printf(&record->text, "coef %s\n", was->whatifs[i].name);
	}
}

static void note_corrections(struct tour_record *record, const struct app *app)
{
	unsigned now = app->draft.corrections, was = record->last.corrections;

	if (now == was)
		return;
	/* Names only add; to take one away, start from none. */
	if (was & ~now) {
		xbuf_puts(&record->text, "correct none\n");
		was = 0;
	}
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		if (now & ~was & (1u << i))
			xbuf_printf(&record->text, "correct %s\n",
				    ss_divergence((enum ss_divergence_id)i)->name);
	}
}

static void note_view(struct tour_record *record, struct app *app)
{
	enum pane_id focus = app_focus(app);
	const struct app_list *list = app_list(app);
	const struct table *table = &app->tables[focus];

	if (app->pin_count > record->pin_count)
		xbuf_printf(&record->text, "pin %s\n", app->pins[app->pin_count - 1].name);
	record->pin_count = app->pin_count;
	if (app->figure != record->figure)
		xbuf_printf(&record->text, "figure %s\n", ss_figure_name(app_figure(app)));
	record->figure = app->figure;
	if (focus != record->focus) {
		xbuf_printf(&record->text, "goto %s\n", pane_row(focus)->name);
		record->focus = focus;
		record->sort = list->sort;
	}
	if (list->sort != record->sort && list->sort >= 0 && list->sort < table->column_count)
		xbuf_printf(&record->text, "sort %s\n", table->columns[list->sort].title);
	record->sort = list->sort;
}

void tour_record_follow(struct app *app)
{
	struct tour_record *record = app->record;

	if (!record)
		return;
	if (!draft_equal(&app->draft, &record->last)) {
		note_fields(record, app);
		note_batch(record, app);
		note_whatifs(record, app);
		note_corrections(record, app);
		draft_release(&record->last);
		draft_copy(&record->last, &app->draft);
	}
	note_view(record, app);
}

unsigned tour_record_say(struct app *app, const char *text)
{
	if (!app->record)
		app_say(app, true, "nothing is recorded: record FILE starts");
	else
		xbuf_printf(&app->record->text, "say %s\n", text);
	return APP_REDRAW;
}

const char *tour_record_file(const struct tour_record *record)
{
	return record->file;
}

const char *tour_record_text(const struct tour_record *record)
{
	return xbuf_text(&record->text);
}

static struct tour_record *record_new(const struct app *app, const char *file,
				      const struct draft *from)
{
	struct tour_record *record = xcalloc(1, sizeof(*record));

	snprintf(record->file, sizeof(record->file), "%s", file);
	draft_copy(&record->last, from);
	record->pin_count = app->pin_count;
	return record;
}

void tour_record_restore(struct app *app, const char *file, const char *text)
{
	struct tour_record *record = record_new(app, file, &app->draft);

	xbuf_puts(&record->text, text);
	record->focus = app_focus(app);
	record->sort = app_list(app)->sort;
	record->figure = app->figure;
	tour_record_free(app->record);
	app->record = record;
}

static void start(struct app *app, const char *file)
{
	struct tour_record *record = record_new(app, file, &app->opened);

	record->focus = app_focus(app);
	record->sort = app_list(app)->sort;
	xbuf_printf(&record->text, "open %s\n",
		    *app->saved_as ? app->saved_as : app->opened.scenario->values[SS_F_NAME].text);
	app->record = record;
	/* What was changed before is part of the tour's start. */
	tour_record_follow(app);
	app_say(app, false, "recording; :say adds a caption, :record ends");
}

unsigned app_record(struct app *app, const char *file)
{
	struct tour_record *record = app->record;

	if (*file) {
		if (record) {
			app_say(app, true, "%s is being recorded; :record ends it", record->file);
			return APP_REDRAW;
		}
		start(app, file);
		return APP_REDRAW;
	}
	if (!record) {
		app_say(app, true, "nothing is recorded: record FILE starts");
		return APP_REDRAW;
	}
	app->clipboard.len = 0;
	xbuf_add(&app->clipboard, record->text.data, record->text.len);
	snprintf(app->wanted, sizeof(app->wanted), "%s", record->file);
	tour_record_free(record);
	app->record = NULL;
	return APP_EXPORT | APP_REDRAW;
}
