/**
 * @file
 * KV cache formats: what an element takes, and which formats are known without a size.
 */
#ifndef STEPSCOPE_RESOLVE_CACHE_FORMAT_H
#define STEPSCOPE_RESOLVE_CACHE_FORMAT_H

#include <stdbool.h>

enum cache_class {
	CACHE_PLAIN,   /**< elements of one width */
	CACHE_PACKED,  /**< a cell per token, by latent width */
	CACHE_UNSIZED, /**< the engine knows it, its page is not sized here */
	CACHE_REFUSED, /**< the engine does not start with it on a GPU */
};

struct cache_format {
	const char *name;
	enum cache_class class;
	double bytes; /**< of one element; CACHE_PLAIN */
};

/** The row of a format, NULL for an unknown name. */
const struct cache_format *cache_format_find(const char *name);

/** Is the format stored narrower than 16 bits? */
bool cache_is_quantized(const char *name);

#endif
