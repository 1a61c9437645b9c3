/* What Enter opens: the whole of the selected row, as text. */
#include <stdio.h>
#include <string.h>

#include "case/verdict_text.h"
#include "case/kernel_chart.h"
#include "text/number.h"
#include "app/rows.h"
#include "app/rows_reference.h"
#include "app/tree.h"

static void line(struct xbuf *out, const char *name, const char *text)
{
	if (text && *text)
		xbuf_printf(out, "%-10s %s\n", name, text);
}

/* -- a setting ------------------------------------------------------------------------ */

static void field_choices(const struct app *app, enum ss_field_id field, struct xbuf *out)
{
	struct choices_context context = app_choices(app);
	char scratch[96];
	const char *word = choices_word(&context, field, 0, scratch, sizeof(scratch));

	if (!word)
		return;
	xbuf_printf(out, "%-10s ", "values");
	for (size_t n = 0; word; n++) {
		xbuf_printf(out, "%s%s", n ? ", " : "", word);
		word = choices_word(&context, field, n + 1, scratch, sizeof(scratch));
	}
	xbuf_putc(out, '\n');
}

static void field_range(const struct ss_field *row, struct xbuf *out)
{
	if (row->type != SS_TYPE_INT && row->type != SS_TYPE_INT_OR_AUTO &&
	    row->type != SS_TYPE_FLOAT)
		return;
	if (row->max > row->min)
		xbuf_printf(out, "%-10s %s to %s\n", "range", number_plain(row->min).text,
			    number_plain(row->max).text);
}

/* Where the build declares it, when there is a reference that says so. */
static void declared_at(const struct app *app, enum ss_field_id field, struct xbuf *out)
{
	const struct ss_config_field *own = tree_declared(tree_reference(app), field);
	char path[256];

	if (!own)
		return;
	tree_path(own, path, sizeof(path));
	xbuf_printf(out, "%-10s %s (O goes there)\n", "owner", path);
}

void rows_field_help(const struct app *app, enum ss_field_id field, struct xbuf *out)
{
	const struct ss_field *row = ss_field(field);
	const struct ss_value *value = ss_scenario_value(app->draft.scenario, app->pool, field);
	char text[256] = "";

	xbuf_printf(out, "%s\n\n", row->help);
	ss_value_format(text, sizeof(text), row, value);
	line(out, "stated", value->is_stated ? text : "no");
	line(out, "unstated", row->unstated);
	rows_value(app, field, text, sizeof(text));
	line(out, "runs", text);
	if (app->quote && !app->is_refused) {
		const struct ss_entry *entry = quote_assumption(app->quote, rows_name(field));
		const struct ss_override *override = quote_override(app->quote, rows_name(field));

		if (entry)
			xbuf_printf(out, "%-10s %s\n", "assumed", entry->scope);
		if (override)
			xbuf_printf(out, "%-10s asked for %s: %s\n", "overridden",
				    override->requested, override->reason);
	}
	ss_scenario_pointer(text, sizeof(text), app->pool, field);
	for (size_t i = 0; i < app->problems.count; i++) {
		const struct ss_problem *problem = &app->problems.items[i];

		if (!strcmp(problem->pointer, text))
			xbuf_printf(out, "%-10s %s: %s\n",
				    problem->severity == SS_WARNING ? "warning" : "refused",
				    problem->code, problem->message);
	}
	field_choices(app, field, out);
	field_range(row, out);
	line(out, "path", row->path);
	if (row->flag)
		xbuf_printf(out, "%-10s --%s\n", "vLLM flag", row->flag);
	declared_at(app, field, out);
	line(out, "next", app->preview);
}

/* -- an entry ------------------------------------------------------------------------- */

static void entry_sources(const struct ss_coefficient *coefficient, struct xbuf *out)
{
	for (size_t i = 0; i < coefficient->source_count; i++) {
		const struct ss_source *source = &coefficient->sources[i];

		xbuf_printf(out, "%-10s %s%s%s%s%s\n", i ? "" : "sources", source->cite,
			    *source->kind ? " (" : "", source->kind, *source->kind ? ")" : "", "");
		line(out, "", source->role);
	}
}

