/* Any text imports into a scenario that its export brings back, or is refused. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "import/export_vllm.h"
#include "import/import_vllm.h"

static const char *const models[] = { "deepseek-v3", "qwen3-14b", "qwen3.6-27b-awq" };
static const char *const sets[] = { "a", "b" };

static void check_back(const struct ss_scenario *scenario,
		       const struct vllm_import_options *options)
{
	struct vllm_import_options plain = { .models = options->models,
					     .model_count = options->model_count };
	struct ss_scenario *back = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	enum ss_status rc;

	if (!f)
		return;
	rc = vllm_export(f, scenario, "x");
	fclose(f);
	if (!rc)
		rc = vllm_import(&back, &rows, text, size, &plain, &problems);
	if (rc != SS_ENOMEM && (rc || !ss_scenario_equal(scenario, back))) {
		fprintf(stderr, "%s\n%s\n", problems.count ? problems.items[0].message : "differs",
			text);
		abort();
	}
	ss_scenario_free(back);
	import_rows_release(&rows);
	ss_problems_release(&problems);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vllm_import_options options = { .part = "p",
					       .fabric = "f",
					       .gpus_per_node = 8,
					       .models = models,
					       .model_count = 3,
					       .coefficients = sets,
					       .coefficient_count = 2 };
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	const char *text = (const char *)data;

	if (!vllm_import(&scenario, &rows, size ? text : "", size, &options, &problems))
		check_back(scenario, &options);
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	ss_problems_release(&problems);
	return 0;
}
