/* The KV pool of whole deployments: the engine's own integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "kernel_fixture.h"
#include "resolve/kv_pool.h"

static const struct ss_kv_pool *pool_of(const struct kernel_fixture *f)
{
	assert_non_null(f->kernel);
	return ss_kernel_kv_pool(f->kernel);
}

static const struct ss_entry *own_entry(const struct kernel_fixture *f, const char *name)
{
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);

		if (e->is_own && strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

static const struct ss_override *override_of(const struct kernel_fixture *f, const char *field)
{
	for (size_t i = 0; i < ss_kernel_override_count(f->kernel); i++)
		if (!strcmp(ss_kernel_override(f->kernel, i)->field, field))
			return ss_kernel_override(f->kernel, i);
	return NULL;
}

/*
 * Logged by the engine: 16 full-attention layers (1 KV head a rank, 256 wide, 16 bits)
 * and 48 gated-delta layers on 4 ranks make blocks of 784 tokens; 447 of them at 8,192
 * tokens and `align` print 215,401 tokens and 26.29x.
 */
static void a_hybrid_prints_what_the_engine_logged(void **state)
{
	struct kernel_fixture f;
	const struct ss_kv_pool *p;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h100", FIXTURE_NODE,
		     "tp=4 max_model_len=8192 num_gpu_blocks_override=447");
	p = pool_of(&f);
	assert_true(p->is_grouped);
	assert_int_equal(p->block_size, 784);
	assert_int_equal(p->page_bytes, 802816);
	assert_int_equal(p->block_bytes, 12845056);
	assert_int_equal(p->groups, 4);
	assert_int_equal(p->blocks_per_request, 17);
	assert_int_equal(p->reported_tokens, 215401);
	assert_true(p->max_concurrency > 26.285 && p->max_concurrency < 26.295);
	fixture_release(&f);
}

/*
 * gpt-oss-120b: 18 full layers and 18 of a window of 128, each of 8 KV heads x 64 x 2 at 16
 * bits: 2,048 bytes. The window keeps 127 + 8,192 tokens in blocks of 16, and one more.
 */
static void a_window_is_a_fixed_part_and_full_layers_grow(void **state)
{
	struct kernel_fixture f;
	const struct ss_kv_pool *p;

	(void)state;
	fixture_make(&f, "gpt-oss-120b", "h100", FIXTURE_NODE,
		     "tp=1 max_num_batched_tokens=8192 block_size=16");
	p = pool_of(&f);
	assert_close(ss_kernel_memory(f.kernel)->kv_bytes_per_token, 73728, 0);
	assert_close(p->marginal_bytes_per_token, 36864, 0);
	assert_int_equal(p->fixed_bytes_per_request, 521 * 16 * 18 * 2048);
	/* without the hybrid manager a window is kept whole */
	fixture_set(&f, "hybrid_kv_cache_manager=false");
	p = pool_of(&f);
	assert_close(p->marginal_bytes_per_token, 73728, 0);
	assert_int_equal(p->fixed_bytes_per_request, 0);
	fixture_release(&f);
}

/* The hybrid above: 16 layers of 1,024 bytes grow; 3 groups of states hold 2 blocks each. */
static void states_are_a_fixed_part_unless_all_are_kept(void **state)
{
	struct kernel_fixture f;
	const struct ss_kv_pool *p;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h100", FIXTURE_NODE, "tp=4 max_model_len=8192");
	p = pool_of(&f);
	assert_close(p->marginal_bytes_per_token, 16384, 0);
	assert_int_equal(p->fixed_bytes_per_request, 6 * 12845056);
	fixture_set(&f, "mamba_cache_mode=all");
	p = pool_of(&f);
	assert_close(p->marginal_bytes_per_token,
		     4.0 * (double)p->block_bytes / (double)p->block_size, 0);
	assert_int_equal(p->fixed_bytes_per_request, 0);
	fixture_release(&f);
}

/* State 48 x 128 x 128 x 4 / 4 and convolution 10,240 x 3 x 2 / 4: 801,792 bytes raw. */
static void the_state_is_raw_beside_its_padded_page(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h100", FIXTURE_NODE, "tp=4");
	assert_int_equal(pool_of(&f)->state_page_bytes, 801792);
	assert_int_equal(ss_kernel_memory(f.kernel)->sequence_fixed_bytes, 2LL * 48 * 801792);
	fixture_set(&f, "mamba_cache_mode=all");
	assert_int_equal(ss_kernel_memory(f.kernel)->sequence_fixed_bytes, 0);
	/* 1,000 tokens: 63 blocks of 16, and a state for each */
	assert_int_equal(ss_kernel_sequence_bytes(f.kernel, 1000),
			 63LL * 16 * 16384 + 63LL * 48 * 801792);
	fixture_release(&f);
}

