/**
 * @file
 * Kernel times of one part and release: what was measured for a shape, blended once into
 * the curve a step reads. Kept with its kernel from one deployment to the next.
 */
#ifndef STEPSCOPE_RESOLVE_TIMES_H
#define STEPSCOPE_RESOLVE_TIMES_H

#include "price/plan.h"
#include "price/times.h"
#include "stepscope/registry.h"

/* clang-format off */
/** Weight formats of measured kernels: id, name in the tables, bytes of a weight. */
#define TIME_FORMATS(X)                                       \
	X(BF16,        "bfloat16",           2)               \
	X(FP8,         "fp8",                1)               \
	X(FP8_BLOCK,   "fp8_block",          1)               \
	X(NVFP4,       "nvfp4",              0.5625)          \
	X(INT4,        "int4_wo",            0.5625)          \
	X(MXFP4,       "w4a16_mxfp4",        0.53)            \
	X(MXFP4_MXFP8, "w4a8_mxfp4_mxfp8",   0.53)
/* clang-format on */

enum time_format {
#define X(id, name, bytes) TIME_##id,
	TIME_FORMATS(X)
#undef X
		TIME_FORMAT_COUNT,
};

const char *time_format_name(enum time_format format);
double time_format_bytes(enum time_format format);

/** How near what was chosen is to what runs. */
enum time_reach {
	REACH_SHAPE, /**< this very shape, or between the shapes around it */
	REACH_EDGE,  /**< scaled from the edge of the grid */
	REACH_LAW,   /**< a law of the format */
	REACH_OTHER, /**< another format's law, at this one's width */
};

#define TIME_NAME_SIZE 80

/** One family and choice: a row of provenance. */
struct time_choice {
	enum ss_times_family family;
	const struct ss_times_entry *entry;
	const struct ss_times *document;
	char name[TIME_NAME_SIZE];
	enum time_reach reach; /**< the farthest that anything read it from */
	double scale;          /**< 1, or as tried */
};

#define TIME_CHOICES_MAX 48

struct time_kept; /**< a curve made for a shape */

/** All zero at first. */
struct times_state {
	struct ss_registry *registry;
	const struct ss_part *part;
	int minor; /**< of the scenario's release */
	const struct ss_times *laws, *links, *terms;
	const struct ss_times *gemm[TIME_FORMAT_COUNT], *moe[TIME_FORMAT_COUNT];
	bool has_gemm[TIME_FORMAT_COUNT], has_moe[TIME_FORMAT_COUNT]; /**< looked for */
	struct time_kept **kept;
	size_t kept_count, kept_size;
	bool is_out_of_memory;
	struct time_choice choices[TIME_CHOICES_MAX];
	size_t choice_count;
	struct plan_link reduce_law; /**< of all-reduces over the tensor-parallel ranks */
	bool has_reduce_law;         /**< made for this deployment */
	/** Whose times the routed experts take; NULL: no model of them. */
	const struct ss_times_entry *experts;
};

/** Aim at a part and release; what was kept for another is dropped. */
void times_aim(struct times_state *t, struct ss_registry *registry, const struct ss_part *part,
	       const char *release, struct ss_problems *problems);
void times_release(struct times_state *t);

/** The first entry of a family and format (NULL: any) that stands for the release. */
const struct ss_times_entry *times_entry(const struct times_state *t,
					 const struct ss_times *document,
					 enum ss_times_family family, const char *format);

const struct ss_times *times_gemm_document(struct times_state *t, enum time_format format,
					   struct ss_problems *problems);
const struct ss_times *times_moe_document(struct times_state *t, enum time_format format,
					  struct ss_problems *problems);

/** A measured curve as steps read it; NULL when out of memory. */
const struct curve *times_curve(struct times_state *t, const struct ss_curve *curve);

/** The blend of a grid at n x k; `edge` is the log of what lies beyond it. */
const struct curve *times_grid(struct times_state *t, const struct ss_times_entry *e, double n,
			       double k, double *edge);

#endif
