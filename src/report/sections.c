#include "report/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/around.h"
#include "case/verdict_text.h"
#include "text/number.h"
#include "text/words.h"

/* clang-format off */
static const struct column figure_columns[] = {
	{ "figure", "figure", false }, { "value", "value", true }, { "", "note", false },
};
static const struct column divergence_columns[] = {
	{ "divergence", "name", false }, { "adds", "seconds", true },
	{ "", "corrected", false }, { "why", "reason", false },
};
static const struct column verdict_columns[] = {
	{ "", "fits", false }, { "", "deployment", false }, { "", "batch", false },
	{ "", "max_num_seqs", false }, { "", "budget", false }, { "", "max_model_len", false },
	{ "", "term", false }, { "", "short_bytes", true }, { "", "reason", false },
};
static const struct column override_columns[] = {
	{ "field", "field", false }, { "requested", "requested", false },
	{ "runs", "resolved", false }, { "why", "reason", false },
};
static const struct column assumed_columns[] = {
	{ "setting", "name", false }, { "taken as", "value", false }, { "why", "reason", false },
};
static const struct column fix_columns[] = {
	{ "setting", "path", false }, { "would fit at", "value", true }, { "", "note", false },
};
/* clang-format on */

const char *figure_title(enum ss_figure figure)
{
	switch (figure) {
	case SS_FIGURE_KERNELS:
		return "Kernels";
	case SS_FIGURE_SERIAL:
		return "Serial";
	case SS_FIGURE_NO_OVERLAP:
		return "NoOverlap";
	case SS_FIGURE_OVERLAP:
		return "Overlap";
	case SS_FIGURE_LEAD:
	case SS_FIGURE_COUNT:
		break;
	}
	return "";
}

/** A row of a figure table: label for a person, key for CSV. */
static void put_label(struct doc *doc, enum mark mark, const char *label, const char *key)
{
	doc_figure(doc, mark, label, key);
}

static void put_time(struct doc *doc, const char *label, const char *key, double seconds,
		     const char *note)
{
	put_label(doc, MARK_NONE, label, key);
	doc_number(doc, MARK_NONE, number_time(seconds).text, seconds);
	doc_cell(doc, MARK_DIM, note);
}

static void put_rate(struct doc *doc, const char *label, const char *key, double rate,
		     const char *note)
{
	put_label(doc, MARK_NONE, label, key);
	doc_number(doc, MARK_NONE, number_count(rate).text, rate);
	doc_cell(doc, MARK_DIM, note);
}

static void put_bytes(struct doc *doc, enum mark mark, const char *label, const char *key,
		      double bytes, const char *note)
{
	put_label(doc, MARK_NONE, label, key);
	doc_number(doc, mark, number_bytes_binary(bytes).text, bytes);
	doc_cell(doc, MARK_DIM, note);
}

static void put_number(struct doc *doc, const char *label, const char *key, int64_t number,
		       const char *note)
{
	put_label(doc, MARK_NONE, label, key);
	doc_count(doc, MARK_NONE, number);
	doc_cell(doc, MARK_DIM, note);
}

static void put_text(struct doc *doc, const char *label, const char *key, const char *text,
		     const char *note)
{
	put_label(doc, MARK_NONE, label, key);
	doc_cell(doc, MARK_NONE, *text ? text : "-");
	doc_cell(doc, MARK_DIM, note);
}

/* -- what is priced ------------------------------------------------------------------- */

/** One group as a person says it: `32 decode x 4,096`, `1 prefill x 8,192 on 4,096`. */
static void put_group(struct xbuf *out, const struct ss_group *g, int64_t threshold)
{
	bool is_prefill = g->scheduled > threshold;

	xbuf_printf(out, "%s %s x %s", number_count((double)g->count).text,
		    is_prefill ? "prefill" : "decode",
		    number_count((double)(is_prefill ? g->scheduled : g->computed + g->scheduled))
			    .text);
	if (is_prefill && g->computed)
		xbuf_printf(out, " on %s", number_count((double)g->computed).text);
	if (!is_prefill && g->scheduled > 1)
		xbuf_printf(out, " (%s new)", number_count((double)g->scheduled).text);
}

