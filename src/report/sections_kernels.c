/* Each measured kernel of a step taken apart, with its curve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/kernel_chart.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "text/number.h"

/* clang-format off */
static const struct column kernel_columns[] = {
	{ "kernel", "kernel", false }, { "", "detail", false }, { "node", "node", false },
	{ "count", "count", true },
	{ "each", "us", true }, { "floor", "floor_us", true }, { "depth", "depth_us", true },
	{ "reads", "read_us", true }, { "math", "math_us", true }, { "at", "argument", true },
	{ "of", "argument_name", false }, { "points", "points", true },
};
/* clang-format on */

/** Its first charge in any layer kind: one curve stands for all. */
static bool is_new(const struct findings *f, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (f->breakdown.terms[i].time_node == f->breakdown.terms[index].time_node)
			return false;
	return f->breakdown.terms[index].time_node >= 0;
}

/** Its first charge: a kernel has one on its resource and one of launches. */
static bool is_first(const struct findings *f, size_t index)
{
	const struct ss_term *terms = f->breakdown.terms;

	if (terms[index].time_node < 0)
		return false;
	for (size_t i = 0; i < index; i++)
		if (terms[i].time_node == terms[index].time_node &&
		    terms[i].kind == terms[index].kind &&
		    terms[i].is_draft == terms[index].is_draft)
			return false;
	return true;
}

static void look(const struct findings *f, size_t index, struct ss_time_sight *out)
{
	struct ss_batch batch = session_batch(f->session);

	ss_kernel_time_sight(f->kernel, &batch, &f->breakdown.terms[index], out);
}

static void put_us(struct doc *doc, double us)
{
	if (us > 0)
		doc_number(doc, MARK_NONE, number_time(us * 1e-6).text, us);
	else
		doc_figure(doc, MARK_DIM, "-", "0");
}

static void put_kernel(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_term *term = &f->breakdown.terms[index];
	struct ss_time_sight s;
	char node[96];

	look(f, index, &s);
	doc_figure(doc, MARK_NONE, ss_term_label(term->term), ss_term_name(term->term));
	doc_cell(doc, MARK_DIM, term->detail);
	kernel_node(node, sizeof(node), &s);
	doc_cell(doc, MARK_NONE, node);
	doc_number(doc, MARK_NONE, number_count(term->count).text, term->count);
	put_us(doc, s.us);
	put_us(doc, s.floor_us);
	put_us(doc, s.depth_us);
	put_us(doc, s.read_us);
	put_us(doc, s.math_us);
	doc_number(doc, MARK_NONE, number_count(round(s.argument)).text, s.argument);
	doc_cell(doc, MARK_DIM, s.argument_name);
	doc_number(doc, MARK_NONE, number_count((double)s.point_count).text, (double)s.point_count);
}

static void put_curve(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_term *term = &f->breakdown.terms[index];
	struct xbuf chart = { 0 };
	struct ss_time_sight s;
	char marks[240], node[96];

	look(f, index, &s);
	kernel_node(node, sizeof(node), &s);
	kernel_chart(&chart, f->kernel, term, &s);
	if (!chart.len)
		return;
	kernel_marks(marks, sizeof(marks), &s);
	doc_line(doc, MARK_STRONG, "%s %s%s%s, %s each", ss_term_label(term->term), term->detail,
		 *node ? " " : "", node, number_time(s.us * 1e-6).text);
	if (*s.measured_with)
		doc_line(doc, MARK_DIM, "%s%smeasured with %s", s.kernel_name,
			 *s.kernel_name ? ", " : "", s.measured_with);
	if (*marks)
		doc_line(doc, MARK_DIVERGES, "%s", marks);
	for (const char *text = xbuf_text(&chart); *text; text += strcspn(text, "\n") + 1)
		doc_line(doc, MARK_NONE, "%.*s", (int)strcspn(text, "\n"), text);
	xbuf_release(&chart);
}

void section_kernels(struct doc *doc, const struct findings *f)
{
	doc_heading(doc, "Measured kernels, each apart");
	if (!f->has_price || f->session->figure != SS_FIGURE_KERNELS) {
		doc_line(doc, MARK_REFUSED, "%s",
			 f->has_price ? "the figure that leads has no measured kernels"
				      : "not priced");
		return;
	}
	doc_table(doc, kernel_columns, sizeof(kernel_columns) / sizeof(kernel_columns[0]), true);
	for (size_t i = 0; i < f->breakdown.term_count; i++)
		if (is_first(f, i))
			put_kernel(doc, f, i);
	doc_heading(doc, "Their curves");
	for (size_t i = 0; i < f->breakdown.term_count; i++)
		if (is_new(f, i))
			put_curve(doc, f, i);
}

cJSON *json_kernels(const struct findings *f)
{
	cJSON *list = json_array();

	for (size_t i = 0; f->has_price && i < f->breakdown.term_count; i++) {
		const struct ss_term *term = &f->breakdown.terms[i];
		struct ss_time_sight s;
		cJSON *o, *points;
		char marks[240];

		if (!is_first(f, i))
			continue;
		look(f, i, &s);
		kernel_marks(marks, sizeof(marks), &s);
		o = json_object();
		points = json_array();
		json_put_text(o, "name", ss_term_name(term->term));
		json_put_text(o, "detail", term->detail);
		json_put_text(o, "role", s.role);
		json_put_number(o, "n", s.n);
		json_put_number(o, "k", s.k);
		json_put_text(o, "layers", layer_name(f, term->kind));
		json_put_number(o, "count", term->count);
		json_put_number(o, "us", s.us);
		json_put_number(o, "floor_us", s.floor_us);
		json_put_number(o, "depth_us", s.depth_us);
		json_put_number(o, "read_us", s.read_us);
		json_put_number(o, "math_us", s.math_us);
		json_put_number(o, "argument", s.argument);
		json_put_text(o, "argument_name", s.argument_name);
		json_put_text(o, "kernel", s.kernel_name);
		json_put_text(o, "measured_with", s.measured_with);
		json_put_text(o, "marks", marks);
		for (size_t p = 0; p < s.point_count; p++) {
			cJSON *pair = json_array();

			json_put(pair, NULL, json_number(exp(s.log_x[p])));
			json_put(pair, NULL, json_number(exp(s.log_us[p])));
			json_put(points, NULL, pair);
		}
		json_put(o, "points", points);
		json_put(list, NULL, o);
	}
	return list;
}
