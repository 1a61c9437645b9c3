/**
 * @file
 * A measured kernel taken apart for a person: what its time is made of, and a small chart of
 * its curve with the measured points, the law and where the step stands.
 */
#ifndef CASE_KERNEL_CHART_H
#define CASE_KERNEL_CHART_H

#include "stepscope/kernel.h"
#include "text/xbuf.h"

enum { KERNEL_CHART_COLS = 56, KERNEL_CHART_ROWS = 8 };

/** Which of the graph's nodes it is: `q_b_proj 3,072 x 1,536` on a rank; "" for others. */
void kernel_node(char *out, size_t size, const struct ss_time_sight *sight);

/** "floor 4.1 us, depth 3.7 us, reads 5.2 us, math 0.9 us"; "" for a kernel without a law. */
void kernel_parts(char *out, size_t size, const struct ss_time_sight *sight);

/** What of it was not measured just so: "beyond the measured points, 9 releases away". */
void kernel_marks(char *out, size_t size, const struct ss_time_sight *sight);

/** Lines of characters that any terminal has; nothing where there is no curve and no law. */
void kernel_chart(struct xbuf *out, const struct ss_kernel *kernel, const struct ss_term *term,
		  const struct ss_time_sight *sight);

#endif
