#include "case/around.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "text/number.h"

struct list {
	struct around_row *rows;
	size_t count;
};

/* A row; its label is a format of what follows. */
SS_PRINTF(5, 6)
static void add(struct list *list, const char *key, double seconds, const char *note,
		const char *label, ...)
{
	struct around_row *row = &list->rows[list->count];
	va_list args;

	if (list->count == AROUND_ROWS_MAX)
		return;
	list->count++;
	row->seconds = seconds;
	snprintf(row->key, sizeof(row->key), "%s_s", key);
	snprintf(row->note, sizeof(row->note), "%s", note);
	va_start(args, label);
	vsnprintf(row->label, sizeof(row->label), label, args);
	va_end(args);
}

static void add_transfer(struct list *list, const struct ss_kernel *kernel, int64_t tokens)
{
	static const struct {
		enum ss_place place;
		const char *key, *label;
	} places[] = {
		{ SS_PLACE_SAME_NODE, "pd_same_node", "in the node" },
		{ SS_PLACE_SAME_RACK, "pd_same_rack", "in the rack" },
		{ SS_PLACE_FABRIC, "pd_fabric", "over the fabric" },
	};
	const struct ss_part *part = ss_basis_inputs(ss_kernel_basis(kernel))->part;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		double seconds = ss_kernel_pd_transfer_s(kernel, tokens, places[i].place);

		/* A part without a rack has none, a cluster without a fabric no way over it. */
		if ((places[i].place == SS_PLACE_SAME_RACK && part->gpus_per_rack <= 0) ||
		    !isfinite(seconds))
			continue;
		add(list, places[i].key, seconds, "a request's KV to its decode pool",
		    "P/D transfer %s", places[i].label);
	}
}

static void add_tiers(struct list *list, const struct ss_kernel *kernel,
		      const struct ss_scenario *scenario, int64_t tokens)
{
	const struct ss_value *tiers = ss_scenario_value(scenario, 0, SS_F_OFFLOAD_TIERS);
	int64_t depth = ss_scenario_value(scenario, 0, SS_F_OFFLOAD_PREFETCH)->integer;
	int64_t bytes = ss_kernel_sequence_bytes(kernel, tokens) +
			ss_kernel_memory(kernel)->sequence_fixed_bytes;

	for (size_t i = 0; i < tiers->count; i++) {
		const char *tier = tiers->texts[i];

		for (int is_write = 0; is_write < 2; is_write++) {
			double seconds = ss_kernel_tier_s(kernel, tier, is_write, bytes, depth);
			char key[64], note[160];

			snprintf(key, sizeof(key), "offload_%.40s_%s", tier,
				 is_write ? "write" : "read");
			snprintf(note, sizeof(note), "%s of one request%s; the tier holds %s",
				 number_bytes_binary((double)bytes).text,
				 isfinite(seconds) ? "" : ", not listed in the storage",
				 bytes > 0 ? number_count(floor((double)tiers->integers[i] /
								(double)bytes))
						     .text
					   : "any");
			add(list, key, seconds, note, "offload %.40s, %s", tier,
			    is_write ? "write" : "read");
		}
	}
}

size_t around_of(struct around_row rows[AROUND_ROWS_MAX], const struct ss_kernel *kernel,
		 const struct ss_scenario *scenario, int64_t tokens)
{
	struct list list = { .rows = rows };
	char note[64];

	snprintf(note, sizeof(note), "of a prompt of %s tokens", number_count((double)tokens).text);
	add(&list, "admission", ss_kernel_admission_s(kernel, tokens), note, "admission");
	add(&list, "output_token", ss_kernel_output_token_s(kernel), "each, from sampled to sent",
	    "output token");
	add(&list, "completion", ss_kernel_completion_s(kernel), "once, when a request ends",
	    "completion");
	if (scenario->has_pd_transfer)
		add_transfer(&list, kernel, tokens);
	add_tiers(&list, kernel, scenario, tokens);
	return list.count;
}

int64_t around_longest(const struct ss_batch *batch)
{
	int64_t longest = 0;

	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		if (g->count > 0 && g->computed + g->scheduled > longest)
			longest = g->computed + g->scheduled;
	}
	return longest;
}
