/* Published single-request decode times of a V100 deployment beside ours. */
#include "kernel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Milliseconds a token of one request on four V100 (SXM2, 32 GB), Qwen3.6-27B AWQ, as the
 * maintainers of the SM70 build publish them. They are not fitted to and bound nothing: the
 * test holds the README's table to what the library says.
 */
static const struct published {
	const char *context;
	int64_t tokens;
	double ms;
} published[] = {
	{ "4K", 4096, 13.35 },
	{ "64K", 65536, 15.40 },
	{ "256K", 262144, 27.80 },
};

static char *read_readme(void)
{
	FILE *file = fopen(TEST_SRCDIR "/README.md", "rb");
	char *text = calloc(1, 1 << 20);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static double decode_ms(const struct ss_kernel *kernel, int64_t tokens)
{
	const struct ss_group group = { 1, 1, tokens - 1, tokens };
	struct ss_step step;

	ss_kernel_step(kernel, &(struct ss_batch){ .groups = &group, .group_count = 1 }, &step);
	return 1e3 * ss_kernel_itl_s(kernel, ss_step_figure(&step, SS_FIGURE_SERIAL));
}

static void the_readme_states_our_error_as_it_is(void **state)
{
	struct kernel_fixture f;
	char *readme = read_readme();
	size_t missing = 0;

	(void)state;
	fixture_open(&f, "qwen3.6-27b-awq-v100-tp4", "max_model_len=262144");
	assert_non_null(f.kernel);
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		const struct published *p = &published[i];
		double ours = decode_ms(f.kernel, p->tokens);
		char row[160];

		(void)snprintf(row, sizeof(row), "| %s | %.2f | %.2f | %+.1f %% |", p->context,
			       p->ms, ours, 100 * (ours - p->ms) / p->ms);
		print_message("%s\n", row);
		if (!strstr(readme, row)) {
			print_error("README.md has no row: %s\n", row);
			missing++;
		}
	}
	assert_int_equal(missing, 0);
	fixture_release(&f);
	free(readme);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_readme_states_our_error_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
