/**
 * @file
 * The conditions a pack may put on a route: one table gives each key its
 * subject, its test and the form of its value.
 */
#ifndef ENGINE_CONDITION_H
#define ENGINE_CONDITION_H

#include "stepscope/engine.h"

/** What a condition looks at. Those before SUBJECT_NUMBERS hold a number. */
enum subject {
	SUBJECT_Q,
	SUBJECT_KV,
	SUBJECT_GQA,
	SUBJECT_HEAD_DIM,
	SUBJECT_PAGE,
	SUBJECT_QUERY_HEADS,
	SUBJECT_KV_HEADS,
	SUBJECT_ROWS,
	SUBJECT_SEQUENCES,
	SUBJECT_MODEL_LEN,
	SUBJECT_HINT,
	SUBJECT_CAUSAL,
	SUBJECT_CAPTURING,
	SUBJECT_DRAFT,
	SUBJECT_TREE,
	SUBJECT_ANCHORED,
	SUBJECT_WINDOW,
	SUBJECT_CONTIGUOUS,
	SUBJECT_PREFIX,
	SUBJECT_DECODE_ROWS,
	SUBJECT_SERVES,
	SUBJECT_METADATA,
	SUBJECT_ROWS_MATCH,
	SUBJECT_PARTITION,
	SUBJECT_NUMBERS, /* the rest hold names */
	SUBJECT_CODEC = SUBJECT_NUMBERS,
	SUBJECT_STAGE,
	SUBJECT_OPTION,
	SUBJECT_NATIVE,
	SUBJECT_BACKEND,
	SUBJECT_XQA,
};

/** How it is compared. */
enum test {
	TEST_MIN,
	TEST_MAX,
	TEST_BELOW,
	TEST_EQUAL,
	TEST_IN,
	TEST_NOT_IN,
	TEST_MULTIPLE,
	TEST_NOT_MULTIPLE,
	TEST_IS,    /* true or false */
	TEST_NAMES, /* one of the names */
	TEST_ON,
	TEST_OFF,
	TEST_TEXT, /* one name */
};

/** One row of the table of conditions. */
struct condition_kind {
	const char *key;
	enum subject subject;
	enum test test;
};

/** Row of a condition's key. */
const struct condition_kind *condition_kind(int key);

/** Index of a key by its name, or -1. */
int condition_find(const char *key);

/** Every key's name, for "did you mean"; `index` from 0, NULL at the end. */
const char *condition_key_name(size_t index);

/** A request with the unstated filled in, and its subjects as numbers. */
struct facts {
	const struct ss_reference *reference;
	struct ss_route_request request;
	int64_t values[SUBJECT_NUMBERS];
};

void facts_fill(struct facts *facts, const struct ss_reference *reference,
		const struct ss_route_request *request);

/** What a subject is called in front of a value, `chunk`. */
const char *subject_label(const struct facts *facts, enum subject subject);

/** Is the subject a yes or no? */
bool subject_is_flag(enum subject subject);

bool condition_holds(const struct facts *facts, const struct ss_route_condition *condition);
bool conditions_hold(const struct facts *facts, const struct ss_route_conditions *conditions);

/** First that does not hold, or NULL. */
const struct ss_route_condition *conditions_unmet(const struct facts *facts,
						  const struct ss_route_conditions *conditions);

/** `requires min_q 4096, has 1024`. */
void condition_unmet_text(const struct facts *facts, const struct ss_route_condition *condition,
			  char *out, size_t size);

/** First XQA rule that refuses, or NULL; `alternative` tells which line of it. */
const struct ss_xqa_rule *xqa_refusal(const struct facts *facts, size_t *alternative);

/** ss_route_admit() on facts already filled. */
const char *admit(const struct facts *facts, const struct ss_attention_route *route, char *detail,
		  size_t size);

/** True when `names` has `name`. */
bool names_have(const struct ss_names *names, const char *name);

#endif
