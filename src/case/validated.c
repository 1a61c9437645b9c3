#include "case/validated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/xbuf.h"

/** Runs priced between two keys. */
enum { SLICE = 12 };

void validated_release(struct validated *v)
{
	score_release(&v->score);
	ss_problems_release(&v->problems);
	ss_registry_free(v->registry);
	free(v->model);
	free(v->part);
	*v = (struct validated){ 0 };
}

static bool is_near(const struct validated *v, const struct ss_run *run, enum validated_level level)
{
	return (level == VALIDATED_PART || !strcmp(run->model, v->model)) &&
	       (level == VALIDATED_MODEL || !strcmp(run->part, v->part));
}

static enum validated_level find_level(const struct validated *v)
{
	for (int level = VALIDATED_BOTH; level < VALIDATED_NONE; level++)
		for (size_t i = 0; i < v->score.runs.count; i++)
			if (is_near(v, &v->score.runs.items[i], (enum validated_level)level))
				return (enum validated_level)level;
	return VALIDATED_NONE;
}

/** Only what came of it is kept. */
static void finish(struct validated *v)
{
	score_close(&v->score);
	ss_registry_free(v->registry);
	v->registry = NULL;
	v->is_done = true;
}

/** Without runs, or with runs that cannot be read, nothing is validated. */
static void start(struct validated *v, const struct ss_registry *registry, const char *model,
		  const char *part)
{
	struct ss_error err = { 0 };
	char *file;

	validated_release(v);
	v->is_open = true;
	v->model = xstrdup(model);
	v->part = xstrdup(part);
	v->request = session_request();
	if (ss_registry_again(&v->registry, registry, &err))
		out_of_memory();
	file = score_shipped(v->registry);
	if (!file || score_open(&v->score, v->registry, &v->request, file, &v->problems))
		v->level = VALIDATED_NONE;
	else
		v->level = find_level(v);
	if (v->level == VALIDATED_NONE)
		finish(v);
	if (v->problems.is_out_of_memory)
		out_of_memory();
	free(file);
}

static bool is_about(const struct validated *v, const struct ss_scenario *s)
{
	return v->is_open && !strcmp(v->model, session_text(s, 0, SS_F_MODEL)) &&
	       !strcmp(v->part, session_text(s, 0, SS_F_HARDWARE));
}

/** A file that cannot be read leaves nothing to say. */
static bool fails(struct validated *v, enum ss_status rc)
{
	if (rc == SS_ENOMEM)
		out_of_memory();
	if (!rc)
		return false;
	v->level = VALIDATED_NONE;
	v->next = v->score.runs.count;
	return true;
}

bool validated_think(struct validated *v, const struct ss_registry *registry,
		     const struct ss_scenario *scenario)
{
	size_t priced = 0;

	if (!is_about(v, scenario))
		start(v, registry, session_text(scenario, 0, SS_F_MODEL),
		      session_text(scenario, 0, SS_F_HARDWARE));
	if (v->is_done)
		return false;
	while (v->next < v->score.runs.count && priced < SLICE) {
		size_t at = v->next++;

		if (!is_near(v, &v->score.runs.items[at], v->level))
			continue;
		if (fails(v, score_price(&v->score, at, &v->problems)))
			break;
		priced++;
	}
	if (v->next == v->score.runs.count)
		finish(v);
	return true;
}

enum ss_status validated_find(struct validated *v, const struct ss_registry *registry,
			      const struct ss_scenario *scenario)
{
	while (validated_think(v, registry, scenario))
		;
	return ss_problems_count(&v->problems, SS_ERROR) ? SS_EIO : SS_OK;
}

void validated_stat(struct score_stat *out, const struct validated *v, enum ss_figure figure)
{
	*out = (struct score_stat){ 0 };
	if (v->is_done && v->level != VALIDATED_NONE)
		score_stat(out, &v->score, score_view_of(figure), NULL, NULL);
}

void validated_what(char *out, size_t size, const struct validated *v)
{
	switch (v->level) {
	case VALIDATED_BOTH:
		(void)snprintf(out, size, "published runs of this model on %s", v->part);
		break;
	case VALIDATED_MODEL:
		(void)snprintf(out, size, "published runs of this model on other parts");
		break;
	case VALIDATED_PART:
		(void)snprintf(out, size, "published runs of other models on %s", v->part);
		break;
	case VALIDATED_NONE:
		(void)snprintf(out, size, "no published run of this model or on this part");
		break;
	}
}

void validated_text(char *out, size_t size, const struct validated *v, enum ss_figure figure)
{
	struct score_stat stat;
	char what[160];

	validated_stat(&stat, v, figure);
	validated_what(what, sizeof(what), v);
	if (stat.rows)
		(void)snprintf(out, size, "%zu %s: median %s off, bias %s %%", stat.rows, what,
			       number_percent(stat.median, 1).text,
			       number_signed(stat.bias * 100, 1).text);
	else if (v->level == VALIDATED_NONE)
		(void)snprintf(out, size, "%s", what);
	else
		(void)snprintf(out, size, "%s could not be priced", what);
}