static void put_batch(struct xbuf *out, const struct session *s)
{
	int64_t threshold = s->decode_threshold ? s->decode_threshold
						: ss_kernel_resolution(s->kernel)->decode_threshold;

	for (size_t i = 0; i < s->group_count; i++) {
		xbuf_puts(out, i ? ", " : "");
		put_group(out, &s->groups[i], threshold);
	}
	if (!s->group_count)
		xbuf_puts(out, "empty");
}

void section_scenario(struct doc *doc, const struct findings *f)
{
	const struct session *s = f->session;
	const struct ss_scenario *c = s->scenario;
	const struct ss_resolution *r = ss_kernel_resolution(f->kernel);
	int64_t gpus = ss_scenario_value(c, s->pool, SS_F_NODES)->integer *
		       ss_scenario_value(c, s->pool, SS_F_GPUS_PER_NODE)->integer;
	const struct ss_pack *pack = ss_basis_inputs(ss_kernel_basis(f->kernel))->pack;
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(f->kernel))->model;
	const char *release = session_text(c, 0, SS_F_ENGINE_VERSION);
	int64_t apart = ss_release_distance(release, pack->version);
	struct xbuf batch = { 0 };
	char others[32] = "", taken[96] = "";

	put_batch(&batch, s);
	doc_heading(doc, "%s", session_text(c, 0, SS_F_NAME));
	/* Pools count from 0, as --pool does. */
	if (c->pool_count > 1)
		(void)snprintf(others, sizeof(others), " of 0 to %zu", c->pool_count - 1);
	if (strcmp(release, pack->version) != 0)
		(void)snprintf(taken, sizeof(taken), " taken as %s, %lld release%s away",
			       pack->version, (long long)apart, apart == 1 ? "" : "s");
	doc_line(doc, MARK_NONE, "%s (%s) on %lld x %s, %s %s%s, pool %zu%s (%s)",
		 session_text(c, 0, SS_F_MODEL), *r->quantization ? r->quantization : "as stored",
		 (long long)gpus, session_text(c, 0, SS_F_HARDWARE),
		 session_text(c, 0, SS_F_ENGINE), release, taken, s->pool, others,
		 session_text(c, s->pool, SS_F_ROLE));
	if (*model->reason)
		doc_line(doc, MARK_DIM, "%s", model->reason);
	doc_line(doc, MARK_NONE, "engine of %lld GPU%s: tp %lld, dp %lld, ep %lld; batch %s%s",
		 (long long)r->ranks, r->ranks == 1 ? "" : "s", (long long)r->tensor_parallel,
		 (long long)r->data_parallel, (long long)r->expert_parallel, xbuf_text(&batch),
		 r->data_parallel > 1 ? " on each data-parallel rank" : "");
	xbuf_release(&batch);
}

void section_warnings(struct doc *doc, const struct findings *f)
{
	const struct ss_problems *problems = &f->session->problems;
	bool has_title = false;

	for (size_t i = 0; i < problems->count; i++) {
		if (problems->items[i].severity != SS_WARNING)
			continue;
		if (!has_title)
			doc_heading(doc, "Warnings");
		has_title = true;
		doc_line(doc, MARK_DIVERGES, "%s", problems->items[i].message);
	}
}

void section_divergences(struct doc *doc, const struct findings *f)
{
	if (!f->effect_count)
		return;
	doc_heading(doc, "Known divergences in this step");
	doc_table(doc, divergence_columns, 4, true);
	for (size_t i = 0; i < f->effect_count; i++) {
		const struct ss_divergence_effect *effect = &f->effects[i];
		const struct ss_divergence *row = ss_divergence(effect->id);

		doc_cell(doc, MARK_DIVERGES, row->name);
		if (effect->has_seconds)
			doc_number(doc, MARK_NONE, number_time(effect->seconds).text,
				   effect->seconds);
		else
			doc_figure(doc, MARK_NONE, row->target == SS_DIVERGES_ROOM ? "room" : "-",
				   "");
		doc_figure(doc, MARK_NONE, effect->is_corrected ? "corrected" : "",
			   effect->is_corrected ? "true" : "false");
		doc_cell(doc, MARK_DIM, ss_divergence_reason(row->id));
	}
}

