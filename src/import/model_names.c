#include "import/model_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stepscope/nearest.h"

#define NAME_SIZE 128

/* clang-format off */
/* How repositories spell the format of their weights, longest first; with the
 * `quantization` that serves the plain graph that way, "" where none does. */
static const struct {
	const char *suffix, *quantization;
} formats[] = {
	{ "-quantized.w4a16", "gptq_marlin" },
	{ "-quantized.w8a16", "" },
	{ "-quantized.w8a8",  "" },
	{ "-fp8-dynamic",     "fp8" },
	{ "-fp8-block",       "fp8" },
	{ "-int4-autoround",  "inc" },
	{ "-nvfp4-fp8",       "modelopt_fp4" },
	{ "-gptq-int4",       "gptq_marlin" },
	{ "-gptq-int8",       "" },
	{ "-awq-4bit",        "awq_marlin" },
	{ "-awq-int4",        "awq_marlin" },
	{ "-autoround",       "inc" },
	{ "-bnb-4bit",        "bitsandbytes" },
	{ "-marlin",          "" },
	{ "-nvfp4",           "modelopt_fp4" },
	{ "-mxfp4",           "mxfp4" },
	{ "-w4a16",           "gptq_marlin" },
	{ "-w8a16",           "" },
	{ "-gptq",            "gptq_marlin" },
	{ "-gguf",            "" },
	{ "-w8a8",            "" },
	{ "-4bit",            "" },
	{ "-8bit",            "" },
	{ "-int4",            "gptq_marlin" },
	{ "-int8",            "" },
	{ "-bf16",            "" },
	{ "-fp16",            "" },
	{ "-awq",             "awq_marlin" },
	{ "-fp8",             "fp8" },
	{ "-fp4",             "modelopt_fp4" },
	{ "-hf",              "" },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void copy(char out[NAME_SIZE], const char *text, size_t length)
{
	if (length >= NAME_SIZE)
		length = NAME_SIZE - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

/** The last part of `org/name`, `/folder/name/`, `.../models--org--name/snapshots/hash`. */
static void read_name(char out[NAME_SIZE], const char *repository)
{
	const char *cached = strstr(repository, "models--");
	const char *name = cached ? strstr(cached + strlen("models--"), "--") : NULL;
	size_t length = strlen(repository), start;

	if (name) {
		copy(out, name + 2, strcspn(name + 2, "/"));
		return;
	}
	while (length && repository[length - 1] == '/')
		length--;
	for (start = length; start && repository[start - 1] != '/'; start--)
		;
	copy(out, repository + start, length - start);
}

/** Cut one format suffix; its row, or COUNT(formats) when there is none. */
static size_t cut_suffix(char name[NAME_SIZE])
{
	size_t length = strlen(name);

	for (size_t i = 0; i < COUNT(formats); i++) {
		size_t n = strlen(formats[i].suffix);

		if (length > n && !strcasecmp(name + length - n, formats[i].suffix)) {
			name[length - n] = '\0';
			return i;
		}
	}
	return COUNT(formats);
}

static const char *find(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!ss_edit_distance(name, names[i]))
			return names[i];
	}
	return NULL;
}

/** The only name that is `stem` and a format; NULL when none or several are. */
static const char *find_formatted(const char *stem, const char *const *names, size_t count,
				  size_t *found)
{
	const char *match = NULL;

	*found = 0;
	for (size_t i = 0; i < count; i++) {
		char name[NAME_SIZE];

		copy(name, names[i], strlen(names[i]));
		while (cut_suffix(name) < COUNT(formats))
			;
		if (ss_edit_distance(stem, name))
			continue;
		match = names[i];
		++*found;
	}
	return *found == 1 ? match : NULL;
}

/** Try a name, then the name less its format. */
static bool match_name(struct model_match *out, const char *text, const char *const *names,
		       size_t count)
{
	char name[NAME_SIZE];
	size_t row, first = COUNT(formats), found;

	copy(name, text, strlen(text));
	*out = (struct model_match){ find(name, names, count), "", "" };
	if (out->name)
		return true;
	while ((row = cut_suffix(name)) < COUNT(formats)) {
		if (first == COUNT(formats))
			first = row;
		out->name = find(name, names, count);
		if (out->name) {
			out->quantization = formats[first].quantization;
			out->suffix = formats[first].suffix;
			return true;
		}
	}
	out->name = find_formatted(name, names, count, &found);
	if (out->name && first < COUNT(formats))
		out->suffix = formats[first].suffix;
	return out->name != NULL;
}

/** Edits to a name, or to as much of it as was written, whichever are fewer. */
static size_t distance_to(const char *text, const char *name)
{
	char begun[NAME_SIZE];
	size_t whole = ss_edit_distance(text, name), len = strlen(text), part;

	if (strlen(name) <= len)
		return whole;
	copy(begun, name, len);
	/* Of two as near, the whole name comes first. */
	part = ss_edit_distance(text, begun) + 1;
	return part < whole ? part : whole;
}

/** "a, b, c": the three nearest. */
static void list_nearest(char *out, size_t size, const char *text, const char *const *names,
			 size_t count)
{
	const char *chosen[3] = { NULL, NULL, NULL };
	size_t distances[3] = { 0, 0, 0 }, used = 0, length = 0;

	for (size_t i = 0; i < count; i++) {
		size_t distance = distance_to(text, names[i]), at = used;

		while (at && distances[at - 1] > distance)
			at--;
		if (at == COUNT(chosen))
			continue;
		if (used < COUNT(chosen))
			used++;
		for (size_t j = used - 1; j > at; j--) {
			chosen[j] = chosen[j - 1];
			distances[j] = distances[j - 1];
		}
		chosen[at] = names[i];
		distances[at] = distance;
	}
	out[0] = '\0';
	for (size_t i = 0; i < used && length < size; i++) {
		int n = snprintf(out + length, size - length, "%s%s", i ? ", " : "", chosen[i]);

		length += n > 0 ? (size_t)n : 0;
	}
}

enum ss_status model_match(struct model_match *out, const char *repository,
			   const char *const *names, size_t count, struct ss_error *err)
{
	const char *dash;
	char name[NAME_SIZE], nearest[160];

	read_name(name, repository);
	if (match_name(out, name, names, count))
		return SS_OK;
	/* Some put a maker's name first, mostly the organisation's own. */
	dash = strchr(name, '-');
	if (dash && match_name(out, dash + 1, names, count))
		return SS_OK;
	*out = (struct model_match){ NULL, "", "" };
	list_nearest(nearest, sizeof(nearest), name, names, count);
	return ss_fail(err, SS_EUSAGE, "model", "no model graph for '%.60s'; nearest: %s", name,
		       nearest);
}
