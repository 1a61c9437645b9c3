/* What a sweep will do, read from its command line before the first row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"
#include "cli/arguments.h"
#include "sweep/sweep.h"
#include "sweep/sweep_script.h"

/* -- columns shown -------------------------------------------------------------------- */

static const bool is_shown_unless_chosen[] = {
#define X(id, name, is_text, goal, shown) shown,
	SWEEP_COLUMN_LIST(X)
#undef X
};

/** The column of a name; seconds go without `_s`. */
static bool find_column(const char *name, size_t *out)
{
	/* whole first: `kernels` is how many are launched, `kernels_s` what they take */
	for (size_t i = 0; i < SWEEP_COLUMN_COUNT; i++)
		if (!strcmp(name, sweep_column_name((enum sweep_column)i))) {
			*out = i;
			return true;
		}
	for (size_t i = 0; i < SWEEP_COLUMN_COUNT; i++) {
		const char *column = sweep_column_name((enum sweep_column)i);
		size_t length = strlen(name);

		if (!strncmp(name, column, length) && !strcmp(column + length, "_s")) {
			*out = i;
			return true;
		}
	}
	return false;
}

static bool find_axis(const struct sweep_plan *plan, const char *name, size_t *out)
{
	for (size_t i = 0; i < plan->axes.count; i++) {
		if (!strcmp(name, plan->axes.items[i].name)) {
			*out = i;
			return true;
		}
	}
	return false;
}

static enum ss_status unknown_column(const struct sweep_plan *plan, const char *option,
				     const char *name, struct ss_error *err)
{
	struct xbuf known = { 0 };

	for (size_t i = 0; i < plan->axes.count; i++)
		xbuf_printf(&known, "%s, ", plan->axes.items[i].name);
	for (size_t i = 0; i < SWEEP_COLUMN_COUNT; i++)
		xbuf_printf(&known, "%s%s", i ? ", " : "", sweep_column_name((enum sweep_column)i));
	(void)ss_fail(err, SS_EUSAGE, option, "no column %s; there are: %s", name,
		      xbuf_text(&known));
	xbuf_release(&known);
	return SS_EUSAGE;
}

static void show_column(struct sweep_plan *plan, int kind, size_t index, const char *name,
			int width)
{
	struct shown_column *c;

	plan->shown = xrealloc(plan->shown, plan->shown_count + 1, sizeof(*plan->shown));
	c = &plan->shown[plan->shown_count++];
	*c = (struct shown_column){ SHOW_KEY, index, name, width };
	c->kind = kind == 1 ? SHOW_AXIS : kind == 2 ? SHOW_COLUMN : SHOW_KEY;
	if (kind == 2)
		plan->needs[index] = true;
}

static int axis_width(const struct axis *axis)
{
	size_t width = text_columns(axis->name);

	/* Long axes are not read through: their last value is as wide as any number gets. */
	for (size_t i = 0; i < axis->count && i < 1000; i++)
		if (text_columns(axis->values[i].text) > width)
			width = text_columns(axis->values[i].text);
	if (axis->count && text_columns(axis->values[axis->count - 1].text) > width)
		width = text_columns(axis->values[axis->count - 1].text);
	return (int)width;
}

static int column_width(size_t column)
{
	int width = (int)strlen(sweep_column_name((enum sweep_column)column));

	return width < 10 ? 10 : width;
}

static void show_axes(struct sweep_plan *plan)
{
	for (size_t i = 0; i < plan->axes.count; i++)
		show_column(plan, 1, i, plan->axes.items[i].name, axis_width(&plan->axes.items[i]));
}

/** Columns chosen by --only: in the order given, after the key. */
static enum ss_status choose_columns(struct sweep_plan *plan, const char *only,
				     struct ss_error *err)
{
	char name[64];
	size_t index;

	for (const char *at = only; *at;) {
		size_t len = strcspn(at, ",");
		size_t kept = len < sizeof(name) ? len : sizeof(name) - 1;

		memcpy(name, at, kept);
		name[kept] = '\0';
		if (find_axis(plan, name, &index))
			show_column(plan, 1, index, plan->axes.items[index].name,
				    axis_width(&plan->axes.items[index]));
		else if (find_column(name, &index))
			show_column(plan, 2, index, sweep_column_name((enum sweep_column)index),
				    column_width(index));
		else if (strcmp(name, "key") != 0)
			return unknown_column(plan, "only", name, err);
		at += len + (at[len] == ',');
	}
	return SS_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct shown_column *const *)a)->name,
		      (*(const struct shown_column *const *)b)->name);
}

