/**
 * @file
 * Flags of `vllm serve`, releases 0.8 to 0.31: how many words each takes, and
 * what becomes of it here. Flags of the field table are not repeated.
 */
#ifndef VLLM_FLAGS_H
#define VLLM_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/fields.h"

enum vllm_arity {
	VLLM_SWITCH,   /**< no value; also `--no-FLAG` */
	VLLM_ONE,      /**< one value */
	VLLM_OPTIONAL, /**< a value that may be left out */
	VLLM_MANY,     /**< one value or more, up to the next flag */
};

enum vllm_effect {
	VLLM_FIELD,      /**< sets the field `field` */
	VLLM_JSON,       /**< JSON whose keys set fields */
	VLLM_SPECIAL,    /**< read by the importer itself */
	VLLM_NO_EFFECT,  /**< changes nothing that is priced */
	VLLM_NOT_PRICED, /**< changes the run, but no law here reads it */
};

struct vllm_flag {
	const char *name; /**< with dashes, no leading ones */
	enum vllm_arity arity;
	enum vllm_effect effect;
	enum ss_field_id field; /**< of VLLM_FIELD; else SS_FIELD_COUNT */
};

/**
 * Find a flag by what stands on a command line without its leading dashes, dashes
 * and underscores alike; `no-` before a switch sets `*is_negated`.
 *
 * @param nearest NULL when the nearest name is not wanted.
 * @return false when there is none; then `nearest` (at least 64 bytes) holds the
 *         nearest name, or "" when none is close.
 */
bool vllm_flag_find(struct vllm_flag *out, bool *is_negated, const char *name, char *nearest,
		    size_t size);

/**
 * The same for a name that may be cut short, as the engine's parser takes it: the only
 * flag that begins so, or the only one of those that sets a field.
 *
 * @param nearest also `--a, --b` when several begin so.
 */
bool vllm_flag_match(struct vllm_flag *out, bool *is_negated, const char *name, char *nearest,
		     size_t size);

/** Words apart by blanks that the engine's parser takes after a flag; NULL: any text. */
const char *vllm_flag_choices(const char *name);

/** The long name of a short option, `tp` to `tensor-parallel-size`; NULL when there is none. */
const char *vllm_short_option(const char *name);

/** Row `index` of the table of flags beside the fields; false past its end. */
bool vllm_flag_at(struct vllm_flag *out, size_t index);

#endif
