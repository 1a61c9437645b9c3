/*
 * Random deployments of every model of the registry: each is refused or priced, and
 * what is priced keeps the laws whatever the deployment. The generator is seeded by
 * the model's name, so a failure comes again.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"
#include "stepscope/footing.h"

/** Deployments of one model; fewer where every instruction is watched. */
enum { PER_MODEL = 10000, PER_MODEL_WATCHED = 60, PARTS = 4, RESET_EVERY = 12 };
/** One in so many gets the slow checks. */
enum { BREAKDOWN_EVERY = 16, FIXES_EVERY = 100, STATED_EVERY = 150, FOOTING_EVERY = 40 };

static uint64_t state_of_chance;

static unsigned chance(unsigned below)
{
	state_of_chance ^= state_of_chance << 13;
	state_of_chance ^= state_of_chance >> 7;
	state_of_chance ^= state_of_chance << 17;
	return (unsigned)(state_of_chance >> 33) % below;
}

static void seed(const char *name)
{
	state_of_chance = 1469598103934665603u;
	for (; *name; name++)
		state_of_chance = (state_of_chance ^ (unsigned char)*name) * 1099511628211u;
}

/** What a setting is tried at, words apart by a space; `-` leaves it out. */
/* clang-format off */
static const struct choice {
	enum ss_field_id field;
	const char *words;
} choices[] = {
	{ SS_F_TP, "1 2 4 8 8 16 3 6" },
	{ SS_F_DP, "1 1 1 2 4 8" },
	{ SS_F_PP, "1 1 1 1 1 1 2" },
	{ SS_F_PCP, "- - 1 2 4" },
	{ SS_F_DCP, "- - 1 2 4 8 3" },
	{ SS_F_EXPERT_PARALLEL, "true false" },
	{ SS_F_CLUSTER_NODES, "1 1 2 4" },
	{ SS_F_NODES, "1 1 2 4" },
	{ SS_F_QUANTIZATION, "- fp8 mxfp8 nvfp4 mxfp4 awq torchao" },
	{ SS_F_CACHE_DTYPE, "- auto fp8 fp8_e4m3 bfloat16 nvfp4 fp8_ds_mla turboquant_k8v4" },
	{ SS_F_BLOCK_SIZE, "- 16 32 64 128 256 24" },
	{ SS_F_MAX_BATCHED_TOKENS, "- 512 2048 8192 65536" },
	{ SS_F_MAX_NUM_SEQS, "- 16 256 1024 4096" },
	{ SS_F_MAX_MODEL_LEN, "- auto 2048 32768 131072" },
	{ SS_F_CUDAGRAPH_MODE, "- NONE PIECEWISE FULL FULL_DECODE_ONLY full_and_piecewise OFF" },
	{ SS_F_MAX_CAPTURE, "- 8 100 512 4096" },
	{ SS_F_CAPTURE_SIZES, "- - - 1,2,4,8 16,512,9000" },
	{ SS_F_ALL2ALL_BACKEND,
	  "- naive allgather_reducescatter deepep_high_throughput deepep_low_latency deepep_v2 moonep "
	  "pplx2" },
	{ SS_F_ALLREDUCE_BACKEND, "- custom nccl" },
	{ SS_F_ENABLE_EPLB, "- true false" },
	{ SS_F_REDUNDANT_EXPERTS, "- 0 8 16 5" },
	{ SS_F_ENABLE_PREFIX_CACHING, "- true false" },
	{ SS_F_MAMBA_CACHE_MODE, "- none align all" },
	{ SS_F_MAMBA_CACHE_DTYPE, "- auto float32 bfloat16 fp8" },
	{ SS_F_DCP_COMM_BACKEND, "- ag_rs a2a" },
	{ SS_F_DCP_Q_REPLICATE, "- - - true false" },
	{ SS_F_CP_INTERLEAVE, "- 1 16 64 48" },
	{ SS_F_KV_CONNECTOR, "- - NixlConnector MultiConnector MooncakeConnector" },
	{ SS_F_HYBRID_KV_MANAGER, "- true false" },
	{ SS_F_CHUNKED_PREFILL, "- - - true false" },
	{ SS_F_ASYNC_SCHEDULING, "- true false" },
	{ SS_F_SPEC_METHOD, "- - deepseek_mtp eagle3 ngram qwen3_5_mtp" },
	{ SS_F_SPEC_TOKENS, "- 1 2 3 7" },
	{ SS_F_GPU_MEMORY_UTILIZATION, "- 0.5 0.9 0.95" },
	{ SS_F_ENGRAM_CPU_OFFLOAD, "- true false" },
	{ SS_F_ENGRAM_DP_SHARED, "- true false" },
};
/* clang-format on */

enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static void put(struct ss_scenario *s, enum ss_field_id field, const char *text)
{
	assert_int_equal(
		ss_value_parse(ss_scenario_value_mut(s, 0, field), ss_field(field), text, NULL),
		SS_OK);
}

static void put_random(struct ss_scenario *s, const struct choice *c)
{
	const char *word = c->words;
	char text[64];
	size_t count = 1, length;
	unsigned n;

	for (const char *p = c->words; *p; p++)
		count += *p == ' ';
	for (n = chance((unsigned)count); n; n--)
		word = strchr(word, ' ') + 1;
	length = strcspn(word, " ");
	memcpy(text, word, length);
	text[length] = '\0';
	put(s, c->field, strcmp(text, "-") == 0 ? "" : text);
}

static void reset(struct ss_scenario *s)
{
	for (size_t i = 0; i < CHOICES; i++)
		put(s, choices[i].field, "");
	put(s, SS_F_TP, "8");
	put(s, SS_F_DP, "1");
	put(s, SS_F_PP, "1");
	put(s, SS_F_NODES, "1");
	put(s, SS_F_CLUSTER_NODES, "1");
}

/* -- what must hold ---------------------------------------------------------------------------- */

struct trial {
	struct kernel_fixture f;
	struct ss_breakdown breakdown;
	const char *model;
	size_t priced, refused, offered;
};

static void describe(const struct trial *t)
{
	char *json = ss_scenario_to_json(t->f.scenario);

	print_error("%s: %s\n", t->model, json ? json : "");
	free(json);
}

#define HOLDS(t, condition)                                       \
	do {                                                      \
		if (!(condition)) {                               \
			describe(t);                              \
			fail_msg("%s does not hold", #condition); \
		}                                                 \
	} while (0)

static bool is_at_least(double more, double less)
{
	return more >= less * (1 - 1e-9);
}

static void check_step(const struct trial *t, const struct ss_step *s)
{
	double sum = 0;

	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		HOLDS(t, isfinite(s->resource_s[r]) && s->resource_s[r] >= 0);
		sum += s->resource_s[r];
	}
	HOLDS(t, s->overlap_s > 0 && isfinite(s->no_overlap_s));
	HOLDS(t, is_at_least(s->serial_s, s->overlap_s));
	HOLDS(t, is_at_least(s->no_overlap_s, s->serial_s));
	HOLDS(t, fabs(sum - s->no_overlap_s) <= 1e-9);
}

static void check_memory(const struct trial *t, const struct ss_kernel *k)
{
	const struct ss_memory *m = ss_kernel_memory(k);
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(k);

	HOLDS(t, m->total_bytes > 0 && m->weights_bytes > 0 && m->activation_bytes > 0);
	HOLDS(t, isfinite(m->kv_bytes_per_token) && m->kv_bytes_per_token >= 0);
	HOLDS(t, ss_kernel_sequence_bytes(k, 1) > 0 && ss_kernel_sequence_bytes(k, 0) == 0);
	HOLDS(t, ss_kernel_sequence_bytes(k, 5000) >= ss_kernel_sequence_bytes(k, 1000));
	HOLDS(t, pool->blocks >= 0 && pool->block_bytes > 0 && pool->reported_tokens >= 0);
	HOLDS(t, isfinite(pool->max_concurrency) && pool->max_concurrency >= 0);
}

/** A few decodes and perhaps a prefill; every prefill has a prefix. */
static void random_batch(struct ss_group out[2])
{
	int64_t chunk = 16 << chance(8), length = 64 << chance(11);

	out[0] = (struct ss_group){ 1 << chance(9), 1, 1 + chance(1 << (4 + chance(13))), 0 };
	out[1] = (struct ss_group){ chance(3) ? 0 : 1 + chance(3), chunk, length, chunk + length };
}

/** More context or requests are never cheaper. */
static void check_more(const struct trial *t, const struct ss_group before[2],
		       const struct ss_group after[2], const struct ss_step *less,
		       const struct ss_step *more)
{
	char text[2][128];

	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_KERNELS; i++) {
		double a = ss_step_figure(less, (enum ss_figure)i);
		double b = ss_step_figure(more, (enum ss_figure)i);

		if (is_at_least(b, a))
			continue;
		(void)ss_batch_format(text[0], sizeof(text[0]), before, 2);
		(void)ss_batch_format(text[1], sizeof(text[1]), after, 2);
		print_error("%s: %s takes %.9g s (%s), %s takes %.9g s (%s)\n",
			    ss_figure_name((enum ss_figure)i), text[0], a,
			    ss_graph_name(less->graph), text[1], b, ss_graph_name(more->graph));
		HOLDS(t, b >= a);
	}
}

