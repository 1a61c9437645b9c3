#include "documents/read_files.h"

#include <stdlib.h>
#include <string.h>

struct read_file {
	struct read_file *next;
	enum ss_document_kind kind;
	char *text; /* NULL once it is digested */
	size_t length;
	char sha256[SS_SHA256_SIZE];
	char name[];
};

static const char *digest(struct read_file *file)
{
	if (file->text)
		ss_sha256(file->sha256, file->text, file->length);
	free(file->text);
	file->text = NULL;
	return file->sha256;
}

/* A pack may be read twice: as itself, and for a release without one. */
static bool is_known(const struct read_files *files, const struct read_file *made)
{
	char sha256[SS_SHA256_SIZE];

	for (struct read_file *file = files->first; file; file = file->next) {
		if (file->kind != made->kind || strcmp(file->name, made->name) != 0 ||
		    file->length != made->length)
			continue;
		ss_sha256(sha256, made->text, made->length);
		if (strcmp(digest(file), sha256) == 0)
			return true;
	}
	return false;
}

static void free_file(struct read_file *file)
{
	free(file->text);
	free(file);
}

bool read_files_add(struct read_files *files, enum ss_document_kind kind, const char *name,
		    char *text, size_t length)
{
	size_t size = strlen(name) + 1;
	struct read_file *file = calloc(1, sizeof(*file) + size);

	if (!file) {
		free(text);
		return false;
	}
	memcpy(file->name, name, size);
	file->kind = kind;
	file->text = text;
	file->length = length;
	if (is_known(files, file)) {
		free_file(file);
		return true;
	}
	file->next = files->first;
	files->first = file;
	return true;
}

void read_files_release(struct read_files *files)
{
	while (files->first) {
		struct read_file *next = files->first->next;

		free_file(files->first);
		files->first = next;
	}
}

static int by_kind_and_name(const void *left, const void *right)
{
	const struct ss_document *a = left, *b = right;
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->sha256, b->sha256);
}

size_t read_files_list(const struct read_files *files, struct ss_document *out, size_t capacity)
{
	size_t n = 0, put = 0;

	for (struct read_file *file = files->first; file; file = file->next, n++) {
		if (!out || put == capacity)
			continue;
		out[put] = (struct ss_document){ .kind = file->kind, .name = file->name };
		memcpy(out[put++].sha256, digest(file), SS_SHA256_SIZE);
	}
	if (put)
		qsort(out, put, sizeof(*out), by_kind_and_name);
	return n;
}
