/* Laws with their numbers: each line is worked out anew and must give its term. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "close.h"
#include "footing_cases.h"

/* -- a small calculator of what the lines say, units included ------------------------------- */

struct reader {
	const char *at;
	bool is_broken;
};

static const struct {
	const char *name;
	double size;
} units[] = {
	{ "tokens/us", 1e6 }, { "tokens", 1 }, { "TFLOP/s", 1e12 }, { "GFLOP", 1e9 },
	{ "TB/s", 1e12 },     { "B/us", 1e6 }, { "B", 1 },          { "us", 1e-6 },
};

static double sum(struct reader *r);

static void blanks(struct reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

static double number(struct reader *r)
{
	char digits[64];
	size_t n = 0;
	double value;

	for (; (*r->at >= '0' && *r->at <= '9') || *r->at == '.' || *r->at == 'e' ||
	       (n && digits[n - 1] == 'e' && (*r->at == '+' || *r->at == '-')) ||
	       (*r->at == ',' && r->at[1] >= '0' && r->at[1] <= '9');
	     r->at++)
		if (*r->at != ',' && n + 1 < sizeof(digits))
			digits[n++] = *r->at;
	digits[n] = '\0';
	if (!n)
		r->is_broken = true;
	value = strtod(digits, NULL);
	if (*r->at != ' ')
		return value;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if (strncmp(r->at + 1, units[i].name, length) == 0) {
			r->at += 1 + length;
			return value * units[i].size;
		}
	}
	return value;
}

static double factor(struct reader *r)
{
	double a, b;

	blanks(r);
	if (*r->at == '-') {
		r->at++;
		return -factor(r);
	}
	if (*r->at == '(') {
		r->at++;
		a = sum(r);
		r->is_broken |= *r->at++ != ')';
		return a;
	}
	if (strncmp(r->at, "max(", 4) == 0) {
		r->at += 4;
		a = sum(r);
		r->is_broken |= *r->at++ != ',';
		b = sum(r);
		r->is_broken |= *r->at++ != ')';
		return fmax(a, b);
	}
	return number(r);
}

static double product(struct reader *r)
{
	double value = factor(r);

	for (;;) {
		blanks(r);
		if (strncmp(r->at, "x ", 2) == 0) {
			r->at += 2;
			value *= factor(r);
		} else if (strncmp(r->at, "/ ", 2) == 0) {
			r->at += 2;
			value /= factor(r);
		} else {
			return value;
		}
		if (r->is_broken)
			return value;
	}
}

static double sum(struct reader *r)
{
	double value = product(r);

	for (;;) {
		blanks(r);
		if (strncmp(r->at, "+ ", 2) == 0) {
			r->at += 2;
			value += product(r);
		} else if (strncmp(r->at, "- ", 2) == 0) {
			r->at += 2;
			value -= product(r);
		} else {
			return value;
		}
		if (r->is_broken)
			return value;
	}
}

/** What the line comes to; its left side, its result and its total must agree. */
static double worked_out(const char *text)
{
	struct reader r = { text, false };
	double left = sum(&r), result, count, total;

	if (strncmp(r.at, "= ", 2) != 0)
		return NAN;
	r.at += 2;
	result = factor(&r);
	/* shown to three digits */
	if (fabs(left - result) > 6e-3 * fabs(left) + 1e-12)
		return NAN;
	if (strncmp(r.at, ", x ", 4) != 0)
		return *r.at || r.is_broken ? NAN : left;
	r.at += 4;
	count = number(&r);
	blanks(&r);
	r.is_broken |= *r.at++ != '=';
	blanks(&r);
	total = factor(&r);
	if (fabs(left * count - total) > 6e-3 * fabs(total) + 1e-12)
		return NAN;
	return *r.at || r.is_broken ? NAN : left * count;
}

/* -- every term ------------------------------------------------------------------------------- */

static size_t worked;

static void lines_give_their_terms(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_breakdown b = { 0 };
	double graph_s = 0;

	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++)
		if (b.terms[i].term == SS_TERM_GRAPH)
			graph_s = b.terms[i].slope_s;
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];
		double want = t->floor_s + t->slope_s, got;
		char law[512];

		if (t->term == SS_TERM_LAUNCH && !t->is_draft)
			want += graph_s;
		assert_true(ss_kernel_term_law(f->kernel, batch, t, law, sizeof(law)) <
			    sizeof(law));
		got = worked_out(law);
		/* numbers are shown to six digits, results of host work to 0.1 us */
		if (!(fabs(got - want) <= 1e-4 * fabs(want) + 6e-8)) {
			print_error("%s %s: \"%s\" gives %.9g, the term is %.9g\n",
				    ss_term_name(t->term), t->detail, law, got, want);
			fail();
		}
		worked++;
	}
	ss_breakdown_release(&b);
}

static void every_line_works_out_to_its_term(void **state)
{
	(void)state;
	assert_true(footing_each_scenario(lines_give_their_terms) >= 20);
	footing_each_layout(lines_give_their_terms);
	footing_corrected(lines_give_their_terms);
	assert_true(worked > 2000);
}

/* Host of the published default case: 62 graphs of 7 us, 972 launches of 3.2 us. */
static void the_host_law_reads_as_published(void **state)
{
	struct kernel_fixture f;
	struct ss_group decode = { 32, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };
	struct ss_breakdown b = { 0 };
	char law[256];
	size_t met = 0;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++) {
		(void)ss_kernel_term_law(f.kernel, &batch, &b.terms[i], law, sizeof(law));
		if (b.terms[i].term == SS_TERM_LAUNCH) {
			assert_string_equal(law, "434.0 us + 3.2 us x 972 = 3,544.4 us");
			met++;
		} else if (b.terms[i].term == SS_TERM_ALL_REDUCE) {
			/* 32 rows of 7168 at 2 bytes; 9.11 us each is the published figure */
			assert_non_null(strstr(law, "max(4.71 us + 458752 B / 104250 B/us, "));
			assert_non_null(strstr(law, " = 9.11 us"));
			met++;
		}
	}
	assert_true(met >= 2);
	/* cut short, the length is still the whole line's */
	assert_int_equal(ss_kernel_term_law(f.kernel, &batch, &b.terms[0], law, 5),
			 ss_kernel_term_law(f.kernel, &batch, &b.terms[0], NULL, 0));
	assert_int_equal(strlen(law), 4);
	ss_breakdown_release(&b);
	fixture_release(&f);
}

/* 10 buffers of 8192 tokens x 7168 x 2 bytes, 1.09 GiB published. */
static void memory_laws_give_their_bytes(void **state)
{
	struct kernel_fixture f;
	char law[256];

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	(void)ss_kernel_memory_law(f.kernel, SS_MEMORY_ACTIVATION, law, sizeof(law));
	assert_string_equal(law, "max(10 x 117440512 B, 73400320 B) = 1174405120 B");
	(void)ss_kernel_memory_law(f.kernel, SS_MEMORY_GRAPHS, law, sizeof(law));
	assert_string_equal(law, "858783744 B");
	(void)ss_kernel_memory_law(f.kernel, SS_MEMORY_WEIGHTS, law, sizeof(law));
	assert_non_null(strstr(law, "graph"));
	fixture_release(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_works_out_to_its_term),
		cmocka_unit_test(the_host_law_reads_as_published),
		cmocka_unit_test(memory_laws_give_their_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
