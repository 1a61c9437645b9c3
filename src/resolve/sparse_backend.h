/**
 * @file
 * Which sparse latent-attention backend serves a DSA model, and how it stores KV.
 */
#ifndef STEPSCOPE_RESOLVE_SPARSE_BACKEND_H
#define STEPSCOPE_RESOLVE_SPARSE_BACKEND_H

#include <stdbool.h>

/** Compute capability below which no backend serves it, whatever the cache: before Hopper. */
enum { SPARSE_SM_MIN = 90 };

/** What decides the choice. */
struct sparse_request {
	int sm;                  /**< 90, 100, ... */
	const char *cache_dtype; /**< as stated, or `auto` */
	int heads;               /**< query heads / tp */
	int tp, pcp, dcp;
	const char *combine;     /**< ag_rs or a2a */
	const char *wanted;      /**< attention_backend as stated; "" leaves the choice */
	bool has_old_flashinfer; /**< stated below the release the Hopper backend needs */
};

struct sparse_choice {
	const char *backend;   /**< NULL: refused */
	const char *layout;    /**< packed layout, or "" */
	bool needs_flashinfer; /**< rests on a FlashInfer release that is not stated */
	const char *refusal;   /**< why, when refused */
};

struct sparse_choice sparse_backend_choose(const struct sparse_request *r);

/** FlashInfer release the Hopper backend needs. */
#define SPARSE_FLASHINFER_MIN "0.6.18"

#endif
