#include "price/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

static void modes_choose_by_uniformity_and_ceiling(void **state)
{
	static const struct {
		enum graph_mode mode;
		enum ss_graph uniform, other;
	} rows[] = {
		{ GRAPH_MODE_NONE, SS_GRAPH_EAGER, SS_GRAPH_EAGER },
		{ GRAPH_MODE_PIECEWISE, SS_GRAPH_PIECEWISE, SS_GRAPH_PIECEWISE },
		{ GRAPH_MODE_FULL, SS_GRAPH_FULL, SS_GRAPH_FULL },
		{ GRAPH_MODE_FULL_DECODE_ONLY, SS_GRAPH_FULL, SS_GRAPH_EAGER },
		{ GRAPH_MODE_FULL_AND_PIECEWISE, SS_GRAPH_FULL, SS_GRAPH_PIECEWISE },
	};

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(rows[0]), GRAPH_MODE_COUNT);
	for (int i = 0; i < GRAPH_MODE_COUNT; i++) {
		assert_int_equal(graph_choose(rows[i].mode, true, 512, 512), rows[i].uniform);
		assert_int_equal(graph_choose(rows[i].mode, false, 512, 512), rows[i].other);
		assert_int_equal(graph_choose(rows[i].mode, true, 513, 512), SS_GRAPH_EAGER);
		assert_int_equal(graph_mode_find(graph_mode_name((enum graph_mode)i)), i);
	}
}

static void mode_names_have_no_case(void **state)
{
	(void)state;
	assert_int_equal(graph_mode_find("full_and_piecewise"), GRAPH_MODE_FULL_AND_PIECEWISE);
	assert_int_equal(graph_mode_find("Piecewise"), GRAPH_MODE_PIECEWISE);
	assert_int_equal(graph_mode_find(""), GRAPH_MODE_COUNT);
	assert_int_equal(graph_mode_find("FULLER"), GRAPH_MODE_COUNT);
	assert_string_equal(graph_mode_name(GRAPH_MODE_COUNT), "");
	assert_true(graph_mode_has_full_decode(GRAPH_MODE_FULL_DECODE_ONLY));
	assert_false(graph_mode_has_full_decode(GRAPH_MODE_PIECEWISE));
}

static void the_grid_is_fine_and_then_coarse(void **state)
{
	/* As the engine lists them: 1, 2, 4, range(8, 256, 8), range(256, limit + 1, 16). */
	int64_t sizes[100];
	size_t count = 0;

	(void)state;
	sizes[count++] = 1;
	sizes[count++] = 2;
	sizes[count++] = 4;
	for (int64_t n = 8; n < 256; n += 8)
		sizes[count++] = n;
	for (int64_t n = 256; n <= 512; n += 16)
		sizes[count++] = n;
	for (size_t i = 0; i + 1 < count; i++) {
		assert_int_equal(grid_next(sizes[i]), sizes[i + 1]);
		for (int64_t n = sizes[i]; n < sizes[i + 1]; n++)
			assert_int_equal(grid_floor(n), sizes[i]);
	}
	assert_int_equal(grid_floor(0), 0);
	assert_int_equal(grid_next(-3), 1);
}

static void an_arrival_costs_by_its_prompt(void **state)
{
	(void)state;
	assert_close(admission(40, 0.5, 100), 90, 0);
	assert_close(admission(40, 0.5, 0), 0, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_choose_by_uniformity_and_ceiling),
		cmocka_unit_test(mode_names_have_no_case),
		cmocka_unit_test(the_grid_is_fine_and_then_coarse),
		cmocka_unit_test(an_arrival_costs_by_its_prompt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
