/* Two graphs side by side. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_hf.h"

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static char *print(const cJSON *item)
{
	return item ? cJSON_PrintUnformatted(item) : strdup("nothing");
}

static size_t differ(FILE *out, const char *where, const char *key, const cJSON *ours,
		     const cJSON *theirs)
{
	char *a = print(ours), *b = print(theirs);

	fprintf(out, "%s%s%s: %s here, %s there\n", where, *where && *key ? "/" : "", key,
		a ? a : "?", b ? b : "?");
	free(a);
	free(b);
	return 1;
}

/** Of a 16-bit graph: the block of its FP8 form, which its own configuration does not state. */
static bool is_of_other_form(const cJSON *object, const cJSON *item)
{
	const cJSON *dtype = get(object, "weight_dtype");

	return !strcmp(item->string, "weight_block") && cJSON_IsString(dtype) &&
	       strstr(dtype->valuestring, "16");
}

/** Keys of two objects, whatever their order. */
static size_t compare_objects(FILE *out, const char *where, const cJSON *ours, const cJSON *theirs)
{
	const cJSON *item;
	size_t count = 0;

	cJSON_ArrayForEach(item, ours)
	{
		const cJSON *other = get(theirs, item->string);

		if (!other || !cJSON_Compare(item, other, 1))
			count += differ(out, where, item->string, item, other);
	}
	cJSON_ArrayForEach(item, theirs)
	{
		if (!get(ours, item->string) && !is_of_other_form(theirs, item))
			count += differ(out, where, item->string, NULL, item);
	}
	return count;
}

/** Node by node: each at its place. */
static size_t compare_nodes(FILE *out, const char *where, const cJSON *ours, const cJSON *theirs)
{
	const cJSON *a = ours ? ours->child : NULL, *b = theirs ? theirs->child : NULL;
	size_t count = 0;

	for (size_t i = 0; a || b; i++) {
		char place[160];

		snprintf(place, sizeof(place), "%s/%zu", where, i);
		if (a && b)
			count += compare_objects(out, place, a, b);
		else
			count += differ(out, place, "", a, b);
		a = a ? a->next : NULL;
		b = b ? b->next : NULL;
	}
	return count;
}

static const cJSON *kind_of(const cJSON *graph, const char *id)
{
	const cJSON *kind;

	cJSON_ArrayForEach(kind, get(graph, "layer_kinds"))
	{
		const cJSON *item = get(kind, "id");

		if (cJSON_IsString(item) && !strcmp(item->valuestring, id))
			return kind;
	}
	return NULL;
}

/** The stack written out, layer after layer, as one array the caller deletes. */
static cJSON *expand(const cJSON *stack)
{
	static const char *const parts[] = { "prologue", "pattern", "epilogue" };
	cJSON *all = cJSON_CreateArray();
	const cJSON *repeat = get(stack, "repeat"), *item;

	for (size_t i = 0; all && i < 3; i++) {
		double times = i == 1 && cJSON_IsNumber(repeat) ? repeat->valuedouble : 1;

		for (double t = 0; t < times && t < 10000; t++) {
			cJSON_ArrayForEach(item, get(stack, parts[i]))
			{
				cJSON *copy = cJSON_Duplicate(item, 1);

				if (copy)
					cJSON_AddItemToArray(all, copy);
			}
		}
	}
	return all;
}

static size_t compare_stacks(FILE *out, const char *where, const cJSON *ours, const cJSON *theirs)
{
	cJSON *a = expand(ours), *b = expand(theirs);
	size_t count = 0;

	if (!cJSON_Compare(a, b, 1))
		count = differ(out, where, "", ours, theirs);
	cJSON_Delete(a);
	cJSON_Delete(b);
	return count;
}

size_t graph_compare(FILE *out, const cJSON *ours, const cJSON *theirs)
{
	static const char *const modality = "modality";
	const cJSON *kind, *a = get(ours, "speculator"), *b = get(theirs, "speculator");
	size_t count = compare_objects(out, "/global", get(ours, "global"), get(theirs, "global"));

	cJSON_ArrayForEach(kind, get(ours, "layer_kinds"))
	{
		const cJSON *id = get(kind, "id");
		const char *name = cJSON_IsString(id) ? id->valuestring : "";
		const cJSON *other = kind_of(theirs, name);
		char place[96];

		snprintf(place, sizeof(place), "/layer_kinds/%.60s", name);
		if (other)
			count += compare_nodes(out, place, get(kind, "nodes"), get(other, "nodes"));
		else
			count += differ(out, place, "", id, NULL);
	}
	cJSON_ArrayForEach(kind, get(theirs, "layer_kinds"))
	{
		const cJSON *id = get(kind, "id");

		if (cJSON_IsString(id) && !kind_of(ours, id->valuestring))
			count += differ(out, "/layer_kinds", id->valuestring, NULL, id);
	}
	count += compare_stacks(out, "/stack", get(ours, "stack"), get(theirs, "stack"));
	count += compare_nodes(out, "/head", get(ours, "head"), get(theirs, "head"));
	if (a && b) {
		count += compare_stacks(out, "/speculator/stack", get(a, "stack"), get(b, "stack"));
		if (!cJSON_Compare(get(a, "method"), get(b, "method"), 1))
			count += differ(out, "/speculator", "method", get(a, "method"),
					get(b, "method"));
		if (!cJSON_Compare(get(a, "num_spec_tokens"), get(b, "num_spec_tokens"), 1))
			count += differ(out, "/speculator", "num_spec_tokens",
					get(a, "num_spec_tokens"), get(b, "num_spec_tokens"));
	} else if (a || b) {
		count += differ(out, "/speculator", "", a, b);
	}
	if ((get(ours, modality) || get(theirs, modality)) &&
	    !cJSON_Compare(get(ours, modality), get(theirs, modality), 1))
		count += differ(out, "/modality", "", get(ours, modality), get(theirs, modality));
	return count;
}
