/**
 * @file
 * What a price stands on: shares by method, what each value moves, the band, the
 * laws with their numbers, and the walk over what was assumed. Pure calls on a
 * kernel that has a price; results go into storage of the caller. Entries are
 * rows of provenance, by their index (see ss_kernel_entry()).
 */
#ifndef STEPSCOPE_FOOTING_H
#define STEPSCOPE_FOOTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- shares --------------------------------------------------------------------------- */

/**
 * Shares of a sum by what each part rests on: the weakest method among the
 * coefficients the part read, floor and slope apart. They sum to 1 (to 0 for a sum
 * of 0). A charge that reads no coefficient rests on the datasheet: vendor_spec.
 */
struct ss_share {
	double by_method[SS_METHOD_COUNT];
	double graph; /**< memory: bytes the model graph states; 0 for a price */
	int leading;  /**< the assumed entry that carries most of the assumed part; -1 none */
	double leading_share; /**< what it carries, of the whole */
};

/** Of one figure of a step. */
SS_API void ss_kernel_price_share(const struct ss_kernel *kernel,
				  const struct ss_breakdown *breakdown, enum ss_figure figure,
				  struct ss_share *out);

/**
 * Of the fixed bytes of one rank (`total_bytes`, before corrections of the room).
 * Weights, scales, tables and drafts follow from the graph and its formats, not from
 * a coefficient: `graph`.
 */
SS_API void ss_kernel_memory_share(const struct ss_kernel *kernel, struct ss_share *out);

/** One for each method, then the model graph. */
#define SS_SHARE_PARTS (SS_METHOD_COUNT + 1)

/**
 * The parts in percent to so many decimals, as they are printed: rounded together, the
 * largest remainders up, so that those of a whole add to 100.
 */
SS_API void ss_share_percents(const struct ss_share *share, int decimals,
			      double out[SS_SHARE_PARTS]);

/**
 * "27 % of this step rests on measurement, 56 % on vendor figures, 17 % on
 * assumptions, led by host_launch_per_kernel". Whole percent, parts that round to
 * 0 left out; returns the full length.
 *
 * @param what "this step", "these bytes".
 */
SS_API size_t ss_share_sentence(const struct ss_kernel *kernel, const struct ss_share *share,
				const char *what, char *out, size_t size);

/** What binds a step: `hbm`, or `host (fitted remainder)` where most of it is one. Static. */
SS_API const char *ss_kernel_bottleneck(const struct ss_kernel *kernel,
					const struct ss_breakdown *breakdown);

/** What a charge reaches of the part: FLOPs or bytes per second of its whole time. */
struct ss_reach {
	double achieved; /**< per second, floor included */
	double peak;     /**< the format's dense peak; memory's or the link's datasheet bandwidth */
	bool is_flops;
};

/**
 * @return false, with `out` zero, for host work, for a charge that neither computes
 *         nor moves anything and for one whose resource has no stated peak.
 */
SS_API bool ss_kernel_term_reach(const struct ss_kernel *kernel, const struct ss_term *term,
				 struct ss_reach *out);

/* -- laws with their numbers ---------------------------------------------------------- */

/* clang-format off */
/** Terms of the fixed bytes: id, name (`_bytes` in JSON), label. */
#define SS_MEMORY_TERMS(X)                               \
	X(WEIGHTS,      "weights",      "weights")           \
	X(SCALES,       "scales",       "weight scales")     \
	X(TABLES,       "tables",       "tables")            \
	X(REDUNDANT,    "redundant",    "redundant experts") \
	X(DRAFT,        "draft",        "draft weights")     \
	X(ACTIVATION,   "activation",   "activation")        \
	X(COMMUNICATOR, "communicator", "communicator")      \
	X(WORKSPACE,    "workspace",    "workspace")         \
	X(GRAPHS,       "graphs",       "CUDA graphs")
/* clang-format on */

enum ss_memory_term {
#define SS_X(id, name, label) SS_MEMORY_##id,
	SS_MEMORY_TERMS(SS_X)
#undef SS_X
		SS_MEMORY_TERM_COUNT,
};
SS_API const char *ss_memory_term_name(enum ss_memory_term term);
SS_API const char *ss_memory_term_label(enum ss_memory_term term);
SS_API int64_t ss_memory_term_bytes(const struct ss_memory *memory, enum ss_memory_term term);

/** Entries a term of the fixed bytes reads, -1 ends; none for those of the graph. */
SS_API void ss_kernel_memory_reads(const struct ss_kernel *kernel, enum ss_memory_term term,
				   int reads[SS_READS_MAX]);

/** `max(10 x 117440512 B, 73400320 B) = 1174405120 B`; returns the full length. */
SS_API size_t ss_kernel_memory_law(const struct ss_kernel *kernel, enum ss_memory_term term,
				   char *out, size_t size);

/**
 * The law of the largest charge that reads an entry, with its numbers, and how many
 * more there are: of the step, else of memory. "" for one that neither reads. Returns the full
 * length.
 */
SS_API size_t ss_kernel_entry_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
				  const struct ss_breakdown *breakdown, int entry, char *out,
				  size_t size);

/* -- sensitivity ---------------------------------------------------------------------- */

