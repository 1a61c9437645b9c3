/**
 * @file
 * The pages of the manual: what `help TOPIC` shows, man(1) reads and `make html` makes.
 */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "cli/manual_page.h"

/* id, word of `help`, name, section, about */
/* clang-format off */
#define TOPIC_LIST(X)                                                                                                          \
	X(PROGRAM,  "manual",   "stepscope",          1, "what an LLM-serving deployment runs, rests on and costs")            \
	X(TUTORIAL, "tutorial", "stepscope-tutorial", 7, "from a launch command to a signed review")                            \
	X(REGISTRY, "registry", "stepscope-registry", 5, "the documents that stepscope prices from, and how to add to them")   \
	X(LAWS,     "laws",     "stepscope-laws",     7, "each law, the values it reads, and where it is known to err")
/* clang-format on */

enum topic_id {
#define X(id, ...) TOPIC_##id,
	TOPIC_LIST(X)
#undef X
		TOPIC_COUNT,
};

/** The words of `help`, apart by a blank. */
const char *topic_word(enum topic_id topic);
/** The topic of a word, or of a page's name; TOPIC_COUNT when there is none. */
enum topic_id topic_find(const char *word);
void topic_write(enum topic_id topic, struct manual_page *page);

/* The pages, each in a file of its own. */
void topic_program(struct manual_page *page);
void topic_tutorial(struct manual_page *page);
void topic_registry(struct manual_page *page);
void topic_laws(struct manual_page *page);
/** Of topic_laws(): what differs by release. */
void topic_releases(struct manual_page *page);

#endif
