/* The breakdown holds every second of the step, and shares split all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "close.h"
#include "footing_cases.h"

/** Terms seen over all cases: a test that never meets one proves nothing of it. */
static size_t seen[SS_TERM_COUNT];
static size_t drafts_seen;

static void near_1_ns(double got_s, double want_s)
{
	if (fabs(got_s - want_s) > 1e-9) {
		print_error("got %.12g s, want %.12g s\n", got_s, want_s);
		fail();
	}
}

/** Measured kernels: their terms sum to the figure, and by resource to its totals. */
static void kernels_are_the_step(struct kernel_fixture *f, const struct ss_batch *batch,
				 const struct ss_step *plain)
{
	struct ss_breakdown b = { 0 };
	double resource_s[SS_RESOURCE_COUNT] = { 0 }, sum = 0;

	if (!plain->has_kernels)
		return;
	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_KERNELS, &b), SS_OK);
	assert_close(b.step.kernels_s, plain->kernels_s, 0);
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];

		sum += ss_term_figure(t, SS_FIGURE_KERNELS);
		resource_s[t->resource] += t->floor_s + t->slope_s;
		seen[t->term]++;
		if (fabs(t->floor_s) > 0)
			assert_true(t->floor_reads[0] >= 0);
		if (fabs(t->slope_s) > 0)
			assert_true(t->slope_reads[0] >= 0);
	}
	near_1_ns(sum, plain->kernels_s);
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		near_1_ns(resource_s[r], plain->kernels_resource_s[r]);
	ss_breakdown_release(&b);
}

static void sums_are_the_step(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_breakdown b = { 0 };
	struct ss_step plain;
	double resource_s[SS_RESOURCE_COUNT] = { 0 };

	ss_kernel_step(f->kernel, batch, &plain);
	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (int figure = SS_FIGURE_SERIAL; figure < SS_FIGURE_KERNELS; figure++) {
		enum ss_figure at = (enum ss_figure)figure;
		double sum = 0;

		for (size_t i = 0; i < b.term_count; i++)
			sum += ss_term_figure(&b.terms[i], at);
		near_1_ns(sum, ss_step_figure(&plain, at));
		assert_close(ss_step_figure(&b.step, at), ss_step_figure(&plain, at), 0);
	}
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];

		resource_s[t->resource] += t->floor_s + t->slope_s;
		seen[t->term]++;
		drafts_seen += t->is_draft;
		if (fabs(t->floor_s) > 0)
			assert_true(t->floor_reads[0] >= 0);
		if (fabs(t->slope_s) > 0)
			assert_true(t->slope_reads[0] >= 0);
	}
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		near_1_ns(resource_s[r], plain.resource_s[r]);
	kernels_are_the_step(f, batch, &plain);
	ss_breakdown_release(&b);
}

static void every_second_is_attributed_in_every_figure(void **state)
{
	(void)state;
	assert_true(footing_each_scenario(sums_are_the_step) >= 20);
	footing_each_layout(sums_are_the_step);
	footing_corrected(sums_are_the_step);
	for (int t = 0; t < SS_TERM_COUNT; t++)
		if (!seen[t])
			print_error("no case has %s\n", ss_term_name((enum ss_term_id)t));
	for (int t = 0; t < SS_TERM_COUNT; t++)
		assert_true(seen[t] > 0);
	assert_true(drafts_seen > 0);
}

static void shares_are_whole(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_breakdown b = { 0 };
	struct ss_share share;

	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (int figure = SS_FIGURE_SERIAL; figure < SS_FIGURE_KERNELS; figure++) {
		double sum = 0;

		ss_kernel_price_share(f->kernel, &b, (enum ss_figure)figure, &share);
		for (int m = 0; m < SS_METHOD_COUNT; m++)
			sum += share.by_method[m];
		assert_close(sum, 1, 1e-12);
		assert_close(share.graph, 0, 0);
	}
	ss_breakdown_release(&b);
}