/* -- price ---------------------------------------------------------------------------- */

/** "25.22 ms (24.11 .. 25.62)": the lead figure, labelled, and its bounds or its band. */
static void put_lead(struct doc *doc, const struct findings *f)
{
	const struct ss_step *step = &f->figures.step;
	enum number_unit unit = number_time_unit(f->figures.lead_s);
	enum ss_verdict_id first = verdict_first(&f->fit.verdict);
	bool is_kernels = f->session->figure == SS_FIGURE_KERNELS;
	char mark[160];

	doc_line(doc, MARK_STRONG, "%s (%s .. %s)  %s; %s", number_time(f->figures.lead_s).text,
		 number_time_in(is_kernels ? f->band_s[0] : step->overlap_s, unit, 2).text,
		 number_time_in(is_kernels ? f->band_s[1] : step->no_overlap_s, unit, 2).text,
		 figure_title(f->session->figure),
		 is_kernels ? "the band is of its values' errors"
			    : "the bounds are Overlap and NoOverlap");
	if (first == SS_VERDICT_COUNT)
		return;
	verdict_mark(mark, sizeof(mark), &f->fit.verdict, first, f->fit.term);
	doc_line(doc, MARK_REFUSED, "%s", mark);
}

static void put_figures(struct doc *doc, const struct findings *f)
{
	static const char *const notes[SS_FIGURE_COUNT] = {
		[SS_FIGURE_KERNELS] = "every kernel at its measured time, one after another",
		[SS_FIGURE_SERIAL] = "the laws' kernels one after another",
		[SS_FIGURE_NO_OVERLAP] = "the sum of all resources: the upper bound",
		[SS_FIGURE_OVERLAP] = "each layer at its slowest resource: the lower bound",
	};

	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_COUNT; i++) {
		enum ss_figure figure = (enum ss_figure)i;
		char key[32];

		if (figure == SS_FIGURE_KERNELS && !f->figures.step.has_kernels)
			continue;

		(void)snprintf(key, sizeof(key), "%s_s", ss_figure_name(figure));
		put_time(doc, figure_title(figure), key, ss_step_figure(&f->figures.step, figure),
			 notes[i]);
	}
}

static void put_resources(struct doc *doc, const struct findings *f)
{
	const double *resource_s = ss_step_resources(&f->figures.step, f->session->figure);
	double whole_s = 0;

	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		whole_s += resource_s[r];
	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		double seconds = resource_s[r];
		char label[32], key[32];

		(void)snprintf(key, sizeof(key), "%s_s", ss_resource_name((enum ss_resource)r));
		(void)snprintf(label, sizeof(label), "  %s", ss_resource_name((enum ss_resource)r));
		/* What the step leaves alone is not listed. */
		if (seconds > 0)
			put_time(doc, label, key, seconds,
				 number_percent(seconds / whole_s, 1).text);
	}
}

static void put_band(struct doc *doc, const struct findings *f)
{
	char note[320];

	put_time(doc, "band, low", "band_low_s", f->band_s[0],
		 "interval composition: every value at the end that helps");
	put_time(doc, "band, high", "band_high_s", f->band_s[1], "and at the end that hurts");
	(void)ss_kernel_band_note(f->kernel, &f->breakdown, &f->session->spread, note,
				  sizeof(note));
	if (*note)
		put_text(doc, "band, limits", "band_limits", "", note);
}

static void put_share(struct doc *doc, const struct findings *f)
{
	char text[320];

	(void)ss_share_sentence(f->kernel, &f->share, "this step", text, sizeof(text));
	doc_line(doc, MARK_NONE, "%s. %zu of %zu entries in scope have evidence.", text,
		 f->evidence.evidenced, f->evidence.total);
}

