/*
 * The main of a fuzz driver where no fuzzing engine brings one: hands it each
 * file given, so that every input that once mattered runs in `make check`.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_file(const char *path)
{
	uint8_t *data = NULL;
	size_t size = 0;
	size_t capacity = 0;
	FILE *file = fopen(path, "rb");

	if (!file) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	while (!feof(file) && !ferror(file)) {
		if (size == capacity) {
			size_t wanted = capacity ? capacity * 2 : 4096;
			uint8_t *grown = realloc(data, wanted);

			if (!grown)
				break;
			data = grown;
			capacity = wanted;
		}
		size += fread(data + size, 1, capacity - size, file);
	}
	if (!feof(file)) {
		(void)fprintf(stderr, "%s: cannot be read whole\n", path);
		(void)fclose(file);
		free(data);
		return 1;
	}
	(void)fclose(file);
	/* A copy of the exact size, so that reading past the end is seen. */
	{
		uint8_t *exact = malloc(size ? size : 1);

		if (exact) {
			if (size)
				memcpy(exact, data, size);
			(void)LLVMFuzzerTestOneInput(exact, size);
		}
		free(exact);
	}
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= run_file(argv[i]);
	return failed;
}
