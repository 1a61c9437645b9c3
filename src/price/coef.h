/**
 * @file
 * A coefficient bound to its value.
 */
#ifndef STEPSCOPE_PRICE_COEF_H
#define STEPSCOPE_PRICE_COEF_H

#include <stdbool.h>

/** A bound coefficient; `entry` is its row of provenance, -1 when absent. */
struct coef {
	double value;
	int entry;
};

#define COEF_NONE ((struct coef){ 0, -1 })

static inline bool coef_is_set(struct coef c)
{
	return c.entry >= 0;
}

#endif
