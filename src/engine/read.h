/**
 * @file
 * Reading checked values out of a parsed pack. Everything read points into
 * the document, which the reference keeps.
 */
#ifndef ENGINE_READ_H
#define ENGINE_READ_H

#include "stepscope/engine.h"

/** Where problems go while one document is read. */
struct reader {
	const char *file;
	struct ss_problems *problems;
	struct ss_reference *reference; /* owns the arrays that are made */
	size_t errors;
	bool is_out_of_memory;
};

/** Form of a key's value. */
enum form {
	FORM_TEXT,
	FORM_BOOL,
	FORM_INT,   /* 0 or more */
	FORM_TEXTS, /* list of non-empty texts */
	FORM_INTS,  /* list of integers, 0 or more */
	FORM_OBJECT,
	FORM_LIST,
	FORM_ANY,
};

enum { KEY_NULLABLE = 1, KEY_OPTIONAL = 2, KEY_EMPTY_OK = 4 };

/** One key an object may have. */
struct key {
	const char *name;
	enum form form;
	unsigned flags;
};

/** A JSON pointer under construction; cut when too long. */
struct pointer {
	char text[256];
};

struct pointer pointer_key(const struct pointer *parent, const char *key);
struct pointer pointer_index(const struct pointer *parent, size_t index);

/** Report one fault. */
void reader_fault(struct reader *reader, const char *code, const struct pointer *pointer,
		  const char *format, ...) SS_PRINTF(4, 5);

/** Zeroed memory that lives as long as the reference; NULL when there is none or count is 0. */
void *reader_array(struct reader *reader, size_t count, size_t size);

/** Check an object against its keys: types, missing, unknown, twice. True when all fits. */
bool reader_object(struct reader *reader, const struct cJSON *object, const struct pointer *pointer,
		   const struct key *keys, size_t count);

/** The values of a key that reader_object() passed; NULL, 0 or empty when absent or null. */
const char *value_text(const struct cJSON *object, const char *key);
bool value_bool(const struct cJSON *object, const char *key);
int64_t value_int(const struct cJSON *object, const char *key, int64_t otherwise);
struct ss_names value_names(struct reader *reader, const struct cJSON *object, const char *key);
struct ss_numbers value_numbers(struct reader *reader, const struct cJSON *object, const char *key);
struct ss_names names_read(struct reader *reader, const struct cJSON *list);
struct ss_numbers numbers_read(struct reader *reader, const struct cJSON *item);

/** Read the order, the rules and the selections, once the tables stand. */
void reader_order(struct reader *reader, const struct cJSON *root);
void reader_selection(struct reader *reader, const struct cJSON *root);

/** Read conditions: a list of objects with one condition each. */
struct ss_route_conditions conditions_read(struct reader *reader, const struct cJSON *list,
					   const struct pointer *pointer);

#endif
