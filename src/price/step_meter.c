#include "price/step_meter.h"

#include <stdlib.h>

/** Entries a row read; absent ones (-1) are skipped, -2 ends. */
static void keep_reads(int *out, const int *reads)
{
	size_t n = 0;

	for (size_t i = 0; reads[i] != -2; i++)
		if (reads[i] >= 0 && n < SS_READS_MAX - 1)
			out[n++] = reads[i];
	out[n] = -1;
}

struct ss_term *step_row_add(struct step_rows *rows)
{
	if (rows->count == rows->capacity) {
		size_t wanted = rows->capacity ? rows->capacity * 2 : 64;
		struct ss_term *terms = realloc(rows->terms, wanted * sizeof(*terms));

		if (!terms) {
			rows->is_incomplete = true;
			return NULL;
		}
		rows->terms = terms;
		rows->capacity = wanted;
	}
	rows->terms[rows->count] =
		(struct ss_term){ .floor_reads = { -1 }, .slope_reads = { -1 }, .time_node = -1 };
	return &rows->terms[rows->count++];
}

void meter_record(struct meter *m, const struct pass *pass, enum ss_term_id term,
		  enum ss_resource resource, int kind, const char *detail, double count,
		  double floor_s, double slope_s, double flops, double bytes,
		  const int *floor_reads, const int *slope_reads)
{
	struct ss_term *row = step_row_add(m->rows);

	if (!row)
		return;
	row->term = term;
	row->resource = resource;
	row->kind = kind;
	row->is_draft = pass->is_draft;
	row->count = count;
	row->floor_s = floor_s;
	row->slope_s = slope_s;
	row->flops = flops;
	row->bytes = bytes;
	row->detail = detail ? detail : "";
	keep_reads(row->floor_reads, floor_reads);
	keep_reads(row->slope_reads, slope_reads);
}

void meter_charge(struct meter *m, enum ss_resource resource, double seconds)
{
	m->layer[resource] += seconds;
	m->serial_s += seconds;
}
