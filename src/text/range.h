/**
 * @file
 * A range as it is written: `1..9` steps by 1, `1..256:x2` multiplies, `0.5..0.9:+0.1` adds.
 */
#ifndef TEXT_RANGE_H
#define TEXT_RANGE_H

#include <stdbool.h>

struct range {
	double low, high, step;
	bool is_factor;
};

enum range_reading { RANGE_NONE, RANGE_OK, RANGE_BAD };

/** How to write one, for messages. */
#define RANGE_FORM "LOW..HIGH, LOW..HIGH:xFACTOR or LOW..HIGH:+STEP"

/** RANGE_NONE: no dots, so no range; RANGE_BAD: dots, and no range. */
enum range_reading range_parse(struct range *out, const char *text);
/** How many values, one more or less. */
double range_count(const struct range *range);
/** The value of a place from 0; false past the end. Counted, not summed: steps do not drift. */
bool range_at(const struct range *range, double place, double *value);

#endif
