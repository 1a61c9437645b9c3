/* Sections about entries: provenance, evidence, walk, sensitivity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"
#include "report/sections.h"

/* clang-format off */
static const struct column provenance_columns[] = {
	{ "name", "name", false }, { "value", "value", true }, { "units", "units", false },
	{ "set", "set", false }, { "method", "method", false }, { "moves", "elasticity", true },
	{ "scope", "scope", false },
};
static const struct column method_columns[] = {
	{ "method", "method", false }, { "entries", "entries", true },
	{ "of the price", "price_share", true },
};
static const struct column assumed_columns[] = {
	{ "assumed", "name", false }, { "value", "value", true }, { "set", "set", false },
	{ "moves", "elasticity", true },
};
static const struct column count_columns[] = {
	{ "", "evidenced", true }, { "", "total", true }, { "", "assumed", true },
};
static const struct column walk_columns[] = {
	{ "", "name", false }, { "", "value", true }, { "", "units", false }, { "", "set", false },
	{ "", "scope", false }, { "", "law", false }, { "", "elasticity", true },
	{ "", "low", true }, { "", "low_s", true }, { "", "high", true }, { "", "high_s", true },
	{ "", "why", false }, { "", "instead", false },
};
static const struct column sensitivity_columns[] = {
	{ "name", "name", false }, { "value", "value", true }, { "method", "method", false },
	{ "elasticity", "elasticity", true }, { "tried", "tried", false },
	{ "low", "low_s", true }, { "high", "high_s", true },
};
static const struct column room_columns[] = {
	{ "name", "name", false }, { "value", "value", true }, { "method", "method", false },
	{ "of KV room", "room_elasticity", true }, { "tried", "tried", false },
	{ "room at low", "low_room_bytes", true }, { "at high", "high_room_bytes", true },
};
/* clang-format on */

const char *entry_value_text(const struct ss_entry *entry, char *out, size_t size)
{
	if (entry->has_value)
		(void)snprintf(out, size, "%s", show_value(entry->value).text);
	else
		(void)snprintf(out, size, "%s", entry->value_text);
	return out;
}

static enum mark entry_mark(const struct ss_entry *entry)
{
	if (entry->is_shadowed)
		return MARK_DIM;
	return entry->method == SS_METHOD_ASSUMED ? MARK_ASSUMED : MARK_NONE;
}

static void put_value(struct doc *doc, const struct ss_entry *entry)
{
	char text[160];

	(void)entry_value_text(entry, text, sizeof(text));
	if (entry->has_value)
		doc_number(doc, entry->is_whatif ? MARK_DIFFERS : MARK_NONE, text, entry->value);
	else
		doc_cell(doc, MARK_NONE, text);
}

static const char *units_of(const struct ss_entry *entry)
{
	return entry->coefficient ? ss_unit_name(entry->coefficient->units) : "";
}

/** The elasticity; a dash for what the price does not read. */
static void put_elasticity(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_influence *influence = &f->influences[index];
	char text[32];

	if (!influence->is_read) {
		doc_figure(doc, MARK_DIM, "-", "0");
		return;
	}
	(void)snprintf(text, sizeof(text), "%+.3f", influence->elasticity);
	doc_number(doc, MARK_NONE, text, influence->elasticity);
}

/** The same of the room for KV. */
static void put_room(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_influence *influence = &f->influences[index];

	if (influence->is_memory)
		doc_number(doc, MARK_NONE, number_signed(influence->room_elasticity, 3).text,
			   influence->room_elasticity);
	else
		doc_figure(doc, MARK_DIM, "-", "0");
}

void section_provenance(struct doc *doc, const struct findings *f)
{
	size_t count = ss_kernel_entry_count(f->kernel), shown = 0;

	for (size_t i = 0; i < count; i++)
		shown += ss_kernel_entry_counts(f->kernel, f->session->figure, i);
	doc_heading(doc, "Provenance: %zu entries, shadowed ones included", shown);
	doc_table(doc, provenance_columns, 7, true);
	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, i);
		char scope[512];

		if (!ss_kernel_entry_counts(f->kernel, f->session->figure, i))
			continue;
		doc_cell(doc, entry_mark(entry), entry->name);
		put_value(doc, entry);
		doc_cell(doc, MARK_DIM, units_of(entry));
		doc_cell(doc, MARK_NONE, entry->set);
		doc_cell(doc, MARK_NONE, ss_method_name(entry->method));
		put_elasticity(doc, f, i);
		(void)snprintf(scope, sizeof(scope), "%s%s", entry->scope,
			       entry->is_shadowed ? " (shadowed: another entry is used)" : "");
		doc_cell(doc, MARK_DIM, scope);
	}
}