/** The assumption named first moves the price, unless it is a choice. */
static void leaders_move_the_price(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_influence *list = calloc(ss_kernel_entry_count(f->kernel) + 1, sizeof(*list));
	struct ss_breakdown b = { 0 };
	struct ss_share share;

	assert_non_null(list);
	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	assert_int_equal(ss_kernel_influences(f->kernel, batch, SS_FIGURE_SERIAL, list), SS_OK);
	ss_kernel_price_share(f->kernel, &b, SS_FIGURE_SERIAL, &share);
	assert_true(share.leading_share <= share.by_method[SS_METHOD_ASSUMED] + 1e-12);
	if (share.leading >= 0 && list[share.leading].is_value)
		assert_true(fabs(list[share.leading].elasticity) > 0);
	ss_breakdown_release(&b);
	free(list);
}

static void what_leads_the_assumptions_moves_the_price(void **state)
{
	(void)state;
	(void)footing_each_scenario(leaders_move_the_price);
	footing_each_layout(leaders_move_the_price);
}

static void shares_of_a_price_sum_to_1(void **state)
{
	(void)state;
	(void)footing_each_scenario(shares_are_whole);
	footing_each_layout(shares_are_whole);
}

static void shares_of_memory_sum_to_1(void **state)
{
	struct kernel_fixture f;
	struct ss_share share;
	double sum;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	ss_kernel_memory_share(f.kernel, &share);
	sum = share.graph;
	for (int m = 0; m < SS_METHOD_COUNT; m++)
		sum += share.by_method[m];
	assert_close(sum, 1, 1e-12);
	/* 78.11 of 83.88 GiB are weights, 0.80 the graphs' assumed bytes */
	assert_close(share.graph, 78.11 / 83.88, 1e-3);
	assert_close(share.by_method[SS_METHOD_ASSUMED], 0.80 / 83.88, 1e-2);
	assert_string_equal(ss_kernel_entry(f.kernel, (size_t)share.leading)->name,
			    "cudagraph_capture_bytes_piecewise");
	fixture_release(&f);
}

/*
 * The published step of the default case: host 3.5444 ms of 25.22 ms is assumed
 * (replay 62 x 7 us, launches 972 x 3.2 us), and so is the attention's own floor.
 */
static void the_default_step_says_what_it_rests_on(void **state)
{
	struct kernel_fixture f;
	struct ss_group decode = { 32, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };
	struct ss_breakdown b = { 0 };
	struct ss_share share;
	double percents[SS_SHARE_PARTS];
	char text[256], start[64];

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_SERIAL, &b), SS_OK);
	ss_kernel_price_share(f.kernel, &b, SS_FIGURE_SERIAL, &share);
	assert_true(share.by_method[SS_METHOD_ASSUMED] > 3.5444 / 25.22);
	assert_string_equal(ss_kernel_entry(f.kernel, (size_t)share.leading)->name,
			    "host_launch_per_kernel");
	assert_close(share.leading_share, 3.1104 / 25.22, 1e-3);
	(void)ss_share_sentence(f.kernel, &share, "this step", text, sizeof(text));
	ss_share_percents(&share, 0, percents);
	(void)snprintf(start, sizeof(start), "%.0f %% of this step rests on measurement, ",
		       percents[SS_METHOD_MEASURED]);
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
	assert_non_null(strstr(text, " % on assumptions, led by host_launch_per_kernel"));
	assert_string_equal(ss_kernel_bottleneck(f.kernel, &b), "hbm");
	ss_breakdown_release(&b);
	fixture_release(&f);
}

