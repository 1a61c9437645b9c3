/**
 * @file
 * The benchmark: one row a figure, `name  figure  unit  bar  ok|over`.
 * A figure is one function in a file of tests/bench/ and one line in the table
 * of main.c.
 */
#ifndef STEPSCOPE_TESTS_BENCH_H
#define STEPSCOPE_TESTS_BENCH_H

/** Which side of the bar is good. */
enum bench_goal {
	BENCH_AT_MOST,
	BENCH_AT_LEAST,
};

struct bench_case {
	const char *name;
	double (*run)(void); /**< the figure in `unit`; below 0 when it cannot be taken */
	const char *unit;
	double bar;
	enum bench_goal goal;
};

/** Seconds on a clock that never goes back; only differences mean anything. */
double bench_now_s(void);

/**
 * Call `run(context)` again and again for about `seconds`, after one call that
 * does not count, and return the median seconds of one call. Calls far shorter
 * than the clock's grain are timed many at once.
 */
double bench_median_s(void (*run)(void *context), void *context, double seconds);

/** Seconds of a million dependent fused multiply-adds, timed once a run. */
double bench_yardstick_s(void);
/** Seconds in which cJSON_Parse reads the texts that bench_registry_ratio() does. */
double bench_parse_s(void);

/**
 * In millionths of that, which machines differ in less: a step of one decode group by the
 * laws and by measured kernels, from loaded documents to a kernel with its provenance, and
 * one changed setting resolved and priced as a sweep does.
 */
double bench_step_laws_ratio(void);
double bench_step_ratio(void);
double bench_build_ratio(void);
double bench_renew_ratio(void);
/** To read, check and free every document of the registry, in times of bench_parse_s(). */
double bench_registry_ratio(void);

/** The same, the least of them: what else runs on the machine counts least there. */
double bench_least_s(void (*run)(void *context), void *context, double seconds);

/** The program this build made: $STEPSCOPE. NULL when it is not set. */
const char *bench_program(void);

/** Milliseconds from starting the program until it has printed its version and ended. */
double bench_program_start_ms(void);

/** Microseconds of a step of 256 different requests. */
double bench_step_256_us(void);

/** Milliseconds to refuse six settings at once and find what works instead. */
double bench_refuse_ms(void);

/** Milliseconds from a key until its screen is drawn on a page, price included. */
double bench_key_p50_ms(void);
double bench_key_p99_ms(void);

/** Milliseconds from a key on a terminal to the first byte of the frame it makes. */
double bench_terminal_p50_ms(void);
double bench_terminal_p99_ms(void);

/** On a terminal of 24 x 80: milliseconds to the first price, bytes of a changed width. */
double bench_first_frame_ms(void);
double bench_key_bytes(void);

/** Resident memory of the explorer in MB of 10^6 bytes; below 0 without /proc. */
double bench_resident_mb(void);

/** Rows a second of `sweep` on one core, the kernel renewed for each, CSV and all. */
double bench_sweep_rows_per_s(void);

#endif
