#include "documents/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/clean.h"
#include "documents/documents.h"
#include "documents/nearest.h"

void ss_value_release(struct ss_value *v)
{
	if (v->texts)
		for (size_t i = 0; i < v->count; i++)
			free(v->texts[i]);
	free(v->texts);
	free(v->integers);
	free(v->text);
	*v = (struct ss_value){ 0 };
}

static char *clean_copy(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		clean_text(copy);
	return copy;
}

bool value_add_text(struct ss_value *v, const char *text)
{
	char **texts = realloc(v->texts, (v->count + 1) * sizeof(*texts));

	if (!texts)
		return false;
	v->texts = texts;
	texts[v->count] = clean_copy(text);
	if (!texts[v->count])
		return false;
	v->count++;
	return true;
}

bool value_add_integer(struct ss_value *v, int64_t integer)
{
	/* Beside texts it belongs to the last of them, which is counted already. */
	size_t at = v->texts ? v->count - 1 : v->count;
	int64_t *integers = realloc(v->integers, (at + 1) * sizeof(*integers));

	if (!integers)
		return false;
	integers[at] = integer;
	v->integers = integers;
	v->count = at + 1;
	return true;
}

/* Order of an entry's name against `name`. */
static int entry_order(const char *entry, const char *name)
{
	size_t length = strcspn(entry, "=");
	int order = strncmp(entry, name, length);

	return order ? order : name[length] ? -1 : 0;
}

bool value_has_entry(const struct ss_value *v, const char *name)
{
	for (size_t i = 0; i < v->count; i++)
		if (entry_order(v->texts[i], name) == 0)
			return true;
	return false;
}

static void remove_entry(struct ss_value *v, size_t at)
{
	free(v->texts[at]);
	memmove(&v->texts[at], &v->texts[at + 1], (v->count - at - 1) * sizeof(*v->texts));
	v->count--;
	if (!v->count)
		ss_value_release(v);
}

bool value_set_entry(struct ss_value *v, const char *name, const char *text)
{
	size_t at = 0, size = strlen(name) + (text ? strlen(text) : 0) + 2;
	char *entry, *added;

	while (at < v->count && entry_order(v->texts[at], name) < 0)
		at++;
	if (at < v->count && entry_order(v->texts[at], name) == 0) {
		if (!text) {
			remove_entry(v, at);
			return true;
		}
	} else if (!text) {
		return true;
	}
	entry = malloc(size);
	if (!entry)
		return false;
	(void)snprintf(entry, size, "%s=%s", name, text);
	clean_text(entry);
	if (at < v->count && entry_order(v->texts[at], name) == 0) {
		free(v->texts[at]);
		v->texts[at] = entry;
		return true;
	}
	if (!value_add_text(v, "")) {
		free(entry);
		return false;
	}
	added = v->texts[v->count - 1];
	free(added);
	memmove(&v->texts[at + 1], &v->texts[at], (v->count - 1 - at) * sizeof(*v->texts));
	v->texts[at] = entry;
	v->is_stated = true;
	return true;
}

enum ss_status ss_value_copy(struct ss_value *out, const struct ss_value *v)
{
	struct ss_value copy = *v;

	copy.text = NULL;
	copy.texts = NULL;
	copy.integers = NULL;
	copy.count = 0;
	if (v->text && !(copy.text = strdup(v->text)))
		goto failed;
	for (size_t i = 0; v->texts && i < v->count; i++)
		if (!value_add_text(&copy, v->texts[i]))
			goto failed;
	if (v->integers && v->count) {
		copy.integers = malloc(v->count * sizeof(*copy.integers));
		if (!copy.integers)
			goto failed;
		memcpy(copy.integers, v->integers, v->count * sizeof(*copy.integers));
		copy.count = v->count;
	}
	*out = copy;
	return SS_OK;
failed:
	ss_value_release(&copy);
	return SS_ENOMEM;
}

bool ss_value_equal(const struct ss_value *a, const struct ss_value *b)
{
	if (a->is_stated != b->is_stated)
		return false;
	if (!a->is_stated)
		return true;
	if (a->is_auto != b->is_auto || a->integer != b->integer || a->count != b->count ||
	    a->number < b->number || a->number > b->number)
		return false;
	if (!a->text != !b->text || (a->text && strcmp(a->text, b->text) != 0))
		return false;
	if (!a->texts != !b->texts || !a->integers != !b->integers)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->texts && strcmp(a->texts[i], b->texts[i]) != 0)
			return false;
		if (a->integers && a->integers[i] != b->integers[i])
			return false;
	}
	return true;
}

