#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/shown.h"

static cJSON *there(cJSON *item)
{
	if (!item)
		out_of_memory();
	return item;
}

cJSON *json_object(void)
{
	return there(cJSON_CreateObject());
}

cJSON *json_array(void)
{
	return there(cJSON_CreateArray());
}

/* cJSON prints 15 digits when they are close enough; raw text keeps them all. */
cJSON *json_number(double number)
{
	if (!isfinite(number))
		return there(cJSON_CreateNull());
	return there(cJSON_CreateRaw(number_plain(number).text));
}

cJSON *json_count(int64_t count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", (long long)count);
	return there(cJSON_CreateRaw(text));
}

void json_put(cJSON *parent, const char *key, cJSON *item)
{
	if (!(key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item)))
		out_of_memory();
}

void json_put_text(cJSON *parent, const char *key, const char *text)
{
	json_put(parent, key, there(cJSON_CreateString(text)));
}

void json_put_text_or_null(cJSON *parent, const char *key, const char *text)
{
	if (text && *text)
		json_put_text(parent, key, text);
	else
		json_put_null(parent, key);
}

void json_put_number(cJSON *parent, const char *key, double number)
{
	json_put(parent, key, json_number(number));
}

void json_put_count(cJSON *parent, const char *key, int64_t count)
{
	json_put(parent, key, json_count(count));
}

void json_put_bool(cJSON *parent, const char *key, bool fact)
{
	json_put(parent, key, there(cJSON_CreateBool(fact)));
}

void json_put_null(cJSON *parent, const char *key)
{
	json_put(parent, key, there(cJSON_CreateNull()));
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(cJSON *const *)a)->string, (*(cJSON *const *)b)->string);
}

/** Link an object's children anew in the order of their keys. */
static void sort_object(cJSON *object)
{
	size_t count = (size_t)cJSON_GetArraySize(object);
	cJSON **items = xcalloc(count, sizeof(*items));
	size_t n = 0;

	for (cJSON *item = object->child; item; item = item->next)
		items[n++] = item;
	if (n > 1)
		qsort(items, n, sizeof(*items), by_key);
	for (size_t i = 0; i < n; i++) {
		items[i]->next = i + 1 < n ? items[i + 1] : NULL;
		/* cJSON's first item points back at the last. */
		items[i]->prev = i ? items[i - 1] : items[n - 1];
	}
	if (n)
		object->child = items[0];
	free(items);
}

static void sort_all(cJSON *item)
{
	if (cJSON_IsObject(item))
		sort_object(item);
	if (cJSON_IsObject(item) || cJSON_IsArray(item))
		for (cJSON *child = item->child; child; child = child->next)
			sort_all(child);
}

void json_print(struct xbuf *out, cJSON *root)
{
	char *text;

	sort_all(root);
	text = cJSON_Print(root);
	if (!text)
		out_of_memory();
	shown_add(out, text, strlen(text), SHOWN_JSON);
	xbuf_putc(out, '\n');
	cJSON_free(text);
}

void json_quote(struct xbuf *out, const char *text)
{
	xbuf_putc(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			xbuf_putc(out, '\\');
		if (c < 0x20)
			xbuf_printf(out, "\\u%04x", c);
		else
			xbuf_putc(out, *text);
	}
	xbuf_putc(out, '"');
}
