/**
 * @file
 * A list of everything wrong (or worth a warning) with documents or a
 * deployment. Loading and resolving report all they find, not the first.
 */
#ifndef STEPSCOPE_PROBLEMS_H
#define STEPSCOPE_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How bad a problem is. */
enum ss_severity {
	SS_ERROR,   /**< a document is wrong */
	SS_REFUSAL, /**< a deployment that is not priced */
	SS_WARNING, /**< never stops anything */
};

/** One setting that would work instead. All text owned by the problem. */
struct ss_fix {
	char *path;          /**< field path as `--set` takes it, `parallel.tp` */
	char *value;         /**< value text as `--set` takes it; empty means "leave unstated" */
	char *note;          /**< may be empty; names the settings of `also` */
	struct ss_fix *also; /**< one more setting to take with it, owned; NULL: none */
};

/** One problem. All text owned by the list, never NULL. */
struct ss_problem {
	enum ss_severity severity;
	char *code;    /**< `E1`, `P4`, `C2`, `D1`, `X3`, `syntax`, `unknown-key`, ... */
	char *file;    /**< file the document came from; empty when none */
	char *pointer; /**< JSON pointer, `/deployment/pools/0/parallel/tp`; may be empty */
	char *message; /**< one line: what was found, what would be right */
	struct ss_fix *fixes;
	size_t fix_count;
};

/** A growing list. `{ 0 }` is a valid empty list. */
struct ss_problems {
	struct ss_problem *items;
	size_t count;
	size_t capacity;
	bool is_out_of_memory; /**< memory ran out: a problem, or what it is of, is lost */
};

/** Most problems a list keeps; the rest are dropped after a last one that says so. */
#define SS_PROBLEMS_MAX 1000

/**
 * Add one problem; the text is copied. `list` may be NULL (nothing happens).
 *
 * @return its index, or SIZE_MAX when it was not kept.
 */
SS_API size_t ss_problems_add(struct ss_problems *list, enum ss_severity severity, const char *code,
			      const char *file, const char *pointer, const char *format, ...)
	SS_PRINTF(6, 7);

/** Add a fix to the problem at `index`; SIZE_MAX is ignored. Text is copied. */
SS_API void ss_problems_add_fix(struct ss_problems *list, size_t index, const char *path,
				const char *value, const char *note);

/** Add one more setting to the last fix of the problem at `index`. Text is copied. */
SS_API void ss_problems_extend_fix(struct ss_problems *list, size_t index, const char *path,
				   const char *value);

/** Free the fixes of a problem. */
SS_API void ss_problem_drop_fixes(struct ss_problem *problem);

/** How many have this severity. `list` may be NULL. */
SS_API size_t ss_problems_count(const struct ss_problems *list, enum ss_severity severity);

/** Free everything and leave an empty list. `list` may be NULL. */
SS_API void ss_problems_release(struct ss_problems *list);

#ifdef __cplusplus
}
#endif

#endif
