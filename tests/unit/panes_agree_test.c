/*
 * Every figure that a pane shows is printed by the commands too, from the same state: nothing
 * on screen stands alone, and none contradicts what is written to a file.
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/findings.h"
#include "explorer_fixture.h"
#include "report/printout.h"
#include "report/sections.h"
#include "text/number.h"

/* Everything there is to print of a state, as text. */
static void all_said(struct xbuf *out, struct explorer_fixture *f)
{
	void (*const sections[])(struct doc *, const struct findings *) = {
		section_scenario, section_warnings, section_divergences,  section_price,
		section_layers,   section_kernels,  section_memory,       section_fit,
		section_resolved, section_evidence, section_validation,   section_provenance,
		section_assumed,  section_model,    section_walk,         section_sensitivity,
		section_review,   section_routes,   section_moe_bindings, section_gdn_prefill,
	};
	struct explorer_findings found;
	struct doc *doc = doc_new();

	explorer_find(f, &found);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](doc, &found.findings);
	doc_render_text(out, doc, false);
	doc_free(doc);
	findings_release(&found.findings);
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == ',';
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-./%:", c));
}

/* The next figure of a text: three digits or more, and no part of a name. */
static const char *next_figure(const char **at, char *out, size_t size)
{
	const char *text = *at;

	for (const char *start = text; *start; start++) {
		size_t n = 0, digits = 0;

		if (!is_of_number(*start) || (start > text && is_of_name(start[-1])))
			continue;
		for (; is_of_number(start[n]); n++)
			digits += start[n] != '.' && start[n] != ',';
		while (n && (start[n - 1] == '.' || start[n - 1] == ','))
			n--;
		*at = start + n;
		if (digits >= 3 && n < size && !is_of_name(start[n])) {
			snprintf(out, size, "%.*s", (int)n, start);
			return out;
		}
		start += n ? n - 1 : 0;
	}
	return NULL;
}

/* A figure as a reader takes it, in bytes where it is of memory, and what its digits leave open. */
struct figure {
	double value, open;
};

static struct figure read_figure(const char *figure, const char *behind)
{
	static const char *const units[] = { " KiB", " MiB", " GiB" };
	const char *point = strchr(figure, '.');
	struct figure out = { 0, 0.5 };
	char plain[32];
	size_t n = 0;

	for (const char *c = figure; *c; c++)
		if (*c != ',')
			plain[n++] = *c;
	plain[n] = '\0';
	out.value = strtod(plain, NULL);
	if (point)
		out.open *= pow(10, 1 - (double)strlen(point));
	for (int i = 0; i < 3; i++)
		if (!strncmp(behind, units[i], 4)) {
			out.value = ldexp(out.value, 10 * (i + 1));
			out.open = ldexp(out.open, 10 * (i + 1));
		}
	return out;
}

struct figures_said {
	struct figure *items;
	size_t count, size;
};

static void keep(struct figures_said *out, double value, double open)
{
	if (out->count == out->size) {
		out->size = out->size ? 2 * out->size : 4096;
		out->items = xrealloc(out->items, out->size, sizeof(*out->items));
	}
	out->items[out->count++] = (struct figure){ value, open };
}

/* What is printed in another unit of time is in a pane's column in milliseconds. */
static void keep_figures(struct figures_said *out, const char *text)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { " ns", 1e-6 }, { " us", 1e-3 }, { " s", 1e3 } };
	char figure[32];

	while (next_figure(&text, figure, sizeof(figure))) {
		struct figure said = read_figure(figure, text);

		keep(out, said.value, said.open);
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (!strncmp(text, units[i].name, strlen(units[i].name)))
				keep(out, said.value * units[i].ms, said.open * units[i].ms);
	}
}

/* Two agree that differ by no more than the digits of either leave open. */
static bool is_there(const struct figures_said *all, struct figure figure)
{
	for (size_t i = 0; i < all->count; i++)
		if (fabs(all->items[i].value - figure.value) <=
		    fmax(all->items[i].open, figure.open) * 1.0001)
			return true;
	return false;
}

/* A pane's share in per cent is an elasticity in print, and the engine's 0.90 is 90 %. */
static bool is_said(const struct figures_said *all, struct figure figure)
{
	struct figure share = { figure.value / 100, fmax(figure.open / 100, 5e-4) };
	struct figure percent = { 100 * figure.value, 100 * figure.open };

	return is_there(all, figure) || is_there(all, share) ||
	       (figure.value < 1 && is_there(all, percent));
}

static bool is_alike(const struct ss_term *a, const struct ss_term *b)
{
	return a->term == b->term && a->resource == b->resource && a->is_draft == b->is_draft &&
	       !strcmp(a->detail, b->detail);
}

/* The Step pane adds up what all kinds of layers have of a term. */
static void keep_sums(struct figures_said *all, const struct explorer_fixture *f)
{
	const struct ss_breakdown *breakdown = &f->app.quote->breakdown;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];
		double sum_s = 0;

		for (size_t j = 0; j < breakdown->term_count; j++)
			if (is_alike(&breakdown->terms[j], term))
				sum_s += ss_term_figure(&breakdown->terms[j], f->app.figure);
		keep(all, 1e3 * sum_s, 0);
		keep(all, 100 * sum_s / quote_lead(f->app.quote, f->app.figure), 0);
	}
}

static size_t check_pane(struct explorer_fixture *f, enum pane_id pane,
			 const struct figures_said *all)
{
	const struct table *table = &f->app.tables[pane];
	size_t checked = 0;

	for (size_t row = 0; row < table->shown; row++)
		for (int column = 0; column < table->column_count; column++) {
			const char *cell = table_text(table, row, column);
			char figure[32];

			/* the part of the step that reads an entry, which no page prints */
			if (!strcmp(table->columns[column].title, "in step"))
				continue;
			for (; next_figure(&cell, figure, sizeof(figure)); checked++)
				if (!is_said(all, read_figure(figure, cell)))
					fail_msg("%s, pane %d, %s: %s is printed nowhere",
						 session_text(f->app.draft.scenario, 0, SS_F_NAME),
						 (int)pane + 1, table_text(table, row, 0), figure);
		}
	return checked;
}

static void check_figures(struct explorer_fixture *f)
{
	static const char *const keys[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "0" };
	struct figures_said all = { NULL, 0, 0 };
	size_t checked = 0;
	struct xbuf text = { 0 };

	all_said(&text, f);
	keep_figures(&all, xbuf_text(&text));
	keep_sums(&all, f);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		explorer_keys(f, keys[i]);
		/* not inputs, references, or nodes of which only the sums are printed */
		if (f->app.pane != PANE_DEPLOYMENT && f->app.pane != PANE_BATCH &&
		    f->app.pane != PANE_ENGINE && f->app.pane != PANE_MODEL)
			checked += check_pane(f, f->app.pane, &all);
	}
	assert_true(checked > 100);
	xbuf_release(&text);
	free(all.items);
}

static void every_figure_of_a_pane_is_printed_too(void **state)
{
	(void)state;
	explorer_each_pool(check_figures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_of_a_pane_is_printed_too),
	};

	return cmocka_run_group_tests(tests, explorer_find_shipped, explorer_free_shipped);
}
