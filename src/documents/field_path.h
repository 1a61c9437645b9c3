/**
 * @file
 * A setting as a person names it, taken apart.
 */
#ifndef DOCUMENTS_FIELD_PATH_H
#define DOCUMENTS_FIELD_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "stepscope/fields.h"

struct field_path {
	size_t pool;     /**< SIZE_MAX when the name does not say */
	const char *key; /**< entry of a map, in the name given; NULL: the whole field */
	char text[512];
};

/** As ss_field_find(), with the pool and the map entry that the name states. */
enum ss_field_id field_locate(const char *name, struct field_path *out, struct ss_error *err);

#endif