/** Beside the step: what a request costs around those that serve it. */
static void put_around(struct doc *doc, const struct findings *f)
{
	struct around_row rows[AROUND_ROWS_MAX];
	size_t count = around_of(rows, f->kernel, f->session->scenario, findings_prompt(f));

	doc_heading(doc, "Around a step");
	doc_table(doc, figure_columns, 3, false);
	for (size_t i = 0; i < count; i++)
		put_time(doc, rows[i].label, rows[i].key, rows[i].seconds, rows[i].note);
}

void section_price(struct doc *doc, const struct findings *f)
{
	const struct figures *g = &f->figures;
	char note[96], word[80];

	doc_heading(doc, "Price");
	if (!f->has_price) {
		doc_line(doc, MARK_REFUSED,
			 "not priced: a coefficient that the step reads is missing");
		return;
	}
	put_lead(doc, f);
	doc_table(doc, figure_columns, 3, false);
	put_figures(doc, f);
	put_band(doc, f);
	put_text(doc, "bottleneck", "bottleneck", f->bottleneck,
		 f->session->figure == SS_FIGURE_KERNELS ? "the largest part of Kernels"
							 : "the largest part of NoOverlap");
	put_resources(doc, f);
	put_time(doc, "inter-token latency", "itl_s", g->itl_s,
		 "the step and one output token's cost");
	if (g->has_ttft) {
		(void)snprintf(note, sizeof(note), "of a prompt of %s tokens beside this batch",
			       number_count(f->session->ttft_tokens).text);
		put_time(doc, "time to first token", "ttft_s", g->ttft_s, note);
	}
	put_rate(doc, "tokens/s", "tokens_per_s", g->tokens_per_s, "of the engine, decode");
	put_rate(doc, "tokens/s per GPU", "tokens_per_s_per_gpu", g->tokens_per_s_per_gpu, "");
	if (g->prefill_tokens_per_s > 0)
		put_rate(doc, "prefill tokens/s", "prefill_tokens_per_s", g->prefill_tokens_per_s,
			 "of the engine");
	if (ss_kernel_resolution(f->kernel)->spec_tokens)
		put_time(doc, "draft passes", "draft_s", g->step.draft_s, "within Overlap");
	put_number(doc, "kernels", "kernels", g->step.kernels, "launched in the step");
	put_text(doc, "CUDA graph", "graph", ss_graph_name(g->step.graph), "");
	verdict_word(word, sizeof(word), &f->fit.verdict);
	put_text(doc, "fits", "fits", f->fit.fits ? "true" : "false", word);
	put_share(doc, f);
	put_around(doc, f);
}

/* -- memory --------------------------------------------------------------------------- */

static const char *share_note(char *out, size_t size, double part, double whole)
{
	(void)snprintf(out, size, "%s", whole > 0 ? number_percent(part / whole, 1).text : "");
	return out;
}

static void put_fixed(struct doc *doc, const struct ss_memory *m)
{
	const struct {
		const char *label, *key;
		int64_t bytes;
	} rows[] = {
		{ "weights", "weights_bytes", m->weights_bytes },
		{ "weight scales", "scales_bytes", m->scales_bytes },
		{ "tables", "tables_bytes", m->tables_bytes },
		{ "redundant experts", "redundant_bytes", m->redundant_bytes },
		{ "draft weights", "draft_bytes", m->draft_bytes },
		{ "activation", "activation_bytes", m->activation_bytes },
		{ "communicator", "communicator_bytes", m->communicator_bytes },
		{ "workspace", "workspace_bytes", m->workspace_bytes },
		{ "CUDA graphs", "graphs_bytes", m->graphs_bytes },
		{ "fixed, all", "total_bytes", m->total_bytes },
	};
	char note[48];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].bytes)
			put_bytes(doc, MARK_NONE, rows[i].label, rows[i].key, (double)rows[i].bytes,
				  share_note(note, sizeof(note), (double)rows[i].bytes,
					     (double)m->visible_bytes));
}

