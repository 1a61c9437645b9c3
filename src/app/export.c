#include "app/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/number.h"
#include "text/shown.h"
#include "app/opening_batch.h"
#include "case/opening.h"
#include "app/rows.h"

enum export_format export_format_of(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && !strcasecmp(dot, ".csv"))
		return EXPORT_CSV;
	if (dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown")))
		return EXPORT_MARKDOWN;
	if (dot && !strcasecmp(dot, ".json"))
		return EXPORT_JSON;
	return EXPORT_TEXT;
}

enum export_picture export_picture_of(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm")))
		return EXPORT_HTML;
	return dot && !strcasecmp(dot, ".svg") ? EXPORT_SVG : EXPORT_NO_PICTURE;
}

static void csv_cell(struct xbuf *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		xbuf_puts(out, text);
		return;
	}
	xbuf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			xbuf_putc(out, '"');
		xbuf_putc(out, *text);
	}
	xbuf_putc(out, '"');
}

static void markdown_cell(struct xbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			xbuf_putc(out, '\\');
		xbuf_putc(out, *text == '\n' ? ' ' : *text);
	}
}

static void json_text(struct xbuf *out, const char *text)
{
	xbuf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			xbuf_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			xbuf_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			xbuf_putc(out, *text);
	}
	xbuf_putc(out, '"');
}

static void put_row(struct xbuf *out, const struct table *table, size_t row,
		    enum export_format format, const size_t *widths)
{
	for (int c = 0; c < table->column_count; c++) {
		const char *text = table_text(table, row, c);

		switch (format) {
		case EXPORT_TEXT:
			xbuf_puts(out, text);
			if (c + 1 < table->column_count && strlen(text) < widths[c])
				xbuf_pad(out, ' ', widths[c] - strlen(text));
			xbuf_puts(out, c + 1 < table->column_count ? "  " : "\n");
			break;
		case EXPORT_CSV:
			csv_cell(out, text);
			xbuf_putc(out, c + 1 < table->column_count ? ',' : '\n');
			break;
		case EXPORT_MARKDOWN:
			xbuf_puts(out, c ? " | " : "| ");
			markdown_cell(out, text);
			if (c + 1 == table->column_count)
				xbuf_puts(out, " |\n");
			break;
		case EXPORT_JSON:
			xbuf_puts(out, c ? "," : "{");
			json_text(out, table->columns[c].title);
			xbuf_putc(out, ':');
			if (table_at(table, row)->is_numeric[c])
				xbuf_puts(out, number_plain(table_at(table, row)->key[c]).text);
			else
				json_text(out, text);
			if (c + 1 == table->column_count)
				xbuf_putc(out, '}');
			break;
		}
	}
}

static void put_titles(struct xbuf *out, const struct table *table, const char *title,
		       enum export_format format, const size_t *widths)
{
	switch (format) {
	case EXPORT_TEXT:
		xbuf_printf(out, "%s\n\n", title);
		for (int c = 0; c < table->column_count; c++) {
			xbuf_puts(out, table->columns[c].title);
			if (c + 1 < table->column_count)
				xbuf_pad(out, ' ', widths[c] + 2 - strlen(table->columns[c].title));
		}
		xbuf_putc(out, '\n');
		break;
	case EXPORT_CSV:
		for (int c = 0; c < table->column_count; c++) {
			csv_cell(out, table->columns[c].title);
			xbuf_putc(out, c + 1 < table->column_count ? ',' : '\n');
		}
		break;
	case EXPORT_MARKDOWN:
		xbuf_printf(out, "## %s\n\n", title);
		for (int c = 0; c < table->column_count; c++)
			xbuf_printf(out, "%s%s", c ? " | " : "| ", table->columns[c].title);
		xbuf_puts(out, " |\n");
		for (int c = 0; c < table->column_count; c++)
			xbuf_puts(out, table->columns[c].is_right ? "|---:" : "|---");
		xbuf_puts(out, "|\n");
		break;
	case EXPORT_JSON:
		xbuf_puts(out, "[");
		break;
	}
}

void export_table(struct xbuf *out, const struct table *table, const struct app_list *list,
		  const char *title, enum export_format format)
{
	size_t widths[TABLE_MAX_COLUMNS] = { 0 };
	bool is_first = true;

	for (int c = 0; c < table->column_count; c++) {
		widths[c] = strlen(table->columns[c].title);
		for (size_t r = 0; r < table->shown; r++) {
			size_t len = strlen(table_text(table, r, c));

			/* A heading's text is no cell. */
			if (!table_at(table, r)->is_heading && len > widths[c])
				widths[c] = len;
		}
	}
	put_titles(out, table, title, format, widths);
	for (size_t r = 0; r < table->shown; r++) {
		const struct table_row *row = table_at(table, r);

		if (list->marked_count && !app_is_marked(list, row->id))
			continue;
		if (row->is_heading) {
			if (format == EXPORT_TEXT)
				xbuf_printf(out, "%s\n", table_text(table, r, 0));
			continue;
		}
		if (format == EXPORT_JSON)
			xbuf_puts(out, is_first ? "\n" : ",\n");
		is_first = false;
		put_row(out, table, r, format, widths);
	}
	if (format == EXPORT_JSON)
		xbuf_puts(out, "\n]\n");
	if (format != EXPORT_CSV)
		shown_buffer(out, format == EXPORT_JSON ? SHOWN_JSON : SHOWN_LINES);
}

void export_shell_word(struct xbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=.,:/@%";

	if (*word && word[strspn(word, plain)] == '\0') {
		xbuf_puts(out, word);
		return;
	}
	xbuf_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			xbuf_puts(out, "'\\''");
		else
			xbuf_putc(out, *word);
	}
	xbuf_putc(out, '\'');
}

