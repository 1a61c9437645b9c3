/*
 * The deployment pane: first the settings people turn, as they fit on a small
 * screen, then every other field by its section.
 */
#include <stdio.h>
#include <string.h>

#include "text/number.h"
#include "app/rows.h"
#include "app/tree.h"

/* clang-format off */
static const struct {
	const char *heading; /* NULL: in the section above */
	enum ss_field_id field;
} first[] = {
	{ "PARALLEL", SS_F_TP },
	{ NULL, SS_F_DP },
	{ NULL, SS_F_EXPERT_PARALLEL },
	{ NULL, SS_F_DCP },
	{ NULL, SS_F_PCP },
	{ "ENGINE", SS_F_QUANTIZATION },
	{ NULL, SS_F_CACHE_DTYPE },
	{ NULL, SS_F_BLOCK_SIZE },
	{ "GRAPHS", SS_F_CUDAGRAPH_MODE },
	{ NULL, SS_F_MAX_CAPTURE },
	{ "BUDGETS", SS_F_MAX_NUM_SEQS },
	{ NULL, SS_F_MAX_BATCHED_TOKENS },
	{ NULL, SS_F_MAX_MODEL_LEN },
	{ NULL, SS_F_GPU_MEMORY_UTILIZATION },
};
static const enum ss_field_section sections[] = {
	SS_SECTION_PARALLEL, SS_SECTION_ENGINE, SS_SECTION_CACHE, SS_SECTION_GRAPHS,
	SS_SECTION_BUDGETS, SS_SECTION_EXPERTS, SS_SECTION_SPECULATION, SS_SECTION_OFFLOAD,
	SS_SECTION_SM70, SS_SECTION_POOL, SS_SECTION_CLUSTER, SS_SECTION_SCENARIO,
};
/* clang-format on */

#define FIRST_COUNT (sizeof(first) / sizeof(*first))
#define SECTION_COUNT (sizeof(sections) / sizeof(*sections))

const char *rows_name(enum ss_field_id field)
{
	const char *path = ss_field(field)->path;
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

const char *rows_label(enum ss_field_id field)
{
	const char *name = rows_name(field);
	enum ss_field_section section = ss_field(field)->section;

	/* What is shown is what `:set` takes: the path where the name is not enough. */
	if (field == SS_F_DEPLOYMENT_NAME)
		return "deployment.name";
	if (section == SS_SECTION_OFFLOAD || section == SS_SECTION_CLUSTER)
		return ss_field(field)->path;
	return strncmp(name, "enable_", 7) ? name : name + 7;
}

static bool is_first(enum ss_field_id field)
{
	for (size_t i = 0; i < FIRST_COUNT; i++) {
		if (first[i].field == field)
			return true;
	}
	return false;
}

/* The SM70 build's settings are shown where that build is priced. */
static bool is_shown(const struct app *app, const struct ss_field *row)
{
	if (row->section != SS_SECTION_SM70)
		return true;
	if (ss_scenario_value(app->draft.scenario, app->pool, row->id)->is_stated)
		return true;
	return app->quote && ss_basis_inputs(app->quote->basis)->reference != NULL;
}

/* Text that a resolution gives for a field nobody stated. */
static const char *resolved_text(const struct ss_resolution *r, enum ss_field_id field)
{
	if (field == SS_F_QUANTIZATION)
		return r->quantization;
	if (field == SS_F_CUDAGRAPH_MODE)
		return r->cudagraph_mode;
	if (field == SS_F_CACHE_DTYPE)
		return r->cache_layout;
	if (field == SS_F_ALLREDUCE_BACKEND)
		return r->allreduce_backend;
	if (field == SS_F_ALL2ALL_BACKEND)
		return r->all2all_backend;
	if (field == SS_F_MAMBA_CACHE_MODE)
		return r->mamba_cache_mode;
	if (field == SS_F_ASYNC_SCHEDULING)
		return r->async_scheduling ? "on" : "off";
	if (field == SS_F_EXPERT_PARALLEL)
		return r->expert_parallel > 1 ? "on" : "off";
	return "";
}

static const struct ss_override *override_of(const struct app *app, enum ss_field_id field)
{
	if (!app->quote || app->is_refused)
		return NULL;
	return quote_override(app->quote, rows_name(field));
}

static const struct ss_entry *assumption_of(const struct app *app, enum ss_field_id field)
{
	if (!app->quote)
		return NULL;
	return quote_assumption(app->quote, rows_name(field));
}

void rows_value(const struct app *app, enum ss_field_id field, char *out, size_t size)
{
	const struct ss_field *row = ss_field(field);
	const struct ss_value *value = ss_scenario_value(app->draft.scenario, app->pool, field);
	const struct ss_override *override = override_of(app, field);
	const struct ss_entry *entry = assumption_of(app, field);
	struct choices_context context = app_choices(app);
	double number = 0;

	if (override && *override->resolved) {
		snprintf(out, size, "%s", override->resolved);
		return;
	}
	if (value->is_stated) {
		if (row->type == SS_TYPE_BOOL)
			snprintf(out, size, "%s", value->integer ? "on" : "off");
		else if (row->type == SS_TYPE_FLOAT && field == SS_F_GPU_MEMORY_UTILIZATION)
			snprintf(out, size, "%s", number_share(value->number).text);
		else
			ss_value_format(out, size, row, value);
		return;
	}
	if (entry && *entry->value_text) {
		snprintf(out, size, "%s", entry->value_text);
	} else if (choices_running(&context, field, &number)) {
		if (row->type == SS_TYPE_FLOAT)
			snprintf(out, size, "%s", number_share(number).text);
		else if (field == SS_F_MAX_MODEL_LEN && number <= 0)
			snprintf(out, size, "unbounded");
		else
			snprintf(out, size, "%.0f", number);
	} else if (app->quote && *resolved_text(ss_kernel_resolution(app->quote->kernel), field)) {
		snprintf(out, size, "%s",
			 resolved_text(ss_kernel_resolution(app->quote->kernel), field));
	} else {
		snprintf(out, size, "%s", row->unstated);
	}
}

static bool is_at_fault(const struct app *app, enum ss_field_id field)
{
	char pointer[128];

	if (!app->is_refused)
		return false;
	ss_scenario_pointer(pointer, sizeof(pointer), app->pool, field);
	for (size_t i = 0; i < app->problems.count; i++) {
		const struct ss_problem *problem = &app->problems.items[i];

		if (problem->severity != SS_WARNING && !strcmp(problem->pointer, pointer))
			return true;
	}
	return false;
}

char rows_mark(const struct app *app, enum ss_field_id field)
{
	const struct app_pin *baseline = app_baseline(app);

	if (is_at_fault(app, field))
		return 'x';
	if (override_of(app, field))
		return '!';
	if (baseline && baseline->pool < baseline->draft.scenario->pool_count &&
	    app->pool < app->draft.scenario->pool_count &&
	    !ss_value_equal(ss_scenario_value(app->draft.scenario, app->pool, field),
			    ss_scenario_value(baseline->draft.scenario, baseline->pool, field)))
		return '*';
	return assumption_of(app, field) ? '~' : ' ';
}

static void add_field(struct table *table, const struct app *app, enum ss_field_id field)
{
	char text[160];

	table_row(table, (int)field, rows_mark(app, field));
	table_put(table, 0, rows_label(field));
	rows_value(app, field, text, sizeof(text));
	table_put(table, 1, text);
}

void rows_count_settings(const struct app *app, int *stated, int *total)
{
	*stated = 0;
	*total = 0;
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *row = ss_field((enum ss_field_id)id);

		if (row->section == SS_SECTION_SCENARIO || row->section == SS_SECTION_CLUSTER ||
		    row->section == SS_SECTION_POOL || row->section == SS_SECTION_LOAD ||
		    !is_shown(app, row))
			continue;
		++*total;
		*stated += ss_scenario_value(app->draft.scenario, app->pool, row->id)->is_stated;
	}
}

