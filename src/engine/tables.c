/* The tables of a reference as rows and columns of text: what is listed,
 * filtered, sorted and compared. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stepscope/engine.h"

enum { COLUMNS_MAX = 16 };

/* Text that counts past the end of its room. */
struct sink {
	char *out;
	size_t size;
	size_t length;
};

static void put(struct sink *sink, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (n > 0 && sink->length + 1 < sink->size) {
		size_t room = sink->size - 1 - sink->length;

		memcpy(sink->out + sink->length, text, n < room ? n : room);
	}
	sink->length += n;
}

static void put_number(struct sink *sink, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put(sink, text);
}

static void put_names(struct sink *sink, const struct ss_names *names, const char *between)
{
	for (size_t i = 0; i < names->count; i++) {
		put(sink, i ? between : "");
		put(sink, names->items[i]);
	}
}

static void put_numbers(struct sink *sink, const struct ss_numbers *numbers)
{
	for (size_t i = 0; i < numbers->count; i++) {
		put(sink, i ? ", " : "");
		put_number(sink, numbers->items[i]);
	}
}

static void put_flag(struct sink *sink, bool is_set)
{
	put(sink, is_set ? "yes" : "no");
}

static void owner_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	const struct ss_config_owner *o = &r->owners[row];

	switch (column) {
	case 0:
		put(sink, o->type);
		break;
	case 1:
		put_names(sink, &o->paths, ", ");
		break;
	case 2:
		for (size_t i = 0; i < o->lifecycle_count; i++) {
			put(sink, i ? "; " : "");
			put(sink, o->lifecycle[i].method);
			put(sink, ": ");
			put(sink, o->lifecycle[i].file);
		}
		break;
	default:
		put(sink, o->source);
	}
}

static void codec_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	const struct ss_kv_codec *c = &r->codecs[row];

	switch (column) {
	case 0:
		put(sink, c->symbol);
		break;
	case 1:
		put(sink, c->canonical);
		break;
	case 2:
		put_names(sink, &c->aliases, ", ");
		break;
	case 3:
		put(sink, c->storage);
		break;
	case 4:
		put(sink, c->element);
		break;
	case 5:
		put_flag(sink, c->is_quantized);
		break;
	default:
		put(sink, c->source);
	}
}

static void route_shape_cell(struct sink *sink, const struct ss_attention_route *r, size_t column)
{
	switch (column) {
	case 3:
		put_numbers(sink, &r->head_dims);
		break;
	case 4:
		put_numbers(sink, &r->gqa_ratios);
		break;
	case 5:
		put_number(sink, r->page_alignment);
		break;
	case 6:
		put_numbers(sink, &r->page_sizes);
		break;
	case 7:
		put_number(sink, r->chunk_alignment);
		break;
	case 8:
		put_numbers(sink, &r->chunk_sizes);
		break;
	case 9:
		put_number(sink, r->min_chunk);
		break;
	default:
		if (r->max_chunk >= 0)
			put_number(sink, r->max_chunk);
	}
}

static void route_cell(struct sink *sink, const struct ss_reference *reference, size_t row,
		       size_t column)
{
	const struct ss_attention_route *r = &reference->routes[row];

	switch (column) {
	case 0:
		put(sink, r->name);
		break;
	case 1:
		put(sink, ss_route_stage_name(r->stage));
		break;
	case 2:
		put_names(sink, &r->codecs, ", ");
		break;
	case 11:
		put_flag(sink, r->is_fallback);
		break;
	case 12:
		put_flag(sink, r->is_observer);
		break;
	case 13:
		put_flag(sink, r->is_xqa);
		break;
	case 14:
		put(sink, r->source);
		break;
	default:
		route_shape_cell(sink, r, column);
	}
}

static void binding_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	const struct ss_moe_binding *b = &r->bindings[row];
	const char *const texts[] = { NULL,      b->stage,      b->mode,   b->binding,    b->covers,
				      b->layout, b->arithmetic, b->source, b->native_name };

	if (column == 0)
		put_names(sink, &b->families, "/");
	else
		put(sink, texts[column]);
}

static void field_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	const struct ss_config_field *f = &r->fields[row];
	const char *const texts[] = { f->owner_path,    f->field,       f->type,
				      f->default_value, f->unset_means, f->allowed };

	put(sink, texts[column]);
}

static const struct ss_route_walk *order_at(const struct ss_reference *r, size_t row, size_t *place)
{
	for (size_t i = 0; i < r->order.walk_count; i++) {
		const struct ss_route_walk *walk = &r->order.walks[i];

		if (row < walk->candidate_count) {
			*place = row;
			return walk;
		}
		row -= walk->candidate_count;
	}
	return NULL;
}

