/**
 * @file
 * Compare doubles in tests: within a share of the expected value, or exactly.
 */
#ifndef STEPSCOPE_TESTS_CLOSE_H
#define STEPSCOPE_TESTS_CLOSE_H

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

static inline void close_or_fail(double got, double want, double share, const char *file, int line)
{
	if (fabs(got - want) <= share * fabs(want))
		return;
	print_error("got %.17g, want %.17g\n", got, want);
	_fail(file, line);
}

/** `share` 0 asks for equality. */
#define assert_close(got, want, share) close_or_fail((got), (want), (share), __FILE__, __LINE__)

#endif
