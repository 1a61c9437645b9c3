/*
 * An explorer fed with bytes: each a key, but those that begin a text for the prompt
 * or a size. Nothing crashes, the screen holds, and what is priced is a figure.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explorer_fixture.h"

/* Keys that are no letter. */
static const unsigned special[] = {
	KEYCODE_ENTER, KEYCODE_ESC,   KEYCODE_TAB,  KEYCODE_UP,  KEYCODE_DOWN,
	KEYCODE_LEFT,  KEYCODE_RIGHT, KEYCODE_HOME, KEYCODE_END, KEYCODE_BACKSPACE,
};

static void check(const struct app *app)
{
	if (!app->quote || !app->quote->has_price)
		return;
	for (int f = 0; f < SS_FIGURE_COUNT; f++) {
		double s = ss_step_figure(&app->quote->breakdown.step, (enum ss_figure)f);

		if (!isfinite(s) || s < 0)
			abort();
	}
}

static void draw(struct explorer_fixture *f)
{
	for (int i = 0; i < 5 && app_think(&f->app); i++)
		;
	screen_draw(&f->screen, &f->page, &f->app);
	screen_measured(&f->screen, &f->app);
	check(&f->app);
}

/* The loop's part: a prompt is answered, what asks for a file is not. */
static size_t answer(struct explorer_fixture *f, const uint8_t *data, size_t size)
{
	char text[200];
	size_t n = 0;

	while (n < size && n < sizeof(text) - 1 && data[n] && data[n] != '\n') {
		text[n] = (char)data[n];
		n++;
	}
	text[n] = '\0';
	app_refresh(&f->app, app_prompt_done(&f->app, text));
	return n < size ? n + 1 : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct explorer_fixture f;
	size_t at = 0;

	explorer_open(&f, "llama-3.1-8b-l40s-tp1", 24, 80);
	f.is_hurried = true;
	while (at < size && at < 100) {
		uint8_t byte = data[at++];
		struct key key = { byte, 0 };

		if (byte >= 0xf0) {
			explorer_resize(&f, 8 + (byte & 7) * 8, 40 + (byte & 15) * 10);
			continue;
		}
		if (byte >= 0x80)
			key.code = special[byte % (sizeof(special) / sizeof(special[0]))];
		else if (byte < 0x20)
			key = (struct key){ (unsigned)byte + 'a' - 1, MOD_CTRL };
		(void)explorer_key(&f, key);
		if (f.app.prompt.kind != PROMPT_NONE)
			at += answer(&f, data + at, size - at);
		draw(&f);
	}
	explorer_release(&f);
	return 0;
}