/** How price and memory answer to one entry. */
struct ss_influence {
	bool is_counted; /**< kernel times are not, beside a figure of the laws */
	bool is_read;         /**< by this step, even where it is hidden */
	bool is_memory;       /**< by the fixed bytes */
	bool is_value;        /**< it can be tried at other values; a choice cannot */
	bool has_ci95;        /**< low and high are its ci95, else 10 % either way */
	double elasticity;    /**< d ln(figure) / d ln(value); exactly 0 when not read */
	double low, high;     /**< of the value; factors (0.9, 1.1) for an assumption without one */
	double low_s, high_s; /**< the figure there */
	double room_elasticity; /**< the same of the room for KV; 0 without room */
	int64_t low_room_bytes, high_room_bytes;
};

/**
 * One for every entry. Each value is changed alone in a copy of the plan, so this is
 * exact: the same as building the kernel again with it.
 *
 * An assumption of the kernel's own that stands in for a rate moves as that rate.
 *
 * @param out as many as ss_kernel_entry_count().
 * @return SS_OK or SS_ENOMEM.
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_influences(const struct ss_kernel *kernel,
							const struct ss_batch *batch,
							enum ss_figure figure,
							struct ss_influence *out);

/* -- band ------------------------------------------------------------------------------ */

/** How far a value may be off by its method, as a share (0.05), unless it has a ci95. */
struct ss_spread {
	double share[SS_METHOD_COUNT];
};

/** 5 % measured, 15 % vendor_spec, 20 % literature, 30 % copied, 50 % assumed. */
SS_API void ss_spread_default(struct ss_spread *out);

/** Read `method=x`: a share from 0 to below 1, or percent (`assumed=60%`). not_charged has none. */
SS_API SS_NODISCARD enum ss_status ss_spread_set(struct ss_spread *spread, const char *text,
						 struct ss_error *err);

/**
 * Interval composition: every coefficient the step reads at the end of its range
 * that lowers the figure, then at the one that raises it. No probability is meant.
 * Shares of a peak (efficiencies) stop at 1. Contains the price.
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_band(const struct ss_kernel *kernel,
						  const struct ss_batch *batch,
						  enum ss_figure figure,
						  const struct ss_spread *spread, double band_s[2]);

/**
 * Entries of a step whose end of the band is a physical limit (a derate of 1), not the
 * spread asked for: in order of the entries.
 *
 * @return how many there are; the first `capacity` are in `out`.
 */
SS_API size_t ss_kernel_band_limits(const struct ss_kernel *kernel,
				    const struct ss_breakdown *breakdown,
				    const struct ss_spread *spread, int *out, size_t capacity);
/** "hbm_derate ends at its limit of 1": those, for a person; "" for none. Full length. */
SS_API size_t ss_kernel_band_note(const struct ss_kernel *kernel,
				  const struct ss_breakdown *breakdown,
				  const struct ss_spread *spread, char *out, size_t size);

/* -- walk ------------------------------------------------------------------------------ */

enum ss_walk_group {
	SS_WALK_MOVES, /**< assumed values that move the price, by influence, then memory */
	SS_WALK_OWN,   /**< what else the kernel assumed; what nothing reads last */
	SS_WALK_REST,  /**< what this deployment does not answer to; absent coefficients */
};

struct ss_walk_item {
	int entry;
	enum ss_walk_group group;
};

/**
 * The assumed entries that count, in the order to walk them: as many as the
 * evidence says are assumed.
 *
 * @param influences of every entry, from ss_kernel_influences().
 * @param out        as many as ss_kernel_entry_count().
 * @return how many were put.
 */
SS_API size_t ss_kernel_walk(const struct ss_kernel *kernel, const struct ss_influence *influences,
			     struct ss_walk_item *out);

#define SS_WALK_POINTS 5

/** What an entry moves, tried at 0.5, 0.75, 1, 1.25 and 1.5 of its value. */
struct ss_walk_page {
	double figure_s;    /**< as it is */
	double moves_s;     /**< |elasticity| x figure */
	double share;       /**< moves_s of the figure */
	size_t point_count; /**< SS_WALK_POINTS, or 0 for a choice and for what is not read */
	struct {
		double value; /**< a factor for an assumption without a value */
		double figure_s;
		int64_t room_bytes; /**< for KV */
	} points[SS_WALK_POINTS];
};

SS_API SS_NODISCARD enum ss_status ss_kernel_walk_page(const struct ss_kernel *kernel,
						       const struct ss_batch *batch,
						       enum ss_figure figure, int entry,
						       struct ss_walk_page *out);

/** Why the value is what it is: the rationale, or the kernel's reason. Borrowed. */
SS_API const char *ss_kernel_entry_why(const struct ss_kernel *kernel, int entry);

/**
 * What would replace it: how to measure a coefficient, or which setting to state.
 * One sentence; returns the full length.
 */
SS_API size_t ss_kernel_entry_instead(const struct ss_kernel *kernel, int entry, char *out,
				      size_t size);

/** Path of the setting that states an assumption outright (`engine.block_size`); "" for none. */
SS_API const char *ss_kernel_entry_setting(const struct ss_kernel *kernel, int entry);

#ifdef __cplusplus
}
#endif

#endif
