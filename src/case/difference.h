/**
 * @file
 * What of a difference between two prices is no gain or loss of the engine's, but a known
 * error of the laws that one side has and the other has not.
 */
#ifndef CASE_DIFFERENCE_H
#define CASE_DIFFERENCE_H

#include <stddef.h>

#include "stepscope/kernel.h"

/** One side: a kernel with a price (a renewed one will do), its batch and what leads there. */
struct difference_side {
	const struct ss_kernel *kernel;
	const struct ss_batch *batch;
	enum ss_figure figure;
};

struct difference_part {
	enum ss_divergence_id id;
	double seconds[2]; /**< that the law adds to each side; 0 where it is corrected */
};

struct difference {
	double seconds;       /**< the second side less the first */
	double known_error_s; /**< of it: both sides without their divergences differ by the rest */
	double known_errors_s[2];                          /**< of each side */
	struct difference_part parts[SS_DIVERGENCE_COUNT]; /**< those that differ, each by itself */
	size_t part_count;
};

void difference_of(struct difference *out, const struct difference_side *a,
		   const struct difference_side *b);

/** Is there anything of it worth a word? */
bool difference_has_error(const struct difference *difference);

/** What a term is called in two steps: "graph replay, eager launches" where that differs. */
void term_label_of_both(char *out, size_t size, enum ss_term_id term, enum ss_graph a,
			enum ss_graph b);

/** "+9.13 ms", what of it is a known error behind it; "same price" without either. */
void difference_text(char *out, size_t size, const struct difference *difference);

/** "of it -3.56 ms a known error of the law (expert_tensor_sharding)"; "" without one. */
void difference_note(char *out, size_t size, const struct difference *difference);

#endif