static void option(struct xbuf *out, const char *name, const char *value)
{
	xbuf_printf(out, " %s ", name);
	export_shell_word(out, value);
}

/* What the command starts from: the file, or the words a scenario was made of. */
static const struct ss_scenario *source_of(const struct app *app)
{
	return app->source.scenario;
}

static void put_source(const struct app *app, struct xbuf *out)
{
	static const char *const words[][2] = {
		{ "--model", "model" },
		{ "--part", "cluster.hardware" },
		{ "--nodes", "cluster.nodes" },
		{ "--gpus-per-node", "cluster.gpus_per_node" },
		{ "--gpus-per-rack", "cluster.gpus_per_rack" },
		{ "--fabric", "cluster.fabric" },
		{ "--inter-node-gb-s", "cluster.inter_node_gb_s" },
		{ "--engine-version", "engine_version" },
	};
	const struct ss_scenario *source = source_of(app);

	xbuf_puts(out, "stepscope price");
	if (*app->saved_as || (source->file && *source->file)) {
		xbuf_putc(out, ' ');
		export_shell_word(out, *app->saved_as ? app->saved_as : source->file);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		enum ss_field_id id = ss_field_find(words[i][1], NULL);
		const struct ss_value *value = ss_scenario_value(source, 0, id);
		char text[256];

		if (!value->is_stated)
			continue;
		ss_value_format(text, sizeof(text), ss_field(id), value);
		option(out, words[i][0], text);
	}
}

static void changed_settings(const struct app *app, struct xbuf *out)
{
	const struct ss_scenario *now = app->draft.scenario, *was = source_of(app);

	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *row = ss_field((enum ss_field_id)id);
		size_t pools = row->owner == SS_OWNER_POOL ? now->pool_count : 1;

		for (size_t p = 0; p < pools && p < was->pool_count; p++) {
			const struct ss_value *value = ss_scenario_value(now, p, row->id);
			char path[200];
			struct xbuf text = { 0 };
			size_t len = ss_value_format(NULL, 0, row, value);

			if (ss_value_equal(value, ss_scenario_value(was, p, row->id)))
				continue;
			if (row->owner == SS_OWNER_POOL && p != app->pool)
				snprintf(path, sizeof(path), "pools[%zu].%s=", p, row->path);
			else
				snprintf(path, sizeof(path), "%s=", row->path);
			xbuf_puts(&text, path);
			ss_value_format(xbuf_reserve(&text, len), len + 1, row, value);
			text.len += len;
			option(out, "--set", xbuf_text(&text));
			xbuf_release(&text);
		}
	}
}

static void untried(const struct app *app, const char *name, struct xbuf *out)
{
	char text[256];

	if (draft_whatif(&app->draft, name))
		return;
	snprintf(text, sizeof(text), "%s=", name);
	option(out, "--coef", text);
}

static void changed_trials(const struct app *app, struct xbuf *out)
{
	const struct draft *draft = &app->draft;
	char text[256];

	for (size_t i = 0; i < draft->whatif_count; i++) {
		double value = draft->whatifs[i].value;
		const double *was = draft_whatif(&app->source, draft->whatifs[i].name);

		if (was && !(*was < value) && !(*was > value))
			continue;
		snprintf(text, sizeof(text), "%s=%s", draft->whatifs[i].name,
			 number_plain(value).text);
		option(out, "--coef", text);
	}
	for (size_t i = 0; i < app->source.whatif_count; i++)
		untried(app, app->source.whatifs[i].name, out);
}

/* What else the figures shown depend on. */
static void changed_reading(const struct app *app, struct xbuf *out)
{
	struct ss_spread usual;
	char text[96];

	ss_spread_default(&usual);
	for (int m = 0; m < SS_METHOD_COUNT; m++) {
		if (!(fabs(app->spread.share[m] - usual.share[m]) > 0))
			continue;
		snprintf(text, sizeof(text), "%s=%s", ss_method_name((enum ss_method)m),
			 number_plain(app->spread.share[m]).text);
		option(out, "--spread", text);
	}
	if (app->acceptance > 0)
		option(out, "--acceptance", number_plain(app->acceptance).text);
	if (app->ttft_tokens > 0)
		xbuf_printf(out, " --ttft %lld", (long long)app->ttft_tokens);
}

void app_command_line(const struct app *app, struct xbuf *out)
{
	const struct ss_workload *now = &app->draft.scenario->workload;
	const struct ss_workload *was = &source_of(app)->workload;
	char text[512], was_text[512];

	put_source(app, out);
	changed_settings(app, out);
	ss_batch_format(text, sizeof(text), now->groups, now->group_count);
	ss_batch_format(was_text, sizeof(was_text), was->groups, was->group_count);
	/* A file's batch is not what a pool that is handed requests opens with. */
	if (opening_is_handed_over(app->draft.scenario, app->pool) ? !app_is_opening(app)
								   : strcmp(text, was_text) != 0)
		option(out, "--batch", text);
	if (now->decode_threshold != was->decode_threshold)
		xbuf_printf(out, " --decode-threshold %lld", (long long)now->decode_threshold);
	if (app->draft.sm_budget)
		xbuf_printf(out, " --sm-budget %lld", (long long)app->draft.sm_budget);
	changed_trials(app, out);
	if (app->draft.corrections != app->source.corrections) {
		xbuf_puts(out, " --correct none");
		for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
			if (app->draft.corrections & (1u << i))
				option(out, "--correct",
				       ss_divergence((enum ss_divergence_id)i)->name);
		}
	}
	if (app->pool)
		xbuf_printf(out, " --pool %zu", app->pool);
	if (app->figure != SS_FIGURE_LEAD)
		option(out, "--figure", ss_figure_name(app_figure(app)));
	changed_reading(app, out);
}