static void put_conditions(struct sink *sink, const struct ss_route_conditions *conditions)
{
	for (size_t i = 0; i < conditions->count; i++) {
		char text[320];

		ss_route_condition_text(&conditions->items[i], text, sizeof(text));
		put(sink, i ? ", " : "");
		put(sink, text);
	}
}

static void order_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	size_t place = 0;
	const struct ss_route_walk *walk = order_at(r, row, &place);
	const struct ss_route_candidate *c = &walk->candidates[place];

	switch (column) {
	case 0:
		put(sink, walk->title);
		break;
	case 1:
		put(sink, c->name);
		break;
	case 2:
		put_number(sink, (int64_t)place + 1);
		break;
	case 3:
		put(sink, ss_candidate_role_name(c->role));
		break;
	case 4:
		put(sink, c->is_inferred ? "inferred" : "read");
		break;
	case 5:
		put_conditions(sink, &c->needs);
		break;
	default:
		put(sink, c->note);
	}
}

static size_t order_rows(const struct ss_reference *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->order.walk_count; i++)
		count += r->order.walks[i].candidate_count;
	return count;
}

/* The steps of choosing GDN prefill, each with as many rows as it has names. */
enum gdn_step { GDN_ASKED, GDN_BACKEND, GDN_ELSE, GDN_TYPED, GDN_VARIABLE, GDN_KERNELS, GDN_STEPS };

static size_t gdn_step_rows(const struct ss_reference *r, enum gdn_step step)
{
	switch (step) {
	case GDN_ASKED:
		return r->gdn.backend_fields.count;
	case GDN_BACKEND:
		return r->gdn.backend_count;
	case GDN_ELSE:
		return r->gdn.fallback_backend != NULL;
	case GDN_TYPED:
		return r->gdn.typed_field != NULL;
	case GDN_VARIABLE:
		return r->gdn.variables.count;
	case GDN_KERNELS:
		return 2; /* on and off */
	case GDN_STEPS:
		break;
	}
	return 0;
}

static size_t gdn_rows(const struct ss_reference *r)
{
	size_t count = 0;

	for (int i = 0; r->has_gdn && i < GDN_STEPS; i++)
		count += gdn_step_rows(r, (enum gdn_step)i);
	return count;
}

static const char *gdn_name(const struct ss_gdn_rules *g, enum gdn_step step, size_t place)
{
	switch (step) {
	case GDN_ASKED:
		return g->backend_fields.items[place];
	case GDN_BACKEND:
		return g->backends[place].name;
	case GDN_ELSE:
		return g->fallback_backend;
	case GDN_TYPED:
		return g->typed_field;
	case GDN_VARIABLE:
		return g->variables.items[place];
	case GDN_KERNELS:
		return place ? g->name_off : g->name_on;
	case GDN_STEPS:
		break;
	}
	return "";
}

static void put_gdn_needs(struct sink *sink, const struct ss_gdn_backend *b)
{
	if (b->compute_capability.count) {
		put(sink, "compute capability ");
		put_names(sink, &b->compute_capability, " or ");
	}
	if (b->head_k.count) {
		put(sink, "; head_k ");
		put_numbers(sink, &b->head_k);
	}
	if (b->dtypes.count) {
		put(sink, "; ");
		put_names(sink, &b->dtypes, " or ");
	}
}

static void put_gdn_about(struct sink *sink, const struct ss_gdn_rules *g, enum gdn_step step,
			  size_t place)
{
	switch (step) {
	case GDN_ASKED:
		put(sink, "names the backend asked for; the first one stated counts");
		break;
	case GDN_BACKEND:
		put(sink, "asked for as ");
		put_names(sink, &g->backends[place].asked_as, ", ");
		break;
	case GDN_ELSE:
		put(sink, "what runs when none above serves");
		break;
	case GDN_TYPED:
		put(sink, "asks for the original kernels, before any variable");
		break;
	case GDN_VARIABLE:
		put(sink, "asks for them unless it reads ");
		for (size_t i = 0; i < g->false_texts.count; i++) {
			put(sink, i ? ", " : "");
			put(sink, *g->false_texts.items[i] ? g->false_texts.items[i] : "nothing");
		}
		break;
	case GDN_KERNELS:
		put(sink, place ? g->about_off : g->about_on);
		if (g->default_on == !place)
			put(sink, "; the default");
		break;
	case GDN_STEPS:
		break;
	}
}