/* Every setting of the engine's own tree, headed by who owns it. */
static void add_tree(struct table *table, const struct app *app)
{
	const struct ss_reference *reference = tree_reference(app);
	const char *owner = "";

	for (size_t i = 0; reference && i < reference->field_count; i++) {
		const struct ss_config_field *field = &reference->fields[i];
		const char *stated = NULL;

		if (!tree_is_setting(field))
			continue;
		if (strcmp(owner, field->owner_path) != 0) {
			table_heading(table, field->owner_path);
			owner = field->owner_path;
		}
		stated = tree_stated(app, field);
		table_row(table, TREE_ROW + (int)i, stated ? '*' : ' ');
		table_put(table, 0, field->field);
		table_put(table, 1,
			  stated                 ? stated
			  : field->default_value ? field->default_value
			  : field->unset_means   ? field->unset_means
						 : "-");
	}
}

void rows_deployment(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "setting", .width = 18, .min_width = 8, .grows = true },
		{ .title = "value", .width = 11, .min_width = 4 },
	};

	table_reset(table, columns, 2);
	for (size_t i = 0; i < FIRST_COUNT; i++) {
		if (first[i].heading)
			table_heading(table, first[i].heading);
		add_field(table, app, first[i].field);
	}
	for (size_t s = 0; s < SECTION_COUNT; s++) {
		bool has_heading = false;

		for (int id = 0; id < SS_FIELD_COUNT; id++) {
			const struct ss_field *row = ss_field((enum ss_field_id)id);

			if (row->section != sections[s] || is_first(row->id) || !is_shown(app, row))
				continue;
			if (!has_heading) {
				char title[40];
				bool is_more = sections[s] == SS_SECTION_PARALLEL ||
					       sections[s] == SS_SECTION_ENGINE ||
					       sections[s] == SS_SECTION_GRAPHS ||
					       sections[s] == SS_SECTION_BUDGETS;

				snprintf(title, sizeof(title), "%s%s", is_more ? "MORE " : "",
					 ss_section_name(sections[s]));
				table_heading(table, title);
				has_heading = true;
			}
			add_field(table, app, row->id);
		}
	}
	add_tree(table, app);
}