static void an_unstated_block_is_assumed_and_a_smaller_one_overridden(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h100", FIXTURE_NODE, "tp=4");
	assert_non_null(own_entry(&f, "block_size"));
	assert_string_equal(own_entry(&f, "block_size")->value_text, "784");
	assert_null(override_of(&f, "block_size"));
	fixture_set(&f, "block_size=16");
	assert_null(own_entry(&f, "block_size"));
	assert_non_null(override_of(&f, "block_size"));
	assert_string_equal(override_of(&f, "block_size")->requested, "16");
	assert_string_equal(override_of(&f, "block_size")->resolved, "784");
	fixture_set(&f, "block_size=1024");
	assert_null(override_of(&f, "block_size"));
	assert_int_equal(pool_of(&f)->block_size, 1024);
	/* 64 does not divide 784: with a state per block, the next multiple of both */
	fixture_set(&f, "block_size= mamba_cache_mode=all");
	assert_int_equal(pool_of(&f)->block_size, 832);
	fixture_release(&f);
}

/* Latent pages of 576 x 2 bytes: steps of 32 tokens where FlashInfer serves them. */
static void a_latent_hybrid_aligns_to_its_backend(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "kimi-k3-gb200-mxfp4-tp16", "");
	/* 96 x 128 x 128 x 4 / 16 + 3 x 96 x 128 x 3 x 2 / 16 = 407,040 bytes */
	assert_int_equal(pool_of(&f)->state_page_bytes, 407040);
	assert_int_equal(pool_of(&f)->block_size, 384);
	assert_string_equal(latent_backend(f.kernel), "FLASHINFER_MLA");
	fixture_release(&f);
}

/* 18 window layers see 127 + 8,192 tokens in a step, 520 blocks of 16 and one more. */
static void windows_take_what_a_step_can_see(void **state)
{
	struct kernel_fixture f;
	int64_t with;

	(void)state;
	fixture_open(&f, "gpt-oss-120b-h100-mxfp4-tp4", "");
	assert_int_equal(pool_of(&f)->groups, 2);
	assert_int_equal(pool_of(&f)->block_bytes, 18LL * 16 * 2 * 2 * 64 * 2);
	assert_int_equal(pool_of(&f)->blocks_per_request, 32768 / 16 + 521);
	with = pool_of(&f)->reported_tokens;
	assert_true(pool_tokens_without_manager(f.kernel) < with);
	fixture_set(&f, "hybrid_kv_cache_manager=false");
	assert_int_equal(pool_of(&f)->groups, 1);
	assert_int_equal(pool_of(&f)->block_bytes, 36LL * 16 * 2 * 2 * 64 * 2);
	assert_int_equal(pool_of(&f)->blocks_per_request, 32768 / 16);
	fixture_release(&f);
}

/* A short request takes its own length and one block; a window of one block likewise. */
static void a_window_alone_is_one_group(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "small-near", "h100", FIXTURE_NODE,
		     "max_num_batched_tokens=64 max_num_seqs=8 max_model_len=4096");
	assert_int_equal(pool_of(&f)->groups, 1);
	assert_int_equal(pool_of(&f)->blocks_per_request, 12 + 1);
	assert_int_equal(ss_kernel_request_blocks(f.kernel, 1), 2);
	assert_int_equal(ss_kernel_request_blocks(f.kernel, 16), 2);
	assert_int_equal(ss_kernel_request_blocks(f.kernel, 17), 3);
	assert_int_equal(ss_kernel_request_blocks(f.kernel, 0), 0);
	fixture_release(&f);
}

/* Keys of the indexer are 132 bytes a layer beside 656 of the packed cache. */
static void full_caches_share_a_group_whatever_their_widths(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "glm-5-h200-fp8-tp8", "");
	assert_true(pool_of(&f)->is_grouped);
	assert_int_equal(pool_of(&f)->groups, 1);
	assert_int_equal(pool_of(&f)->block_bytes, 64LL * 78 * (656 + 132));
	assert_close(ss_kernel_memory(f.kernel)->scorer_bytes_per_token, 78 * 132, 0);
	fixture_release(&f);
}

static void context_parallel_ranks_share_a_sequence(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "dcp=4");
	assert_int_equal(pool_of(&f)->blocks_per_request, 32768 / 4 / 64);
	assert_int_equal(ss_kernel_request_blocks(f.kernel, 257), 2);
	/* 4,097 tokens: 1,025 on a rank, 17 blocks of 64 */
	assert_int_equal(ss_kernel_sequence_bytes(f.kernel, 4097), 17LL * 64 * 35136);
	fixture_release(&f);
	/* prefill ranks share the pool too, though a sequence's bytes are told whole */
	fixture_make(&f, "kimi-k2.5", "h200",
		     &(struct fixture_cluster){ 2, 8, .inter_node_gb_s = 50 },
		     "tp=8 pcp=2 block_size=64 max_model_len=32768");
	assert_int_equal(pool_of(&f)->blocks_per_request, 32768 / 2 / 64);
	assert_int_equal(ss_kernel_sequence_bytes(f.kernel, 4096), 4096LL * 61 * 576 * 2);
	fixture_release(&f);
}

