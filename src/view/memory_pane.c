/* The GPU as one bar, its parts as a table, what the engine would log, what fits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case/verdict_text.h"
#include "text/number.h"
#include "text/words.h"
#include "app/rows.h"
#include "view/screen.h"

#define GIB 1073741824.0
#define PARTS_MAX 20

/* One stretch of the bar. */
struct part {
	char letter;
	const char *name;
	double bytes;
	bool is_shown; /* in the bar; corrections are in the table alone */
	char mark;
};

/* The weakest footing among the entries a part reads. */
static char part_mark(const struct app *app, enum ss_memory_term term)
{
	int reads[SS_READS_MAX];

	ss_kernel_memory_reads(app->quote->kernel, term, reads);
	return rows_method_mark(quote_weakest(app->quote, reads));
}

static int add(struct part *parts, int count, char letter, const char *name, double bytes,
	       bool is_shown, char mark)
{
	if (fabs(bytes) < 1)
		return count;
	parts[count] = (struct part){
		.letter = letter, .name = name, .bytes = bytes, .is_shown = is_shown, .mark = mark
	};
	return count + 1;
}

static int collect(const struct app *app, struct part *parts)
{
	const struct ss_memory *m = ss_kernel_memory(app->quote->kernel);
	const struct ss_resolution *r = ss_kernel_resolution(app->quote->kernel);
	struct ss_batch batch = draft_batch(&app->draft);
	double need = (double)ss_kernel_batch_bytes(app->quote->kernel, &batch);
	double room = (double)m->budget_bytes;
	double outside = (double)m->visible_bytes * (1 - r->gpu_memory_utilization);
	int count = 0;

	count = add(parts, count, 'W', "weights", (double)m->weights_bytes, true, ' ');
	count = add(parts, count, 'S', "weight scales", (double)m->scales_bytes, true, ' ');
	count = add(parts, count, 'T', "tables", (double)m->tables_bytes, true, ' ');
	count = add(parts, count, 'R', "redundant experts", (double)m->redundant_bytes, true, ' ');
	count = add(parts, count, 'D', "draft", (double)m->draft_bytes, true, ' ');
	count = add(parts, count, 'a', "activation", (double)m->activation_bytes, true,
		    part_mark(app, SS_MEMORY_ACTIVATION));
	count = add(parts, count, 'c', "communicator", (double)m->communicator_bytes, true,
		    part_mark(app, SS_MEMORY_COMMUNICATOR));
	count = add(parts, count, 'w', "workspace", (double)m->workspace_bytes, true,
		    part_mark(app, SS_MEMORY_WORKSPACE));
	count = add(parts, count, 'g', "CUDA graphs", (double)m->graphs_bytes, true,
		    part_mark(app, SS_MEMORY_GRAPHS));
	count = add(parts, count, ' ', "fixed", (double)m->total_bytes, false, ' ');
	for (size_t i = 0; i < m->correction_count; i++)
		count = add(parts, count, ' ', ss_divergence(m->corrections[i].id)->name,
			    -(double)m->corrections[i].bytes, false, '!');
	if (need > 0 && room > 0)
		count = add(parts, count, 'B', "this batch", fmin(need, room), true, ' ');
	count = add(parts, count, 'k', room < 0 ? "short for KV" : "free for KV",
		    room < 0 ? room : fmax(room - need, 0), room > 0, room < 0 ? 'x' : ' ');
	count = add(parts, count, '.', "left outside", outside, true, ' ');
	return count;
}

static void draw_bar(const struct area *area, const struct app *app, const struct part *parts,
		     int count, int row)
{
	double whole = (double)ss_kernel_memory(app->quote->kernel)->visible_bytes, at = 0;
	int cols = area_cols(area) - 4, col = 0, series = 0;

	if (cols < 10 || !(whole > 0))
		return;
	for (int tick = 0; tick * 20 < whole / GIB; tick++) {
		int place = (int)(tick * 20 * GIB / whole * cols);

		if (place < cols - 6)
			area_printf(area, row, place + 2, STYLE_FAINT, "%d", tick * 20);
	}
	area_right(area, row, cols - 5, 7, STYLE_FAINT, number_gib(whole, 1).text);
	area_put(area, row + 1, 1, STYLE_BORDER, "|");
	area_put(area, row + 1, cols + 2, STYLE_BORDER, "|");
	for (int i = 0; i < count; i++) {
		int end = 0;

		if (!parts[i].is_shown)
			continue;
		at += parts[i].bytes;
		end = (int)lround(fmin(at / whole, 1) * cols);
		/* A part that is there is seen. */
		if (end == col && col < cols)
			end = col + 1;
		area_fill(area, row + 1, col + 2, 1, end - col, style_series(series),
			  parts[i].letter);
		series += parts[i].letter != '.';
		col = end;
	}
}

