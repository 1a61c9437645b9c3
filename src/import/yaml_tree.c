#include "config.h"

#include "import/yaml_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_YAML
#include <yaml.h>
#endif

#define TREE_SIZE_MAX (64 * 1024 * 1024)
#define TREE_DEPTH_MAX 64
#define TREE_NODES_MAX 2000000

static void node_release(struct tree_node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		if (node->keys)
			node_release(&node->keys[i]);
		node_release(&node->items[i]);
	}
	free(node->keys);
	free(node->items);
	free(node->text);
}

void tree_release(struct tree_documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		node_release(&documents->items[i]);
	free(documents->items);
	*documents = (struct tree_documents){ 0 };
}

const struct tree_node *tree_get(const struct tree_node *map, const char *key)
{
	for (size_t i = 0; map && map->kind == TREE_MAP && i < map->count; i++) {
		if (!strcmp(map->keys[i].text, key))
			return &map->items[i];
	}
	return NULL;
}

static bool add_json(cJSON *parent, const char *key, cJSON *item)
{
	bool is_added = item && (key ? cJSON_AddItemToObject(parent, key, item)
				     : cJSON_AddItemToArray(parent, item));

	if (!is_added)
		cJSON_Delete(item);
	return is_added;
}

cJSON *tree_to_json(const struct tree_node *node)
{
	cJSON *out = NULL;

	switch (node->kind) {
	case TREE_NULL:
		return cJSON_CreateNull();
	case TREE_BOOL:
		return cJSON_CreateBool(node->number != 0);
	case TREE_NUMBER:
		return isfinite(node->number) ? cJSON_CreateNumber(node->number) : NULL;
	case TREE_TEXT:
		return cJSON_CreateString(node->text);
	case TREE_LIST:
	case TREE_MAP:
		out = node->kind == TREE_LIST ? cJSON_CreateArray() : cJSON_CreateObject();
		break;
	}
	for (size_t i = 0; out && i < node->count; i++) {
		if (!add_json(out, node->keys ? node->keys[i].text : NULL,
			      tree_to_json(&node->items[i]))) {
			cJSON_Delete(out);
			return NULL;
		}
	}
	return out;
}

#ifndef HAVE_YAML

bool tree_has_yaml(void)
{
	return false;
}

enum ss_status tree_parse(struct tree_documents *out, const char *text, size_t length,
			  struct ss_error *err)
{
	(void)text;
	(void)length;
	*out = (struct tree_documents){ 0 };
	return ss_fail(err, SS_EUSAGE, "",
		       "this program was built without libyaml and reads no YAML; install "
		       "libyaml-dev, then configure and build again");
}

enum ss_status tree_parse_open(struct tree_documents *out, const char *text, size_t length,
			       struct ss_error *err)
{
	return tree_parse(out, text, length, err);
}

#else

bool tree_has_yaml(void)
{
	return true;
}

/** A value that an alias may name. */
struct anchor {
	char *name;
	struct tree_node node; /**< a copy */
};

struct reader {
	yaml_parser_t parser;
	size_t nodes;
	bool is_open; /**< anchors, aliases, `<<` and tags are taken */
	struct anchor *anchors;
	size_t anchor_count;
	struct ss_error *err;
};

static enum ss_status fail_at(struct reader *r, size_t line, size_t column, const char *message)
{
	char where[64];

	snprintf(where, sizeof(where), "line %zu, column %zu", line, column);
	return ss_fail(r->err, SS_EDOCUMENT, where, "%s", message);
}

static enum ss_status fail_mark(struct reader *r, yaml_mark_t mark, const char *message)
{
	return fail_at(r, mark.line + 1, mark.column + 1, message);
}

static enum ss_status no_memory(struct reader *r)
{
	return ss_fail(r->err, SS_ENOMEM, "", "out of memory");
}

static enum ss_status next(struct reader *r, yaml_event_t *event)
{
	const yaml_parser_t *p = &r->parser;
	char message[200];

	if (yaml_parser_parse(&r->parser, event))
		return SS_OK;
	if (p->error == YAML_MEMORY_ERROR)
		return no_memory(r);
	if (p->error == YAML_READER_ERROR) {
		snprintf(message, sizeof(message), "at byte %zu: %s", p->problem_offset,
			 p->problem ? p->problem : "not UTF-8 text");
		return ss_fail(r->err, SS_EDOCUMENT, "", "%s", message);
	}
	snprintf(message, sizeof(message), "not YAML: %s",
		 p->problem ? p->problem : "cannot be read");
	return fail_mark(r, p->problem_mark, message);
}

