#include "app/tree.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct ss_reference *tree_reference(const struct app *app)
{
	const struct ss_basis *basis = quote_basis_of(app->basis);

	return basis ? ss_basis_inputs(basis)->reference : NULL;
}

bool tree_is_setting(const struct ss_config_field *field)
{
	return strcmp(field->field, "*") != 0 && strcmp(field->type, "same_as") != 0 &&
	       strcmp(field->type, "unread") != 0;
}

const struct ss_config_field *tree_field(const struct app *app)
{
	const struct ss_reference *reference = tree_reference(app);
	const struct table *table = &app->tables[PANE_DEPLOYMENT];
	size_t selected = (size_t)app->lists[PANE_DEPLOYMENT].selected, index = 0;

	if (!reference || !app->is_on_deployment || selected >= table->shown ||
	    table_at(table, selected)->id < TREE_ROW)
		return NULL;
	index = (size_t)(table_at(table, selected)->id - TREE_ROW);
	return index < reference->field_count ? &reference->fields[index] : NULL;
}

/* Flags spell names with dashes, the build with underscores. */
static bool is_spelled(const char *name, const char *flag)
{
	for (; *name && *flag; name++, flag++)
		if (*name != (*flag == '-' ? '_' : *flag))
			return false;
	return !*name && !*flag;
}

static int depth(const char *path)
{
	int count = 0;

	for (; *path; path++)
		count += *path == '.';
	return count;
}

const struct ss_config_field *tree_declared(const struct ss_reference *reference,
					    enum ss_field_id field)
{
	const char *flag = ss_field(field)->flag;
	const char *dot = strrchr(ss_field(field)->path, '.');
	const char *name = dot ? dot + 1 : ss_field(field)->path;
	const struct ss_config_field *found = NULL;
	bool is_flag = false;

	for (size_t i = 0; reference && i < reference->field_count; i++) {
		const struct ss_config_field *one = &reference->fields[i];
		bool has_flag = flag && is_spelled(one->field, flag);

		if (!has_flag && (is_flag || strcmp(one->field, name) != 0))
			continue;
		/* of several, the one nearest the root is the engine's own */
		if (found && has_flag == is_flag &&
		    depth(one->owner_path) >= depth(found->owner_path))
			continue;
		found = one;
		is_flag = has_flag;
	}
	return found;
}

void tree_path(const struct ss_config_field *field, char *out, size_t size)
{
	bool is_top = field->owner_path[0] == '(';

	snprintf(out, size, "%s%s%s", is_top ? "" : field->owner_path, is_top ? "" : ".",
		 field->field);
}

const char *tree_stated(const struct app *app, const struct ss_config_field *field)
{
	const struct ss_value *map = ss_scenario_value(app->draft.scenario, app->pool, SS_F_SM70);
	char path[256];
	size_t len = 0;

	tree_path(field, path, sizeof(path));
	len = strlen(path);
	for (size_t i = 0; map->is_stated && i < map->count; i++) {
		if (!strncmp(map->texts[i], path, len) && map->texts[i][len] == '=')
			return map->texts[i] + len + 1;
	}
	return NULL;
}

bool tree_put(struct app *app, const char *path, const char *text, struct ss_error *err)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "engine.sm70.%s", path);
	return history_set_text(&app->history, &app->draft, app->pool, whole, text, err);
}

/* The n-th value a field may take; the allowed ones stand apart by semicolons. */
static bool nth_value(const struct ss_config_field *field, int n, char *out, size_t size)
{
	const char *text = field->allowed ? field->allowed : "";

	if (!strcmp(field->type, "bool")) {
		bool usual = field->default_value && !strcasecmp(field->default_value, "true");

		/* The first one changes what runs. */
		snprintf(out, size, "%s", (n == 0) != usual ? "true" : "false");
		return n < 2;
	}
	if (strcmp(field->type, "enum") != 0 || !*text)
		return false;
	while (n-- > 0) {
		text = strchr(text, ';');
		if (!text)
			return false;
		text++;
	}
	snprintf(out, size, "%.*s", (int)strcspn(text, ";"), text);
	return true;
}

bool tree_cycle(struct app *app, const struct ss_config_field *field, int step)
{
	const char *stated = tree_stated(app, field);
	char path[256], value[96];
	struct ss_error err = { 0 };
	int count = 0, at = -1;

	while (nth_value(field, count, value, sizeof(value))) {
		if (stated && !strcmp(stated, value))
			at = count;
		count++;
	}
	if (!count) {
		app_say(app, false, "%s: e types a value", field->field);
		return false;
	}
	/* Unstated stands between the last and the first. */
	at += step;
	if (at < -1)
		at = count - 1;
	if (at >= count || at < 0 || !nth_value(field, at, value, sizeof(value)))
		value[0] = '\0';
	tree_path(field, path, sizeof(path));
	if (tree_put(app, path, value, &err))
		return true;
	if (err.status)
		app_say(app, true, "%s", err.message);
	return false;
}

void tree_detail(const struct app *app, const struct ss_config_field *field, struct xbuf *out)
{
	const char *stated = tree_stated(app, field);
	char path[256];

	tree_path(field, path, sizeof(path));
	xbuf_printf(out, "%-10s engine.sm70.%s\n", "path", path);
	xbuf_printf(out, "%-10s %s\n", "stated", stated ? stated : "no");
	xbuf_printf(out, "%-10s %s\n", "default",
		    field->default_value ? field->default_value : "none");
	if (field->unset_means)
		xbuf_printf(out, "%-10s %s\n", "unstated", field->unset_means);
	xbuf_printf(out, "%-10s %s\n", "type", field->type);
	if (field->allowed && *field->allowed)
		xbuf_printf(out, "%-10s %s\n", strcmp(field->type, "bool") ? "allowed" : "about",
			    field->allowed);
	xbuf_puts(out, "\nWhat it selects stands in the Engine pane (9).\n");
}
