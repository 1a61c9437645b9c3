/* Fixed pieces of work, timed in the same run: machines differ, their ratios less. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "bench/bench.h"

#define PRODUCTS 1000000

/** A million fused multiply-adds, each waiting for the one before. */
static void products(void *context)
{
	volatile double *kept = context;
	double x = *kept;

	for (int i = 0; i < PRODUCTS; i++)
		x = fma(x, 0.999999, 1e-6);
	*kept = x;
}

double bench_yardstick_s(void)
{
	static double seconds;
	double kept = 1;

	if (!(seconds > 0))
		seconds = bench_least_s(products, &kept, 0.5);
	return seconds;
}

/* -- texts of the registry ------------------------------------------------------------------ */

struct texts {
	char **items;
	size_t count;
};

static char *text_of(const char *path)
{
	FILE *in = fopen(path, "rb");
	char *text = NULL;
	long size = 0;

	if (in && !fseek(in, 0, SEEK_END) && (size = ftell(in)) > 0 && !fseek(in, 0, SEEK_SET))
		text = calloc(1, (size_t)size + 1);
	if (text && fread(text, 1, (size_t)size, in) != (size_t)size) {
		free(text);
		text = NULL;
	}
	if (in)
		(void)fclose(in);
	return text;
}

static void read_folder(struct texts *texts, const char *folder)
{
	char path[1024];
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char **more, *text;

		if (!strstr(entry->d_name, ".json"))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		text = text_of(path);
		more = text ? realloc(texts->items, (texts->count + 1) * sizeof(*more)) : NULL;
		if (!more) {
			free(text);
			continue;
		}
		texts->items = more;
		texts->items[texts->count++] = text;
	}
	if (dir)
		(void)closedir(dir);
}

static void parse_all(void *context)
{
	const struct texts *texts = context;

	for (size_t i = 0; i < texts->count; i++)
		cJSON_Delete(cJSON_Parse(texts->items[i]));
}

double bench_parse_s(void)
{
	/* what bench_registry_ratio() loads */
	static const char *const folders[] = {
		TEST_SRCDIR "/registry",           TEST_SRCDIR "/registry/models",
		TEST_SRCDIR "/registry/hardware",  TEST_SRCDIR "/registry/coefficients",
		TEST_SRCDIR "/registry/engines",   TEST_SRCDIR "/registry/networks",
		TEST_SRCDIR "/registry/workloads",
	};
	struct texts texts = { 0 };
	double seconds;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		read_folder(&texts, folders[i]);
	seconds = bench_least_s(parse_all, &texts, 0.5);
	for (size_t i = 0; i < texts.count; i++)
		free(texts.items[i]);
	free(texts.items);
	return texts.count ? seconds : -1;
}