static void draw_parts(const struct area *area, const struct app *app, const struct part *parts,
		       int count)
{
	double whole = (double)ss_kernel_memory(app->quote->kernel)->visible_bytes;

	for (int i = 0; i < count; i++) {
		const struct part *part = &parts[i];
		char text[40];

		if (part->letter == 'W' || part->letter == ' ')
			snprintf(text, sizeof(text), "  %s", part->name);
		else
			snprintf(text, sizeof(text), "%c %s", part->letter, part->name);
		area_text(area, i, 1, 18, STYLE_TEXT, text);
		if (part->mark != ' ') {
			char mark[2] = { part->mark, '\0' };

			area_put(area, i, 19, screen_mark_style(part->mark), mark);
		}
		area_right(area, i, 20, 7, STYLE_TEXT, number_gib(part->bytes, 2).text);
		area_right(area, i, 31, 6, STYLE_TEXT,
			   whole > 0 ? number_fixed(part->bytes / whole * 100, 1).text : "");
		if (!i)
			area_put(area, 0, 27, STYLE_FAINT, " GiB");
		if (!i)
			area_put(area, 0, 37, STYLE_FAINT, " %");
	}
}

/* Lines of names and figures, the part of the screen that is text. */
struct facts {
	const struct area *area;
	int row, col;
};

static void fact(struct facts *facts, const char *name, const char *value)
{
	area_text(facts->area, facts->row, facts->col, 16, STYLE_TEXT, name);
	area_text(facts->area, facts->row, facts->col + 17,
		  area_cols(facts->area) - facts->col - 17, STYLE_TEXT, value);
	facts->row++;
}

/* Whose caches a token fills: "mla x 61", "gqa x 24 + ...". */
static void write_caches(char *out, size_t size, const struct ss_model *model)
{
	size_t len = 0;

	out[0] = '\0';
	for (int kind = 0; kind < SS_ATTENTION_COUNT; kind++) {
		int64_t layers = 0;

		for (size_t k = 0; k < model->kind_count; k++)
			for (size_t i = 0; i < model->kinds[k].node_count; i++) {
				const struct ss_node *node = &model->kinds[k].nodes[i];

				if (node->op == SS_OP_ATTENTION && !*node->role &&
				    (int)node->attention == kind)
					layers += model->kinds[k].count;
			}
		if (layers && len < size)
			len += (size_t)snprintf(
				out + len, size - len, "%s%s x %lld", len ? " + " : "",
				ss_attention_kind_name((enum ss_attention_kind)kind),
				(long long)layers);
	}
}

