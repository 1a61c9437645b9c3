#include "import/shell_variables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** FNV-1a. */
static size_t hash_of(const char *name, size_t length)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
	return (size_t)hash;
}

/** The slot that holds the name, or the free one where it would go. */
static size_t slot_of(const struct shell_variables *v, const char *name, size_t length)
{
	size_t slot = hash_of(name, length) & (v->slot_count - 1);

	while (v->slots[slot]) {
		const char *other = v->items[v->slots[slot] - 1].name;

		if (!strncmp(other, name, length) && !other[length])
			break;
		slot = (slot + 1) & (v->slot_count - 1);
	}
	return slot;
}

static bool grow_slots(struct shell_variables *v)
{
	size_t count = v->slot_count ? v->slot_count * 2 : 64;
	size_t *grown = calloc(count, sizeof(*grown));

	if (!grown)
		return false;
	free(v->slots);
	v->slots = grown;
	v->slot_count = count;
	for (size_t i = 0; i < v->count; i++)
		v->slots[slot_of(v, v->items[i].name, strlen(v->items[i].name))] = i + 1;
	return true;
}

static struct shell_variable *find(const struct shell_variables *v, const char *name, size_t length)
{
	size_t slot;

	if (!v->slot_count)
		return NULL;
	slot = slot_of(v, name, length);
	return v->slots[slot] ? &v->items[v->slots[slot] - 1] : NULL;
}

const struct shell_variable *shell_variables_get(const struct shell_variables *variables,
						 const char *name, size_t length)
{
	return find(variables, name, length);
}

static struct shell_variable *find_or_make(struct shell_variables *v, const char *name,
					   size_t length)
{
	struct shell_variable *found = find(v, name, length), *grown;
	size_t slot;

	if (found)
		return found;
	if (v->count * 2 >= v->slot_count && !grow_slots(v))
		return NULL;
	if (v->count == v->capacity) {
		size_t capacity = v->capacity ? v->capacity * 2 : 32;

		grown = realloc(v->items, capacity * sizeof(*grown));
		if (!grown)
			return NULL;
		v->items = grown;
		v->capacity = capacity;
	}
	v->items[v->count] = (struct shell_variable){ .name = strndup(name, length) };
	if (!v->items[v->count].name)
		return NULL;
	slot = slot_of(v, name, length);
	v->slots[slot] = ++v->count;
	return &v->items[v->count - 1];
}

static void clear(struct shell_variable *variable)
{
	for (size_t i = 0; i < variable->count; i++)
		free(variable->values[i]);
	variable->count = 0;
}

static bool push(struct shell_variable *variable, const char *value)
{
	if (variable->count == variable->capacity) {
		size_t capacity = variable->capacity ? variable->capacity * 2 : 1;
		char **grown = realloc(variable->values, capacity * sizeof(*grown));

		if (!grown)
			return false;
		variable->values = grown;
		variable->capacity = capacity;
	}
	variable->values[variable->count] = strdup(value);
	if (!variable->values[variable->count])
		return false;
	variable->count++;
	return true;
}

bool shell_variables_set(struct shell_variables *variables, const char *name, size_t length,
			 const char *value, bool is_appended)
{
	struct shell_variable *variable = find_or_make(variables, name, length);
	size_t before, more = strlen(value);
	char *grown;

	if (!variable)
		return false;
	if (!is_appended || !variable->count) {
		clear(variable);
		variable->is_array = false;
		return push(variable, value);
	}
	before = strlen(variable->values[0]);
	grown = realloc(variable->values[0], before + more + 1);
	if (!grown)
		return false;
	memcpy(grown + before, value, more + 1);
	variable->values[0] = grown;
	return true;
}

bool shell_variables_start_array(struct shell_variables *variables, const char *name, size_t length,
				 bool is_appended)
{
	struct shell_variable *variable = find_or_make(variables, name, length);

	if (!variable)
		return false;
	if (!is_appended)
		clear(variable);
	variable->is_array = true;
	return true;
}

bool shell_variables_add(struct shell_variables *variables, const char *name, size_t length,
			 const char *value)
{
	struct shell_variable *variable = find_or_make(variables, name, length);

	return variable && push(variable, value);
}

void shell_variables_release(struct shell_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		clear(&variables->items[i]);
		free(variables->items[i].values);
		free(variables->items[i].name);
	}
	free(variables->items);
	free(variables->slots);
	*variables = (struct shell_variables){ 0 };
}
