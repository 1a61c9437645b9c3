/*
 * From bytes to a price: a scenario as JSON, or lines that change a shipped one
 * (`path=value`, `batch=...`, `coef NAME=VALUE`, `correct NAME`, the first its name).
 * Whatever is priced is finite, not negative, adds up and keeps the order of its figures.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/kernel.h"

enum { COEFS_MAX = 8 };

struct trial {
	struct ss_scenario *scenario;
	struct ss_whatif coefs[COEFS_MAX];
	size_t coef_count;
	unsigned corrections;
};

static struct ss_registry *registry(void)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	static struct ss_registry *kept;

	if (!kept && ss_registry_new(&kept, roots, 1, NULL))
		abort();
	return kept;
}

static void broken(const char *what, double a, double b)
{
	(void)fprintf(stderr, "%s: %.17g, %.17g\n", what, a, b);
	abort();
}

static void check_figure(const char *what, double x)
{
	if (!isfinite(x) || x < 0)
		broken(what, x, 0);
}

/* Not more, but for the last bits of sums taken in another order. */
static void check_order(const char *what, double less, double more)
{
	if (less > more * (1 + 1e-9) + 1e-12)
		broken(what, less, more);
}

/* The terms of a breakdown are charges, and make up the figures of its kind. */
static void check_terms(const struct ss_kernel *kernel, const struct ss_batch *batch,
			const struct ss_step *step, bool is_of_kernels)
{
	struct ss_breakdown b = { 0 };
	double sums[SS_FIGURE_COUNT] = { 0 };

	if (ss_kernel_breakdown(kernel, batch, is_of_kernels ? SS_FIGURE_KERNELS : SS_FIGURE_SERIAL,
				&b))
		abort();
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];

		check_figure("flops", t->flops);
		check_figure("bytes", t->bytes);
		/* One kernel for both gives back a floor that the two were charged. */
		if (t->term != SS_TERM_FUSED_FLOOR)
			check_figure("charge", t->floor_s + t->slope_s);
		for (int f = 0; f < SS_FIGURE_COUNT; f++)
			sums[f] += ss_term_figure(t, (enum ss_figure)f);
	}
	for (int f = 0; f < SS_FIGURE_COUNT; f++) {
		double figure = ss_step_figure(step, (enum ss_figure)f);

		/* what leads is one of the others */
		if (f != SS_FIGURE_LEAD && (f == SS_FIGURE_KERNELS) == is_of_kernels &&
		    fabs(sums[f] - figure) > 1e-9 + 1e-6 * figure)
			broken("terms add up", sums[f], figure);
	}
	ss_breakdown_release(&b);
}

static void check_sum(const char *what, const double *parts, double whole)
{
	double sum = 0;

	for (int i = 0; i < SS_RESOURCE_COUNT; i++) {
		check_figure(what, parts[i]);
		sum += parts[i];
	}
	if (fabs(sum - whole) > 1e-9 * sum + 1e-12)
		broken(what, sum, whole);
}

static void check_step(const struct ss_kernel *kernel, const struct ss_batch *batch)
{
	struct ss_step step;

	ss_kernel_step(kernel, batch, &step);
	check_figure("overlap", step.overlap_s);
	check_figure("serial", step.serial_s);
	check_figure("no overlap", step.no_overlap_s);
	check_figure("kernels", step.kernels_s);
	check_order("overlap <= serial", step.overlap_s, step.serial_s);
	check_order("serial <= no overlap", step.serial_s, step.no_overlap_s);
	check_sum("resources", step.resource_s, step.no_overlap_s);
	check_sum("resources of kernels", step.kernels_resource_s, step.kernels_s);
	if (step.tokens < 0 || step.kernels < 0)
		broken("counts", (double)step.tokens, (double)step.kernels);
	check_terms(kernel, batch, &step, false);
	if (step.has_kernels)
		check_terms(kernel, batch, &step, true);
}

