/* Any text splits into words or is refused; what it gives, quoted, splits alike. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/shell_words.h"

static void check_back(const struct shell_words *words)
{
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *f = open_memstream(&text, &size);
	struct shell_words back;

	if (!f)
		return;
	for (size_t i = 0; i < words->count; i++) {
		if (words->items[i].kind != SHELL_WORD)
			continue;
		shell_quote(f, words->items[i].text);
		putc(' ', f);
	}
	fclose(f);
	if (shell_words_split(&back, text, size, NULL, NULL))
		abort();
	for (size_t i = 0; i < words->count; i++) {
		if (words->items[i].kind != SHELL_WORD)
			continue;
		if (at >= back.count || strcmp(back.items[at++].text, words->items[i].text) != 0)
			abort();
	}
	shell_words_release(&back);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shell_words words;
	struct ss_error err;
	const char *text = (const char *)data;

	if (shell_words_split(&words, size ? text : "", size, NULL, &err))
		return 0;
	check_back(&words);
	shell_words_release(&words);
	return 0;
}
