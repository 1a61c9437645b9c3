/*
 * Scenarios as their files: keys in the order of the table of fields, short
 * lists and objects on one line.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/value.h"
#include "documents/what_if.h"
#include "stepscope/kernel.h"
#include "stepscope/scenario.h"

/* A growing text; once out of memory it stays as it is. */
struct buffer {
	char *text;
	size_t length, size;
	bool has_failed;
};

static void put_bytes(struct buffer *b, const char *bytes, size_t count)
{
	if (b->has_failed)
		return;
	if (b->length + count + 1 > b->size) {
		size_t size = (b->size + count + 64) * 2;
		char *text = realloc(b->text, size);

		if (!text) {
			b->has_failed = true;
			return;
		}
		b->text = text;
		b->size = size;
	}
	memcpy(b->text + b->length, bytes, count);
	b->length += count;
	b->text[b->length] = '\0';
}

static void put(struct buffer *b, const char *text)
{
	put_bytes(b, text, strlen(text));
}

static void put_integer(struct buffer *b, int64_t integer)
{
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%" PRId64, integer);
	put(b, digits);
}

static void put_text(struct buffer *b, const char *text)
{
	put(b, "\"");
	for (; *text; text++) {
		char escaped[8];

		if (*text == '"' || *text == '\\')
			(void)snprintf(escaped, sizeof(escaped), "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			(void)snprintf(escaped, sizeof(escaped), "\\u%04x",
				       (unsigned)(unsigned char)*text);
		else
			(void)snprintf(escaped, sizeof(escaped), "%c", *text);
		put(b, escaped);
	}
	put(b, "\"");
}

/* A line of its own inside an object: the comma of the last one, the indent. */
static void put_line(struct buffer *b, bool *is_first, int depth)
{
	put(b, *is_first ? "\n" : ",\n");
	*is_first = false;
	for (int i = 0; i < depth; i++)
		put(b, "  ");
}

static void put_key(struct buffer *b, const char *key, size_t length)
{
	put(b, "\"");
	put_bytes(b, key, length);
	put(b, "\": ");
}

static void put_elements(struct buffer *b, const struct ss_field *f, const struct ss_value *v)
{
	put(b, f->type == SS_TYPE_TEXT_MAP ? "{" : "[");
	for (size_t i = 0; i < v->count; i++) {
		put(b, i ? ", " : f->type == SS_TYPE_TEXT_MAP ? " " : "");
		if (f->type == SS_TYPE_INT_LIST) {
			put_integer(b, v->integers[i]);
		} else if (f->type == SS_TYPE_TIERS) {
			put(b, "{ \"tier\": ");
			put_text(b, v->texts[i]);
			put(b, ", \"bytes\": ");
			put_integer(b, v->integers[i]);
			put(b, " }");
		} else if (f->type == SS_TYPE_TEXT_MAP) {
			size_t length = strcspn(v->texts[i], "=");
			char *name = strndup(v->texts[i], length);

			b->has_failed |= !name;
			put_text(b, name ? name : "");
			put(b, ": ");
			put_text(b, v->texts[i] + length + (v->texts[i][length] == '='));
			free(name);
		} else {
			put_text(b, v->texts[i]);
		}
	}
	put(b, f->type == SS_TYPE_TEXT_MAP ? " }" : "]");
}

static void put_value(struct buffer *b, const struct ss_field *f, const struct ss_value *v)
{
	char number[40];

	switch (f->type) {
	case SS_TYPE_INT_OR_AUTO:
	case SS_TYPE_INT:
		if (v->is_auto)
			put_text(b, "auto");
		else
			put_integer(b, v->integer);
		break;
	case SS_TYPE_FLOAT:
		(void)number_text(number, sizeof(number), v->number);
		put(b, number);
		break;
	case SS_TYPE_BOOL:
		put(b, v->integer ? "true" : "false");
		break;
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		put_text(b, v->text);
		break;
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		put_elements(b, f, v);
		break;
	}
}

/* A stated field under the prefix that comes before `id` and lies in the same inner object? */
static bool is_begun(const struct ss_value *values, enum ss_field_owner owner, const char *prefix,
		     size_t length, size_t id)
{
	for (size_t i = 0; i < id; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);

		if (f->owner == owner && values[i].is_stated &&
		    strncmp(f->path, prefix, length) == 0)
			return true;
	}
	return false;
}

/* The stated fields whose path begins with the `length` bytes of `prefix`. */
static void put_fields(struct buffer *b, const struct ss_value *values, enum ss_field_owner owner,
		       const char *prefix, size_t length, bool *is_first, int depth)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);
		const char *rest = f->path + length;
		size_t span;
		bool is_inner_first = true;

		if (f->owner != owner || !values[i].is_stated ||
		    strncmp(f->path, prefix, length) != 0)
			continue;
		span = strcspn(rest, ".");
		if (!rest[span]) {
			put_line(b, is_first, depth);
			put_key(b, rest, span);
			put_value(b, f, &values[i]);
			continue;
		}
		if (is_begun(values, owner, f->path, length + span + 1, i))
			continue;
		put_line(b, is_first, depth);
		put_key(b, rest, span);
		put(b, "{");
		put_fields(b, values, owner, f->path, length + span + 1, &is_inner_first,
			   depth + 1);
		put(b, "\n");
		for (int d = 0; d < depth; d++)
			put(b, "  ");
		put(b, "}");
	}
}

