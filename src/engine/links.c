/* Where a row of one table leads in the others. */
#include <stdio.h>
#include <string.h>

#include "engine/condition.h"
#include "stepscope/engine.h"

/* Who is told of each link. */
struct taker {
	void (*take)(void *context, const char *kind, const char *text);
	void *context;
};

static void give(const struct taker *taker, const char *kind, const char *text)
{
	taker->take(taker->context, kind, text);
}

static void link_fields(const struct taker *taker, const struct ss_reference *r,
			const struct ss_config_owner *owner)
{
	for (size_t i = 0; i < r->field_count; i++) {
		const struct ss_config_field *f = &r->fields[i];
		char text[512];

		if (!names_have(&owner->paths, f->owner_path))
			continue;
		(void)snprintf(text, sizeof(text), "%s.%s: %s, default %s%s%s", f->owner_path,
			       f->field, f->type, f->default_value ? f->default_value : "none",
			       f->allowed ? ", allowed " : "", f->allowed ? f->allowed : "");
		give(taker, "fields", text);
	}
}

/* Settings that the conditions of a candidate read. */
static void link_settings(const struct taker *taker, const struct ss_reference *r,
			  const struct ss_route_candidate *c)
{
	for (size_t i = 0; i < c->needs.count; i++)
		if (c->needs.items[i].text && ss_reference_field(r, c->needs.items[i].text))
			give(taker, "fields", c->needs.items[i].text);
}

/* Candidates that name a route, or whose conditions read a field. */
static void link_order(const struct taker *taker, const struct ss_reference *r, const char *route,
		       const char *option)
{
	for (size_t i = 0; i < r->order.walk_count; i++) {
		const struct ss_route_walk *walk = &r->order.walks[i];

		for (size_t j = 0; j < walk->candidate_count; j++) {
			const struct ss_route_candidate *c = &walk->candidates[j];
			bool is_linked = route && c->route && strcmp(c->route->name, route) == 0;
			char text[320];

			for (size_t k = 0; option && k < c->needs.count; k++)
				is_linked |= c->needs.items[k].text &&
					     strcmp(c->needs.items[k].text, option) == 0;
			(void)snprintf(text, sizeof(text), "%s %zu: %s, %s, %s", walk->title, j + 1,
				       c->name, ss_candidate_role_name(c->role),
				       c->is_inferred ? "inferred" : "read");
			if (is_linked)
				give(taker, "order", text);
			if (is_linked && route)
				link_settings(taker, r, c);
		}
	}
}

static void link_rules(const struct taker *taker, const struct ss_reference *r,
		       const struct ss_moe_binding *b)
{
	for (size_t i = 0; i < r->moe_rule_count; i++) {
		const struct ss_moe_rule *rule = &r->moe_rules[i];

		if (strcmp(rule->stage, b->stage) == 0 && strcmp(rule->mode, b->mode) == 0 &&
		    names_have(&rule->families, b->families.items[0]))
			give(taker, "selected_when", rule->reason);
	}
}

/* The route that a candidate of the order names, and the settings it reads. */
static void link_candidate(const struct taker *taker, const struct ss_reference *r, size_t row)
{
	for (size_t i = 0; i < r->order.walk_count; i++) {
		const struct ss_route_walk *walk = &r->order.walks[i];

		if (row >= walk->candidate_count) {
			row -= walk->candidate_count;
			continue;
		}
		if (walk->candidates[row].route)
			give(taker, "routes", walk->candidates[row].route->name);
		link_settings(taker, r, &walk->candidates[row]);
		return;
	}
}

/* A row of GDN prefill that is a setting has its field. */
static void link_gdn(const struct taker *taker, const struct ss_reference *r, size_t row)
{
	char path[256];

	(void)ss_table_cell(path, sizeof(path), r, SS_TABLE_GDN, row, 1);
	if (ss_reference_field(r, path))
		give(taker, "fields", path);
}

void ss_table_links(const struct ss_reference *r, enum ss_table table, size_t row,
		    void (*take)(void *context, const char *kind, const char *text), void *context)
{
	const struct ss_config_owner *owner;
	struct taker taker = { take, context };
	char path[512];

	switch (table) {
	case SS_TABLE_OWNERS:
		link_fields(&taker, r, &r->owners[row]);
		break;
	case SS_TABLE_CODECS:
		for (size_t i = 0; i < r->route_count; i++)
			if (names_have(&r->routes[i].codecs, r->codecs[row].symbol))
				give(&taker, "routes", r->routes[i].name);
		break;
	case SS_TABLE_ROUTES:
		for (size_t i = 0; i < r->routes[row].codecs.count; i++)
			give(&taker, "codecs", r->routes[row].codecs.items[i]);
		link_order(&taker, r, r->routes[row].name, NULL);
		break;
	case SS_TABLE_BINDINGS:
		link_rules(&taker, r, &r->bindings[row]);
		break;
	case SS_TABLE_FIELDS:
		owner = ss_reference_owner(r, r->fields[row].owner_path);
		if (owner)
			give(&taker, "owner", owner->type);
		(void)snprintf(path, sizeof(path), "%s.%s", r->fields[row].owner_path,
			       r->fields[row].field);
		link_order(&taker, r, NULL, path);
		break;
	case SS_TABLE_ORDER:
		link_candidate(&taker, r, row);
		break;
	case SS_TABLE_GDN:
		link_gdn(&taker, r, row);
		break;
	case SS_TABLE_COUNT:
		break;
	}
}