static void stated_caches_win_and_say_which_record_is_missing(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "small-caches", "h100", FIXTURE_NODE, "max_model_len=4096");
	assert_close(ss_kernel_memory(f.kernel)->kv_bytes_per_token, 4 * 1024, 0);
	assert_int_equal(pool_of(&f)->groups, 2);
	assert_null(own_entry(&f, "cache_record"));
	assert_null(own_entry(&f, "kv_cache_grouping"));
	/* at fp8 one cache has a record, the other falls back: widths now differ */
	fixture_set(&f, "cache_dtype=fp8");
	assert_close(ss_kernel_memory(f.kernel)->kv_bytes_per_token, 2 * 512 + 2 * 1024, 0);
	assert_non_null(own_entry(&f, "cache_record"));
	assert_non_null(own_entry(&f, "kv_cache_grouping"));
	fixture_release(&f);
}

/* A block of the full caches is the unit: 2 layers x 16 tokens x 2 x 4 x 128 x 2 bytes. */
static void what_cannot_be_grouped_keeps_pages_of_its_own(void **state)
{
	struct kernel_fixture f;
	int64_t near, far;

	(void)state;
	fixture_make(&f, "small-unlike", "h100", FIXTURE_NODE,
		     "max_model_len=4096 max_num_batched_tokens=2048 max_num_seqs=64");
	assert_false(pool_of(&f)->is_grouped);
	assert_non_null(own_entry(&f, "kv_cache_grouping"));
	assert_int_equal(pool_of(&f)->block_bytes, 2LL * 16 * 2 * 4 * 128 * 2);
	far = 4096LL / 16 * pool_of(&f)->block_bytes;
	near = (136LL + 1) * 2 * 16 * 2 * 8 * 128 * 2;
	assert_int_equal(pool_of(&f)->blocks_per_request,
			 (far + near + pool_of(&f)->block_bytes - 1) / pool_of(&f)->block_bytes);
	fixture_release(&f);
}

static void compressed_caches_are_said_not_to_be_modelled(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v4-pro-b200-fp8-tp8", "");
	assert_false(pool_of(&f)->is_grouped);
	assert_non_null(strstr(own_entry(&f, "kv_cache_grouping")->scope, "compressed"));
	/* 61 layers of 512 bytes, 30 of them with keys of 132 */
	assert_int_equal(pool_of(&f)->block_bytes, 256LL * (61 * 512 + 30 * 132));
	fixture_release(&f);
}

/* 20 caches of 256, 257, ... 275 bytes: nothing is lost when they are not told apart. */
static void many_kinds_of_cache_are_all_counted(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "small-many", "h100", FIXTURE_NODE, "max_model_len=4096");
	assert_non_null(own_entry(&f, "kv_cache_grouping"));
	assert_int_equal(pool_of(&f)->block_bytes, 16LL * (20 * 256 + 190));
	assert_int_equal(pool_of(&f)->blocks_per_request, 4096 / 16);
	fixture_release(&f);
}

static void a_connector_keeps_the_manager_on_and_says_so(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "gpt-oss-120b-h100-mxfp4-tp4", "kv_connector=LMCacheConnectorV1");
	assert_non_null(own_entry(&f, "hybrid_kv_cache_manager"));
	fixture_set(&f, "hybrid_kv_cache_manager=true");
	assert_null(own_entry(&f, "hybrid_kv_cache_manager"));
	fixture_set(&f, "hybrid_kv_cache_manager= kv_connector=");
	assert_null(own_entry(&f, "hybrid_kv_cache_manager"));
	fixture_release(&f);
}

static void a_graph_without_a_window_is_bounded_by_the_pool(void **state)
{
	struct kernel_fixture f;
	int64_t longest;

	(void)state;
	fixture_open(&f, "kimi-k3-gb200-mxfp4-tp16", "max_model_len=");
	assert_int_equal(ss_kernel_resolution(f.kernel)->max_model_len, 0);
	assert_int_equal(pool_of(&f)->blocks_per_request, 0);
	longest = pool_of(&f)->reported_tokens;
	assert_int_equal(ss_kernel_requests_that_fit(f.kernel, longest), 1);
	assert_int_equal(ss_kernel_requests_that_fit(f.kernel, longest + 1), 0);
	fixture_release(&f);
}

