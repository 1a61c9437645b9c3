/* Resolved, Provenance, Evidence: what runs, and what the price rests on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"
#include "app/rows.h"

/* -- resolved ------------------------------------------------------------------------- */

static void fact(struct table *table, const char *name, const char *value)
{
	table_row(table, -1, ' ');
	table_put(table, 0, name);
	table_put(table, 1, value);
}

static void count_fact(struct table *table, const char *name, int64_t value)
{
	fact(table, name, number_count((double)value).text);
}

static void resolved_widths(struct table *table, const struct ss_resolution *r)
{
	char text[96];

	table_heading(table, "WIDTHS");
	snprintf(text, sizeof(text), "tp %lld  dp %lld  ep %lld", (long long)r->tensor_parallel,
		 (long long)r->data_parallel, (long long)r->expert_parallel);
	fact(table, "parallel", text);
	snprintf(text, sizeof(text), "dcp %lld  pcp %lld", (long long)r->decode_context_parallel,
		 (long long)r->prefill_context_parallel);
	fact(table, "context parallel", text);
	count_fact(table, "ranks of one engine", r->ranks);
	table_heading(table, "BACKENDS");
	fact(table, "all-reduce", r->allreduce_backend);
	fact(table, "MoE all-to-all", r->all2all_backend);
	fact(table, "attention", r->attention_backend);
	fact(table, "MoE kernel", r->moe_backend);
	fact(table, "linear kernel", r->linear_backend);
	fact(table, "fused all-reduce", r->fuse_allreduce_rms ? "on" : "off");
	fact(table, "fused quantising", r->fuse_act_quant ? "on" : "off");
	fact(table, "cache layout", r->cache_layout);
	fact(table, "mamba cache mode", r->mamba_cache_mode);
	fact(table, "quantization", r->quantization);
}

static void resolved_limits(struct table *table, const struct ss_resolution *r)
{
	char text[256];

	table_heading(table, "GRAPHS AND BUDGETS");
	fact(table, "cudagraph mode", r->cudagraph_mode);
	count_fact(table, "capture ceiling", r->max_cudagraph_capture_size);
	sizes_text(text, sizeof(text), r->capture_sizes, r->capture_size_count);
	fact(table, "sizes captured", text);
	count_fact(table, "block size", r->block_size);
	count_fact(table, "max_num_batched_tokens", r->max_num_batched_tokens);
	count_fact(table, "max_num_seqs", r->max_num_seqs);
	if (r->max_model_len > 0)
		count_fact(table, "max_model_len", r->max_model_len);
	else
		fact(table, "max_model_len", "unbounded");
	fact(table, "gpu_memory_utilization", number_share(r->gpu_memory_utilization).text);
	table_heading(table, "FLAGS");
	fact(table, "async scheduling", r->async_scheduling ? "on" : "off");
	fact(table, "cascade attention", r->cascade_attention ? "on" : "off");
	fact(table, "sequence-parallel MoE", r->sequence_parallel_moe ? "on" : "off");
	if (r->spec_tokens > 0)
		count_fact(table, "drafted tokens", r->spec_tokens);
	count_fact(table, "decode threshold", r->decode_threshold);
}

/* That nothing is overridden says little beside what is refused or has no effect. */
static const char *honoured(const struct app *app)
{
	if (app->is_refused)
		return "what is refused does not run";
	for (size_t i = 0; i < app->problems.count; i++)
		if (app->problems.items[i].severity == SS_WARNING)
			return "see the warnings";
	return "every request is honoured";
}

void rows_resolved(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "what runs", .width = 23, .min_width = 12 },
		{ .title = "resolved", .width = 20, .min_width = 17, .grows = true },
		{ .title = "requested", .width = 14, .min_width = 10, .rank = 1 },
	};
	const struct ss_resolution *r = NULL;
	size_t count = 0;

	table_reset(table, columns, 3);
	if (!app->quote)
		return;
	r = ss_kernel_resolution(app->quote->kernel);
	count = ss_kernel_override_count(app->quote->kernel);
	if (count)
		table_heading(table, "OVERRIDDEN (Enter: why)");
	for (size_t i = 0; i < count; i++) {
		const struct ss_override *override = ss_kernel_override(app->quote->kernel, i);

		table_row(table, (int)i, '!');
		table_put(table, 0, override->field);
		table_put(table, 1, override->resolved);
		table_put(table, 2, override->requested);
	}
	if (!count) {
		table_heading(table, "OVERRIDDEN");
		fact(table, "nothing", honoured(app));
	}
	for (size_t i = 0; i < app->problems.count; i++) {
		if (app->problems.items[i].severity != SS_WARNING)
			continue;
		table_row(table, (int)(count + i), '!');
		table_put(table, 0, "warning");
		table_put(table, 1, app->problems.items[i].message);
	}
	resolved_widths(table, r);
	resolved_limits(table, r);
}

/* -- provenance ----------------------------------------------------------------------- */

static char entry_mark(const struct ss_entry *entry)
{
	if (entry->is_shadowed)
		return ' ';
	return entry->is_whatif ? '*' : rows_method_mark(entry->method);
}