/** Plain words by the core rules of YAML 1.2: null, true, false, numbers; else text. */
static void type_scalar(struct tree_node *node, bool is_plain)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
	static const char *const trues[] = { "true", "True", "TRUE" };
	static const char *const falses[] = { "false", "False", "FALSE" };
	const char *text = node->text, *digits = text + (*text == '-' || *text == '+');
	char *end = NULL;

	node->kind = TREE_TEXT;
	if (!is_plain)
		return;
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
		if (!strcmp(text, nulls[i])) {
			node->kind = TREE_NULL;
			return;
		}
	}
	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(text, trues[i]) || !strcmp(text, falses[i])) {
			node->kind = TREE_BOOL;
			node->number = !strcmp(text, trues[i]);
			return;
		}
	}
	if (!strcmp(digits, ".inf") || !strcmp(digits, ".Inf") || !strcmp(digits, ".INF")) {
		node->kind = TREE_NUMBER;
		node->number = *text == '-' ? -HUGE_VAL : HUGE_VAL;
	} else if (!strcmp(text, ".nan") || !strcmp(text, ".NaN") || !strcmp(text, ".NAN")) {
		node->kind = TREE_NUMBER;
		node->number = NAN;
	} else if (!strncmp(digits, "0x", 2) && digits[2] &&
		   strspn(digits + 2, "0123456789abcdefABCDEF") == strlen(digits + 2)) {
		node->kind = TREE_NUMBER;
		node->number = strtod(text, NULL);
	} else if (!strncmp(digits, "0o", 2) && digits[2] &&
		   strspn(digits + 2, "01234567") == strlen(digits + 2)) {
		node->kind = TREE_NUMBER;
		node->number = (double)strtoull(digits + 2, NULL, 8) * (*text == '-' ? -1 : 1);
	} else if (strpbrk(digits, "0123456789") == digits ||
		   (*digits == '.' && strpbrk(digits + 1, "0123456789") == digits + 1)) {
		node->number = strtod(text, &end);
		if (strspn(digits, "0123456789.eE+-") == strlen(digits) && !*end)
			node->kind = TREE_NUMBER;
	}
}

static enum ss_status read_scalar(struct reader *r, struct tree_node *node,
				  const yaml_event_t *event)
{
	size_t length = event->data.scalar.length;

	if (event->data.scalar.anchor && !r->is_open)
		return fail_mark(r, event->start_mark,
				 "an anchor (&) is not taken; write the value out");
	if (event->data.scalar.tag && !r->is_open)
		return fail_mark(r, event->start_mark, "a tag (!) is not taken");
	node->text = malloc(length + 1);
	if (!node->text)
		return no_memory(r);
	memcpy(node->text, event->data.scalar.value, length);
	node->text[length] = '\0';
	if (strlen(node->text) != length)
		return fail_mark(r, event->start_mark, "a NUL character is not taken");
	type_scalar(node, event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
	return SS_OK;
}

/** A deep copy of what an alias names, each value counted as if it were written out. */
static enum ss_status copy_node(struct reader *r, struct tree_node *out,
				const struct tree_node *node)
{
	enum ss_status rc = SS_OK;

	*out = *node;
	out->text = NULL;
	out->keys = out->items = NULL;
	out->count = out->capacity = 0;
	if (++r->nodes > TREE_NODES_MAX)
		return fail_at(r, node->line, node->column, "more than 2000000 values");
	if (node->text) {
		out->text = strdup(node->text);
		if (!out->text)
			return no_memory(r);
	}
	if (!node->count)
		return SS_OK;
	out->items = calloc(node->count, sizeof(*out->items));
	out->keys = node->keys ? calloc(node->count, sizeof(*out->keys)) : NULL;
	if (!out->items || (node->keys && !out->keys))
		return no_memory(r);
	out->count = out->capacity = node->count;
	for (size_t i = 0; i < node->count && !rc; i++) {
		if (node->keys)
			rc = copy_node(r, &out->keys[i], &node->keys[i]);
		if (!rc)
			rc = copy_node(r, &out->items[i], &node->items[i]);
	}
	return rc;
}

static enum ss_status keep_anchor(struct reader *r, const yaml_char_t *name,
				  const struct tree_node *node)
{
	struct anchor *grown = realloc(r->anchors, (r->anchor_count + 1) * sizeof(*grown));
	enum ss_status rc;

	if (!grown)
		return no_memory(r);
	r->anchors = grown;
	grown[r->anchor_count] = (struct anchor){ .name = strdup((const char *)name) };
	r->anchor_count++;
	if (!grown[r->anchor_count - 1].name)
		return no_memory(r);
	rc = copy_node(r, &grown[r->anchor_count - 1].node, node);
	return rc;
}

static enum ss_status read_alias(struct reader *r, struct tree_node *node,
				 const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;

	for (size_t i = r->anchor_count; i-- > 0;) {
		if (!strcmp(r->anchors[i].name, name))
			return copy_node(r, node, &r->anchors[i].node);
	}
	return fail_mark(r, event->start_mark, "an alias (*) of nothing before it");
}

static enum ss_status has_room(struct reader *r, struct tree_node *node, bool is_map)
{
	size_t capacity = node->capacity ? node->capacity * 2 : 8;
	struct tree_node *grown;

	if (node->count < node->capacity)
		return SS_OK;
	grown = realloc(node->items, capacity * sizeof(*grown));
	if (!grown)
		return no_memory(r);
	node->items = grown;
	if (is_map) {
		grown = realloc(node->keys, capacity * sizeof(*grown));
		if (!grown)
			return no_memory(r);
		node->keys = grown;
	}
	node->capacity = capacity;
	return SS_OK;
}

static int order_of_keys(const void *a, const void *b)
{
	const struct tree_node *const *x = a, *const *y = b;
	int order = strcmp((*x)->text, (*y)->text);

	if (order)
		return order;
	return (*x)->line < (*y)->line || ((*x)->line == (*y)->line && (*x)->column < (*y)->column)
		       ? -1
		       : 1;
}

/** By sorting, so that a map of a million keys takes no million squared. */
static enum ss_status check_keys(struct reader *r, const struct tree_node *map)
{
	const struct tree_node **sorted = malloc((map->count + 1) * sizeof(*sorted));
	enum ss_status rc = SS_OK;

	if (!sorted)
		return no_memory(r);
	for (size_t i = 0; i < map->count; i++)
		sorted[i] = &map->keys[i];
	qsort(sorted, map->count, sizeof(*sorted), order_of_keys);
	for (size_t i = 1; i < map->count && !rc; i++) {
		if (!strcmp(sorted[i]->text, sorted[i - 1]->text)) {
			char message[160];

			snprintf(message, sizeof(message),
				 "the key \"%.60s\" stands a second time, first in line %zu",
				 sorted[i]->text, sorted[i - 1]->line);
			rc = fail_at(r, sorted[i]->line, sorted[i]->column, message);
		}
	}
	free(sorted);
	return rc;
}

static enum ss_status read_node(struct reader *r, struct tree_node *node, const yaml_event_t *event,
				unsigned depth);

/** `<<: *base`: the keys of the base that the map lacks. */
static enum ss_status merge_base(struct reader *r, struct tree_node *map)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < map->count && !rc; i++) {
		struct tree_node base;

