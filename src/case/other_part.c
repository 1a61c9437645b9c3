#include "case/other_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/session.h"
#include "stepscope/kernel.h"
#include "text/xbuf.h"

#define HARDWARE "cluster.hardware"

/** Most parts that are offered, most that are looked at, most settings that go with one. */
enum { OFFERED_MOST = 3, PARTS_MOST = 64, SETTINGS_MOST = 16 };

/** A part by how far its memory is from that of the refused one. */
struct candidate {
	const char *name;
	double distance;
};

struct search {
	struct ss_registry *registry;
	const struct ss_scenario *scenario;
	size_t pool;
	unsigned corrections;
	struct ss_problems *problems;
};

/** What goes with a part. */
struct company {
	struct xbuf paths[SETTINGS_MOST], texts[SETTINGS_MOST];
	size_t count;
};

static void add(struct company *c, const char *path, const char *text)
{
	if (c->count == SETTINGS_MOST)
		return;
	xbuf_puts(&c->paths[c->count], path);
	xbuf_puts(&c->texts[c->count++], text);
}

static void company_release(struct company *c)
{
	for (size_t i = 0; i < c->count; i++) {
		xbuf_release(&c->paths[i]);
		xbuf_release(&c->texts[i]);
	}
}

static bool is_stuck(const struct ss_problem *p)
{
	return p->severity == SS_REFUSAL &&
	       (!p->fix_count || strcmp(p->fixes[0].path, HARDWARE) == 0);
}

/* -- which parts -------------------------------------------------------------------------- */

static int by_distance(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = (a->distance > b->distance) - (a->distance < b->distance);

	return order ? order : strcmp(a->name, b->name);
}

static size_t find_candidates(const struct search *s, char *const *names, size_t count,
			      struct candidate out[PARTS_MOST])
{
	const char *own = session_text(s->scenario, 0, SS_F_HARDWARE);
	const struct ss_part *part = ss_registry_part(s->registry, own, NULL);
	double bandwidth = part ? part->memory_bandwidth_tb_s : 1;
	size_t n = 0;

	for (size_t i = 0; i < count && n < PARTS_MOST; i++) {
		if (strcmp(own, names[i]) == 0)
			continue;
		part = ss_registry_part(s->registry, names[i], NULL);
		if (part && part->memory_bandwidth_tb_s > 0)
			out[n++] = (struct candidate){
				names[i], fabs(log(part->memory_bandwidth_tb_s / bandwidth))
			};
	}
	qsort(out, n, sizeof(*out), by_distance);
	return n;
}

/* -- trying one --------------------------------------------------------------------------- */

/** What the copy states otherwise, besides the part. */
static void add_changes(const struct search *s, const struct ss_scenario *copy, struct company *c)
{
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *field = ss_field((enum ss_field_id)id);
		const struct ss_value *is = ss_scenario_value(copy, s->pool, field->id);
		struct xbuf text = { 0 }, path = { 0 };
		size_t len;

		if (field->id == SS_F_HARDWARE || field->owner == SS_OWNER_POOL ||
		    ss_value_equal(ss_scenario_value(s->scenario, s->pool, field->id), is))
			continue;
		len = ss_value_format(NULL, 0, field, is);
		ss_value_format(xbuf_reserve(&text, len), len + 1, field, is);
		text.len += len;
		xbuf_printf(&path, "%s%s", ss_field_prefix(field->owner), field->path);
		add(c, xbuf_text(&path), xbuf_text(&text));
		xbuf_release(&path);
		xbuf_release(&text);
	}
}

/** The first way out of what is refused there. */
static bool add_way_out(const struct ss_problems *list, struct company *c)
{
	size_t i = 0;

	while (i < list->count && list->items[i].severity != SS_REFUSAL)
		i++;
	if (i == list->count || !list->items[i].fix_count)
		return false;
	for (const struct ss_fix *fix = list->items[i].fixes; fix; fix = fix->also)
		add(c, fix->path, fix->value);
	return true;
}

/** Does the copy run, perhaps with a way out of what is refused there? */
static bool runs(const struct search *s, const struct ss_scenario *copy, struct company *c)
{
	struct ss_problems list = { 0 };
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	bool is_found = false;

	if (ss_basis_open(&basis, s->registry, copy, NULL, 0, &list) == SS_OK)
		is_found = (ss_kernel_new(&kernel, basis, copy, s->pool, s->corrections, &list) ==
				    SS_OK &&
			    ss_kernel_has_price(kernel)) ||
			   add_way_out(&list, c);
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_problems_release(&list);
	return is_found;
}

static void offer(const struct search *s, const char *part, const struct company *c)
{
	struct xbuf note = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		xbuf_puts(&note, i ? ", " : "with ");
		/* a list of sets is too long to read in passing */
		if (!strcmp(xbuf_text(&c->paths[i]), ss_field(SS_F_COEFFICIENTS)->path))
			xbuf_puts(&note, "its coefficients");
		else
			xbuf_printf(&note, "%s = %s", xbuf_text(&c->paths[i]),
				    c->texts[i].len ? xbuf_text(&c->texts[i]) : "unstated");
	}
	for (size_t i = 0; i < s->problems->count; i++) {
		if (!is_stuck(&s->problems->items[i]))
			continue;
		ss_problems_add_fix(s->problems, i, HARDWARE, part, xbuf_text(&note));
		for (size_t j = 0; j < c->count; j++)
			ss_problems_extend_fix(s->problems, i, xbuf_text(&c->paths[j]),
					       xbuf_text(&c->texts[j]));
	}
	xbuf_release(&note);
}

/** @param is_moved with the part's own coefficients, node and build too. */
static bool try_part(const struct search *s, const char *part, bool is_moved)
{
	struct company c = { .count = 0 };
	struct ss_scenario *copy = NULL;
	bool is_found = false;
	enum ss_status rc = ss_scenario_clone(&copy, s->scenario);

	if (!rc && is_moved)
		rc = adhoc_move(copy, s->registry, part, NULL, NULL);
	else if (!rc)
		rc = ss_scenario_set(copy, s->pool, HARDWARE, part, NULL);
	if (!rc) {
		add_changes(s, copy, &c);
		is_found = runs(s, copy, &c);
	}
	if (is_found)
		offer(s, part, &c);
	company_release(&c);
	ss_scenario_free(copy);
	return is_found;
}

void other_part_offer(struct ss_problems *problems, struct ss_registry *registry,
		      const struct ss_scenario *scenario, size_t pool, unsigned corrections)
{
	struct search s = { registry, scenario, pool, corrections, problems };
	struct candidate candidates[PARTS_MOST];
	char **names = NULL;
	size_t count = 0, near, stuck = 0;

	for (size_t i = 0; problems && i < problems->count; i++)
		stuck += is_stuck(&problems->items[i]);
	if (!stuck || ss_registry_names(registry, SS_DOCUMENT_HARDWARE, &names, &count) != SS_OK)
		return;
	near = find_candidates(&s, names, count, candidates);
	for (size_t i = 0, found = 0; i < near && found < OFFERED_MOST; i++)
		found += try_part(&s, candidates[i].name, false) ||
			 try_part(&s, candidates[i].name, true);
	ss_names_free(names, count);
}