static void a_batch_needs_whole_blocks_of_every_request(void **state)
{
	const struct ss_group groups[] = { { 3, 1, 100, 0 }, { 5, 0, 100, 0 }, { 0, 9, 0, 0 } };
	const struct ss_batch batch = { .groups = groups, .group_count = 3 };
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE, "");
	assert_int_equal(ss_kernel_batch_bytes(f.kernel, &batch), 3LL * 7 * 16 * 131072);
	fixture_release(&f);
}

/* -- laws over every scenario shipped ------------------------------------------------------ */

static void for_each_scenario(void (*check)(struct kernel_fixture *f))
{
	const char *const roots[] = { TEST_SRCDIR };
	struct ss_registry *registry = NULL;
	char **names = NULL;
	size_t count = 0;

	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_SCENARIO, &names, &count), SS_OK);
	assert_true(count >= 20);
	for (size_t i = 0; i < count; i++) {
		struct kernel_fixture f;

		print_message("%s\n", names[i]);
		fixture_open(&f, names[i], "");
		assert_non_null(f.kernel);
		check(&f);
		fixture_release(&f);
	}
	ss_names_free(names, count);
	ss_registry_free(registry);
}

static void check_explained(struct kernel_fixture *f)
{
	const struct ss_kv_pool *p = pool_of(f);
	const struct ss_memory *m = ss_kernel_memory(f->kernel);

	assert_int_equal(p->is_grouped, own_entry(f, "kv_cache_grouping") == NULL);
	if (!p->is_grouped)
		assert_true(strlen(own_entry(f, "kv_cache_grouping")->scope) > 40);
	assert_true(p->block_bytes > 0 && p->page_bytes > 0 && p->groups > 0);
	assert_int_equal(p->blocks, m->budget_bytes / p->block_bytes);
	assert_true(p->blocks_per_request > 0);
	assert_close(p->max_concurrency, (double)p->blocks / (double)p->blocks_per_request, 1e-12);
	/* pages hold at least the raw state, and no more than a unit of padding */
	assert_true(p->state_page_bytes <= p->page_bytes || p->groups == 1);
}

static void every_shipped_pool_is_explained(void **state)
{
	(void)state;
	for_each_scenario(check_explained);
}

static void check_lengths(struct kernel_fixture *f)
{
	static const char *const lengths[] = { "max_model_len=64",    "max_model_len=1000",
					       "max_model_len=1024",  "max_model_len=4097",
					       "max_model_len=16000", "max_model_len=32768" };
	double last = INFINITY;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fixture_set(f, lengths[i]);
		assert_true(pool_of(f)->max_concurrency <= last);
		last = pool_of(f)->max_concurrency;
	}
}

static void a_longer_request_never_raises_concurrency(void **state)
{
	(void)state;
	for_each_scenario(check_lengths);
}

static void check_counts(struct kernel_fixture *f)
{
	for (int64_t tokens = 1; tokens < 200000; tokens = tokens * 3 + 1) {
		int64_t fit = ss_kernel_requests_that_fit(f->kernel, tokens);
		int64_t each = ss_kernel_request_blocks(f->kernel, tokens);
		int64_t blocks = pool_of(f)->blocks;

		assert_true(fit * each <= blocks && (fit + 1) * each > blocks);
	}
}

static void what_fits_fits_and_one_more_does_not(void **state)
{
	(void)state;
	for_each_scenario(check_counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hybrid_prints_what_the_engine_logged),
		cmocka_unit_test(a_window_is_a_fixed_part_and_full_layers_grow),
		cmocka_unit_test(states_are_a_fixed_part_unless_all_are_kept),
		cmocka_unit_test(the_state_is_raw_beside_its_padded_page),
		cmocka_unit_test(an_unstated_block_is_assumed_and_a_smaller_one_overridden),
		cmocka_unit_test(a_latent_hybrid_aligns_to_its_backend),
		cmocka_unit_test(windows_take_what_a_step_can_see),
		cmocka_unit_test(a_window_alone_is_one_group),
		cmocka_unit_test(full_caches_share_a_group_whatever_their_widths),
		cmocka_unit_test(context_parallel_ranks_share_a_sequence),
		cmocka_unit_test(stated_caches_win_and_say_which_record_is_missing),
		cmocka_unit_test(what_cannot_be_grouped_keeps_pages_of_its_own),
		cmocka_unit_test(compressed_caches_are_said_not_to_be_modelled),
		cmocka_unit_test(many_kinds_of_cache_are_all_counted),
		cmocka_unit_test(a_connector_keeps_the_manager_on_and_says_so),
		cmocka_unit_test(a_graph_without_a_window_is_bounded_by_the_pool),
		cmocka_unit_test(a_batch_needs_whole_blocks_of_every_request),
		cmocka_unit_test(every_shipped_pool_is_explained),
		cmocka_unit_test(a_longer_request_never_raises_concurrency),
		cmocka_unit_test(what_fits_fits_and_one_more_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