static void entry_terms(const struct app *app, int index, struct xbuf *out)
{
	const struct ss_breakdown *breakdown = &app->quote->breakdown;
	bool any = false;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];
		char label[96];
		bool reads = false;

		for (int r = 0; r < SS_READS_MAX && term->floor_reads[r] >= 0; r++)
			reads |= term->floor_reads[r] == index;
		for (int r = 0; r < SS_READS_MAX && term->slope_reads[r] >= 0; r++)
			reads |= term->slope_reads[r] == index;
		if (!reads)
			continue;
		rows_term_label(app->quote, term, label, sizeof(label));
		xbuf_printf(out, "%-10s %s, %s\n", any ? "" : "read by", label,
			    number_time(ss_term_figure(term, app->figure)).text);
		any = true;
	}
	if (!any)
		line(out, "read by", "nothing in this step: it does not move the price");
}

static void entry_influence(const struct app *app, int index, struct xbuf *out)
{
	const struct ss_influence *influence = app->quote->influences;

	if (!influence || !influence[index].is_read || !influence[index].is_value)
		return;
	influence += index;
	xbuf_printf(out, "%-10s %s per cent of the price for each per cent of it\n", "moves",
		    number_signed(influence->elasticity, 3).text);
	xbuf_printf(out, "%-10s %s to %s over %s\n", "", number_time(influence->low_s).text,
		    number_time(influence->high_s).text,
		    influence->has_ci95 ? "its ci95" : "10 % either way");
}

void rows_entry_detail(const struct app *app, int index, struct xbuf *out)
{
	const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, (size_t)index);
	const struct ss_coefficient *coefficient = entry->coefficient;

	if (entry->has_value)
		xbuf_printf(out, "%-10s %s %s\n", "value", number_plain(entry->value).text,
			    coefficient ? ss_unit_name(coefficient->units) : "");
	else
		line(out, "value", entry->value_text);
	if (entry->is_whatif)
		xbuf_printf(out, "%-10s %s (Del goes back)\n", "in its set",
			    number_plain(entry->original).text);
	line(out, "set", entry->set);
	line(out, "method", ss_method_name(entry->method));
	/* What the kernel assumed by itself has its reason there. */
	line(out, entry->is_own ? "why" : "scope", entry->scope);
	if (entry->is_shadowed)
		line(out, "shadowed", "another entry of this name wins: not counted");
	/* What was said of the value in its set is not said of one that is tried. */
	if (coefficient && !entry->is_whatif) {
		if (coefficient->is_fitted)
			line(out, "fitted", "yes");
		if (coefficient->is_remainder)
			line(out, "remainder",
			     "what a fit left over, so it also holds other model error");
		if (coefficient->has_ci95)
			xbuf_printf(out, "%-10s %s to %s\n", "ci95",
				    number_plain(coefficient->ci95[0]).text,
				    number_plain(coefficient->ci95[1]).text);
		line(out, "copied", coefficient->copied_from);
		line(out, "supersedes", coefficient->supersedes);
		entry_sources(coefficient, out);
		if (*coefficient->rationale)
			xbuf_printf(out, "%-10s %s\n", "why", coefficient->rationale);
	}
	line(out, "law", entry->law);
	if (app->quote->has_price && !app->is_refused) {
		struct ss_batch batch = draft_batch(&app->draft);
		char text[1024];

		ss_kernel_entry_law(app->quote->kernel, &batch, &app->quote->breakdown, index, text,
				    sizeof(text));
		line(out, "as numbers", text);
		ss_kernel_entry_instead(app->quote->kernel, index, text, sizeof(text));
		line(out, "instead", text);
	}
	entry_influence(app, index, out);
	entry_terms(app, index, out);
	xbuf_puts(out, coefficient ? "\ne tries another value, Del returns to the set's\n" : "");
}

