#include "stepscope/problems.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fix_release(struct ss_fix *fix)
{
	struct ss_fix *also = fix->also;

	free(fix->path);
	free(fix->value);
	free(fix->note);
	while (also) {
		struct ss_fix *next = also->also;

		free(also->path);
		free(also->value);
		free(also->note);
		free(also);
		also = next;
	}
}

void ss_problem_drop_fixes(struct ss_problem *p)
{
	for (size_t i = 0; i < p->fix_count; i++)
		fix_release(&p->fixes[i]);
	free(p->fixes);
	p->fixes = NULL;
	p->fix_count = 0;
}

static void problem_release(struct ss_problem *p)
{
	ss_problem_drop_fixes(p);
	free(p->code);
	free(p->file);
	free(p->pointer);
	free(p->message);
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static char *format_text(const char *format, va_list args) SS_PRINTF(1, 0);

static char *format_text(const char *format, va_list args)
{
	char text[1024];

	(void)vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return strdup(text);
}

static bool has_room(struct ss_problems *list)
{
	size_t wanted;
	struct ss_problem *items;

	if (list->count < list->capacity)
		return true;
	wanted = list->capacity ? list->capacity * 2 : 8;
	items = realloc(list->items, wanted * sizeof(*items));
	if (!items) {
		list->is_out_of_memory = true;
		return false;
	}
	list->items = items;
	list->capacity = wanted;
	return true;
}

size_t ss_problems_add(struct ss_problems *list, enum ss_severity severity, const char *code,
		       const char *file, const char *pointer, const char *format, ...)
{
	struct ss_problem p = { .severity = severity };
	va_list args;
	bool is_last;

	if (!list || list->count > SS_PROBLEMS_MAX || !has_room(list))
		return SIZE_MAX;
	list->is_out_of_memory |= code && !strcmp(code, "memory");
	is_last = list->count == SS_PROBLEMS_MAX;
	p.code = copy(is_last ? "limit" : code);
	p.file = copy(file);
	p.pointer = copy(is_last ? "" : pointer);
	va_start(args, format);
	p.message = is_last ? copy("more than 1000 problems; the rest are left out")
			    : format_text(format, args);
	va_end(args);
	if (!p.code || !p.file || !p.pointer || !p.message) {
		problem_release(&p);
		list->is_out_of_memory = true;
		return SIZE_MAX;
	}
	list->items[list->count] = p;
	return list->count++;
}

void ss_problems_add_fix(struct ss_problems *list, size_t index, const char *path,
			 const char *value, const char *note)
{
	struct ss_problem *p;
	struct ss_fix *fixes;
	struct ss_fix fix;

	if (!list || index >= list->count)
		return;
	p = &list->items[index];
	fixes = realloc(p->fixes, (p->fix_count + 1) * sizeof(*fixes));
	if (!fixes) {
		list->is_out_of_memory = true;
		return;
	}
	p->fixes = fixes;
	fix = (struct ss_fix){ copy(path), copy(value), copy(note), NULL };
	if (!fix.path || !fix.value || !fix.note) {
		fix_release(&fix);
		list->is_out_of_memory = true;
		return;
	}
	p->fixes[p->fix_count++] = fix;
}

void ss_problems_extend_fix(struct ss_problems *list, size_t index, const char *path,
			    const char *value)
{
	struct ss_fix *also, **end;
	struct ss_problem *p;

	if (!list || index >= list->count || !list->items[index].fix_count)
		return;
	p = &list->items[index];
	also = calloc(1, sizeof(*also));
	if (also)
		*also = (struct ss_fix){ copy(path), copy(value), copy(""), NULL };
	if (!also || !also->path || !also->value || !also->note) {
		if (also)
			fix_release(also);
		free(also);
		list->is_out_of_memory = true;
		return;
	}
	for (end = &p->fixes[p->fix_count - 1].also; *end; end = &(*end)->also)
		;
	*end = also;
}

size_t ss_problems_count(const struct ss_problems *list, enum ss_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; list && i < list->count; i++)
		n += list->items[i].severity == severity;
	return n;
}

void ss_problems_release(struct ss_problems *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		problem_release(&list->items[i]);
	free(list->items);
	*list = (struct ss_problems){ 0 };
}