static void draw_pool(struct facts *facts, const struct app *app)
{
	const struct ss_kernel *kernel = app->quote->kernel;
	const struct ss_memory *m = ss_kernel_memory(kernel);
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(kernel);
	const struct ss_resolution *r = ss_kernel_resolution(kernel);
	size_t sizes = r->capture_size_count;
	int64_t context = app_context(app);
	char text[128], name[64], caches[64];
	struct number_text number;
	bool is_short = false;

	write_caches(caches, sizeof(caches), ss_basis_inputs(app->quote->basis)->model);
	/* Beside the figure where 80 columns have room for both. */
	number = number_count(m->kv_bytes_per_token);
	is_short = strlen(number.text) + strlen(caches) <= 19;
	snprintf(text, sizeof(text), "%s B%s%s", number.text, is_short ? " " : "",
		 is_short ? caches : "");
	fact(facts, "KV per token", text);
	if (!is_short)
		fact(facts, "caches", caches);
	if (m->sequence_fixed_bytes)
		fact(facts, "request's state",
		     number_bytes_binary((double)m->sequence_fixed_bytes).text);
	if (pool->fixed_bytes_per_request) {
		snprintf(text, sizeof(text), "%s + %s B/tok",
			 number_bytes_binary((double)pool->fixed_bytes_per_request).text,
			 number_count(pool->marginal_bytes_per_token).text);
		fact(facts, "allocated", text);
	}
	if (m->scorer_bytes_per_token > 0) {
		snprintf(text, sizeof(text), "%s B", number_count(m->scorer_bytes_per_token).text);
		fact(facts, "indexer, a token", text);
	}
	if (context > 0) {
		snprintf(
			text, sizeof(text), "%s  %s blk",
			number_bytes_binary((double)ss_kernel_sequence_bytes(kernel, context)).text,
			number_count((double)ss_kernel_request_blocks(kernel, context)).text);
		snprintf(name, sizeof(name), "request of %s",
			 context < 10000 ? number_count((double)context).text
					 : number_short((double)context).text);
		fact(facts, name, text);
	}
	snprintf(text, sizeof(text), "%lld tok, %s B", (long long)pool->block_size,
		 number_count((double)pool->block_bytes).text);
	fact(facts, "block", text);
	if (!pool->is_grouped)
		fact(facts, "cache grouping ~", "own pages; Enter: why");
	fact(facts, "blocks", number_count((double)pool->blocks).text);
	if (r->max_model_len > 0) {
		snprintf(text, sizeof(text), "%.2fx of %s", pool->max_concurrency,
			 number_count((double)r->max_model_len).text);
		fact(facts, "at max_model_len", text);
	}
	snprintf(text, sizeof(text), "%s tokens", number_count((double)pool->reported_tokens).text);
	fact(facts, "engine would log", text);
	if (sizes) {
		snprintf(text, sizeof(text), "%zu sizes, to %s", sizes,
			 number_count((double)r->max_cudagraph_capture_size).text);
		fact(facts, "graphs captured", text);
		snprintf(text, sizeof(text), "above %lld: eager",
			 (long long)r->max_cudagraph_capture_size);
		fact(facts, "batches", text);
		sizes_text(text, sizeof(text), r->capture_sizes, r->capture_size_count);
		area_text(facts->area, facts->row++, facts->col,
			  area_cols(facts->area) - facts->col, STYLE_TEXT, text);
	}
}

/* A row of what fits: now, the most (or least), and what stops it there. */
static void limit_row(const struct area *area, int row, bool is_selected, const char *name,
		      const char *now, const char *most, const char *limit)
{
	if (is_selected)
		area_put(area, row, 1, STYLE_SELECTED, ">");
	area_text(area, row, 3, 31, STYLE_TEXT, name);
	area_right(area, row, 34, 10, STYLE_TEXT, now);
	area_right(area, row, 45, 10, STYLE_TEXT, most);
	area_put(area, row, 57, STYLE_TEXT, limit);
}

static int draw_limits(const struct area *area, const struct app *app, int row)
{
	const struct ss_kernel *kernel = app->quote->kernel;
	const struct ss_resolution *r = ss_kernel_resolution(kernel);
	int64_t window = ss_basis_inputs(app->quote->basis)->model->max_model_len;
	int64_t seqs = r->max_num_seqs > 0 ? r->max_num_seqs : 1;
	struct ss_fit_limits one = { 0 }, all = { 0 };
	char name[64], now[40], most[40], limit[64] = "";
	int at = app_focus(app) == PANE_MEMORY ? app->memory_field : -1;

	if (app->is_refused || app->fit_tokens < 1 ||
	    ss_fit_limits_find(&one, kernel, app->draft.scenario, app->pool, 1, app->fit_tokens) ||
	    ss_fit_limits_find(&all, kernel, app->draft.scenario, app->pool, seqs, app->fit_tokens))
		return row;
	if (r->max_model_len > 0)
		limit_row(area, row++, at == 1, "max_model_len",
			  number_count((double)r->max_model_len).text,
			  number_count((double)one.max_model_len).text,
			  one.max_model_len == window ? "the model's window" : "KV blocks");
	snprintf(name, sizeof(name), "utilization for %lld x %lld", (long long)seqs,
		 (long long)app->fit_tokens);
	snprintf(now, sizeof(now), "%s", number_share(r->gpu_memory_utilization).text);
	snprintf(most, sizeof(most), "%s", number_share(all.gpu_memory_utilization).text);
	limit_row(area, row++, at == 2, name, now, all.gpu_memory_utilization > 0 ? most : "none",
		  all.gpu_memory_utilization > 0 ? "KV blocks" : "no share is enough");
	snprintf(now, sizeof(now), "%lld", (long long)r->tensor_parallel);
	snprintf(most, sizeof(most), "%lld", (long long)one.tp);
	if (one.tp_short)
		snprintf(limit, sizeof(limit), "tp %lld: %s %s", (long long)one.tp_short,
			 one.tp_short_term, number_gib((double)one.tp_short_bytes, 1).text);
	limit_row(area, row++, at == 3, "smallest tp for one request", now, one.tp ? most : "none",
		  one.tp ? limit : "no width of this cluster");
	return row;
}