bool rows_entry_help(const struct app *app, const char *name, struct xbuf *out)
{
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(ss_kernel_entry(app->quote->kernel, i)->name, name) != 0)
			continue;
		rows_entry_detail(app, (int)i, out);
		any = true;
	}
	return any;
}

/* -- a term --------------------------------------------------------------------------- */

static void reads_of(const struct app *app, const int reads[SS_READS_MAX], const char *name,
		     struct xbuf *out)
{
	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		const struct ss_entry *entry =
			ss_kernel_entry(app->quote->kernel, (size_t)reads[i]);

		xbuf_printf(out, "%-10s %s %s, %s, %s\n", i ? "" : name, entry->name,
			    entry->has_value ? number_plain(entry->value).text : entry->value_text,
			    ss_method_name(entry->method), entry->set);
	}
}

static void term_rate(const struct app *app, const struct ss_term *term, struct xbuf *out)
{
	struct ss_reach reach;

	if (!ss_kernel_term_reach(app->quote->kernel, term, &reach))
		return;
	xbuf_printf(out, "%-10s %s%s at %s", reach.is_flops ? "computed" : "moved",
		    reach.is_flops ? number_short(term->flops).text
				   : number_bytes(term->bytes).text,
		    reach.is_flops ? " FLOP" : "",
		    number_rate(reach.achieved, reach.is_flops ? "FLOP" : "B").text);
	xbuf_printf(out, ", %s of the peak of %s\n",
		    number_percent(reach.achieved / reach.peak, 1).text,
		    number_rate(reach.peak, reach.is_flops ? "FLOP" : "B").text);
}

static const char *kind_name(const struct app *app, int kind)
{
	const struct ss_model *model = ss_basis_inputs(app->quote->basis)->model;

	if (kind == -1)
		return "head";
	if (kind < 0 || (size_t)kind >= model->kind_count)
		return "host";
	return model->kinds[kind].id;
}

/* Is it the same term in another layer kind? One row of the pane stands for them all. */
static bool is_alike(const struct ss_term *a, const struct ss_term *b)
{
	return a->term == b->term && a->resource == b->resource && a->is_draft == b->is_draft &&
	       !strcmp(a->detail, b->detail);
}

static size_t add_reads(const int reads[SS_READS_MAX], int *out, size_t count, size_t room)
{
	for (int r = 0; r < SS_READS_MAX && reads[r] >= 0; r++) {
		size_t i = 0;

		while (i < count && out[i] != reads[r])
			i++;
		if (i == count && count < room)
			out[count++] = reads[r];
	}
	return count;
}

size_t rows_term_reads(const struct app *app, size_t index, int *out, size_t room)
{
	const struct ss_breakdown *breakdown = &app->quote->breakdown;
	size_t count = 0;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];

		if (!is_alike(term, &breakdown->terms[index]))
			continue;
		count = add_reads(term->floor_reads, out, count, room);
		count = add_reads(term->slope_reads, out, count, room);
	}
	return count;
}

/** What a measured kernel is made of, and its curve. */
static void measured_kernel(const struct app *app, const struct ss_batch *batch,
			    const struct ss_term *term, struct xbuf *out)
{
	struct ss_time_sight sight;
	char text[240];

	if (term->time_node < 0)
		return;
	ss_kernel_time_sight(app->quote->kernel, batch, term, &sight);
	kernel_node(text, sizeof(text), &sight);
	line(out, "node", text);
	kernel_parts(text, sizeof(text), &sight);
	line(out, "by law", text);
	kernel_marks(text, sizeof(text), &sight);
	line(out, "mark", text);
	kernel_chart(out, app->quote->kernel, term, &sight);
}