size_t number_text(char *out, size_t size, double number)
{
	int n = 0;

	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(out, size, "%.*g", digits, number);
		if (n < 0 || (size_t)n >= size ||
		    !(strtod(out, NULL) < number || strtod(out, NULL) > number))
			break;
	}
	return n < 0 ? 0 : (size_t)n;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (words && *words) {
		size_t span = strcspn(words, " ");

		if (span == length && strncmp(words, word, length) == 0)
			return true;
		words += span + (words[span] == ' ');
	}
	return false;
}

static bool number_fault(char *out, size_t size, const struct ss_field *f, double number)
{
	if (isfinite(number) && number >= f->min && number <= f->max)
		return false;
	if (f->max >= 100000 && isfinite(number) && number < f->min)
		(void)snprintf(out, size, "found %.15g, must be %.15g or more", number, f->min);
	else
		(void)snprintf(out, size, "found %.15g, must be from %.15g to %.15g", number,
			       f->min, f->max);
	return true;
}

static bool text_fault(char *out, size_t size, const struct ss_field *f, const char *text)
{
	if (!text[0])
		(void)snprintf(out, size, "found empty text, must not be empty");
	else if (strlen(text) > VALUE_TEXT_LENGTH_MAX)
		(void)snprintf(out, size, "longer than %d bytes", VALUE_TEXT_LENGTH_MAX);
	else if ((f->type == SS_TYPE_NAME || f->type == SS_TYPE_NAME_LIST ||
		  f->type == SS_TYPE_TIERS) &&
		 !is_plain_name(text))
		(void)snprintf(out, size, "found \"%.80s\", must be a plain name without '/'",
			       text);
	else if (f->choices && !has_word(f->choices, text))
		(void)snprintf(out, size, "found \"%.80s\", must be one of %s", text, f->choices);
	else
		return false;
	return true;
}

static bool count_fault(char *out, size_t size, size_t count, size_t min, size_t max)
{
	if (count >= min && count <= max)
		return false;
	(void)snprintf(out, size, "holds %zu, must hold %zu to %zu", count, min, max);
	return true;
}

static bool repeat_fault(char *out, size_t size, const struct ss_value *v)
{
	for (size_t i = 0; i < v->count; i++)
		for (size_t j = 0; j < i; j++) {
			if (strcmp(v->texts[i], v->texts[j]) != 0)
				continue;
			(void)snprintf(out, size, "\"%.80s\" stands twice, must stand once",
				       v->texts[i]);
			return true;
		}
	return false;
}

static bool texts_fault(char *out, size_t size, const struct ss_field *f, const struct ss_value *v)
{
	if (count_fault(out, size, v->count, (size_t)f->min, (size_t)f->max))
		return true;
	for (size_t i = 0; i < v->count; i++)
		if (text_fault(out, size, f, v->texts[i]))
			return true;
	if (f->type == SS_TYPE_TIERS)
		for (size_t i = 0; i < v->count; i++)
			if (v->integers[i] < 1) {
				(void)snprintf(out, size,
					       "found %lld bytes for \"%.80s\", must be 1 "
					       "or more",
					       (long long)v->integers[i], v->texts[i]);
				return true;
			}
	return f->type != SS_TYPE_TEXT_MAP && repeat_fault(out, size, v);
}

static bool integers_fault(char *out, size_t size, const struct ss_field *f,
			   const struct ss_value *v)
{
	if (count_fault(out, size, v->count, 1, VALUE_TEXTS_MAX))
		return true;
	for (size_t i = 0; i < v->count; i++)
		if (number_fault(out, size, f, (double)v->integers[i]))
			return true;
	return false;
}

bool value_fault(char *out, size_t size, const struct ss_field *f, const struct ss_value *v)
{
	switch (f->type) {
	case SS_TYPE_BOOL:
		return false;
	case SS_TYPE_INT:
		return number_fault(out, size, f, (double)v->integer);
	case SS_TYPE_INT_OR_AUTO:
		return !v->is_auto && number_fault(out, size, f, (double)v->integer);
	case SS_TYPE_FLOAT:
		return number_fault(out, size, f, v->number);
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		return text_fault(out, size, f, v->text);
	case SS_TYPE_INT_LIST:
		return integers_fault(out, size, f, v);
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		return texts_fault(out, size, f, v);
	}
	return false;
}
