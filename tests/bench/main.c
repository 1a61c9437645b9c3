/*
 * Prints a row a figure and ends with status 1 when one is over its bar or
 * could not be taken. With words given, only the rows whose name has one.
 */
#include "bench/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * The bars in ppm are what the laws alone came to on one machine before kernels were
 * measured (66, 14,030 and 1,358), times 6, 3 and 3; the laws' own may not grow by half.
 */
/* clang-format off */
static const struct bench_case cases[] = {
	{ "registry to cJSON_Parse of it",    bench_registry_ratio,  "times", 2.5, BENCH_AT_MOST },
	{ "step by the laws, of a yardstick", bench_step_laws_ratio, "ppm",   100, BENCH_AT_MOST },
	{ "step by kernels, of a yardstick",  bench_step_ratio,      "ppm",   396, BENCH_AT_MOST },
	{ "kernel built, of a yardstick",     bench_build_ratio,     "ppm",   42000, BENCH_AT_MOST },
	{ "swept row, of a yardstick",        bench_renew_ratio,     "ppm",   4070, BENCH_AT_MOST },
	{ "program start",  bench_program_start_ms,  "ms",  50,  BENCH_AT_MOST },
	{ "step, 256 different requests", bench_step_256_us, "us", 5,   BENCH_AT_MOST },
	{ "six faults, with ways out",    bench_refuse_ms,   "ms", 10,  BENCH_AT_MOST },
	{ "sweep rows, one core",         bench_sweep_rows_per_s, "rows/s", 100000, BENCH_AT_LEAST },
	{ "key to drawn price, p50",      bench_key_p50_ms,     "ms",    2,    BENCH_AT_MOST },
	{ "key to drawn price, p99",      bench_key_p99_ms,     "ms",    16,   BENCH_AT_MOST },
	{ "key to painted frame, p50",    bench_terminal_p50_ms, "ms",   2,    BENCH_AT_MOST },
	{ "key to painted frame, p99",    bench_terminal_p99_ms, "ms",   16,   BENCH_AT_MOST },
	{ "start to first price on screen", bench_first_frame_ms, "ms",  50,   BENCH_AT_MOST },
	{ "resident memory",              bench_resident_mb,    "MB",    20,   BENCH_AT_MOST },
	{ "bytes written for a key",      bench_key_bytes,      "bytes", 4000, BENCH_AT_MOST },
};
/* clang-format on */

static bool is_wanted(const char *name, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return false;
}

/** Print the row; true when the bar is kept. */
static bool report(const struct bench_case *c)
{
	double figure = c->run();
	bool is_kept;

	if (!(figure >= 0)) {
		printf("%-36s %12s  %-8s %2s %10g  failed\n", c->name, "-", c->unit,
		       c->goal == BENCH_AT_MOST ? "<=" : ">=", c->bar);
		return false;
	}
	is_kept = c->goal == BENCH_AT_MOST ? figure <= c->bar : figure >= c->bar;
	printf("%-36s %12.4g  %-8s %2s %10g  %s\n", c->name, figure, c->unit,
	       c->goal == BENCH_AT_MOST ? "<=" : ">=", c->bar, is_kept ? "ok" : "over");
	return is_kept;
}

int main(int argc, char **argv)
{
	int missed = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (is_wanted(cases[i].name, argc, argv) && !report(&cases[i]))
			missed++;
	return missed ? 1 : 0;
}
