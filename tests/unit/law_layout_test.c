#include "price/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** Members of rank 0's group, built by comparing every rank's place with rank 0's. */
struct members {
	int rank[64];
	int count;
};

struct coordinates {
	int tp, pcp, dp;
};

static struct coordinates place_of(int rank, int tp, int pcp)
{
	return (struct coordinates){ rank % tp, rank / tp % pcp, rank / tp / pcp };
}

/** Is this rank in rank 0's group? */
static bool is_member(enum layout_group group, const struct layout *l, int rank)
{
	struct coordinates at = place_of(rank, l->tp, l->pcp);

	switch (group) {
	case LAYOUT_TENSOR:
		return at.pcp == 0 && at.dp == 0;
	case LAYOUT_PREFILL_CONTEXT:
		return at.tp == 0 && at.dp == 0;
	case LAYOUT_DATA:
		return at.tp == 0 && at.pcp == 0;
	case LAYOUT_EXPERT:
		return true;
	case LAYOUT_DECODE_CONTEXT:
		/* pcp off: neighbours of one tensor group; as wide as pcp: that group itself;
		 * wider: a whole dp rank. */
		if (at.dp)
			return false;
		if (l->dcp == 1)
			return rank == 0;
		if (l->pcp == 1)
			return at.tp < l->dcp;
		return l->dcp == l->pcp ? at.tp == 0 : true;
	case LAYOUT_GROUP_COUNT:
		break;
	}
	return false;
}

static struct members build(enum layout_group group, const struct layout *l)
{
	struct members m = { .count = 0 };

	for (int rank = 0; rank < l->tp * l->pcp * l->dp; rank++)
		if (is_member(group, l, rank))
			m.rank[m.count++] = rank;
	return m;
}

static void check_group(enum layout_group group, const struct layout *l, int gpus_per_node)
{
	struct members m = build(group, l);
	const struct layout_place *place = &l->groups[group];
	bool leaves = m.rank[m.count - 1] / gpus_per_node != 0;
	int in_node = 0;

	assert_int_equal(m.count, place->width);
	for (int i = 0; i < m.count; i++) {
		assert_int_equal(m.rank[i], i * place->stride);
		in_node += m.rank[i] < gpus_per_node;
	}
	if (gpus_per_node % place->stride == 0) {
		assert_int_equal(place->crosses, leaves);
		assert_true(place->per_node >= in_node);
		if (leaves)
			assert_int_equal(place->per_node, in_node);
	} else if (leaves) {
		/* A stride that does not divide the node: the next group over crosses
		 * even where rank 0's does not, so the law may only err that way. */
		assert_true(place->crosses);
	}
}

static void groups_are_what_building_them_rank_by_rank_gives(void **state)
{
	int layouts = 0;

	(void)state;
	for (int gpn = 4; gpn <= 8; gpn += 4)
		for (int tp = 1; tp <= 8; tp++)
			for (int pcp = 1; pcp <= 4; pcp++)
				for (int dp = 1; dp <= 2; dp++)
					for (int dcp = 1; dcp <= tp * pcp; dcp++) {
						struct layout l;

						if (!layout_dcp_is_legal(tp, pcp, dcp))
							continue;
						l = layout_make(&(struct layout_inputs){
							.tp = tp,
							.pp = 1,
							.dp = dp,
							.pcp = pcp,
							.dcp = dcp,
							.has_expert_parallel = true,
							.gpus_per_node = gpn,
						});
						for (int g = 0; g < LAYOUT_GROUP_COUNT; g++)
							check_group((enum layout_group)g, &l, gpn);
						layouts++;
					}
	assert_true(layouts > 300);
}

static void a_rack_of_one_domain_is_never_left(void **state)
{
	(void)state;
	assert_true(group_crosses(16, 1, 4, false, 72));
	assert_false(group_crosses(16, 1, 4, true, 72));
	assert_false(group_crosses(72, 1, 4, true, 72));
	assert_true(group_crosses(73, 1, 4, true, 72));
	assert_true(group_crosses(4, 32, 4, true, 72));
}

static struct layout make(int tp, int pcp, int dp, bool ep, bool sequence_parallel)
{
	return layout_make(&(struct layout_inputs){
		.tp = tp,
		.pp = 1,
		.dp = dp,
		.pcp = pcp,
		.has_expert_parallel = ep,
		.backend_is_sequence_parallel = sequence_parallel,
		.gpus_per_node = 8,
	});
}