static void put_pool(struct doc *doc, const struct findings *f)
{
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(f->kernel);
	int64_t length = ss_kernel_resolution(f->kernel)->max_model_len;
	char note[96];

	put_number(doc, "block", "block_size", pool->block_size, "tokens");
	put_bytes(doc, MARK_NONE, "block, bytes", "block_bytes", (double)pool->block_bytes,
		  pool->is_grouped ? "" : "each cache at its own page");
	put_number(doc, "blocks", "blocks", pool->blocks, "");
	if (pool->fixed_bytes_per_request) {
		put_bytes(doc, MARK_NONE, "fixed, a request", "fixed_bytes_per_request",
			  (double)pool->fixed_bytes_per_request,
			  "windows at their widest and states, as allocated");
		put_label(doc, MARK_NONE, "marginal, a token", "marginal_bytes_per_token");
		doc_number(doc, MARK_NONE, number_count(pool->marginal_bytes_per_token).text,
			   pool->marginal_bytes_per_token);
		doc_cell(doc, MARK_DIM, "bytes, of the caches that grow with the request");
	}
	if (!pool->blocks_per_request)
		return;
	(void)snprintf(note, sizeof(note), "of max_model_len %s", number_count(length).text);
	put_number(doc, "blocks a request", "blocks_per_request", pool->blocks_per_request, note);
	put_number(doc, "KV cache size", "reported_tokens", pool->reported_tokens,
		   "tokens the engine would log; derived from max_model_len, not a rate");
	(void)snprintf(note, sizeof(note), "%.2fx", pool->max_concurrency);
	put_label(doc, MARK_NONE, "maximum concurrency", "max_concurrency");
	doc_number(doc, MARK_NONE, note, pool->max_concurrency);
	doc_cell(doc, MARK_DIM, "requests of max_model_len at once, as the engine would log");
}

/** Figures of the start that the release decides, and of which release they are known. */
static void put_terms(struct doc *doc, const struct findings *f)
{
	struct ss_release_use uses[SS_RELEASE_TERM_COUNT];
	size_t count = ss_kernel_release_terms(f->kernel, uses);

	for (size_t i = 0; i < count; i++) {
		const struct ss_release_row *row = uses[i].row;
		char note[128];

		if (!uses[i].is_read || (row && !*row->since && !*row->until))
			continue;
		if (row)
			(void)snprintf(note, sizeof(note), "%s %s%s%s", *row->since ? "since" : "",
				       row->since, *row->until ? " until " : "", row->until);
		else
			(void)snprintf(note, sizeof(note), "as " SS_PRICED_RELEASE);
		put_label(doc, MARK_NONE, ss_release_term_name(uses[i].term),
			  ss_release_term_name(uses[i].term));
		doc_number(doc, MARK_NONE, number_plain(uses[i].value).text, uses[i].value);
		doc_cell(doc, MARK_DIM, note);
	}
}

void section_memory(struct doc *doc, const struct findings *f)
{
	const struct ss_memory *m = ss_kernel_memory(f->kernel);
	const struct ss_part *part = ss_basis_inputs(f->session->basis)->part;
	bool has_room = f->fit.verdict.lines[SS_VERDICT_BATCH].holds;
	char note[96];

	doc_heading(doc, "Memory of one rank");
	doc_table(doc, figure_columns, 3, false);
	put_bytes(doc, MARK_NONE, "visible", "visible_bytes", (double)m->visible_bytes,
		  part->visible_gib > 0 ? "what CUDA reports of the part"
					: "of the datasheet; CUDA reports less");
	put_fixed(doc, m);
	for (size_t i = 0; i < m->correction_count; i++)
		put_bytes(
			doc, MARK_DIVERGES, "correction", ss_divergence(m->corrections[i].id)->name,
			(double)m->corrections[i].bytes, ss_divergence(m->corrections[i].id)->name);
	(void)snprintf(
		note, sizeof(note), "within %s of visible memory",
		number_percent(ss_kernel_resolution(f->kernel)->gpu_memory_utilization, 1).text);
	put_bytes(doc, m->budget_bytes < 0 ? MARK_REFUSED : MARK_NONE, "room for KV",
		  "budget_bytes", (double)m->budget_bytes, note);
	put_bytes(doc, has_room ? MARK_NONE : MARK_REFUSED, "this batch", "batch_bytes",
		  (double)f->batch_bytes, has_room ? "" : "more than there is room for");
	put_label(doc, MARK_NONE, "KV per token", "kv_bytes_per_token");
	doc_number(doc, MARK_NONE, number_count(m->kv_bytes_per_token).text, m->kv_bytes_per_token);
	doc_cell(doc, MARK_DIM, "bytes, all layers");
	if (m->scorer_bytes_per_token > 0)
		put_bytes(doc, MARK_NONE, "scorer keys per token", "scorer_bytes_per_token",
			  m->scorer_bytes_per_token, "in the pool, not in KV per token");
	if (m->sequence_fixed_bytes)
		put_bytes(doc, MARK_NONE, "state per request", "sequence_fixed_bytes",
			  (double)m->sequence_fixed_bytes, "recurrent state before padding");
	if (m->host_tables_bytes)
		put_bytes(doc, MARK_NONE, "tables in host memory", "host_tables_bytes",
			  (double)m->host_tables_bytes, "of each node");
	put_pool(doc, f);
	put_terms(doc, f);
}