static void put_groups(struct buffer *b, const struct ss_workload *w)
{
	put(b, "\"batch\": [");
	for (size_t i = 0; i < w->group_count; i++) {
		const struct ss_group *g = &w->groups[i];

		put(b, i ? ", { \"count\": " : "{ \"count\": ");
		put_integer(b, g->count);
		put(b, ", \"scheduled\": ");
		put_integer(b, g->scheduled);
		put(b, ", \"computed\": ");
		put_integer(b, g->computed);
		if (g->prompt_len) {
			put(b, ", \"prompt_len\": ");
			put_integer(b, g->prompt_len);
		}
		put(b, " }");
	}
	put(b, "]");
}

static bool has_load(const struct ss_scenario *s)
{
	for (int i = 0; i < SS_FIELD_COUNT; i++)
		if (ss_field((enum ss_field_id)i)->owner == SS_OWNER_WORKLOAD &&
		    s->values[i].is_stated)
			return true;
	return false;
}

static void put_workload(struct buffer *b, const struct ss_scenario *s)
{
	const struct ss_workload *w = &s->workload;

	put(b, "{ ");
	if (w->shape) {
		put(b, "\"shape\": ");
		put_text(b, w->shape);
	} else if (w->has_batch) {
		put_groups(b, w);
	}
	if (w->decode_threshold) {
		put(b, w->shape || w->has_batch ? ", \"decode_threshold\": "
						: "\"decode_threshold\": ");
		put_integer(b, w->decode_threshold);
	}
	if (has_load(s)) {
		bool is_first = !w->shape && !w->has_batch && !w->decode_threshold;

		put_fields(b, s->values, SS_OWNER_WORKLOAD, "", 0, &is_first, 2);
		put(b, "\n  }");
		return;
	}
	put(b, " }");
}

static void put_pools(struct buffer *b, const struct ss_scenario *s)
{
	put(b, "[");
	for (size_t i = 0; i < s->pool_count; i++) {
		bool is_first = true;

		put(b, i ? ",\n      {" : "\n      {");
		put_fields(b, s->pools[i].values, SS_OWNER_POOL, "", 0, &is_first, 4);
		put(b, "\n      }");
	}
	put(b, s->pool_count ? "\n    ]" : "]");
}

static void put_deployment(struct buffer *b, const struct ss_scenario *s)
{
	bool is_first = true;

	put(b, "{");
	put_fields(b, s->values, SS_OWNER_DEPLOYMENT, "", 0, &is_first, 2);
	if (s->has_pd_transfer && !s->values[SS_F_PD_CONNECTOR].is_stated) {
		put_line(b, &is_first, 2);
		put(b, "\"pd_transfer\": {}");
	}
	put_line(b, &is_first, 2);
	put(b, "\"pools\": ");
	put_pools(b, s);
	put(b, "\n  }");
}

static void put_what_if(struct buffer *b, const struct ss_scenario *s)
{
	char number[40];

	put(b, ",\n  \"what_if\": { ");
	for (size_t i = 0; i < s->what_if_count; i++) {
		put(b, i ? ", " : "");
		put_text(b, s->what_if[i].name);
		put(b, ": ");
		(void)number_text(number, sizeof(number), s->what_if[i].value);
		put(b, number);
	}
	put(b, " }");
}

static void put_corrections(struct buffer *b, const struct ss_scenario *s)
{
	bool is_first = true;

	put(b, ",\n  \"corrections\": { ");
	for (size_t i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		if (!(s->corrections_stated & (1u << i)))
			continue;
		put(b, is_first ? "" : ", ");
		put_text(b, correction_name(i));
		put(b, s->corrections_on & (1u << i) ? ": true" : ": false");
		is_first = false;
	}
	put(b, " }");
}

char *ss_scenario_to_json(const struct ss_scenario *s)
{
	struct buffer b = { NULL, 0, 0, false };
	bool is_first = false;

	put(&b, "{\n  \"kind\": \"Scenario\"");
	put_fields(&b, s->values, SS_OWNER_SCENARIO, "", 0, &is_first, 1);
	/* Without a batch the workload would read as the empty one. */
	if (s->workload.has_batch || s->workload.shape || s->workload.decode_threshold ||
	    has_load(s)) {
		put(&b, ",\n  \"workload\": ");
		put_workload(&b, s);
	}
	if (s->what_if_count)
		put_what_if(&b, s);
	if (s->corrections_stated)
		put_corrections(&b, s);
	put(&b, ",\n  \"deployment\": ");
	put_deployment(&b, s);
	put(&b, "\n}\n");
	if (b.has_failed) {
		free(b.text);
		return NULL;
	}
	return b.text;
}