static void check_price(struct trial *t, const struct ss_kernel *k)
{
	struct ss_group groups[2], longer[2], wider[2];
	struct ss_batch batch = { .groups = groups, .group_count = 2 };
	struct ss_step step, more;

	random_batch(groups);
	ss_kernel_step(k, &batch, &step);
	check_step(t, &step);
	memcpy(longer, groups, sizeof(longer));
	longer[chance(2)].computed += 1 + chance(5000);
	batch.groups = longer;
	ss_kernel_step(k, &batch, &more);
	check_more(t, groups, longer, &step, &more);
	/* beside a prefill, more decodes raise the ramp that its attention runs on: not tried */
	memcpy(wider, groups, sizeof(wider));
	wider[groups[1].count > 0].count += 1 + chance(100);
	batch.groups = wider;
	ss_kernel_step(k, &batch, &more);
	check_more(t, groups, wider, &step, &more);
}

static void check_breakdown(struct trial *t, const struct ss_kernel *k)
{
	struct ss_group groups[2];
	struct ss_batch batch = { .groups = groups, .group_count = 2 };
	struct ss_step step;

	random_batch(groups);
	ss_kernel_step(k, &batch, &step);
	assert_int_equal(ss_kernel_breakdown(k, &batch, SS_FIGURE_SERIAL, &t->breakdown), SS_OK);
	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_KERNELS; i++) {
		double sum = 0, hidden = 0;

		for (size_t n = 0; n < t->breakdown.term_count; n++) {
			sum += ss_term_figure(&t->breakdown.terms[n], (enum ss_figure)i);
			hidden += t->breakdown.terms[n].hidden_s[i];
		}
		HOLDS(t, fabs(sum - ss_step_figure(&step, (enum ss_figure)i)) <= 1e-9);
		HOLDS(t, i != SS_FIGURE_NO_OVERLAP || fabs(hidden) < 1e-12);
	}
}

/** What it rests on: shares are a whole, and the band holds the figure it is of. */
static void check_footing(struct trial *t)
{
	struct kernel_fixture *f = &t->f;
	struct ss_group groups[2];
	struct ss_batch batch = { .groups = groups, .group_count = 2 };
	struct ss_kernel *k = NULL;
	struct ss_breakdown b = { 0 };
	struct ss_spread spread;

	random_batch(groups);
	ss_spread_default(&spread);
	HOLDS(t, ss_kernel_new(&k, f->basis, f->scenario, 0, f->corrections, NULL) == SS_OK);
	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_COUNT; i++) {
		enum ss_figure figure = (enum ss_figure)i;
		double figure_s = 0, sum = 0, band_s[2];
		struct ss_share share;

		HOLDS(t, ss_kernel_breakdown(k, &batch, figure, &b) == SS_OK);
		figure_s = ss_step_figure(&b.step, figure);
		if (!(figure_s > 0))
			continue;
		ss_kernel_price_share(k, &b, figure, &share);
		for (int m = 0; m < SS_METHOD_COUNT; m++)
			sum += share.by_method[m];
		HOLDS(t, fabs(sum - 1) < 1e-9);
		HOLDS(t, ss_kernel_band(k, &batch, figure, &spread, band_s) == SS_OK);
		HOLDS(t, band_s[0] <= figure_s && figure_s <= band_s[1]);
	}
	ss_breakdown_release(&b);
	ss_kernel_free(k);
}

/** Every way out that is offered prices when it is taken. */
static void check_fixes(struct trial *t)
{
	struct kernel_fixture *f = &t->f;
	struct ss_problems problems = { 0 };
	struct ss_kernel *k = NULL;

	assert_int_equal(ss_kernel_new(&k, f->basis, f->scenario, 0, f->corrections, &problems),
			 SS_EREFUSED);
	HOLDS(t, ss_problems_count(&problems, SS_REFUSAL) > 0);
	for (size_t i = 0; i < problems.count; i++)
		for (size_t n = 0; n < problems.items[i].fix_count; n++) {
			struct ss_scenario *fixed = NULL;

			assert_int_equal(ss_scenario_clone(&fixed, f->scenario), SS_OK);
			assert_int_equal(
				ss_scenario_take_fix(fixed, 0, &problems.items[i].fixes[n], NULL),
				SS_OK);
			HOLDS(t, ss_kernel_renew(&k, f->basis, fixed, 0, f->corrections, NULL) ==
					 SS_OK);
			HOLDS(t, ss_kernel_has_price(k));
			ss_scenario_free(fixed);
			t->offered++;
		}
	ss_kernel_free(k);
	ss_problems_release(&problems);
}