static void detail_term(const struct app *app, size_t index, struct xbuf *out)
{
	const struct ss_breakdown *breakdown = &app->quote->breakdown;
	const struct ss_term *first = &breakdown->terms[index];
	struct ss_batch batch = draft_batch(&app->draft);
	char law[1024];

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];

		if (!is_alike(term, first))
			continue;
		xbuf_printf(out, "%s: %s on %s", kind_name(app, term->kind),
			    number_time(ss_term_figure(term, app->figure)).text,
			    ss_resource_name(term->resource));
		if (ss_term_hidden(term, app->figure) > 0)
			xbuf_printf(out, ", %s more hides behind another",
				    number_time(ss_term_hidden(term, app->figure)).text);
		xbuf_putc(out, '\n');
		ss_kernel_charge_law(app->quote->kernel, &batch, term, law, sizeof(law));
		line(out, "law", law);
		if (term->floor_s > 0)
			xbuf_printf(out, "%-10s %s floor, %s by work\n", "split",
				    number_time(term->floor_s).text,
				    number_time(term->slope_s).text);
		measured_kernel(app, &batch, term, out);
		term_rate(app, term, out);
		reads_of(app, term->floor_reads, "floor", out);
		reads_of(app, term->slope_reads, "rate", out);
		xbuf_putc(out, '\n');
	}
}

static void detail_divergence(const struct app *app, enum ss_divergence_id id, struct xbuf *out)
{
	const struct ss_divergence *row = ss_divergence(id);

	xbuf_printf(out, "%s\n\n", ss_divergence_reason(id));
	line(out, "direction", ss_divergence_direction(id));
	for (size_t i = 0; i < app->quote->effect_count; i++) {
		const struct ss_divergence_effect *effect = &app->quote->effects[i];

		if (effect->id != id)
			continue;
		if (effect->has_seconds)
			xbuf_printf(out, "%-10s %s of the %s figure\n", "in step",
				    number_time_signed(effect->seconds).text,
				    ss_figure_name(app_figure(app)));
		line(out, "now",
		     effect->is_corrected ? "priced with the correction" : "priced by the law");
	}
	if (row->has_correction && row->target == SS_DIVERGES_STEP)
		xbuf_printf(out, "\nSpace prices without it. %s\n", ss_divergence_caution());
}

/* -- the rest ------------------------------------------------------------------------- */

static bool detail_resolved(const struct app *app, int id, struct xbuf *out)
{
	size_t at = (size_t)id, count = ss_kernel_override_count(app->quote->kernel);

	if (id < 0)
		return false;
	if (at < count) {
		const struct ss_override *override = ss_kernel_override(app->quote->kernel, at);

		line(out, "requested", override->requested);
		line(out, "runs", override->resolved);
		line(out, "because", override->reason);
		return true;
	}
	at -= count;
	if (at >= app->problems.count)
		return false;
	line(out, app->problems.items[at].code, app->problems.items[at].message);
	line(out, "at", app->problems.items[at].pointer);
	return true;
}

/* Where every GiB that is taken comes from. */
static void memory_laws(const struct app *app, struct xbuf *out)
{
	const struct ss_memory *m = ss_kernel_memory(app->quote->kernel);

	xbuf_puts(out, "\nfixed bytes of one rank\n");
	for (int i = 0; i < SS_MEMORY_TERM_COUNT; i++) {
		enum ss_memory_term term = (enum ss_memory_term)i;
		int64_t bytes = ss_memory_term_bytes(m, term);
		char law[512];

		if (bytes <= 0)
			continue;
		ss_kernel_memory_law(app->quote->kernel, term, law, sizeof(law));
		xbuf_printf(out, "%s, %s: %s\n", ss_memory_term_label(term),
			    number_bytes_binary((double)bytes).text, law);
	}
	for (size_t i = 0; i < m->correction_count; i++)
		xbuf_printf(out, "correction, %s: %s\n",
			    number_bytes_binary(-(double)m->corrections[i].bytes).text,
			    ss_divergence_reason(m->corrections[i].id));
}