/** JSON keys are sorted; the order is found once. */
static void order_columns(struct sweep_plan *plan)
{
	const struct shown_column **sorted = xcalloc(plan->shown_count, sizeof(*sorted));

	for (size_t i = 0; i < plan->shown_count; i++)
		sorted[i] = &plan->shown[i];
	qsort(sorted, plan->shown_count, sizeof(*sorted), by_name);
	plan->json_order = xcalloc(plan->shown_count, sizeof(*plan->json_order));
	for (size_t i = 0; i < plan->shown_count; i++)
		plan->json_order[i] = (size_t)(sorted[i] - plan->shown);
	free(sorted);
}

static enum ss_status plan_columns(struct sweep_plan *plan, const char *only, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	show_column(plan, 0, 0, "key", 12);
	if (only) {
		rc = choose_columns(plan, only, err);
	} else {
		show_axes(plan);
		for (size_t i = 0; i < SWEEP_COLUMN_COUNT; i++)
			if (is_shown_unless_chosen[i])
				show_column(plan, 2, i, sweep_column_name((enum sweep_column)i),
					    column_width(i));
	}
	if (!rc)
		order_columns(plan);
	return rc;
}

/* -- tests ---------------------------------------------------------------------------- */

static enum ss_status add_where(struct sweep_plan *plan, const char *name, enum where_op op,
				const char *text, struct ss_error *err)
{
	struct where where = { .op = op };

	where.is_axis = find_axis(plan, name, &where.column);
	if (!where.is_axis && !find_column(name, &where.column))
		return unknown_column(plan, "where", name, err);
	if (!where.is_axis)
		plan->needs[where.column] = true;
	where.has_number = !number_parse(&where.number, text);
	if (!where.is_axis && !where.has_number &&
	    !sweep_column_is_text((enum sweep_column)where.column))
		return ss_fail(err, SS_EUSAGE, "where", "%s is a number, got %s", name, text);
	where.text = xstrdup(text);
	plan->wheres = xrealloc(plan->wheres, plan->where_count + 1, sizeof(*plan->wheres));
	plan->wheres[plan->where_count++] = where;
	return SS_OK;
}

static enum ss_status read_where(struct sweep_plan *plan, const char *test, struct ss_error *err)
{
	const char *value;
	enum where_op op;
	char name[64];

	if (!strcmp(test, "fits"))
		return add_where(plan, "fits", WHERE_EQ, "true", err);
	if (!strcmp(test, "priced"))
		return add_where(plan, "no_overlap_s", WHERE_GE, "0", err);
	if (!where_split(test, name, sizeof(name), &op, &value))
		return ss_fail(err, SS_EUSAGE, "where",
			       "must be fits, priced, or " WHERE_FORM "; got %s", test);
	return add_where(plan, name, op, value, err);
}

static enum ss_status read_best(struct sweep_plan *plan, const struct arguments *arguments,
				struct ss_error *err)
{
	const char *name = arguments_value(arguments, OPT_BEST);
	const char *top = arguments_value(arguments, OPT_TOP);
	int64_t count = 1;
	size_t column;

	if (!name)
		return top ? ss_fail(err, SS_EUSAGE, "top", "needs --best") : SS_OK;
	if (!find_column(name, &column))
		return unknown_column(plan, "best", name, err);
	if (sweep_column_goal((enum sweep_column)column) == GOAL_NONE)
		return ss_fail(err, SS_EUSAGE, "best", "%s has no better or worse", name);
	if (top && (!read_count(top, 1000000, &count) || count < 1))
		return ss_fail(err, SS_EUSAGE, "top", "must be from 1 to 1000000, got %s", top);
	plan->has_best = true;
	plan->best = (enum sweep_column)column;
	plan->needs[column] = true;
	plan->top = (size_t)count;
	return SS_OK;
}

/* -- bases ---------------------------------------------------------------------------- */

bool axis_has_own_basis(const struct axis *axis)
{
	return axis->kind == AXIS_COEFFICIENT ||
	       (axis->kind == AXIS_FIELD && session_field_is_of_basis(axis->field));
}

static void keep_reason(const struct ss_problems *problems, char code[16], char reason[1024])
{
	for (size_t i = 0; i < problems->count; i++) {
		bool is_io = !strcmp(problems->items[i].code, "io");

		if (problems->items[i].severity == SS_WARNING)
			continue;
		(void)snprintf(code, 16, "%s", problems->items[i].code);
		(void)snprintf(reason, 1024, "%s%s%s", is_io ? problems->items[i].file : "",
			       is_io ? ": " : "", problems->items[i].message);
		return;
	}
}