/** The pool field an entry or an override is named for; SS_FIELD_COUNT for none. */
static enum ss_field_id field_of(const char *name)
{
	char path[128];
	enum ss_field_id field;

	(void)snprintf(path, sizeof(path), "engine.%s", name);
	field = ss_field_find(path, NULL);
	return field != SS_FIELD_COUNT && !strcmp(ss_field(field)->path, path) ? field
									       : SS_FIELD_COUNT;
}

static bool is_recorded(const struct ss_kernel *k, const struct ss_entry *entry)
{
	for (size_t i = 0; i < ss_kernel_entry_count(k); i++) {
		const struct ss_entry *e = ss_kernel_entry(k, i);

		if (e->is_own && !strcmp(e->name, entry->name) &&
		    !strcmp(e->value_text, entry->value_text))
			return true;
	}
	return false;
}

/** Stating what was assumed and what runs changes nothing but the entries that go. */
static void check_stated(struct trial *t)
{
	struct kernel_fixture *f = &t->f;
	struct ss_scenario *said = NULL;
	struct ss_kernel *before = NULL, *after = NULL;
	struct ss_group groups[2];
	struct ss_batch batch = { .groups = groups, .group_count = 2 };
	struct ss_step a, b;
	const struct ss_memory *m, *n;
	enum ss_field_id stated[64];
	size_t count = 0;

	assert_int_equal(ss_kernel_new(&before, f->basis, f->scenario, 0, f->corrections, NULL),
			 SS_OK);
	assert_int_equal(ss_scenario_clone(&said, f->scenario), SS_OK);
	for (size_t i = 0; i < ss_kernel_entry_count(before); i++) {
		const struct ss_entry *e = ss_kernel_entry(before, i);
		enum ss_field_id field =
			e->is_own && !e->is_absent ? field_of(e->name) : SS_FIELD_COUNT;

		/* what no value can be stated for is left unstated */
		if (field == SS_FIELD_COUNT || !strcmp(e->value_text, "unbounded") ||
		    !strcmp(e->value_text, "0"))
			continue;
		/* the engine's own budget may lie below the requests asked for; said, it may not */
		if (field == SS_F_MAX_BATCHED_TOKENS &&
		    strtoll(e->value_text, NULL, 10) <
			    ss_scenario_value(said, 0, SS_F_MAX_NUM_SEQS)->integer)
			continue;
		/* an auto length is found after whole prompts were held against the budget */
		if (field == SS_F_MAX_MODEL_LEN &&
		    ss_scenario_value(said, 0, SS_F_CHUNKED_PREFILL)->is_stated)
			continue;
		/* sizes made for drafts are not those of a maximum: graphs would take other bytes */
		if (field == SS_F_MAX_CAPTURE &&
		    ss_scenario_value(said, 0, SS_F_SPEC_METHOD)->is_stated)
			continue;
		put(said, field, e->value_text);
		stated[count++] = field;
	}
	for (size_t i = 0; i < ss_kernel_override_count(before); i++) {
		const struct ss_override *override = ss_kernel_override(before, i);
		enum ss_field_id field = field_of(override->field);

		/* a backend that does not run has no value of its own */
		if (field == SS_FIELD_COUNT || field == SS_F_ALL2ALL_BACKEND ||
		    !*override->resolved || !strcmp(override->resolved, "0"))
			continue;
		if (field == SS_F_MAX_CAPTURE &&
		    ss_scenario_value(said, 0, SS_F_SPEC_METHOD)->is_stated)
			continue;
		/* an interleave is held against the block asked for, not the one aligned later */
		if (field == SS_F_BLOCK_SIZE &&
		    ss_scenario_value(said, 0, SS_F_CP_INTERLEAVE)->is_stated)
			continue;
		/* rounded for drafts, the sizes no longer end at the maximum stated */
		if (field == SS_F_CAPTURE_SIZES)
			put(said, SS_F_MAX_CAPTURE, "");
		put(said, field, override->resolved);
	}
	HOLDS(t, ss_kernel_new(&after, f->basis, said, 0, f->corrections, NULL) == SS_OK);
	for (int i = 0; i < 4; i++) {
		random_batch(groups);
		ss_kernel_step(before, &batch, &a);
		ss_kernel_step(after, &batch, &b);
		HOLDS(t, memcmp(&a, &b, sizeof(a)) == 0);
	}
	m = ss_kernel_memory(before);
	n = ss_kernel_memory(after);
	HOLDS(t, m->total_bytes == n->total_bytes && m->budget_bytes == n->budget_bytes);
	HOLDS(t, ss_kernel_kv_pool(before)->reported_tokens ==
			 ss_kernel_kv_pool(after)->reported_tokens);
	for (size_t i = 0; i < ss_kernel_entry_count(before); i++) {
		const struct ss_entry *e = ss_kernel_entry(before, i);
		enum ss_field_id field = e->is_own ? field_of(e->name) : SS_FIELD_COUNT;
		bool is_stated = false;

		for (size_t c = 0; c < count; c++)
			is_stated |= field != SS_FIELD_COUNT && stated[c] == field;
		/* the largest workspace stands in for a length that is now stated */
		if (!e->is_own || !strcmp(e->name, "mla_context_chunk"))
			continue;
		if (is_recorded(after, e) == is_stated) {
			print_error("entry %s: %s\n", e->name, e->value_text);
			HOLDS(t, is_recorded(after, e) != is_stated);
		}
	}
	ss_scenario_free(said);
	ss_kernel_free(before);
	ss_kernel_free(after);
}