		if (strcmp(map->keys[i].text, "<<") != 0)
			continue;
		base = map->items[i];
		free(map->keys[i].text);
		map->count--;
		memmove(&map->keys[i], &map->keys[i + 1], (map->count - i) * sizeof(*map->keys));
		memmove(&map->items[i], &map->items[i + 1], (map->count - i) * sizeof(*map->items));
		i--;
		for (size_t k = 0; k < base.count && base.kind == TREE_MAP && !rc; k++) {
			if (tree_get(map, base.keys[k].text))
				continue;
			rc = has_room(r, map, true);
			if (rc)
				break;
			map->keys[map->count] = (struct tree_node){ 0 };
			map->items[map->count] = (struct tree_node){ 0 };
			rc = copy_node(r, &map->keys[map->count], &base.keys[k]);
			if (!rc)
				rc = copy_node(r, &map->items[map->count], &base.items[k]);
			map->count++;
		}
		node_release(&base);
	}
	return rc;
}

/** Items up to the end event; the caller owns what was read even on failure. */
static enum ss_status read_items(struct reader *r, struct tree_node *node, bool is_map,
				 unsigned depth)
{
	enum ss_status rc = SS_OK;
	yaml_event_type_t end = is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

	node->kind = is_map ? TREE_MAP : TREE_LIST;
	while (!rc) {
		yaml_event_t event;

		rc = next(r, &event);
		if (rc)
			return rc;
		if (event.type == end) {
			yaml_event_delete(&event);
			rc = is_map ? check_keys(r, node) : SS_OK;
			return !rc && is_map && r->is_open ? merge_base(r, node) : rc;
		}
		rc = has_room(r, node, is_map);
		if (!rc && is_map) {
			struct tree_node *key = &node->keys[node->count];

			*key = (struct tree_node){ 0 };
			node->items[node->count] = (struct tree_node){ 0 };
			node->count++;
			if (event.type == YAML_SCALAR_EVENT)
				rc = read_node(r, key, &event, depth);
			else
				rc = fail_mark(r, event.start_mark, "a key must be plain text");
			yaml_event_delete(&event);
			if (!rc)
				rc = next(r, &event);
			if (rc)
				return rc;
		} else if (!rc) {
			node->items[node->count] = (struct tree_node){ 0 };
			node->count++;
		}
		if (!rc)
			rc = read_node(r, &node->items[node->count - 1], &event, depth);
		yaml_event_delete(&event);
	}
	return rc;
}

