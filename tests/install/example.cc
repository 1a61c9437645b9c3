/*
 * A program of someone else in C++: a decode step of growing batches, with what it owns
 * held by smart pointers. Only the library's headers and pkg-config.
 *
 * usage: example_cc REGISTRY SCENARIO
 */
#include <cstdio>
#include <memory>

#include <stepscope/kernel.h>
#include <stepscope/problems.h>
#include <stepscope/registry.h>
#include <stepscope/scenario.h>
#include <stepscope/version.h>

template <typename T> using held = std::unique_ptr<T, void (*)(T *)>;

static double step_ms(const ss_kernel *kernel, int requests)
{
	ss_group group{};
	ss_batch batch{};
	ss_step step;

	group.count = requests;
	group.scheduled = 1;
	group.computed = 4095;
	group.prompt_len = 4096;
	batch.groups = &group;
	batch.group_count = 1;
	ss_kernel_step(kernel, &batch, &step);
	return 1e3 * ss_step_figure(&step, SS_FIGURE_SERIAL);
}

int main(int argc, char **argv)
{
	ss_registry *registry = nullptr;
	ss_basis *basis = nullptr;
	ss_kernel *kernel = nullptr;

	if (argc != 3 || *ss_version() == '\0' ||
	    ss_registry_new(&registry, const_cast<const char *const *>(argv) + 1, 1, nullptr))
		return 1;
	held<ss_registry> registry_held(registry, ss_registry_free);
	held<ss_scenario> scenario(ss_scenario_load(argv[2], nullptr), ss_scenario_free);
	if (!scenario || ss_basis_open(&basis, registry, scenario.get(), nullptr, 0, nullptr))
		return 1;
	held<ss_basis> basis_held(basis, ss_basis_free);
	if (ss_kernel_new(&kernel, basis, scenario.get(), 0,
			  ss_scenario_corrections(scenario.get()), nullptr))
		return 1;
	held<ss_kernel> kernel_held(kernel, ss_kernel_free);
	if (!ss_kernel_has_price(kernel))
		return 1;
	for (int requests = 32; requests <= 128; requests *= 2)
		std::printf("%d: %.2f ms\n", requests, step_ms(kernel, requests));
	return 0;
}