static void put_verdict(struct doc *doc, const struct findings *f)
{
	doc_data(doc, verdict_columns, 4 + SS_VERDICT_COUNT);
	doc_cell(doc, MARK_NONE, f->fit.fits ? "true" : "false");
	for (int i = 0; i < SS_VERDICT_COUNT; i++)
		doc_cell(doc, MARK_NONE, f->fit.verdict.lines[i].holds ? "true" : "false");
	doc_cell(doc, MARK_NONE, f->fit.fits ? "" : f->fit.term);
	if (f->fit.fits)
		doc_cell(doc, MARK_NONE, "");
	else
		doc_count(doc, MARK_NONE, f->fit.short_bytes);
	doc_cell(doc, MARK_NONE, f->fit.fits ? "" : f->fit.reason);
}

void section_fit(struct doc *doc, const struct findings *f)
{
	const struct ss_fit *fit = &f->fit;
	char mark[160];

	doc_heading(doc, "Fit");
	put_verdict(doc, f);
	if (fit->fits)
		doc_line(doc, MARK_NONE, "It fits.");
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		if (fit->verdict.lines[i].holds)
			continue;
		verdict_mark(mark, sizeof(mark), &fit->verdict, (enum ss_verdict_id)i, fit->term);
		doc_line(doc, MARK_REFUSED, "%s: %s", mark, fit->why[i]);
	}
	if (!fit->fix_count)
		return;
	doc_beside(doc, "fixes");
	doc_table(doc, fix_columns, 3, true);
	for (size_t i = 0; i < fit->fix_count; i++) {
		doc_cell(doc, MARK_NONE, fit->fixes[i].path);
		doc_cell(doc, MARK_NONE, fit->fixes[i].value);
		doc_cell(doc, MARK_DIM, fit->fixes[i].note);
	}
}

/* -- resolved ------------------------------------------------------------------------- */

static const char *yes_no(bool fact)
{
	return fact ? "on" : "off";
}

static void put_overrides(struct doc *doc, const struct ss_kernel *kernel)
{
	size_t count = ss_kernel_override_count(kernel);

	if (!count) {
		doc_line(doc, MARK_NONE, "Every stated setting is honoured.");
		return;
	}
	doc_heading(doc, "Overridden");
	doc_beside(doc, "overrides");
	doc_table(doc, override_columns, 4, true);
	for (size_t i = 0; i < count; i++) {
		const struct ss_override *override = ss_kernel_override(kernel, i);

		doc_cell(doc, MARK_DIVERGES, override->field);
		doc_cell(doc, MARK_NONE, override->requested);
		doc_cell(doc, MARK_NONE, override->resolved);
		doc_cell(doc, MARK_DIM, override->reason);
	}
}

