#include "import/checkpoint.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_source.h"

#define CONFIG "config.json"

/** Blank out a word of Python's that is no JSON, leaving `null` or a number's place. */
static void blank_word(char *at, size_t length)
{
	memset(at, ' ', length);
	memcpy(at, length >= 4 ? "null" : "0", length >= 4 ? 4 : 1);
}

static void make_json(char *text)
{
	static const char *const words[] = { "-Infinity", "Infinity", "NaN" };
	bool is_in_text = false;

	for (char *p = text; *p; p++) {
		if (*p == '"')
			is_in_text = !is_in_text;
		else if (*p == '\\' && is_in_text && p[1])
			p++;
		for (size_t i = 0; !is_in_text && i < sizeof(words) / sizeof(words[0]); i++) {
			size_t n = strlen(words[i]);

			if (!strncmp(p, words[i], n) && !isalnum((unsigned char)p[n]))
				blank_word(p, n);
		}
	}
}

cJSON *checkpoint_json(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	cJSON *json;

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	make_json(copy);
	json = cJSON_ParseWithLengthOpts(copy, length + 1, NULL, 1);
	free(copy);
	return json;
}

/** The file that has `name` where the configuration's has `config.json`; NULL: none. */
static cJSON *read_beside(const char *path, const char *name)
{
	size_t n = strlen(path), k = strlen(CONFIG), length = 0;
	struct ss_error err = { 0 };
	char beside[4096], *text;
	cJSON *json;
	int put;

	if (n < k || strcmp(path + n - k, CONFIG) != 0)
		return NULL;
	put = snprintf(beside, sizeof(beside), "%.*s%s", (int)(n - k), path, name);
	if (put < 0 || (size_t)put >= sizeof(beside))
		return NULL;
	text = source_read(beside, &length, &err);
	json = text ? checkpoint_json(text, length) : NULL;
	free(text);
	return json;
}

static int64_t index_bytes(const cJSON *index)
{
	const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(index, "metadata");
	const cJSON *size = cJSON_GetObjectItemCaseSensitive(metadata, "total_size");

	return cJSON_IsNumber(size) && size->valuedouble >= 1 && size->valuedouble < 9e15
		       ? (int64_t)size->valuedouble
		       : 0;
}

enum ss_status checkpoint_read(struct checkpoint *out, const char *text, size_t length,
			       const char *path, struct ss_error *err)
{
	cJSON *index;

	*out = (struct checkpoint){ .config = checkpoint_json(text, length) };
	if (!out->config)
		return ss_fail(err, SS_EDOCUMENT, path, "not JSON");
	out->quantization = read_beside(path, "hf_quant_config.json");
	index = read_beside(path, "model.safetensors.index.json");
	out->index_bytes = index_bytes(index);
	cJSON_Delete(index);
	return SS_OK;
}

void checkpoint_release(struct checkpoint *checkpoint)
{
	cJSON_Delete(checkpoint->config);
	cJSON_Delete(checkpoint->quantization);
	*checkpoint = (struct checkpoint){ 0 };
}