/* Thirds are 33.3 each: one of them is shown with the point that is left. */
static void printed_shares_add_to_a_hundred(void **state)
{
	static const double splits[][3] = {
		{ 1.0 / 3, 1.0 / 3, 1.0 / 3 }, /* 99 when each is rounded */
		{ 0.255, 0.255, 0.49 },        /* 101 */
		{ 0.276, 0.566, 0.158 },       /* 101: the least remainder stays down */
		{ 0.996, 0.002, 0.002 },       { 1, 0, 0 }, { 0.29, 0.58, 0.13 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		for (int decimals = 0; decimals < 2; decimals++) {
			struct ss_share share = { .graph = splits[i][2] };
			double shown[SS_SHARE_PARTS], sum = 0;

			share.by_method[SS_METHOD_MEASURED] = splits[i][0];
			share.by_method[SS_METHOD_ASSUMED] = splits[i][1];
			ss_share_percents(&share, decimals, shown);
			for (int m = 0; m < SS_SHARE_PARTS; m++)
				sum += shown[m];
			assert_close(sum, 100, 1e-12);
			assert_true(fabs(shown[SS_METHOD_MEASURED] - 100 * splits[i][0]) < 1);
			assert_true(fabs(shown[SS_METHOD_ASSUMED] - 100 * splits[i][1]) < 1);
		}
	}
}

static const char *bottleneck_of(const struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_breakdown b = { 0 };
	const char *text;

	assert_int_equal(ss_kernel_breakdown(f->kernel, batch, SS_FIGURE_SERIAL, &b), SS_OK);
	assert_int_equal(b.step.bottleneck, SS_RESOURCE_HOST);
	text = ss_kernel_bottleneck(f->kernel, &b);
	ss_breakdown_release(&b);
	return text;
}

/* One request of a model with few active weights: launches take longest. */
static void a_fitted_remainder_is_called_one(void **state)
{
	struct kernel_fixture f;
	struct ss_group decode = { 1, 1, 63, 64 };
	struct ss_batch batch = { &decode, 1, 1, 0 };

	(void)state;
	fixture_open(&f, "qwen3-30b-a3b-h100-tp2", "");
	assert_string_equal(bottleneck_of(&f, &batch), "host (fitted remainder)");
	/* a value tried in its place is no remainder */
	fixture_whatif(&f, "host_launch_per_kernel", 3.2);
	assert_string_equal(bottleneck_of(&f, &batch), "host");
	fixture_release(&f);
}

/*
 * Weight reads at 0.8 of 4.8 TB/s; a GEMM of 32 rows at 0.736 x 32 / (32 + 113) of
 * 1979 TFLOP/s: the coefficients and the datasheet of the part.
 */
static void terms_say_how_near_the_peak_they_come(void **state)
{
	struct kernel_fixture f;
	struct ss_group decode = { 32, 1, 4095, 4096 };
	struct ss_batch batch = { &decode, 1, 8, 0 };
	struct ss_breakdown b = { 0 };
	struct ss_reach reach;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++) {
		bool has_peak = ss_kernel_term_reach(f.kernel, &b.terms[i], &reach);

		assert_int_equal(has_peak, b.terms[i].resource != SS_RESOURCE_HOST);
		if (b.terms[i].term == SS_TERM_DENSE_READ) {
			assert_close(reach.peak, 4.8e12, 1e-12);
			assert_close(reach.achieved, 0.8 * 4.8e12, 1e-12);
		} else if (b.terms[i].term == SS_TERM_DENSE) {
			assert_true(reach.is_flops);
			assert_close(reach.peak, 1979e12, 1e-12);
			assert_close(reach.achieved / reach.peak, 0.736 * 32 / 145, 1e-12);
		}
	}
	ss_breakdown_release(&b);
	fixture_release(&f);
}

/* -- the plain step ------------------------------------------------------------------------- */

static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

static void steps_allocate_nothing(struct kernel_fixture *f, const struct ss_batch *batch)
{
	struct ss_step step;
	size_t before = allocations;

	ss_kernel_step(f->kernel, batch, &step);
	assert_int_equal(allocations, before);
}

static void the_plain_step_allocates_nothing(void **state)
{
	(void)state;
	(void)footing_each_scenario(steps_allocate_nothing);
	footing_each_layout(steps_allocate_nothing);
	/* the counting works: opening all those did allocate */
	assert_true(allocations > 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_second_is_attributed_in_every_figure),
		cmocka_unit_test(printed_shares_add_to_a_hundred),
		cmocka_unit_test(shares_of_a_price_sum_to_1),
		cmocka_unit_test(what_leads_the_assumptions_moves_the_price),
		cmocka_unit_test(shares_of_memory_sum_to_1),
		cmocka_unit_test(the_default_step_says_what_it_rests_on),
		cmocka_unit_test(a_fitted_remainder_is_called_one),
		cmocka_unit_test(terms_say_how_near_the_peak_they_come),
		cmocka_unit_test(the_plain_step_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