static enum ss_status read_node(struct reader *r, struct tree_node *node, const yaml_event_t *event,
				unsigned depth)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;
	enum ss_status rc;

	node->line = event->start_mark.line + 1;
	node->column = event->start_mark.column + 1;
	if (depth > TREE_DEPTH_MAX)
		return fail_mark(r, event->start_mark, "nested deeper than 64 levels");
	if (++r->nodes > TREE_NODES_MAX)
		return fail_mark(r, event->start_mark, "more than 2000000 values");
	if (event->type == YAML_SCALAR_EVENT) {
		rc = read_scalar(r, node, event);
		return !rc && event->data.scalar.anchor
			       ? keep_anchor(r, event->data.scalar.anchor, node)
			       : rc;
	}
	if (event->type == YAML_ALIAS_EVENT && r->is_open)
		return read_alias(r, node, event);
	if (event->type == YAML_ALIAS_EVENT)
		return fail_mark(r, event->start_mark,
				 "an alias (*) is not taken; write the value out");
	if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	} else {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	}
	if (anchor && !r->is_open)
		return fail_mark(r, event->start_mark,
				 "an anchor (&) is not taken; write the value out");
	if (tag && !r->is_open)
		return fail_mark(r, event->start_mark, "a tag (!) is not taken");
	if (!anchor)
		return read_items(r, node, event->type == YAML_MAPPING_START_EVENT, depth + 1);
	rc = read_items(r, node, event->type == YAML_MAPPING_START_EVENT, depth + 1);
	return rc ? rc : keep_anchor(r, anchor, node);
}

static enum ss_status read_document(struct reader *r, struct tree_documents *out)
{
	yaml_event_t event;
	enum ss_status rc = next(r, &event);

	if (rc)
		return rc;
	if (out->count == out->capacity) {
		size_t capacity = out->capacity ? out->capacity * 2 : 4;
		struct tree_node *grown = realloc(out->items, capacity * sizeof(*grown));

		if (!grown) {
			yaml_event_delete(&event);
			return no_memory(r);
		}
		out->items = grown;
		out->capacity = capacity;
	}
	out->items[out->count] = (struct tree_node){ 0 };
	rc = read_node(r, &out->items[out->count++], &event, 0);
	yaml_event_delete(&event);
	return rc;
}

/** libyaml refuses a tab in indentation where it stands; this says so in our words. */
static enum ss_status check_tabs(struct reader *r, const char *text, size_t length)
{
	size_t line = 1, start = 0;
	bool is_indent = true;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n') {
			line++;
			start = i + 1;
			is_indent = true;
		} else if (text[i] == '\t' && is_indent) {
			size_t end = i;

			while (end < length && (text[end] == '\t' || text[end] == ' '))
				end++;
			if (end < length && text[end] != '\n' && text[end] != '\r' &&
			    text[end] != '#')
				return fail_at(r, line, i - start + 1,
					       "a tab indents; YAML takes blanks alone");
		} else if (text[i] != ' ') {
			is_indent = false;
		}
	}
	return SS_OK;
}

static enum ss_status parse(struct tree_documents *out, const char *text, size_t length,
			    bool is_open, struct ss_error *err)
{
	struct reader r = { .is_open = is_open, .err = err };
	enum ss_status rc = SS_OK;
	bool is_done = false;

	*out = (struct tree_documents){ 0 };
	if (length > TREE_SIZE_MAX)
		return ss_fail(err, SS_EDOCUMENT, "", "larger than 64 MiB");
	rc = check_tabs(&r, text, length);
	if (rc)
		return rc;
	if (!yaml_parser_initialize(&r.parser))
		return no_memory(&r);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
	while (!rc && !is_done) {
		yaml_event_t event;

		rc = next(&r, &event);
		if (rc)
			break;
		is_done = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			rc = read_document(&r, out);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&r.parser);
	for (size_t i = 0; i < r.anchor_count; i++) {
		free(r.anchors[i].name);
		node_release(&r.anchors[i].node);
	}
	free(r.anchors);
	if (rc)
		tree_release(out);
	return rc;
}

enum ss_status tree_parse(struct tree_documents *out, const char *text, size_t length,
			  struct ss_error *err)
{
	return parse(out, text, length, false, err);
}

enum ss_status tree_parse_open(struct tree_documents *out, const char *text, size_t length,
			       struct ss_error *err)
{
	return parse(out, text, length, true, err);
}

#endif