static void put_entry_value(struct table *table, int column, const struct ss_entry *entry)
{
	char text[64];

	rows_entry_value(entry, text, sizeof(text));
	if (entry->has_value)
		table_put_number(table, column, entry->value, text);
	else
		table_put(table, column, text);
}

/* Per cent of the price for each per cent of the entry. */
static void put_influence(struct table *table, int column, const struct app *app, size_t entry)
{
	const struct ss_influence *influence = app->quote->influences;

	if (!influence)
		table_put(table, column, "..");
	else
		table_put_number(table, column, fabs(influence[entry].elasticity),
				 influence[entry].is_read
					 ? number_signed(influence[entry].elasticity, 3).text
					 : "-");
}

void rows_provenance(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "entry", .width = 40, .min_width = 30, .grows = true },
		{ .title = "value", .width = 13, .min_width = 12, .is_right = true },
		{ .title = "units", .width = 15, .min_width = 15, .rank = 6 },
		{ .title = "set", .width = 25, .min_width = 20, .rank = 4 },
		{ .title = "method", .width = 11, .min_width = 11, .rank = 1 },
		{ .title = "in step", .width = 7, .min_width = 7, .is_right = true, .rank = 2 },
		{ .title = "moves", .width = 7, .min_width = 7, .is_right = true },
		{ .title = "scope", .width = 40, .min_width = 20, .rank = 5 },
	};
	double *seconds = NULL;
	double lead = 0;
	size_t count = 0;

	table_reset(table, columns, 8);
	if (!app->quote)
		return;
	count = ss_kernel_entry_count(app->quote->kernel);
	seconds = xcalloc(count, sizeof(*seconds));
	quote_influence(app->quote, app->figure, seconds);
	lead = quote_lead(app->quote, app->figure);
	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, i);

		if (!ss_kernel_entry_counts(app->quote->kernel, app->figure, i))
			continue;
		table_row(table, (int)i, entry_mark(entry));
		table_put(table, 0, entry->name);
		put_entry_value(table, 1, entry);
		if (entry->coefficient)
			table_put(table, 2, ss_unit_name(entry->coefficient->units));
		table_put(table, 3, entry->set);
		table_put(table, 4,
			  entry->is_shadowed ? "shadowed" : ss_method_name(entry->method));
		table_put_number(table, 5, seconds[i],
				 seconds[i] > 0 && lead > 0
					 ? number_percent(seconds[i] / lead, 1).text
					 : "-");
		put_influence(table, 6, app, i);
		table_put(table, 7, entry->scope);
	}
	free(seconds);
}

/* -- evidence ------------------------------------------------------------------------- */

void rows_evidence(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "assumed, the weightiest first",
		  .width = 34,
		  .min_width = 18,
		  .grows = true },
		{ .title = "value", .width = 14, .min_width = 8, .is_right = true },
		{ .title = "set", .width = 26, .min_width = 10, .rank = 1 },
		{ .title = "in step", .width = 7, .min_width = 7, .is_right = true },
		{ .title = "moves", .width = 9, .min_width = 9, .is_right = true },
	};
	double *seconds = NULL;
	double lead = 0;
	size_t count = 0, length = 0;
	struct ss_walk_item *order = NULL;
	struct ss_influence *none = NULL;

	table_reset(table, columns, 5);
	if (!app->quote)
		return;
	count = ss_kernel_entry_count(app->quote->kernel);
	seconds = xcalloc(count, sizeof(*seconds));
	quote_influence(app->quote, app->figure, seconds);
	lead = quote_lead(app->quote, app->figure);
	order = xcalloc(count, sizeof(*order));
	/* Until they are worked out nothing moves; then it is the order of the walk. */
	none = xcalloc(count, sizeof(*none));
	for (size_t i = 0; i < count; i++)
		none[i].is_counted = ss_kernel_entry_counts(app->quote->kernel, app->figure, i);
	length = ss_kernel_walk(app->quote->kernel,
				app->quote->influences ? app->quote->influences : none, order);
	for (size_t i = 0; i < length; i++) {
		size_t index = (size_t)order[i].entry;
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, index);

		table_row(table, (int)index, '~');
		table_put(table, 0, entry->name);
		put_entry_value(table, 1, entry);
		table_put(table, 2, entry->set);
		table_put_number(table, 3, seconds[index],
				 seconds[index] > 0 && lead > 0
					 ? number_percent(seconds[index] / lead, 1).text
					 : "-");
		if (app->quote->influences &&
		    !(fabs(app->quote->influences[index].elasticity) > 0) &&
		    fabs(app->quote->influences[index].room_elasticity) > 0) {
			char text[48];

			snprintf(text, sizeof(text), "KV %s",
				 number_signed(app->quote->influences[index].room_elasticity, 3)
					 .text);
			table_put_number(table, 4, 0, text);
		} else {
			put_influence(table, 4, app, index);
		}
	}
	free(none);
	free(order);
	free(seconds);
}
