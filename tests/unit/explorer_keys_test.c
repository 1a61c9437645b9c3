/*
 * Keys at random, on screens of any size: nothing breaks, undo leads back to the
 * start and redo to the end. EXPLORER_KEYS says how many keys, EXPLORER_SEED
 * which; a failure prints the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/colon.h"
#include "app/opening_batch.h"
#include "explorer_fixture.h"

#define KEYS_USUAL 3000
#define ROWS_MAX 100
#define COLS_MAX 400

/* Each gets its share of the keys: one pool, two pools, another build of the engine. */
static const char *const scenarios[] = { "deepseek-v3-h200-fp8-tp8", "deepseek-v3-h200-pd",
					 "qwen3.6-27b-awq-v100-tp4", "llama-3.1-8b-l40s-tp1" };

/* What is typed into a prompt; `:` gets some as arguments of any command. */
static const char *const typed[] = {
	"4",
	"3",
	"",
	"abc",
	"0.95",
	"-1",
	"1e300",
	"64x8k",
	"1x2048p",
	"tp 4",
	"tp 3",
	"NONE",
	"tp 1,2,4,8",
	"batch 1..512",
	"block_size",
	"16",
	"fp8",
	"bfloat16",
	"9999999999",
	"steady",
	"verify",
	"all",
	"walk",
	"Memory",
	"in step",
	"\xc3\xa9\xe6\xbc\xa2",
	"%s%n",
	"cudagraph_mode FULL",
	"expert_parallel on",
	"host_launch_per_kernel 1.6",
	"parallel.tp=2 engine.block_size=32",
	"context 1k..64k:x2",
	"1x1,2x2,3x3,4x4",
};
#define TYPED (sizeof(typed) / sizeof(*typed))

static uint32_t seed;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % sides;
}

static long number_of(const char *name, long usual)
{
	const char *text = getenv(name);

	return text && *text ? strtol(text, NULL, 10) : usual;
}

static struct key any_key(void)
{
	uint32_t kind = dice(100);

	if (kind < 12)
		return (struct key){ .code = KEYCODE_NAMED +
					     dice(KEYCODE_END_OF_NAMED - KEYCODE_NAMED),
				     .mods = dice(8) ? 0 : MOD_SHIFT };
	if (kind < 16)
		return (struct key){ .code = 'A' + dice(26), .mods = MOD_CTRL };
	if (kind < 17)
		return (struct key){ .code = 0xa0 + dice(0x10000) };
	return (struct key){ .code = ' ' + dice(95) };
}

static void answer(struct explorer_fixture *f)
{
	const char *text = typed[dice(TYPED)];
	char line[160];

	if (!dice(4)) {
		explorer_type(f, NULL);
	} else if (f->app.prompt.kind == PROMPT_COMMAND && dice(8)) {
		snprintf(line, sizeof(line), "%s %s",
			 colon_row((enum colon_id)dice(COLON_COUNT))->name, text);
		explorer_type(f, line);
	} else {
		explorer_type(f, text);
	}
}

static void press(struct explorer_fixture *f, long keys)
{
	for (long i = 0; i < keys; i++) {
		(void)explorer_key(f, any_key());
		if (f->app.prompt.kind != PROMPT_NONE)
			answer(f);
		if (!dice(40))
			explorer_resize(f, 1 + (int)dice(ROWS_MAX), 1 + (int)dice(COLS_MAX));
		else if (!dice(60))
			explorer_resize(f, 1 + (int)dice(6), 1 + (int)dice(24));
		else if (!dice(8))
			explorer_keys(f, "");
	}
}

/* Nothing of the draft differs, and it writes the same document. */
static void assert_same(const struct draft *draft, const struct draft *kept, const char *json)
{
	char *text = ss_scenario_to_json(draft->scenario);

	assert_non_null(text);
	assert_string_equal(json, text);
	assert_true(draft_equal(draft, kept));
	free(text);
}

static void keys_at(const char *scenario, long keys)
{
	struct explorer_fixture f;
	struct draft end;
	struct app *app = &f.app;
	char *first = NULL, *last = NULL;
	size_t position = 0, pool = 0;

	explorer_open(&f, scenario, 24, 80);
	f.is_hurried = true;
	first = ss_scenario_to_json(app->draft.scenario);
	press(&f, keys);
	draft_copy(&end, &app->draft);
	last = ss_scenario_to_json(app->draft.scenario);
	position = app->history.position;
	pool = app->pool;
	while (history_undo(&app->history, &app->draft))
		;
	/* Which pool is shown is no edit, and a batch nobody edited is the pool's. */
	app->pool = 0;
	app_follow_pool(app, &app->draft);
	assert_same(&app->draft, &app->opened, first);
	while (app->history.position < position)
		assert_true(history_redo(&app->history, &app->draft));
	app->pool = pool;
	app_follow_pool(app, &app->draft);
	assert_same(&app->draft, &end, last);
	draft_release(&end);
	free(first);
	free(last);
	explorer_release(&f);
}

static void random_keys_never_break_and_undo_to_the_start(void **state)
{
	long keys = number_of("EXPLORER_KEYS", KEYS_USUAL);
	size_t count = sizeof(scenarios) / sizeof(*scenarios);

	(void)state;
	seed = (uint32_t)number_of("EXPLORER_SEED", 20260101);
	print_message("%ld keys, seed %u\n", keys, (unsigned)seed);
	for (size_t i = 0; i < count; i++)
		keys_at(scenarios[i], keys / (long)count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_keys_never_break_and_undo_to_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
