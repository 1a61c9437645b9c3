#include "case/draft.h"

#include <stdlib.h>
#include <string.h>

#include "text/xbuf.h"

void draft_init(struct draft *draft, struct ss_scenario *scenario)
{
	*draft = (struct draft){ .scenario = scenario, .corrections = SS_CORRECTIONS_DEFAULT };
	if (!scenario)
		return;
	draft->corrections = ss_scenario_corrections(scenario);
	ss_scenario_set_corrections(scenario, SS_CORRECTIONS_DEFAULT);
	for (size_t i = 0; i < scenario->what_if_count; i++)
		draft_set_whatif(draft, scenario->what_if[i].name, &scenario->what_if[i].value);
	while (scenario->what_if_count)
		(void)!ss_scenario_set_what_if(scenario, scenario->what_if[0].name, NULL);
}

struct ss_scenario *draft_scenario(const struct draft *draft)
{
	struct ss_scenario *scenario = NULL;

	if (ss_scenario_clone(&scenario, draft->scenario))
		out_of_memory();
	ss_scenario_set_corrections(scenario, draft->corrections);
	for (size_t i = 0; i < draft->whatif_count; i++)
		if (ss_scenario_set_what_if(scenario, draft->whatifs[i].name,
					    &draft->whatifs[i].value))
			out_of_memory();
	return scenario;
}

void draft_release(struct draft *draft)
{
	ss_scenario_free(draft->scenario);
	for (size_t i = 0; i < draft->whatif_count; i++)
		free(draft->whatifs[i].name);
	free(draft->whatifs);
	*draft = (struct draft){ 0 };
}

void draft_copy(struct draft *out, const struct draft *draft)
{
	struct ss_scenario *scenario = NULL;

	if (ss_scenario_clone(&scenario, draft->scenario))
		out_of_memory();
	*out = *draft;
	out->scenario = scenario;
	out->whatifs = xcalloc(draft->whatif_count, sizeof(*out->whatifs));
	for (size_t i = 0; i < draft->whatif_count; i++) {
		out->whatifs[i].name = xstrdup(draft->whatifs[i].name);
		out->whatifs[i].value = draft->whatifs[i].value;
	}
}

bool draft_equal(const struct draft *a, const struct draft *b)
{
	if (a->corrections != b->corrections || a->sm_budget != b->sm_budget ||
	    a->whatif_count != b->whatif_count || !ss_scenario_equal(a->scenario, b->scenario))
		return false;
	for (size_t i = 0; i < a->whatif_count; i++) {
		const double *value = draft_whatif(b, a->whatifs[i].name);

		if (!value || *value < a->whatifs[i].value || *value > a->whatifs[i].value)
			return false;
	}
	return true;
}

struct ss_batch draft_batch(const struct draft *draft)
{
	const struct ss_workload *workload = &draft->scenario->workload;

	return (struct ss_batch){
		.groups = workload->groups,
		.group_count = workload->group_count,
		.decode_threshold = workload->decode_threshold,
		.sm_budget = draft->sm_budget,
	};
}

const double *draft_whatif(const struct draft *draft, const char *name)
{
	for (size_t i = 0; i < draft->whatif_count; i++) {
		if (!strcmp(draft->whatifs[i].name, name))
			return &draft->whatifs[i].value;
	}
	return NULL;
}

void draft_set_whatif(struct draft *draft, const char *name, const double *value)
{
	size_t i = 0;

	while (i < draft->whatif_count && strcmp(draft->whatifs[i].name, name) != 0)
		i++;
	if (i == draft->whatif_count) {
		if (!value)
			return;
		draft->whatifs = xrealloc(draft->whatifs, i + 1, sizeof(*draft->whatifs));
		draft->whatifs[i] = (struct draft_whatif){ .name = xstrdup(name), .value = *value };
		draft->whatif_count++;
	} else if (value) {
		draft->whatifs[i].value = *value;
	} else {
		free(draft->whatifs[i].name);
		draft->whatif_count--;
		memmove(&draft->whatifs[i], &draft->whatifs[i + 1],
			(draft->whatif_count - i) * sizeof(*draft->whatifs));
	}
}

void draft_set_groups(struct draft *draft, struct ss_group *groups, size_t count)
{
	struct ss_workload *workload = &draft->scenario->workload;

	free(workload->groups);
	free(workload->shape);
	workload->shape = NULL;
	workload->groups = groups;
	workload->group_count = count;
	workload->has_batch = true;
}