static void check_one(struct trial *t, size_t n)
{
	struct kernel_fixture *f = &t->f;
	enum ss_status rc =
		ss_kernel_renew(&f->kernel, f->basis, f->scenario, 0, f->corrections, NULL);

	HOLDS(t, rc == SS_OK || rc == SS_EREFUSED);
	if (rc == SS_EREFUSED) {
		t->refused++;
		if (n % FIXES_EVERY == 0)
			check_fixes(t);
		return;
	}
	check_memory(t, f->kernel);
	if (!ss_kernel_has_price(f->kernel))
		return;
	t->priced++;
	check_price(t, f->kernel);
	if (n % BREAKDOWN_EVERY == 0)
		check_breakdown(t, f->kernel);
	if (n % FOOTING_EVERY == 0)
		check_footing(t);
	if (n % STATED_EVERY == 0)
		check_stated(t);
}

static size_t how_many(void)
{
	const char *asked = getenv("DEPLOYMENTS"), *watched = getenv("INSTRUMENTED");
	long n = asked ? strtol(asked, NULL, 10) : 0;

	if (n > 0)
		return (size_t)n;
	return watched && !strcmp(watched, "yes") ? PER_MODEL_WATCHED : PER_MODEL;
}

static void walk(const char *model, const char *part, size_t count, struct trial *t)
{
	fixture_make(
		&t->f, model, part,
		&(struct fixture_cluster){ .nodes = 1, .gpus_per_node = 8, .inter_node_gb_s = 50 },
		strncmp(part, "v100", 4) == 0 ? "engine_version=sm70" : "");
	for (size_t i = 0; i < count; i++) {
		if (i % RESET_EVERY == 0)
			reset(t->f.scenario);
		for (unsigned n = 1 + chance(2); n; n--)
			put_random(t->f.scenario, &choices[chance(CHOICES)]);
		check_one(t, i + 1);
	}
	fixture_release(&t->f);
}

static void every_deployment_is_refused_or_priced(void **state)
{
	const char *const roots[] = { TEST_SRCDIR "/registry" };
	struct ss_registry *registry = NULL;
	char **models = NULL, **parts = NULL;
	size_t model_count, part_count;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_MODEL, &models, &model_count),
			 SS_OK);
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_HARDWARE, &parts, &part_count),
			 SS_OK);
	assert_true(model_count > 30 && part_count > 8);
	for (size_t m = 0; m < model_count; m++) {
		struct trial t = { .model = models[m] };

		seed(models[m]);
		for (size_t p = 0; p < PARTS; p++)
			walk(models[m], parts[(m + p * 3 + chance(2)) % part_count],
			     how_many() / PARTS + 1, &t);
		ss_breakdown_release(&t.breakdown);
		/* a walk that only ever meets refusals would prove nothing; a short one may */
		if (how_many() == PER_MODEL)
			assert_true(t.priced > PER_MODEL / 100 && t.offered > PER_MODEL / 500);
	}
	ss_names_free(models, model_count);
	ss_names_free(parts, part_count);
	ss_registry_free(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_deployment_is_refused_or_priced),
	};

	return cmocka_run_group_tests_name("deployments", tests, NULL, NULL);
}
