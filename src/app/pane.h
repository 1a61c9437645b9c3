/*
 * The panes: one table for their keys, titles and what they need of the screen.
 */
#ifndef APP_PANE_H
#define APP_PANE_H

#include <stdbool.h>

#include "app/action.h"

/* id, key, name, takes the full width where two panes would be narrow, context of its keys */
/* clang-format off */
#define PANE_LIST(X)                                                     \
	X(RESOLVED,   '1', "Resolved",   false, ACTION_ANYWHERE)         \
	X(PROVENANCE, '2', "Provenance", true,  ACTION_PROVENANCE)       \
	X(EVIDENCE,   '3', "Evidence",   true,  ACTION_ANYWHERE)         \
	X(STEP,       '4', "Step",       false, ACTION_STEP)             \
	X(MEMORY,     '5', "Memory",     true,  ACTION_MEMORY)           \
	X(BATCH,      '6', "Batch",      false, ACTION_BATCH)            \
	X(SWEEP,      '7', "Sweep",      true,  ACTION_SWEEP)            \
	X(COMPARE,    '8', "Compare",    true,  ACTION_COMPARE)          \
	X(ENGINE,     '9', "Engine",     true, ACTION_ANYWHERE)         \
	X(MODEL,      '0', "Model",      true,  ACTION_ANYWHERE)         \
	X(SERVE,      'V', "Serve",      true,  ACTION_SERVE)
/* clang-format on */

enum pane_id {
#define PANE_ENUM(id, ...) PANE_##id,
	PANE_LIST(PANE_ENUM)
#undef PANE_ENUM
		PANE_COUNT,
	PANE_DEPLOYMENT = PANE_COUNT, /**< always there, not one of the numbered */
	PANE_ALL
};

struct pane_row {
	char key;
	const char *name;
	bool is_wide;
	unsigned where;
};

/** Borrowed; the deployment pane has a row of its own with key 0. */
const struct pane_row *pane_row(enum pane_id id);

/** By name without case, or by its digit; PANE_ALL when there is none. */
enum pane_id pane_by_name(const char *name);

/** The pane an action opens, or PANE_ALL. */
enum pane_id pane_of_action(enum action_id action);

#endif