static void put_assumed(struct doc *doc, const struct findings *f)
{
	size_t count;
	struct ss_walk_item *order = findings_walk(f, &count);

	doc_heading(doc, "Assumed, by how far they move the price; the kernel's own that move "
			 "nothing behind them");
	doc_beside(doc, "assumed");
	doc_table(doc, assumed_columns, 4, true);
	for (size_t i = 0; i < count; i++) {
		size_t index = (size_t)order[i].entry;
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);

		doc_cell(doc, MARK_ASSUMED, entry->name);
		put_value(doc, entry);
		doc_cell(doc, MARK_NONE, entry->set);
		put_elasticity(doc, f, index);
	}
	free(order);
}

void section_evidence(struct doc *doc, const struct findings *f)
{
	double percents[SS_SHARE_PARTS];

	ss_share_percents(&f->share, 1, percents);
	doc_heading(doc, "Evidence: %zu of %zu entries, %zu assumed", f->evidence.evidenced,
		    f->evidence.total, f->evidence.assumed);
	doc_beside(doc, "counts");
	doc_data(doc, count_columns, 3);
	doc_count(doc, MARK_NONE, (long long)f->evidence.evidenced);
	doc_count(doc, MARK_NONE, (long long)f->evidence.total);
	doc_count(doc, MARK_NONE, (long long)f->evidence.assumed);
	doc_table(doc, method_columns, 3, true);
	for (int m = SS_METHOD_COUNT - 1; m >= 0; m--) {
		doc_cell(doc, m == SS_METHOD_ASSUMED ? MARK_ASSUMED : MARK_NONE,
			 ss_method_name((enum ss_method)m));
		doc_count(doc, MARK_NONE, (long long)f->evidence.by_method[m]);
		if (f->has_price)
			doc_number(doc, MARK_NONE, number_percent(percents[m] / 100, 1).text,
				   f->share.by_method[m]);
		else
			doc_figure(doc, MARK_NONE, "-", "");
	}
	put_assumed(doc, f);
}

/* -- walk ----------------------------------------------------------------------------- */

/** What there is to say of an entry that no page of values shows. */
static const char *no_points(const struct findings *f, size_t index)
{
	if (*ss_kernel_entry_setting(f->kernel, (int)index))
		return "a setting moves by steps: state another value to see them";
	return f->influences[index].is_read ? "a choice that this step rests on, without degrees"
					    : "neither this step nor memory reads it";
}

/** The figure, or the room for KV, at a few values around the present one. */
static void put_points(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_influence *influence = &f->influences[index];
	struct ss_batch batch = session_batch(f->session);
	struct ss_walk_page page;
	struct xbuf text = { 0 };

	if (ss_kernel_walk_page(f->kernel, &batch, f->session->figure, (int)index, &page))
		out_of_memory();
	for (size_t i = 0; i < page.point_count; i++)
		xbuf_printf(&text, "%s%s at %s", i ? ", " : "",
			    influence->is_read
				    ? number_time(page.points[i].figure_s).text
				    : number_bytes_binary((double)page.points[i].room_bytes).text,
			    show_value(page.points[i].value).text);
	if (!page.point_count)
		doc_line(doc, MARK_DIM, "%s", no_points(f, index));
	else if (influence->is_read)
		doc_line(doc, MARK_NONE, "moves %s, %s (elasticity %s): %s",
			 number_time(page.moves_s).text, number_percent(page.share, 1).text,
			 number_signed(influence->elasticity, 3).text, xbuf_text(&text));
	else
		doc_line(doc, MARK_NONE, "moves the room for KV (elasticity %s): %s",
			 number_signed(influence->room_elasticity, 3).text, xbuf_text(&text));
	xbuf_release(&text);
}

static void walk_one(struct doc *doc, const struct findings *f, size_t index, size_t place,
		     size_t count)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);
	struct ss_batch batch = session_batch(f->session);
	char value[160], law[512], instead[512];

	doc_heading(doc, "%zu of %zu  %s  %s%s%s", place, count, entry->name,
		    entry_value_text(entry, value, sizeof(value)), *units_of(entry) ? " " : "",
		    units_of(entry));
	doc_line(doc, MARK_NONE, "set %s%s%s", entry->set, entry->is_own ? "" : "; ",
		 entry->is_own ? "" : entry->scope);
	(void)ss_kernel_entry_law(f->kernel, &batch, &f->breakdown, (int)index, law, sizeof(law));
	if (*law)
		doc_line(doc, MARK_NONE, "law: %s%s%s", entry->law, *entry->law ? "; here " : "",
			 law);
	put_points(doc, f, index);
	doc_line(doc, MARK_NONE, "why: %s", ss_kernel_entry_why(f->kernel, (int)index));
	(void)ss_kernel_entry_instead(f->kernel, (int)index, instead, sizeof(instead));
	if (*instead)
		doc_line(doc, MARK_NONE, "instead: %s", instead);
}

