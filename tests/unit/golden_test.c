/*
 * The screens as they should be: each view of the explorer, drawn on a page
 * without a terminal, against tests/golden/NAME-COLSxROWS.txt. With GOLDEN set
 * in the environment the files are written instead, as `make golden` does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer_fixture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

static const int sizes[][2] = { { 24, 80 }, { 40, 120 } };

struct view {
	const char *name;
	const char *keys;
	const char *typed; /* into the prompt the keys opened; NULL: none is open */
	const char *then;  /* keys after that */
};

/* clang-format off */
static const struct view views[] = {
	{ "deployment", "", NULL, "" },
	{ "resolved", "1", NULL, "" },
	{ "provenance", "2", NULL, "" },
	{ "evidence", "3", NULL, "" },
	{ "step", "4", NULL, "" },
	{ "memory", "5", NULL, "" },
	{ "batch", "6", NULL, "" },
	{ "sweep", "7", NULL, "" },
	{ "compare", "b :", "set expert_parallel on", "8" },
	{ "engine", "9", NULL, "" },
	{ "model", "0", NULL, "" },
	{ "walk", "w", NULL, "" },
	{ "detail", "2 /", "host_launch", "<Enter>" },
	{ "refused", ":", "set tp 3", "" },
	{ "unfit", ":", "set tp 4", "" },
	{ "help", "?", NULL, "" },
	{ "help-provenance", "2 ?", NULL, "" },
};
/* clang-format on */

/* The whole of a file, "" when it cannot be read; for the caller to free. */
static char *file_text(const char *path)
{
	struct xbuf text = { 0 };
	FILE *in = fopen(path, "r");
	char line[4096];

	xbuf_printf(&text, "%s", "");
	while (in && fgets(line, sizeof(line), in))
		xbuf_printf(&text, "%s", line);
	if (in)
		(void)fclose(in);
	return text.data;
}

/* The first line that differs, as it was kept and as it is. */
static void say_difference(const char *path, const char *want, const char *got)
{
	int line = 1;

	while (*want && *got && strcspn(want, "\n") == strcspn(got, "\n") &&
	       !strncmp(want, got, strcspn(want, "\n"))) {
		want += strcspn(want, "\n") + (strchr(want, '\n') != NULL);
		got += strcspn(got, "\n") + (strchr(got, '\n') != NULL);
		line++;
	}
	print_error(
		"%s, line %d:\n-%.*s\n+%.*s\n`make golden` accepts it, if the change is meant\n",
		path, line, (int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
}

static bool is_as_kept(struct explorer_fixture *f, const char *name)
{
	char path[512], *want = NULL, *got = explorer_text(f);
	bool is_same = true;

	snprintf(path, sizeof(path), TEST_SRCDIR "/tests/golden/%s-%dx%d.txt", name, f->page.cols,
		 f->page.rows);
	if (getenv("GOLDEN")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		assert_true(fputs(got, out) >= 0);
		assert_int_equal(fclose(out), 0);
	} else {
		want = file_text(path);
		is_same = !strcmp(want, got);
		if (!is_same)
			say_difference(path, want, got);
	}
	free(want);
	free(got);
	return is_same;
}

static void every_view_is_as_it_was_accepted(void **state)
{
	int different = 0;

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			struct explorer_fixture f;

			explorer_open_as(&f, DEFAULT, SS_FIGURE_LEAD, sizes[s][0], sizes[s][1]);
			/* As on a UTF-8 terminal: lines, bars and dots of their own. */
			f.page.ascii = false;
			explorer_keys(&f, views[v].keys);
			if (views[v].typed)
				explorer_type(&f, views[v].typed);
			explorer_keys(&f, views[v].then);
			different += !is_as_kept(&f, views[v].name);
			explorer_release(&f);
		}
	}
	assert_int_equal(different, 0);
}

/* The same cells in ASCII: what stands where does not depend on the locale. */
static void ascii_screens_have_no_other_character(void **state)
{
	int different = 0;

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++) {
		struct explorer_fixture f;
		char *text = NULL;

		explorer_open_as(&f, DEFAULT, SS_FIGURE_LEAD, 24, 80);
		explorer_keys(&f, views[v].keys);
		if (views[v].typed)
			explorer_type(&f, views[v].typed);
		explorer_keys(&f, views[v].then);
		text = explorer_text(&f);
		for (const char *c = text; *c; c++)
			assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
		free(text);
		if (!strcmp(views[v].name, "sweep"))
			different += !is_as_kept(&f, "sweep-ascii");
		explorer_release(&f);
	}
	assert_int_equal(different, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_is_as_it_was_accepted),
		cmocka_unit_test(ascii_screens_have_no_other_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