void section_assumed(struct doc *doc, const struct findings *f)
{
	bool is_open = false;

	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);
		size_t reason = strlen(e->value_text) + 2;

		if (!e->is_own)
			continue;
		if (!is_open) {
			doc_heading(doc, "Assumed, or missing and priced without");
			doc_table(doc, assumed_columns, 3, true);
		}
		is_open = true;
		doc_cell(doc, MARK_ASSUMED, e->name);
		doc_cell(doc, MARK_NONE, e->value_text);
		/* the scope of an entry of the kernel's own is `value: reason` */
		doc_cell(doc, MARK_DIM, strlen(e->scope) > reason ? e->scope + reason : "");
	}
	if (!is_open)
		doc_line(doc, MARK_NONE, "Nothing is assumed.");
}

/** A kernel's setting with why it is so. */
static void put_choice(struct doc *doc, const struct findings *f, enum ss_field_id field,
		       const char *label, const char *value)
{
	char reason[240];

	ss_kernel_choice_reason(f->kernel, field, reason, sizeof(reason));
	put_text(doc, label, strchr(ss_field(field)->path, '.') + 1, value, reason);
}

void section_resolved(struct doc *doc, const struct findings *f)
{
	const struct ss_resolution *r = ss_kernel_resolution(f->kernel);
	char sizes[256];

	doc_heading(doc, "Resolved");
	doc_table(doc, figure_columns, 3, false);
	put_number(doc, "tensor parallel", "tensor_parallel", r->tensor_parallel, "");
	put_number(doc, "data parallel", "data_parallel", r->data_parallel, "");
	put_number(doc, "expert parallel", "expert_parallel", r->expert_parallel, "");
	put_number(doc, "decode context parallel", "decode_context_parallel",
		   r->decode_context_parallel, "");
	put_number(doc, "prefill context parallel", "prefill_context_parallel",
		   r->prefill_context_parallel, "");
	put_text(doc, "all-reduce", "allreduce_backend", r->allreduce_backend, "");
	put_text(doc, "MoE dispatch", "all2all_backend", r->all2all_backend, "");
	put_text(doc, "async scheduling", "async_scheduling", yes_no(r->async_scheduling), "");
	put_text(doc, "cascade attention", "cascade_attention", yes_no(r->cascade_attention), "");
	put_text(doc, "sequence-parallel MoE", "sequence_parallel_moe",
		 yes_no(r->sequence_parallel_moe), "");
	put_text(doc, "CUDA graphs", "cudagraph_mode", r->cudagraph_mode, "");
	put_number(doc, "capture ceiling", "max_cudagraph_capture_size",
		   r->max_cudagraph_capture_size, "a larger step runs without a graph");
	sizes_text(sizes, sizeof(sizes), r->capture_sizes, r->capture_size_count);
	put_text(doc, "sizes captured", "cudagraph_capture_sizes", sizes, "");
	put_text(doc, "attention backend", "attention_backend", r->attention_backend, "");
	put_choice(doc, f, SS_F_MOE_BACKEND, "MoE backend", r->moe_backend);
	put_choice(doc, f, SS_F_LINEAR_BACKEND, "linear backend", r->linear_backend);
	put_choice(doc, f, SS_F_FUSE_ALLREDUCE_RMS, "fused all-reduce",
		   yes_no(r->fuse_allreduce_rms));
	put_choice(doc, f, SS_F_FUSE_ACT_QUANT, "fused quantising", yes_no(r->fuse_act_quant));
	put_text(doc, "cache layout", "cache_layout", r->cache_layout, "");
	put_text(doc, "recurrent cache", "mamba_cache_mode", r->mamba_cache_mode, "");
	put_number(doc, "block size", "block_size", r->block_size, "");
	put_number(doc, "token budget", "max_num_batched_tokens", r->max_num_batched_tokens, "");
	put_number(doc, "sequence budget", "max_num_seqs", r->max_num_seqs, "");
	if (r->max_model_len)
		put_number(doc, "longest request", "max_model_len", r->max_model_len, "");
	else
		put_text(doc, "longest request", "max_model_len", "unbounded", "");
	put_overrides(doc, f->kernel);
}
