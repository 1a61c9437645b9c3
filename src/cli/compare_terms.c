/* What moved between two cases, term by term, and between two figures, kernel by kernel. */
#include <stdlib.h>
#include <string.h>

#include "case/difference.h"
#include "cli/compare.h"
#include "report/sections.h"
#include "text/number.h"

/* clang-format off */
static const struct column time_columns[] = {
	{ "layers", "kind", false }, { "term", "name", false }, { "resource", "resource", false },
	{ "A, ms", "a_s", true }, { "B, ms", "b_s", true }, { "B - A, ms", "delta_s", true },
};
/* clang-format on */

/** Terms are the same row when name, resource and layer kind are. */
struct term_row {
	char kind[160];
	enum ss_term_id term;
	enum ss_resource resource;
	double seconds[2];
};

struct term_rows {
	struct term_row *items;
	size_t count;
};

/** Between a law and a kernel's time, what a law charges twice is one kernel. */
static enum ss_term_id kernel_of(enum ss_term_id term)
{
	switch ((int)term) {
	case SS_TERM_DENSE_READ:
		return SS_TERM_DENSE;
	case SS_TERM_EXPERTS_READ:
		return SS_TERM_EXPERTS;
	case SS_TERM_SHARED_READ:
		return SS_TERM_SHARED;
	case SS_TERM_HEAD_READ:
		return SS_TERM_HEAD;
	case SS_TERM_FUSED_FLOOR:
		return SS_TERM_ATTENTION_DECODE;
	case SS_TERM_ELEMENTWISE:
		return SS_TERM_SMALL;
	default:
		return term;
	}
}

/** Does one side have measured kernels and the other the laws? */
bool compare_is_crossed(const struct pair *p)
{
	return (p->a->session->figure == SS_FIGURE_KERNELS) !=
	       (p->b->session->figure == SS_FIGURE_KERNELS);
}

static void add_terms(struct term_rows *rows, const struct findings *f, int side, bool is_crossed)
{
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(f->kernel))->model;

	for (size_t i = 0; i < f->breakdown.term_count; i++) {
		const struct ss_term *term = &f->breakdown.terms[i];
		struct term_row row = { .term = term->term, .resource = term->resource };
		size_t k = 0;

		if (is_crossed)
			row.term = kernel_of(term->term);
		(void)snprintf(row.kind, sizeof(row.kind), "%s%s", term->is_draft ? "draft " : "",
			       term->kind == -1   ? "head"
			       : term->kind == -2 ? "host"
						  : model->kinds[term->kind].id);
		while (k < rows->count &&
		       (rows->items[k].term != row.term ||
			(!is_crossed && rows->items[k].resource != row.resource) ||
			strcmp(rows->items[k].kind, row.kind) != 0))
			k++;
		if (k == rows->count) {
			rows->items = xrealloc(rows->items, k + 1, sizeof(*rows->items));
			rows->items[rows->count++] = row;
		}
		rows->items[k].seconds[side] += ss_term_figure(term, f->session->figure);
	}
}

void compare_delta(struct doc *doc, double a, double b)
{
	doc_number(doc, MARK_NONE, number_time_in(a, NUMBER_MS, 3).text, a);
	doc_number(doc, MARK_NONE, number_time_in(b, NUMBER_MS, 3).text, b);
	doc_number(doc, MARK_NONE, number_signed((b - a) * 1e3, 3).text, b - a);
}

bool compare_is_apart(double a, double b)
{
	return a < b || a > b;
}

bool compare_has_prices(const struct pair *p)
{
	return p->a->has_price && p->b->has_price;
}

static void put_terms_heading(const struct pair *p, struct doc *doc)
{
	const char *a = figure_title(p->a->session->figure);
	const char *b = figure_title(p->b->session->figure);

	if (strcmp(a, b) == 0)
		doc_heading(doc, "The %s figure by term", b);
	else
		doc_heading(doc, "%s against %s by term", a, b);
}

cJSON *compare_terms(struct pair *p, struct doc *doc)
{
	struct term_rows rows = { 0 };
	cJSON *list = json_array();
	bool is_crossed = compare_is_crossed(p);
	char label[96];

	if (!compare_has_prices(p)) {
		doc_heading(doc, "The step by term");
		doc_line(doc, MARK_REFUSED, "not compared: %s not priced",
			 p->a->has_price   ? "B is"
			 : p->b->has_price ? "A is"
					   : "both are");
		return list;
	}
	add_terms(&rows, p->a, 0, is_crossed);
	add_terms(&rows, p->b, 1, is_crossed);
	put_terms_heading(p, doc);
	doc_table(doc, time_columns, 6, true);
	for (size_t i = 0; i < rows.count; i++) {
		const struct term_row *row = &rows.items[i];
		double a = row->seconds[0], b = row->seconds[1];
		const char *resource = ss_resource_name(row->resource);
		cJSON *o = json_object();

		json_put_text(o, "kind", row->kind);
		json_put_text(o, "name", ss_term_name(row->term));
		json_put_text_or_null(o, "resource", is_crossed ? NULL : resource);
		json_put_number(o, "a_s", a);
		json_put_number(o, "b_s", b);
		json_put_number(o, "delta_s", b - a);
		json_put(list, NULL, o);
		p->differs |= compare_is_apart(a, b);
		if (!compare_is_apart(a, b))
			continue;
		doc_cell(doc, MARK_NONE, row->kind);
		term_label_of_both(label, sizeof(label), row->term, p->a->figures.step.graph,
				   p->b->figures.step.graph);
		doc_figure(doc, MARK_NONE, label, ss_term_name(row->term));
		doc_figure(doc, MARK_NONE, is_crossed ? "" : resource, resource);
		compare_delta(doc, a, b);
	}
	free(rows.items);
	doc_cell(doc, MARK_STRONG, "all");
	doc_figure(doc, MARK_STRONG, "", "lead");
	doc_cell(doc, MARK_NONE, "");
	compare_delta(doc, p->a->figures.lead_s, p->b->figures.lead_s);
	return list;
}
