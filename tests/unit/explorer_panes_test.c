/* What the panes of the explorer say, row by row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explorer_fixture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

/* Milliseconds of all nodes of one op in the Model pane. */
static double op_ms(const struct explorer_fixture *f, const char *op)
{
	const struct table *table = &f->app.tables[PANE_MODEL];
	double total = 0;

	for (size_t i = 0; i < table->shown; i++)
		if (!strcmp(table_text(table, i, 0), op))
			total += strtod(table_text(table, i, 4), NULL);
	return total;
}

/* Attention over 61 layers and 122 all-reduces of the published case: 2.40 and 1.11 ms. */
static void nodes_of_the_model_have_their_price(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, "0");
	assert_true(fabs(op_ms(&f, "Attention") - 2.40) < 0.01);
	assert_true(fabs(op_ms(&f, "AllReduce") - 1.11) < 0.01);
	explorer_keys(&f, "/");
	explorer_type(&f, "o_proj");
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "7168 x 16384"));
	assert_true(explorer_shows(&f, "117,440,512 a layer"));
	assert_true(explorer_shows(&f, "of 25.22 ms"));
	explorer_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_the_model_have_their_price),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
