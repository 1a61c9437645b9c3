/**
 * @file
 * Variables that a shell text sets: scalars and arrays, looked up by hash.
 */
#ifndef SHELL_VARIABLES_H
#define SHELL_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

struct shell_variable {
	char *name;
	char **values; /**< one of a scalar; as many as it has of an array */
	size_t count, capacity;
	bool is_array;
};

/** `{ 0 }` is empty. */
struct shell_variables {
	struct shell_variable *items;
	size_t count, capacity;
	size_t *slots; /**< index + 1 of an item; 0 is free */
	size_t slot_count;
};

/** NULL when the text has not set it. */
const struct shell_variable *shell_variables_get(const struct shell_variables *variables,
						 const char *name, size_t length);

/** Set a scalar, or put `value` behind what it has. False when out of memory. */
bool shell_variables_set(struct shell_variables *variables, const char *name, size_t length,
			 const char *value, bool is_appended);

/** Make an array, empty unless `is_appended`. False when out of memory. */
bool shell_variables_start_array(struct shell_variables *variables, const char *name, size_t length,
				 bool is_appended);

/** Add a value to an array. False when out of memory. */
bool shell_variables_add(struct shell_variables *variables, const char *name, size_t length,
			 const char *value);

void shell_variables_release(struct shell_variables *variables);

#endif