static void check_memory(const struct ss_kernel *kernel, const struct ss_batch *batch)
{
	const struct ss_memory *m = ss_kernel_memory(kernel);
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(kernel);
	const int64_t parts[] = { m->weights_bytes,      m->scales_bytes,    m->tables_bytes,
				  m->redundant_bytes,    m->draft_bytes,     m->activation_bytes,
				  m->communicator_bytes, m->workspace_bytes, m->graphs_bytes };
	int64_t sum = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		check_figure("bytes of a part", (double)parts[i]);
		sum += parts[i];
	}
	if (sum != m->total_bytes)
		broken("bytes add up", (double)sum, (double)m->total_bytes);
	check_figure("KV bytes per token", m->kv_bytes_per_token);
	check_figure("state", (double)m->sequence_fixed_bytes);
	check_figure("blocks", (double)pool->blocks);
	check_figure("tokens reported", (double)pool->reported_tokens);
	check_figure("concurrency", pool->max_concurrency);
	check_figure("bytes of the batch", (double)ss_kernel_batch_bytes(kernel, batch));
}

static void check_fit(const struct trial *t, const struct ss_kernel *kernel,
		      const struct ss_batch *batch)
{
	struct ss_fit fit = { 0 };

	if (ss_fit_new(&fit, kernel, t->scenario, 0, batch))
		abort();
	if (fit.short_bytes < 0)
		broken("bytes short", (double)fit.short_bytes, 0);
	ss_fit_release(&fit);
}

static void price(struct trial *t)
{
	const struct ss_workload *w = &t->scenario->workload;
	struct ss_batch batch = { w->groups, w->group_count, w->decode_threshold, 0 };
	struct ss_problems problems = { 0 };
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;

	if (!ss_basis_open(&basis, registry(), t->scenario, t->coefs, t->coef_count, &problems) &&
	    !ss_kernel_new(&kernel, basis, t->scenario, 0, t->corrections, &problems)) {
		ss_kernel_check_batch(kernel, &batch, &problems);
		check_memory(kernel, &batch);
		if (ss_kernel_has_price(kernel))
			check_step(kernel, &batch);
		check_fit(t, kernel, &batch);
	}
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_problems_release(&problems);
}

static void take_line(struct trial *t, char *line)
{
	char *value = strchr(line, '=');
	struct ss_workload *w = &t->scenario->workload;
	struct ss_group *groups = NULL;
	size_t count = 0;

	if (!strncmp(line, "correct ", 8)) {
		(void)!ss_corrections_parse(&t->corrections, line + 8, NULL);
		return;
	}
	if (!value)
		return;
	*value++ = '\0';
	if (!strncmp(line, "coef ", 5) && t->coef_count < COEFS_MAX) {
		double number = strtod(value, NULL);

		if (isfinite(number) && number > 0)
			t->coefs[t->coef_count++] = (struct ss_whatif){ line + 5, number };
	} else if (!strcmp(line, "batch")) {
		if (ss_batch_parse(&groups, &count, value, NULL))
			return;
		free(w->groups);
		w->groups = groups;
		w->group_count = count;
		w->has_batch = true;
	} else {
		(void)!ss_scenario_set(t->scenario, 0, line, value, NULL);
	}
}

static struct ss_scenario *shipped(const char *name)
{
	char path[512];

	if (!*name || name[0] == '.' || strchr(name, '/') || strlen(name) > 80)
		return NULL;
	(void)snprintf(path, sizeof(path), TEST_SRCDIR "/scenarios/%s.json", name);
	return ss_scenario_load(path, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trial t = { .corrections = SS_CORRECTIONS_DEFAULT };
	char *text = malloc(size + 1), *line, *next;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (text[0] == '{') {
		t.scenario = ss_scenario_parse(text, size, "fuzz", NULL);
	} else {
		line = text;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		t.scenario = shipped(line);
		for (line = next; t.scenario && line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			take_line(&t, line);
		}
	}
	if (t.scenario && t.scenario->pool_count)
		price(&t);
	ss_scenario_free(t.scenario);
	free(text);
	return 0;
}