struct ss_basis *plan_open_basis(const struct sweep_plan *plan, const struct ss_scenario *scenario,
				 const struct ss_whatif *more, size_t count, char code[16],
				 char reason[1024])
{
	const struct session *s = plan->session;
	struct ss_problems problems = { 0 };
	struct ss_whatif *whatifs = xcalloc(s->whatif_count + count, sizeof(*whatifs));
	struct ss_basis *basis = NULL;
	enum ss_status rc;

	if (s->whatif_count)
		memcpy(whatifs, s->whatifs, s->whatif_count * sizeof(*whatifs));
	if (count)
		memcpy(whatifs + s->whatif_count, more, count * sizeof(*whatifs));
	rc = ss_basis_open(&basis, s->registry, scenario, whatifs, s->whatif_count + count,
			   &problems);
	if (rc == SS_ENOMEM || problems.is_out_of_memory)
		out_of_memory();
	if (rc)
		keep_reason(&problems, code, reason);
	ss_problems_release(&problems);
	free(whatifs);
	return rc ? NULL : basis;
}

/** The basis of one combination of the axes that need their own. */
static void open_basis(struct sweep_plan *plan, size_t index)
{
	const struct session *s = plan->session;
	struct ss_scenario *scenario = NULL;
	struct ss_whatif *tried = xcalloc(plan->axes.count, sizeof(*tried));
	size_t count = 0;

	if (ss_scenario_clone(&scenario, s->scenario))
		out_of_memory();
	for (size_t a = 0; a < plan->axes.count; a++) {
		const struct axis *axis = &plan->axes.items[a];
		const struct axis_value *value;
		struct ss_value *at;

		if (!plan->basis_steps[a])
			continue;
		value = &axis->values[index / plan->basis_steps[a] % axis->count];
		if (axis->kind == AXIS_COEFFICIENT) {
			tried[count++] = (struct ss_whatif){ axis->name, value->number };
			continue;
		}
		at = ss_scenario_value_mut(scenario, s->pool, axis->field);
		ss_value_release(at);
		if (ss_value_copy(at, &value->value))
			out_of_memory();
	}
	plan->bases[index] = plan_open_basis(plan, scenario, tried, count, plan->basis_codes[index],
					     plan->basis_reasons[index]);
	ss_scenario_free(scenario);
	free(tried);
}

static enum ss_status open_bases(struct sweep_plan *plan, struct ss_error *err)
{
	plan->basis_steps = xcalloc(plan->axes.count, sizeof(*plan->basis_steps));
	plan->basis_count = 1;
	for (size_t a = 0; a < plan->axes.count; a++) {
		if (!axis_has_own_basis(&plan->axes.items[a]))
			continue;
		plan->basis_steps[a] = plan->basis_count;
		if (plan->axes.items[a].count > BASES_MAX / plan->basis_count)
			return ss_fail(err, SS_EUSAGE, "vary",
				       "more than %d combinations of documents and values tried",
				       BASES_MAX);
		plan->basis_count *= plan->axes.items[a].count;
	}
	plan->bases = xcalloc(plan->basis_count, sizeof(struct ss_basis *));
	plan->basis_codes = xcalloc(plan->basis_count, sizeof(*plan->basis_codes));
	plan->basis_reasons = xcalloc(plan->basis_count, sizeof(*plan->basis_reasons));
	for (size_t i = 0; i < plan->basis_count; i++) {
		open_basis(plan, i);
		/* A file that cannot be read now says nothing about the row. */
		if (!strcmp(plan->basis_codes[i], "io"))
			return ss_fail(err, SS_EIO, "", "%s", plan->basis_reasons[i]);
	}
	return SS_OK;
}

/* -- the whole ------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, const char *text)
{
	/* FNV-1a, the NUL included so that texts do not run into one another. */
	do
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	while (*text++);
	return hash;
}

bool sweep_option_is_of_run(enum option_id id)
{
	return id == OPT_RESUME || id == OPT_OUTPUT || id == OPT_FORCE || id == OPT_JOBS ||
	       id == OPT_SHARD || id == OPT_SHARDS || id == OPT_PLAN || id == OPT_QUIET ||
	       id == OPT_COLOR;
}

/** A number of all that decides the rows: a resumed file must come from the same. */
static uint32_t hash_of(const struct sweep_plan *plan, const struct arguments *arguments)
{
	const struct session *s = plan->session;
	char *json = ss_scenario_to_json(s->scenario);
	uint64_t hash = 14695981039346656037u;

	if (!json)
		out_of_memory();
	hash = mix(hash, json);
	free(json);
	for (size_t i = 0; i < arguments->use_count; i++) {
		enum option_id id = arguments->uses[i].id;

		/* These change where rows go, not what they are. */
		if (sweep_option_is_of_run(id) || id == OPT_REGISTRY || id == OPT_DIRECTORY)
			continue;
		hash = mix(mix(hash, option_row(id)->name), arguments->uses[i].value);
	}
	return (uint32_t)(hash ^ hash >> 32);
}