static int draw_fit(const struct area *area, const struct app *app, int row)
{
	const struct ss_fit *fit = &app->quote->fit;
	const struct ss_workload *workload = &app->draft.scenario->workload;
	int64_t now = 0;
	char text[720], name[64], mark[160];

	for (size_t i = 0; i < workload->group_count; i++)
		now += workload->groups[i].count;
	area_put(area, row, 1, STYLE_SECTION, "WHAT FITS");
	area_right(area, row, 34, 10, STYLE_COLUMN, "now");
	area_right(area, row, 45, 10, STYLE_COLUMN, "most");
	area_put(area, row++, 57, STYLE_COLUMN, "limit");
	snprintf(name, sizeof(name), "requests of %s tokens",
		 number_count((double)app->fit_tokens).text);
	limit_row(area, row++, app_focus(app) == PANE_MEMORY && !app->memory_field, name,
		  number_count((double)now).text,
		  number_count(
			  (double)ss_kernel_requests_that_fit(app->quote->kernel, app->fit_tokens))
			  .text,
		  "KV blocks");
	row = draw_limits(area, app, row);
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		if (fit->verdict.lines[i].holds)
			continue;
		verdict_mark(mark, sizeof(mark), &fit->verdict, (enum ss_verdict_id)i, fit->term);
		snprintf(text, sizeof(text), "%s: %s", mark, fit->why[i]);
		area_text(area, row++, 1, area_cols(area) - 2, STYLE_ERROR, text);
	}
	if (!fit->fits) {
		for (size_t i = 0; i < fit->fix_count; i++)
			area_printf(area, row++, 3, STYLE_TEXT, "%s = %s would fit  %s",
				    fit->fixes[i].path,
				    *fit->fixes[i].value ? fit->fixes[i].value : "unstated",
				    fit->fixes[i].note);
	}
	return row;
}

/* Everything from the area's first row on; returns how many rows that takes. */
static int draw_all(const struct area *area, const struct app *app)
{
	struct part parts[PARTS_MAX];
	struct area table;
	struct facts facts = { area, 0, 0 };
	int count = collect(app, parts), row = 2;

	draw_bar(area, app, parts, count, 0);
	table = area_part(area, row, 0, count, area_cols(area));
	draw_parts(&table, app, parts, count);
	if (area_cols(area) >= 70) {
		facts.row = row;
		facts.col = 41;
	} else {
		facts.row = row + count;
		facts.col = 1;
	}
	draw_pool(&facts, app);
	row = row + count > facts.row ? row + count : facts.row;
	return draw_fit(area, app, row);
}

void memory_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	int rows = area_rows(area), cols = area_cols(area), all = 0;
	int top = app->lists[PANE_MEMORY].selected;
	struct area shifted;

	screen->memory_top = 0;
	if (!app->quote)
		return;
	all = draw_all(area, app);
	screen->memory_top = all > rows ? all - rows : 0;
	if (top > all - rows)
		top = all - rows;
	if (top <= 0)
		return;
	area_clear(area, STYLE_TEXT);
	shifted = area_part(area, -top, 0, rows + top, cols);
	draw_all(&shifted, app);
}
