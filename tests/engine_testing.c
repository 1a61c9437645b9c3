#include "engine_testing.h"

#include <stdio.h>

char *engine_read(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;

	if (text) {
		rewind(f);
		*length = fread(text, 1, (size_t)size, f);
		text[*length] = '\0';
	}
	if (f)
		fclose(f);
	return text;
}

struct ss_reference *engine_pack(void)
{
	struct ss_reference *reference = NULL;
	struct ss_problems problems = { 0 };

	if (ss_reference_load(&reference, ENGINE_PACK, &problems))
		reference = NULL;
	for (size_t i = 0; i < problems.count; i++)
		printf("# %s%s: %s\n", problems.items[i].file, problems.items[i].pointer,
		       problems.items[i].message);
	ss_problems_release(&problems);
	return reference;
}

char *engine_replaced(const char *text, const char *old, const char *with)
{
	const char *at = strstr(text, old);
	size_t before = at ? (size_t)(at - text) : 0;
	size_t size = strlen(text) - strlen(old) + strlen(with) + 1;
	char *made = at ? malloc(size) : NULL;

	if (made)
		snprintf(made, size, "%.*s%s%s", (int)before, text, with, at + strlen(old));
	return made;
}

static const char *look_up(const void *context, const char *name)
{
	const struct engine_settings *settings = context;
	size_t n = strlen(name);

	for (size_t i = 0; settings->pairs[i]; i++)
		if (strncmp(settings->pairs[i], name, n) == 0 && settings->pairs[i][n] == '=')
			return settings->pairs[i] + n + 1;
	return NULL;
}

struct ss_settings engine_settings(const struct engine_settings *settings)
{
	return (struct ss_settings){ look_up, look_up, settings };
}