/** The largest batch that the axes make of the first group. */
static enum ss_status check_batches(const struct sweep_plan *plan, struct ss_error *err)
{
	const struct session *s = plan->session;
	struct ss_group group = { .scheduled = 1 };

	if (!s->group_count)
		return SS_OK;
	group = s->groups[0];
	for (size_t a = 0; a < plan->axes.count; a++) {
		const struct axis *axis = &plan->axes.items[a];
		int64_t *most = axis->kind == AXIS_COUNT     ? &group.count
				: axis->kind == AXIS_CONTEXT ? &group.computed
							     : NULL;

		for (size_t i = 0; most && i < axis->count; i++)
			if (!i || axis->values[i].number > (double)*most)
				*most = (int64_t)axis->values[i].number;
	}
	if (ss_batch_tokens(&group, 1) <= SS_BATCH_TOKENS_MAX)
		return SS_OK;
	return ss_fail(
		err, SS_EUSAGE, "vary",
		"count and context make a batch of %.3g tokens, %.0e at most: no machine has "
		"room for more",
		ss_batch_tokens(&group, 1), SS_BATCH_TOKENS_MAX);
}

/** Columns of what is promised want a promise; one may be varied too. */
static enum ss_status check_promise(const struct sweep_plan *plan, struct ss_error *err)
{
	const struct ss_scenario *scenario = plan->session->scenario;
	const struct ss_workload_shape *shape =
		scenario->workload.shape ? ss_registry_workload(plan->session->registry,
								scenario->workload.shape, NULL)
					 : NULL;
	bool has_slo = ss_scenario_value(scenario, 0, SS_F_LOAD_SLO)->is_stated ||
		       (shape && shape->values[SS_F_LOAD_SLO].is_stated);

	for (size_t i = 0; i < plan->axes.count; i++)
		has_slo |= plan->axes.items[i].kind == AXIS_FIELD &&
			   plan->axes.items[i].field == SS_F_LOAD_SLO;
	if (has_slo || !(plan->needs[COLUMN_GOODPUT] || plan->needs[COLUMN_SLO_SHARE] ||
			 plan->needs[COLUMN_SLO_MET]))
		return SS_OK;
	return ss_fail(err, SS_EUSAGE, "sweep", "goodput wants --slo, as ttft=500ms,tpot=30ms");
}

enum ss_status plan_init(struct sweep_plan *plan, struct session *session,
			 const struct arguments *arguments, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	*plan = (struct sweep_plan){ .session = session, .format = (int)arguments->format };
	for (size_t i = 0; !rc && i < arguments->use_count; i++)
		if (arguments->uses[i].id == OPT_VARY)
			rc = axes_add(&plan->axes, arguments->uses[i].value, err);
	if (!rc && !plan->axes.count && !arguments_has(arguments, OPT_STDIN_JOBS))
		rc = ss_fail(err, SS_EUSAGE, "sweep", "needs --vary AXIS=VALUES");
	if (!rc)
		rc = check_batches(plan, err);
	if (!rc)
		rc = plan_columns(plan, arguments_value(arguments, OPT_ONLY), err);
	for (size_t i = 0; !rc && i < arguments->use_count; i++)
		if (arguments->uses[i].id == OPT_WHERE)
			rc = read_where(plan, arguments->uses[i].value, err);
	if (!rc)
		rc = read_best(plan, arguments, err);
#define X(id, ...) plan->is_served |= plan->needs[COLUMN_##id];
	SWEEP_SERVED_LIST(X)
#undef X
	if (!rc)
		rc = check_promise(plan, err);
	if (!rc)
		rc = open_bases(plan, err);
	if (!rc)
		plan->hash = hash_of(plan, arguments);
	return rc;
}

void plan_release(struct sweep_plan *plan)
{
	for (size_t i = 0; plan->bases && i < plan->basis_count; i++)
		ss_basis_free(plan->bases[i]);
	for (size_t i = 0; i < plan->where_count; i++)
		free(plan->wheres[i].text);
	free(plan->bases);
	free(plan->basis_codes);
	free(plan->basis_reasons);
	free(plan->basis_steps);
	free(plan->wheres);
	free(plan->shown);
	free(plan->json_order);
	axes_release(&plan->axes);
	*plan = (struct sweep_plan){ 0 };
}