static void experts_are_shared_by_all_ranks_when_they_are_shared(void **state)
{
	(void)state;
	assert_int_equal(make(4, 2, 2, true, false).ep, 16);
	assert_int_equal(make(4, 2, 2, true, false).moe_group, 16);
	assert_int_equal(make(4, 2, 2, false, false).ep, 1);
	assert_int_equal(make(4, 2, 2, false, false).moe_group, 16);
	assert_int_equal(make(4, 2, 1, false, false).moe_group, 1);
}

static void the_dispatch_runs_where_experts_lie_on_other_ranks(void **state)
{
	(void)state;
	assert_false(make(8, 1, 1, true, false).runs_dispatch);
	assert_true(make(8, 2, 1, true, false).runs_dispatch);
	assert_true(make(8, 1, 2, true, false).runs_dispatch);
	assert_true(make(8, 1, 2, false, false).runs_dispatch);
	assert_false(make(8, 2, 1, false, false).runs_dispatch);
}

static void moe_input_is_sequence_parallel_only_when_all_agree(void **state)
{
	(void)state;
	assert_true(make(8, 1, 2, true, true).is_sequence_parallel_moe);
	assert_false(make(1, 1, 2, true, true).is_sequence_parallel_moe);
	assert_false(make(8, 1, 1, true, true).is_sequence_parallel_moe);
	assert_false(make(8, 1, 2, false, true).is_sequence_parallel_moe);
	assert_false(make(8, 1, 2, true, false).is_sequence_parallel_moe);
}

static void only_experts_on_their_own_ranks_are_routed_to(void **state)
{
	struct layout_inputs in = { .tp = 8, .pp = 1, .dp = 2, .gpus_per_node = 8 };

	(void)state;
	in.backend_is_routed = true;
	assert_false(layout_make(&in).is_routed);
	in.has_expert_parallel = true;
	assert_true(layout_make(&in).is_routed);
	in.backend_is_routed = false;
	assert_false(layout_make(&in).is_routed);
}

static void conditions_read_the_layout(void **state)
{
	struct layout one = make(1, 1, 1, false, false);
	struct layout sp = make(8, 1, 2, true, true);

	(void)state;
	assert_true(layout_emits(&one, SS_CONDITION_ALWAYS));
	assert_false(layout_emits(&one, SS_CONDITION_TENSOR_PARALLEL));
	assert_false(layout_emits(&one, SS_CONDITION_EXPERT_PARALLEL));
	assert_true(layout_emits(&sp, SS_CONDITION_TENSOR_PARALLEL));
	assert_true(layout_emits(&sp, SS_CONDITION_EXPERT_PARALLEL));
	assert_false(layout_emits(&sp, SS_CONDITION_TENSOR_PARALLEL_UNLESS_SP_MOE));
	assert_false(layout_emits(&sp, SS_CONDITION_UNKNOWN));
}

static void nodes_hold_the_widest_group(void **state)
{
	(void)state;
	assert_int_equal(make(8, 1, 1, false, false).nodes_spanned, 1);
	assert_int_equal(make(8, 1, 2, true, false).nodes_spanned, 2);
	assert_int_equal(make(8, 3, 1, false, false).nodes_spanned, 3);
	assert_int_equal(make(6, 1, 2, false, false).nodes_spanned, 2);
}

static void widths_of_zero_read_as_one(void **state)
{
	struct layout l = make(2, 0, 1, false, false);

	(void)state;
	assert_int_equal(l.pcp, 1);
	assert_int_equal(l.dcp, 1);
	assert_int_equal(l.ranks, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_what_building_them_rank_by_rank_gives),
		cmocka_unit_test(a_rack_of_one_domain_is_never_left),
		cmocka_unit_test(experts_are_shared_by_all_ranks_when_they_are_shared),
		cmocka_unit_test(the_dispatch_runs_where_experts_lie_on_other_ranks),
		cmocka_unit_test(moe_input_is_sequence_parallel_only_when_all_agree),
		cmocka_unit_test(only_experts_on_their_own_ranks_are_routed_to),
		cmocka_unit_test(conditions_read_the_layout),
		cmocka_unit_test(nodes_hold_the_widest_group),
		cmocka_unit_test(widths_of_zero_read_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
