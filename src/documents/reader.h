/**
 * @file
 * Decoding made declarative: an object is a table of the keys it may hold, and
 * everything else in it is a problem with its pointer, what was found and what
 * is allowed.
 */
#ifndef DOCUMENTS_READER_H
#define DOCUMENTS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "documents/arena.h"
#include "documents/words.h"
#include "stepscope/problems.h"

/** Integers stay exact in a double up to here. */
#define EXACT_MAX 9007199254740992.0
/** Widths and counts: what multiplies stays within 64 bits. */
#define WIDTH_MAX 1000000000.0

/** Where in a document: a key of an object, or (key NULL) an index of a list. */
struct place {
	const struct place *parent; /**< NULL at the top */
	const char *key;
	size_t index;
};

/** One document being read. */
struct reader {
	struct ss_problems *problems; /**< may be NULL */
	const char *file;
	struct arena *arena; /**< of the document made */
	size_t error_count;
};

enum key_kind {
	KEY_ITEM,   /**< anything; the caller reads it */
	KEY_OBJECT, /**< an object; the caller reads it */
	KEY_LIST,   /**< a list; the caller reads it */
	KEY_TEXT,   /**< char *; "" when left out */
	KEY_NAME,   /**< the same, never empty when given */
	KEY_INT,    /**< int64_t */
	KEY_NUMBER, /**< double */
	KEY_BOOL,   /**< bool */
	KEY_WORD,   /**< an enum, from `words` */
};

/** One key an object may hold. */
struct key {
	const char *name;
	enum key_kind kind;
	bool is_required;
	size_t offset;   /**< of the member it fills */
	double min, max; /**< inclusive, of numbers */
	const struct words *words;
	const char *code; /**< of its problems; NULL: `type`, `range`, `missing`, ... */
};

enum { KEYS_MAX = 72, MEMBERS_MAX = 100000 };

void place_pointer(char *out, size_t size, const struct place *place);

/** Add a problem at a place; errors count. NULL code: `value`. */
void report(struct reader *r, enum ss_severity severity, const struct place *at, const char *code,
	    const char *format, ...) SS_PRINTF(5, 6);

/** "text \"abc\"", "the number 1.5", "a list", ... as messages name what they found. */
void describe(char *out, size_t size, const cJSON *item);

/**
 * Read an object against its keys into the struct at `out` (zeroed before, may
 * be NULL when no key fills anything).
 *
 * @param found NULL, or `count` items: what was given for each key, NULL where
 *              nothing (of the right type) was.
 * @return false when the item is no object at all.
 */
bool read_object(struct reader *r, const struct place *at, const cJSON *item,
		 const struct key *keys, size_t count, void *out, const cJSON **found);

/** Elements of a list, with a limit; 0 (and a problem) when it is none or too long. NULL item: 0.
 */
size_t read_list_size(struct reader *r, const struct place *at, const cJSON *item, size_t max);

/** Single values; false and a problem when the item is not one. `code` may be NULL. */
bool read_text(struct reader *r, const struct place *at, const cJSON *item, bool may_be_empty,
	       const char *code, char **out);
bool read_int(struct reader *r, const struct place *at, const cJSON *item, double min, double max,
	      const char *code, int64_t *out);
bool read_number(struct reader *r, const struct place *at, const cJSON *item, double min,
		 double max, const char *code, double *out);
bool read_bool(struct reader *r, const struct place *at, const cJSON *item, bool *out);
bool read_word(struct reader *r, const struct place *at, const cJSON *item,
	       const struct words *words, const char *code, int *out);

/** A list of texts, in the arena. NULL item: nothing. */
void read_texts(struct reader *r, const struct place *at, const cJSON *item, size_t max,
		char ***out, size_t *count);
void read_ints(struct reader *r, const struct place *at, const cJSON *item, size_t max, double min,
	       double high, int64_t **out, size_t *count);

/** The document's `kind` is checked by the caller; this key lets it stand. */
#define KIND_KEY                                                                           \
	{                                                                                  \
		.name = "kind", .kind = KEY_TEXT, .is_required = true, .offset = NO_OFFSET \
	}
/** A key that is only checked for its type. */
#define NO_OFFSET ((size_t)-1)

#endif
