/*
 * A program of someone else: built with nothing but `pkg-config stepscope`
 * against an installed library. Prices one decode step of a scenario.
 *
 * usage: example REGISTRY SCENARIO
 */
#include <stdio.h>

#include <stepscope/kernel.h>
#include <stepscope/problems.h>
#include <stepscope/registry.h>
#include <stepscope/scenario.h>
#include <stepscope/status.h>
#include <stepscope/vocabulary.h>

static int print_step(const struct ss_kernel *kernel)
{
	struct ss_group group = {
		.count = 32, .scheduled = 1, .computed = 4095, .prompt_len = 4096
	};
	struct ss_batch batch = { .groups = &group, .group_count = 1 };
	struct ss_step step;

	if (!ss_kernel_has_price(kernel))
		return 1;
	ss_kernel_step(kernel, &batch, &step);
	printf("%.2f ms, %s-bound, %s\n", 1e3 * ss_step_figure(&step, SS_FIGURE_SERIAL),
	       ss_resource_name(step.bottleneck), ss_kernel_fits(kernel) ? "fits" : "does not fit");
	return 0;
}

int main(int argc, char **argv)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct ss_registry *registry = NULL;
	struct ss_scenario *scenario = NULL;
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	int status = 1;

	if (argc == 3 && !ss_registry_new(&registry, (const char *const *)argv + 1, 1, &err))
		scenario = ss_scenario_load(argv[2], &problems);
	if (scenario && !ss_basis_open(&basis, registry, scenario, NULL, 0, &problems) &&
	    !ss_kernel_new(&kernel, basis, scenario, 0, ss_scenario_corrections(scenario), &problems))
		status = print_step(kernel);
	for (size_t i = 0; i < problems.count; i++)
		fprintf(stderr, "%s: %s\n", problems.items[i].pointer, problems.items[i].message);
	if (*err.message)
		fprintf(stderr, "%s: %s\n", err.where, err.message);
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_scenario_free(scenario);
	ss_registry_free(registry);
	ss_problems_release(&problems);
	return status;
}
