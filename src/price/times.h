/**
 * @file
 * The figure Kernels: each GPU kernel of a step at its measured time. A curve where its
 * shape was measured, else a law; made by src/resolve, read by the step. All times in
 * microseconds. No name of a model, part or table gets this far.
 */
#ifndef STEPSCOPE_PRICE_TIMES_H
#define STEPSCOPE_PRICE_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "price/coef.h"
#include "price/curve.h"
#include "stepscope/kernel.h"

/** A kernel apart: launch and tail, depth of its loop, reads, arithmetic. */
struct time_parts {
	double floor_us, depth_us, read_us, math_us;
};

/** t = floor + depth + (read^q + math^q)^(1/q) of a product over rows. */
struct gemm_law {
	double floor_us, depth_us;
	double read_us, read_row_us; /**< of the weights; of a row's activations */
	double math_tile_us;         /**< of 64 rows */
	double exponent;
};

struct time_gemm {
	const struct curve *curve; /**< NULL: the law */
	double edge;               /**< log of what a shape beyond the grid scales by */
	struct gemm_law law;
	struct coef scale; /**< 1 */
};

/** The same of routed experts over tokens. */
struct moe_law {
	double floor_us, depth_us;
	double row_us;  /**< of a routed row */
	double read_us; /**< of one expert's weights */
	double math_us; /**< of a row through its expert */
	double exponent;
	double tile_rows;      /**< rows an expert is padded by */
	double rows_per_token; /**< of the busiest rank */
	double local, least;   /**< experts of the rank; touched at the least */
	double log_missed;     /**< log of the chance that a token passes an expert by */
};

struct time_moe {
	const struct curve *curve;
	struct moe_law law;
	double funnel; /**< ranks whose tokens meet */
	int slot;      /**< what shared experts ask its time by, or -1 */
	struct coef scale;
};

/** Shared experts run beside the routed ones while the rows are few. */
struct time_shared {
	struct time_gemm up, down;
	struct coef glue;
	int beside; /**< slot, or -1: after them */
};

/** Decode attention of b requests that read t tokens. */
struct decode_law {
	double floor_us;
	double token_us, request_us, context_us; /**< to the exponent */
	double token_plain_us;                   /**< of a token's bytes */
	double exponent;
	int selector;
	struct coef scale;
};

struct prefill_law {
	double floor_us, depth_us; /**< a request; a token */
	double pair_us, token_us;
	int selector;
	struct coef scale;
};

struct time_small {
	double kernels, row_bytes;
	struct coef glue;
};

/** A collective: measured by bytes, or the law of links. */
struct time_link {
	const struct curve *graph, *eager; /**< up to `most_bytes`; NULL: none */
	const struct curve *over;          /**< beyond them, or always */
	double log_row_bytes, row_bytes;
	double log_limit;
	bool is_by_head; /**< a row a request */
	bool has_law;
	double law_floor_us, law_transition, law_peak, span; /**< as in price/collective.h */
	enum ss_resource resource;
	struct coef scale, eager_scale, over_scale;
	int law_entries[3]; /**< floor, transition, peak; -1 absent */
};

enum time_shape {
	TIME_GEMM,
	TIME_HEAD, /**< a product on one row a request, and a small kernel */
	TIME_MOE,
	TIME_SHARED,
	TIME_DECODE,
	TIME_PREFILL,
	TIME_SMALL,
	TIME_LINK,
};

/** One kernel (or kernels alike), and how many a step runs. */
struct time_node {
	enum time_shape shape;
	enum ss_term_id term;
	const char *detail; /**< format or kind */
	const char *role;   /**< of its node in the graph; "" */
	double n, k;        /**< outputs and inputs of a product on one rank; 0 of others */
	double count, draft_count;
	union {
		struct time_gemm gemm;
		struct time_moe moe;
		struct time_shared shared;
		struct decode_law decode;
		struct prefill_law prefill;
		struct time_small small;
		struct time_link link;
	} u;
};

/** A node in one layer kind. */
struct time_use {
	size_t node;
	int kind; /**< -1: the head */
	double count, draft_count;
};

#define TIME_SLOTS_MAX 8

/** Host terms of the figure. */
struct time_host {
	struct coef prefill_step;
	struct coef sync_base, sync_request; /**< absent under async scheduling */
};

/** A node's time at an argument, by its curve or its law; NAN where it has none of one argument. */
double times_at(const struct time_node *node, double argument, bool is_by_law);

/** What a law's time is of, which a measured curve is shared out by too. */
void gemm_law_parts(const struct gemm_law *law, double rows, struct time_parts *parts);
void moe_law_parts(const struct moe_law *law, double tokens, struct time_parts *parts);

double gemm_law_us(const struct gemm_law *law, double rows, struct time_parts *parts);
double moe_law_us(const struct moe_law *law, double tokens, struct time_parts *parts);
double decode_law_us(const struct decode_law *law, double requests, double tokens,
		     struct time_parts *parts);
double prefill_law_us(const struct prefill_law *law, double requests, double tokens, double pairs,
		      struct time_parts *parts);

#endif
