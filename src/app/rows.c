#include "app/rows.h"

#include <stdio.h>
#include <string.h>

#include "text/number.h"

void rows_make(struct table *table, const struct app *app, enum pane_id pane)
{
	switch (pane) {
	case PANE_DEPLOYMENT:
		rows_deployment(table, app);
		return;
	case PANE_RESOLVED:
		rows_resolved(table, app);
		return;
	case PANE_PROVENANCE:
		rows_provenance(table, app);
		return;
	case PANE_EVIDENCE:
		rows_evidence(table, app);
		return;
	case PANE_STEP:
		rows_step(table, app);
		return;
	case PANE_BATCH:
		rows_batch(table, app);
		return;
	case PANE_COMPARE:
		rows_compare(table, app);
		return;
	case PANE_MODEL:
		rows_model(table, app);
		return;
	case PANE_ENGINE:
		rows_engine(table, app);
		return;
	case PANE_MEMORY:
	case PANE_SWEEP:
	case PANE_SERVE:
	case PANE_ALL:
		break;
	}
	table_reset(table, NULL, 0);
}

enum ss_field_id rows_memory_field(int row)
{
	static const enum ss_field_id fields[ROWS_MEMORY_FIELDS] = {
		SS_FIELD_COUNT, SS_F_MAX_MODEL_LEN, SS_F_GPU_MEMORY_UTILIZATION, SS_F_TP
	};

	return row >= 0 && row < ROWS_MEMORY_FIELDS ? fields[row] : SS_FIELD_COUNT;
}

void rows_change(char *out, size_t size, const char *what, const struct difference *change,
		 const char *note)
{
	char text[120];

	difference_text(text, sizeof(text), change);
	snprintf(out, size, "Next %s: %s%s", what, text, note);
}

char rows_method_mark(enum ss_method method)
{
	return method != SS_METHOD_COUNT && !ss_method_is_evidence(method) ? '~' : ' ';
}

/* Units as they read after a number; those that say it already have none. */
static const char *short_unit(enum ss_unit unit)
{
	switch (unit) {
	case SS_UNIT_US_PER_LAYER:
	case SS_UNIT_US_PER_REQUEST:
	case SS_UNIT_US_PER_STEP:
	case SS_UNIT_US_PER_HOP:
	case SS_UNIT_US_PER_LOAD:
	case SS_UNIT_US_PER_TRANSFER:
	case SS_UNIT_US_PER_TOKEN:
		return " us";
	case SS_UNIT_BYTES_PER_US:
		return " B/us";
	case SS_UNIT_FLOP_PER_US:
		return " FLOP/us";
	case SS_UNIT_BYTES_PER_RANK:
	case SS_UNIT_DIMENSIONLESS:
	case SS_UNIT_TOKENS:
	case SS_UNIT_SM_COUNT:
	case SS_UNIT_COUNT:
		break;
	}
	return "";
}

void rows_entry_value_unit(const struct ss_entry *entry, double value, char *out, size_t size)
{
	enum ss_unit unit = entry->coefficient ? entry->coefficient->units : SS_UNIT_COUNT;

	if (unit == SS_UNIT_BYTES_PER_RANK)
		snprintf(out, size, "%s", number_bytes_binary(value).text);
	else if (strlen(number_plain(value).text) > 10)
		snprintf(out, size, "%.6g%s", value, short_unit(unit));
	else
		snprintf(out, size, "%s%s", number_plain(value).text, short_unit(unit));
}

void rows_entry_value(const struct ss_entry *entry, char *out, size_t size)
{
	if (entry->has_value)
		rows_entry_value_unit(entry, entry->value, out, size);
	else
		snprintf(out, size, "%s", entry->value_text);
}

void rows_term_label(const struct quote *quote, const struct ss_term *term, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s%s", term->is_draft ? "draft: " : "",
		 ss_term_label_in(term->term, quote->breakdown.step.graph),
		 *term->detail ? " " : "", term->detail);
}

const char *rows_group_kind(const struct app *app, const struct ss_group *group)
{
	int64_t threshold = app->draft.scenario->workload.decode_threshold;

	if (threshold <= 0)
		threshold =
			app->quote ? ss_kernel_resolution(app->quote->kernel)->decode_threshold : 1;
	if (group->scheduled > threshold)
		return group->computed > 0 ? "chunk" : "prefill";
	return group->scheduled > 1 ? "verify" : "decode";
}

void rows_group(const struct app *app, const struct ss_group *group, char *out, size_t size)
{
	const char *kind = rows_group_kind(app, group);

	if (group->scheduled == 1)
		snprintf(out, size, "%lld %s x %lld", (long long)group->count, kind,
			 (long long)(group->computed + 1));
	else if (group->computed)
		snprintf(out, size, "%lld %s x %lld on %lld", (long long)group->count, kind,
			 (long long)group->scheduled, (long long)group->computed);
	else
		snprintf(out, size, "%lld %s x %lld", (long long)group->count, kind,
			 (long long)group->scheduled);
}
