#include "resolve/links.h"

#include <stdio.h>
#include <string.h>

#include "price/collective.h"

/** The winner at an exact width; -1 none. */
static int at_width(const struct ss_kernel *k, const struct basis_widths *w, int width)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->width[i] == width)
			return coef_winner(k, w->entry[i]);
	return -1;
}

/** Widths that have all three figures. */
static size_t complete_widths(const struct ss_kernel *k, enum coef_collective op,
			      int widths[BASIS_WIDTHS_MAX])
{
	const struct basis_widths *floors = &k->basis->link[0][op];
	size_t n = 0;

	for (size_t i = 0; i < floors->count; i++)
		if (coef_winner(k, floors->entry[i]) >= 0 &&
		    at_width(k, &k->basis->link[1][op], floors->width[i]) >= 0 &&
		    at_width(k, &k->basis->link[2][op], floors->width[i]) >= 0)
			widths[n++] = floors->width[i];
	return n;
}

static void refuse_width(struct ss_kernel *k, enum coef_collective op, int wanted,
			 const int *widths, size_t count)
{
	char list[128] = "none";
	size_t used = 0;

	for (size_t i = 0; i < count && used + 16 < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d", i ? ", " : "",
					 widths[i]);
	refuse_price(k, "C2", "collective %s over %d ranks of %s: measured widths are %s",
		     coef_collective_name(op), wanted, k->basis->in.part->name, list);
}

static void set_path(struct ss_kernel *k, struct plan_link *l, const struct layout_place *place,
		     bool is_point_to_point)
{
	double ratio;

	l->span = 1;
	l->resource = SS_RESOURCE_NVLINK;
	if (!place->crosses)
		return;
	ratio = fabric_ratio(k->basis->in.part->intra_node_gb_s, k->inter_node_gb_s);
	l->resource = SS_RESOURCE_NIC;
	l->span = is_point_to_point ? span_all_to_all(place->width, place->per_node, ratio)
				    : span_ring(place->width, place->per_node, ratio);
}

struct plan_link link_make(struct ss_kernel *k, enum ss_term_id term, enum coef_collective op,
			   enum layout_group group, bool is_point_to_point)
{
	const struct layout_place *place = &k->layout.groups[group];
	struct plan_link l = {
		.term = term,
		.floor = COEF_NONE,
		.transition = COEF_NONE,
		.peak = COEF_NONE,
		.assumed_entry = -1,
	};
	int widths[BASIS_WIDTHS_MAX];
	size_t count = complete_widths(k, op, widths);
	int width = collective_width(widths, count, place->width);

	set_path(k, &l, place, is_point_to_point);
	if (!width) {
		refuse_width(k, op, place->width, widths, count);
		return l;
	}
	l.floor = coef_bind(k, at_width(k, &k->basis->link[0][op], width));
	l.peak = coef_bind(k, at_width(k, &k->basis->link[1][op], width));
	l.transition = coef_bind(k, at_width(k, &k->basis->link[2][op], width));
	return l;
}

/** The backend that may have a price of its own; BACKEND_COUNT for the others. */
static enum coef_backend own_backend(const struct ss_kernel *k)
{
	const char *name = k->set.all2all;

	/* without expert parallelism tokens are gathered, whatever backend is named */
	if (!k->layout.is_routed)
		return BACKEND_COUNT;
	if (strcmp(name, "deepep_v2") == 0)
		return k->set.graph_mode == GRAPH_MODE_NONE ? BACKEND_V2_EAGER : BACKEND_V2_GRAPH;
	for (int i = 0; i < BACKEND_COUNT; i++)
		if (strcmp(name, coef_backend_name((enum coef_backend)i)) == 0)
			return (enum coef_backend)i;
	return BACKEND_COUNT;
}

struct plan_link link_dispatch(struct ss_kernel *k)
{
	const struct layout_place *place = &k->layout.groups[LAYOUT_EXPERT];
	enum coef_backend own = own_backend(k);
	struct plan_link l = { .term = SS_TERM_ALL2ALL,
			       .span = 1,
			       .resource = SS_RESOURCE_NVLINK,
			       .assumed_entry = -1 };

	if (own != BACKEND_COUNT) {
		int floor = at_width(k, &k->basis->backend[0][own], place->width);
		int rate = at_width(k, &k->basis->backend[1][own], place->width);

		if (floor >= 0 && rate >= 0 && !place->crosses) {
			l.floor = coef_bind(k, floor);
			l.transition = coef_bind(k, rate);
			l.peak = COEF_NONE;
			return l;
		}
		note_assumption(&k->notes, ASSUME_MOE_A2A, coef_backend_name(own),
				NOTE_TEXT("routed all-to-all"),
				place->crosses ? WHY_NODES : WHY_NOT_MEASURED);
	}
	return link_make(k, SS_TERM_ALL2ALL, COLLECTIVE_ALL_TO_ALL, LAYOUT_EXPERT,
			 k->layout.is_routed);
}

double link_transfer_floor_us(const struct ss_kernel *k)
{
	int widths[BASIS_WIDTHS_MAX];
	size_t count = complete_widths(k, COLLECTIVE_ALL_TO_ALL, widths);
	int wanted = k->basis->has_experts ? k->layout.groups[LAYOUT_EXPERT].width : 1;
	int width = collective_width(widths, count, wanted);

	if (!width)
		return 0;
	return coef_bind(k, at_width(k, &k->basis->link[0][COLLECTIVE_ALL_TO_ALL], width)).value;
}