static void gdn_cell(struct sink *sink, const struct ss_reference *r, size_t row, size_t column)
{
	static const char *const steps[] = { "asked by",    "backend",     "else",
					     "original by", "original by", "kernels" };
	int step = 0;

	while (step + 1 < GDN_STEPS && row >= gdn_step_rows(r, (enum gdn_step)step))
		row -= gdn_step_rows(r, (enum gdn_step)step++);
	if (column == 0)
		put(sink, steps[step]);
	else if (column == 1)
		put(sink, gdn_name(&r->gdn, (enum gdn_step)step, row));
	else if (column == 2 && step == GDN_BACKEND)
		put_gdn_needs(sink, &r->gdn.backends[row]);
	else if (column == 3)
		put_gdn_about(sink, &r->gdn, (enum gdn_step)step, row);
}

/* clang-format off */
static const struct {
	const char *name;
	const char *title;
	enum ss_notice notice;
	size_t key_columns;
	const char *columns[COLUMNS_MAX];
	void (*cell)(struct sink *sink, const struct ss_reference *r, size_t row, size_t column);
} tables[SS_TABLE_COUNT] = {
	[SS_TABLE_OWNERS] = { "config_owners", "Configuration owners", SS_NOTICE_OWNERS, 1,
		{ "type", "paths", "lifecycle", "source" }, owner_cell },
	[SS_TABLE_CODECS] = { "kv_codecs", "KV codecs", SS_NOTICE_CODECS, 1,
		{ "symbol", "canonical", "aliases", "storage", "element", "quantized", "source" },
		codec_cell },
	[SS_TABLE_ROUTES] = { "attention_routes", "Attention route declarations", SS_NOTICE_ROUTES, 1,
		{ "name", "stage", "codecs", "head_dims", "gqa_ratios", "page_alignment",
		  "page_sizes", "chunk_alignment", "chunk_sizes", "min_chunk", "max_chunk",
		  "fallback", "observer", "xqa", "source" }, route_cell },
	[SS_TABLE_BINDINGS] = { "moe_bindings", "MoE stage bindings", SS_NOTICE_BINDINGS, 3,
		{ "family", "stage", "mode", "binding", "covers", "layout", "arithmetic",
		  "source", "native_name" }, binding_cell },
	[SS_TABLE_FIELDS] = { "config_fields", "Configuration fields", SS_NOTICE_FIELDS, 2,
		{ "owner_path", "field", "type", "default", "unset_means", "allowed" }, field_cell },
	[SS_TABLE_ORDER] = { "route_order", "Route order", SS_NOTICE_COUNT, 2,
		{ "walk", "candidate", "place", "role", "confidence", "requires", "note" },
		order_cell },
	[SS_TABLE_GDN] = { "gdn_prefill", "GDN prefill", SS_NOTICE_GDN, 2,
		{ "step", "name", "needs", "about" }, gdn_cell },
};
/* clang-format on */

const char *ss_table_name(enum ss_table table)
{
	return tables[table].name;
}

const char *ss_table_title(enum ss_table table)
{
	return tables[table].title;
}

struct ss_names ss_table_notices(const struct ss_reference *reference, enum ss_table table)
{
	if (tables[table].notice < SS_NOTICE_COUNT)
		return reference->notices[tables[table].notice];
	if (!reference->order.age_note)
		return (struct ss_names){ 0 };
	return (struct ss_names){ &reference->order.age_note, 1 };
}

size_t ss_table_rows(const struct ss_reference *reference, enum ss_table table)
{
	switch (table) {
	case SS_TABLE_OWNERS:
		return reference->owner_count;
	case SS_TABLE_CODECS:
		return reference->codec_count;
	case SS_TABLE_ROUTES:
		return reference->route_count;
	case SS_TABLE_BINDINGS:
		return reference->binding_count;
	case SS_TABLE_FIELDS:
		return reference->field_count;
	case SS_TABLE_ORDER:
		return order_rows(reference);
	case SS_TABLE_GDN:
		return gdn_rows(reference);
	case SS_TABLE_COUNT:
		break;
	}
	return 0;
}

size_t ss_table_columns(enum ss_table table)
{
	size_t count = 0;

	while (count < COLUMNS_MAX && tables[table].columns[count])
		count++;
	return count;
}

size_t ss_table_key_columns(enum ss_table table)
{
	return tables[table].key_columns;
}

const char *ss_table_column(enum ss_table table, size_t column)
{
	return column < COLUMNS_MAX ? tables[table].columns[column] : NULL;
}

size_t ss_table_cell(char *out, size_t size, const struct ss_reference *reference,
		     enum ss_table table, size_t row, size_t column)
{
	struct sink sink = { out, size, 0 };

	tables[table].cell(&sink, reference, row, column);
	if (size > 0)
		out[sink.length < size ? sink.length : size - 1] = '\0';
	return sink.length;
}
