/**
 * @file
 * What a fuzz driver defines: one call that feeds a parser any bytes at all.
 * A driver is tests/fuzz/NAME_fuzz.c, listed in FUZZ_DRIVERS; the inputs it
 * must survive lie in tests/fuzz/corpus/NAME/. `make check` runs them, and
 * `make fuzz TIME=SECONDS` looks for more (see standalone.c), best configured with
 * --with-sanitizer=address,undefined. Clang's engine is guided by coverage:
 *
 *	configure CC=clang --with-sanitizer=fuzzer-no-link,address,undefined
 *	make fuzz FUZZ_MAIN= LIBS=-fsanitize=fuzzer
 *	tests/fuzz/NAME_fuzz -max_total_time=60 tests/fuzz/corpus/NAME
 */
#ifndef STEPSCOPE_TESTS_FUZZ_H
#define STEPSCOPE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** What must hold; says what does not before it dies. */
#define FUZZ_CHECK(holds)                                                                         \
	do {                                                                                      \
		if (!(holds)) {                                                                   \
			(void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

/** Always returns 0. `data` need not end in NUL. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