static void put_tried(struct doc *doc, double value, double seconds, bool is_read)
{
	if (is_read) {
		doc_number(doc, MARK_NONE, "", value);
		doc_number(doc, MARK_NONE, "", seconds);
	} else {
		doc_cell(doc, MARK_NONE, "");
		doc_cell(doc, MARK_NONE, "");
	}
}

static void walk_row(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);
	const struct ss_influence *influence = &f->influences[index];
	struct ss_batch batch = session_batch(f->session);
	bool is_read = influence->is_read && !entry->is_own;
	char law[512], instead[512];

	(void)ss_kernel_entry_law(f->kernel, &batch, &f->breakdown, (int)index, law, sizeof(law));
	(void)ss_kernel_entry_instead(f->kernel, (int)index, instead, sizeof(instead));
	doc_cell(doc, MARK_NONE, entry->name);
	put_value(doc, entry);
	doc_cell(doc, MARK_NONE, units_of(entry));
	doc_cell(doc, MARK_NONE, entry->set);
	doc_cell(doc, MARK_NONE, entry->is_own ? "" : entry->scope);
	doc_cell(doc, MARK_NONE, law);
	put_elasticity(doc, f, index);
	put_tried(doc, influence->low, influence->low_s, is_read);
	put_tried(doc, influence->high, influence->high_s, is_read);
	doc_cell(doc, MARK_NONE, ss_kernel_entry_why(f->kernel, (int)index));
	doc_cell(doc, MARK_NONE, instead);
}

void section_walk(struct doc *doc, const struct findings *f)
{
	size_t count;
	struct ss_walk_item *order = findings_walk(f, &count);

	for (size_t i = 0; i < count; i++)
		walk_one(doc, f, (size_t)order[i].entry, i + 1, count);
	doc_data(doc, walk_columns, sizeof(walk_columns) / sizeof(walk_columns[0]));
	for (size_t i = 0; i < count; i++)
		walk_row(doc, f, (size_t)order[i].entry);
	free(order);
}

/* -- sensitivity ---------------------------------------------------------------------- */

static void put_values(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);

	doc_cell(doc, entry_mark(entry), entry->name);
	put_value(doc, entry);
	doc_cell(doc, MARK_NONE, ss_method_name(entry->method));
}

static void put_range(struct doc *doc, const struct ss_influence *influence)
{
	char tried[100];

	(void)snprintf(tried, sizeof(tried), "%s .. %s%s", show_value(influence->low).text,
		       show_value(influence->high).text, influence->has_ci95 ? " (ci95)" : "");
	doc_cell(doc, MARK_DIM, tried);
}

static void put_room_at(struct doc *doc, int64_t bytes)
{
	doc_number(doc, MARK_NONE, number_bytes_binary((double)bytes).text, (double)bytes);
}

static void section_room(struct doc *doc, const struct findings *f)
{
	const struct ss_memory *memory = ss_kernel_memory(f->kernel);

	doc_heading(doc, "Sensitivity of the room for KV, %s",
		    number_bytes_binary((double)memory->budget_bytes).text);
	doc_beside(doc, "room");
	doc_table(doc, room_columns, 7, true);
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_influence *influence = &f->influences[i];

		if (!influence->is_memory || !influence->is_value)
			continue;
		put_values(doc, f, i);
		put_room(doc, f, i);
		put_range(doc, influence);
		put_room_at(doc, influence->low_room_bytes);
		put_room_at(doc, influence->high_room_bytes);
	}
}

void section_sensitivity(struct doc *doc, const struct findings *f)
{
	size_t count, unread = 0;
	size_t *order = findings_by_influence(f, &count);

	doc_heading(doc, "Sensitivity of the %s figure, %s", figure_title(f->session->figure),
		    number_time(f->figures.lead_s).text);
	doc_table(doc, sensitivity_columns, 7, true);
	for (size_t i = 0; i < count; i++) {
		const struct ss_influence *influence = &f->influences[order[i]];

		if (!influence->is_read) {
			unread += !influence->is_memory;
			continue;
		}
		put_values(doc, f, order[i]);
		put_elasticity(doc, f, order[i]);
		put_range(doc, influence);
		doc_number(doc, MARK_NONE, number_time(influence->low_s).text, influence->low_s);
		doc_number(doc, MARK_NONE, number_time(influence->high_s).text, influence->high_s);
	}
	free(order);
	section_room(doc, f);
	doc_line(doc, MARK_DIM,
		 "%zu more values are in scope, which neither this step nor memory reads: 0.",
		 unread);
}