/* What the kernel assumed or overrode of the pool, and why. */
static void pool_reasons(const struct app *app, struct xbuf *out)
{
	static const char *const names[] = { "block_size", "max_model_len",
					     "hybrid_kv_cache_manager", "kv_cache_grouping",
					     "cache_record" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct ss_entry *entry = quote_assumption(app->quote, names[i]);
		const struct ss_override *override = quote_override(app->quote, names[i]);

		if (entry)
			xbuf_printf(out, "\n~ %s: %s\n", names[i], entry->scope);
		if (override)
			xbuf_printf(out, "\n! %s %s, asked for %s: %s\n", names[i],
				    override->resolved, override->requested, override->reason);
	}
}

static void detail_fit(const struct app *app, struct xbuf *out)
{
	const struct ss_fit *fit = &app->quote->fit;
	char mark[160];

	xbuf_printf(out, "%s requests of %s tokens fit\n\n",
		    number_count((double)ss_kernel_requests_that_fit(app->quote->kernel,
								     app->fit_tokens))
			    .text,
		    number_count((double)app->fit_tokens).text);
	if (fit->fits) {
		xbuf_puts(out, "the deployment and its batch fit\n");
		pool_reasons(app, out);
		memory_laws(app, out);
		return;
	}
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		if (fit->verdict.lines[i].holds)
			continue;
		verdict_mark(mark, sizeof(mark), &fit->verdict, (enum ss_verdict_id)i, fit->term);
		xbuf_printf(out, "%s: %s\n", mark, fit->why[i]);
	}
	xbuf_putc(out, '\n');
	for (size_t i = 0; i < fit->fix_count; i++)
		xbuf_printf(out, "would fit  %s = %s  %s\n", fit->fixes[i].path,
			    *fit->fixes[i].value ? fit->fixes[i].value : "unstated",
			    fit->fixes[i].note);
	pool_reasons(app, out);
	memory_laws(app, out);
}

bool rows_detail(struct app *app, enum pane_id pane, struct xbuf *out, char *title, size_t size)
{
	const struct table *table = &app->tables[pane];
	size_t selected = (size_t)app->lists[pane].selected;
	const struct table_row *row = selected < table->shown ? table_at(table, selected) : NULL;
	const char *name;

	if (pane == PANE_MEMORY && app->quote) {
		snprintf(title, size, "What fits");
		detail_fit(app, out);
		return true;
	}
	if (!row || row->is_heading || (!app->quote && pane != PANE_DEPLOYMENT))
		return false;
	name = table_text(table, selected, 0);
	snprintf(title, size, "%s", name + strspn(name, " "));
	switch (pane) {
	case PANE_DEPLOYMENT:
		if (row->id >= TREE_ROW) {
			if (tree_field(app))
				tree_detail(app, tree_field(app), out);
			return tree_field(app) != NULL;
		}
		rows_field_help(app, (enum ss_field_id)row->id, out);
		return true;
	case PANE_RESOLVED:
		return detail_resolved(app, row->id, out);
	case PANE_PROVENANCE:
	case PANE_EVIDENCE:
		rows_entry_detail(app, row->id, out);
		return true;
	case PANE_STEP:
		if (row->id < 0)
			return false;
		if (row->id >= ROWS_DIVERGENCE)
			detail_divergence(app, (enum ss_divergence_id)(row->id - ROWS_DIVERGENCE),
					  out);
		else
			detail_term(app, (size_t)row->id, out);
		return true;
	case PANE_MODEL:
		return rows_model_detail(app, row->id, out);
	case PANE_ENGINE:
		if (tree_reference(app) && rows_reference_detail(tree_reference(app), row->id, out))
			return true;
		/* fall through */
	case PANE_COMPARE:
		for (int c = 0; c < table->column_count; c++)
			line(out, table->columns[c].title, table_text(table, selected, c));
		return true;
	case PANE_MEMORY:
	case PANE_BATCH:
	case PANE_SWEEP:
	case PANE_SERVE:
	case PANE_ALL:
		break;
	}
	return false;
}
