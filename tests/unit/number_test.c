#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "text/number.h"

#define SAYS(call, expected) assert_string_equal((call).text, expected)

/* The figures are those of the published screens in their written form. */
static void times_are_written_in_the_unit_they_read_best_in(void **state)
{
	(void)state;
	SAYS(number_time(0.02522), "25.22 ms");
	SAYS(number_time(434.0e-6), "434.0 us");
	SAYS(number_time(1.24), "1.24 s");
	SAYS(number_time(12e-9), "12.0 ns");
	SAYS(number_time(0), "0.00 ms");
	SAYS(number_time_signed(-6.37e-3), "-6.37 ms");
	SAYS(number_time_signed(0.0023), "+2.30 ms");
	SAYS(number_time_in(3.5444e-3, NUMBER_US, 1), "3,544.4");
}

static void no_unit_is_left_rounded_up_to_a_thousand(void **state)
{
	(void)state;
	SAYS(number_time(0.9999999), "1.00 s");
	SAYS(number_time(0.99999e-3), "1.00 ms");
	SAYS(number_time(0.99998e-6), "1.0 us");
	SAYS(number_bytes(999960), "1.0 MB");
	SAYS(number_bytes_binary(1048575.0), "1.00 MiB");
	SAYS(number_short(999.6), "1k");
}

static void sizes_have_decimal_and_binary_forms(void **state)
{
	(void)state;
	SAYS(number_bytes(38.1e9), "38.1 GB");
	SAYS(number_bytes(512), "512 B");
	SAYS(number_bytes_binary(78.11 * 1073741824.0), "78.11 GiB");
	SAYS(number_bytes_binary(137.25 * 1048576.0), "137.25 MiB");
	SAYS(number_bytes_signed(-1.25 * 1073741824.0), "-1.25 GiB");
	SAYS(number_gib(38.9 * 1073741824.0, 2), "38.90");
}

static void counts_shares_and_rates(void **state)
{
	(void)state;
	SAYS(number_count(1319808), "1,319,808");
	SAYS(number_count(999), "999");
	SAYS(number_count(-1000), "-1,000");
	SAYS(number_percent(0.1234, 1), "12.3 %");
	SAYS(number_signed(0.123, 3), "+0.123");
	SAYS(number_signed(-0.0001, 2), "+0.00");
	SAYS(number_fixed(-0.0001, 2), "0.00");
	SAYS(number_share(0.9), "0.90");
	SAYS(number_share(0.925), "0.925");
	SAYS(number_share(1), "1.00");
	SAYS(number_share(1.0 / 3), "0.333333");
	SAYS(number_rate(4.8e12, "B"), "4.80 TB/s");
	SAYS(number_rate(989e12, "FLOP"), "989 TFLOP/s");
	SAYS(number_short(4096), "4.1k");
	SAYS(number_short(322), "322");
}

static void what_is_not_finite_is_a_question_mark(void **state)
{
	(void)state;
	SAYS(number_time(NAN), "?");
	SAYS(number_bytes(INFINITY), "?");
	SAYS(number_count(NAN), "?");
	SAYS(number_plain(NAN), "?");
}

static void plain_numbers_read_back_as_the_same_double(void **state)
{
	static const double values[] = { 0.1, 0.9, 3.2e-6, 1.0 / 3, 163840, 0, -2.5, 1e300 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(strtod(number_plain(values[i]).text, NULL) == values[i]);
	SAYS(number_plain(0.9), "0.9");
	SAYS(number_plain(100), "100");
}

/* k and K as vLLM documents them for its length flags. */
static void suffixes_read_as_vllm_reads_them(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "4096", 4096 },   { "0.9", 0.9 },    { "32k", 32000 },       { "32K", 32768 },
		{ "25.6k", 25600 }, { "1m", 1e6 },     { "1M", 1048576 },      { " 12 ", 12 },
		{ "-3", -3 },       { "1e-3", 0.001 }, { "2G", 2147483648.0 }, { ".5", 0.5 },
	};
	size_t i;
	double v;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(number_parse(&v, good[i].text), NUMBER_OK);
		assert_true(v == good[i].value);
	}
}

static void bad_numbers_are_told_apart_and_change_nothing(void **state)
{
	double v = 7;
	int64_t n = 7;

	(void)state;
	assert_int_equal(number_parse(&v, ""), NUMBER_EMPTY);
	assert_int_equal(number_parse(&v, "  "), NUMBER_EMPTY);
	assert_int_equal(number_parse(&v, "x"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "nan"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "inf"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "0x10"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "1 2"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "5kk"), NUMBER_NOT);
	assert_int_equal(number_parse(&v, "1.5K"), NUMBER_FRACTION);
	assert_int_equal(number_parse(&v, "1e999"), NUMBER_RANGE);
	assert_int_equal(number_parse_whole(&n, "1.5"), NUMBER_FRACTION);
	assert_int_equal(number_parse_whole(&n, "1e17"), NUMBER_RANGE);
	assert_true(v == 7);
	assert_true(n == 7);
	assert_int_equal(number_parse_whole(&n, "32K"), NUMBER_OK);
	assert_true(n == 32768);
}

static void units_are_read_into_si(void **state)
{
	double v;

	(void)state;
	assert_int_equal(number_parse_unit(&v, "3.2 us", NULL), NUMBER_OK);
	assert_true(v == 3.2e-6);
	assert_int_equal(number_parse_unit(&v, "3.2", "us"), NUMBER_OK);
	assert_true(v == 3.2e-6);
	assert_int_equal(number_parse_unit(&v, "0.8 GiB", "us"), NUMBER_OK);
	assert_true(v == 0.8 * 1073741824.0);
	assert_int_equal(number_parse_unit(&v, "12 %", NULL), NUMBER_OK);
	assert_true(v == 0.12);
	assert_int_equal(number_parse_unit(&v, "25ms", NULL), NUMBER_OK);
	assert_true(v == 0.025);
	assert_int_equal(number_parse_unit(&v, "32k", NULL), NUMBER_OK);
	assert_true(v == 32000);
	assert_int_equal(number_parse_unit(&v, "3 parsecs", NULL), NUMBER_NOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_written_in_the_unit_they_read_best_in),
		cmocka_unit_test(no_unit_is_left_rounded_up_to_a_thousand),
		cmocka_unit_test(sizes_have_decimal_and_binary_forms),
		cmocka_unit_test(counts_shares_and_rates),
		cmocka_unit_test(what_is_not_finite_is_a_question_mark),
		cmocka_unit_test(plain_numbers_read_back_as_the_same_double),
		cmocka_unit_test(suffixes_read_as_vllm_reads_them),
		cmocka_unit_test(bad_numbers_are_told_apart_and_change_nothing),
		cmocka_unit_test(units_are_read_into_si),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
