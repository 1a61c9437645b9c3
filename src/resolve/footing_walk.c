/* The order to walk what was assumed, and why each value is what it is. */
#include "resolve/footing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum ss_walk_group group_of(const struct ss_kernel *k, const struct ss_influence *influence,
				   size_t entry)
{
	if (fabs(influence->elasticity) > 0 || fabs(influence->room_elasticity) > 0)
		return SS_WALK_MOVES;
	return entry_note(k, (int)entry) ? SS_WALK_OWN : SS_WALK_REST;
}

/** Of the kernel's own: what is read, what might move by a step, what moves nothing. */
static int own_place(const struct ss_kernel *k, const struct ss_influence *influence, int entry)
{
	if (influence->is_read || influence->is_memory)
		return 0;
	return *ss_kernel_entry_setting(k, entry) ? 1 : 2;
}

/** Does item `a` come before `b`? Equal ones keep their order, that of their names. */
static bool is_before(const struct ss_kernel *k, const struct ss_influence *influences,
		      const struct ss_walk_item *item, const struct ss_walk_item *other)
{
	const struct ss_influence *a = &influences[item->entry], *b = &influences[other->entry];
	double x = fabs(a->elasticity), y = fabs(b->elasticity);

	if (item->group != other->group)
		return item->group < other->group;
	if (item->group == SS_WALK_OWN)
		return own_place(k, a, item->entry) < own_place(k, b, other->entry);
	if (x > y || x < y)
		return x > y;
	return fabs(a->room_elasticity) > fabs(b->room_elasticity);
}

size_t ss_kernel_walk(const struct ss_kernel *kernel, const struct ss_influence *influences,
		      struct ss_walk_item *out)
{
	size_t n = 0;

	for (size_t i = 0; i < kernel->entry_count; i++) {
		const struct ss_entry *e = &kernel->entries[i];
		struct ss_walk_item item = { (int)i, group_of(kernel, &influences[i], i) };
		size_t at = n;

		if (e->is_shadowed || e->method != SS_METHOD_ASSUMED || !influences[i].is_counted)
			continue;
		/* insert: entries are few, and equal ones keep their order */
		while (at > 0 && is_before(kernel, influences, &item, &out[at - 1])) {
			out[at] = out[at - 1];
			at--;
		}
		out[at] = item;
		n++;
	}
	return n;
}

const char *ss_kernel_entry_why(const struct ss_kernel *kernel, int entry)
{
	const struct ss_entry *e = &kernel->entries[entry];

	if (e->is_own)
		return e->scope + strlen(e->value_text) + 2;
	if (e->is_whatif)
		return "tried at this value in the session";
	if (e->times)
		return *e->times->rationale ? e->times->rationale : e->scope;
	return e->coefficient ? e->coefficient->rationale : "";
}
