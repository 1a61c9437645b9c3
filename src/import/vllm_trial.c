/* `# set what_if.NAME=VALUE` and `# set corrections.NAME=true`, as export_vllm.h writes them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/vllm_take.h"
#include "stepscope/kernel.h"

static void take_what_if(struct vllm_taker *t, const char *name, const char *value, size_t line)
{
	char *end = NULL;
	double number;

	errno = 0;
	number = strtod(value, &end);
	if (errno || end == value || *end || !isfinite(number) || number <= 0)
		taker_problem(t, line, "range", "what_if.%.80s takes a number above 0, got '%.40s'",
			      name, value);
	else if (ss_scenario_set_what_if(t->scenario, name, &number))
		t->is_out_of_memory = true;
}

static void take_correction(struct vllm_taker *t, const char *name, const char *value, size_t line)
{
	unsigned bit = 0, set = ss_scenario_corrections(t->scenario);
	struct ss_error err = { 0 };
	bool is_on = !strcmp(value, "true");

	if (ss_corrections_parse(&bit, name, &err)) {
		taker_problem(t, line, "unknown-key", "corrections.%s", err.message);
		return;
	}
	if (!is_on && strcmp(value, "false") != 0) {
		taker_problem(t, line, "range",
			      "corrections.%.80s takes true or false, got '%.40s'", name, value);
		return;
	}
	ss_scenario_set_corrections(t->scenario, is_on ? set | bit : set & ~bit);
}

void taker_trial(struct vllm_taker *t, const char *path, const char *value, size_t line)
{
	const char *name = strchr(path, '.') + 1;

	if (!strncmp(path, "what_if.", 8))
		take_what_if(t, name, value, line);
	else
		take_correction(t, name, value, line);
}
