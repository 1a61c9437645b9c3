/* A tour that reads is played through without a screen. */
#include "fuzz/fuzz.h"

#include "app/tour.h"

#include "explorer_fixture.h"

static bool no_figure(void *context, const struct app *app, const char *path, double *out)
{
	(void)context, (void)app, (void)path, (void)out;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tour_figures figures = { .find = no_figure };
	struct tour tour = { 0 };
	struct ss_problems problems = { 0 }, failures = { 0 };
	struct explorer_fixture f;

	if (size < 4000 &&
	    tour_parse(&tour, size ? (const char *)data : "", size, "fuzz", &problems) &&
	    tour.count < 50) {
		explorer_open(&f, "llama-3.1-8b-l40s-tp1", 24, 80);
		f.is_hurried = true;
		(void)tour_check(&f.app, &tour, &figures, "fuzz", &failures);
		explorer_release(&f);
	}
	tour_release(&tour);
	ss_problems_release(&problems);
	ss_problems_release(&failures);
	return 0;
}
