/*
 * What an edit keeps; for edit.c and what writes a history down.
 */
#ifndef CASE_EDIT_IMPL_H
#define CASE_EDIT_IMPL_H

#include "case/edit.h"

/* clang-format off */
/* id, name in a kept session */
#define EDIT_KINDS(X)                   \
	X(FIELD,       "field")         \
	X(GROUPS,      "batch")         \
	X(THRESHOLD,   "threshold")     \
	X(BUDGET,      "sm_budget")     \
	X(CORRECTIONS, "corrections")   \
	X(WHATIF,      "what_if")       \
	X(DRAFT,       "draft")         \
	X(REVIEW,      "review")
/* clang-format on */

enum edit_kind {
#define EDIT_ENUM(id, name) EDIT_##id,
	EDIT_KINDS(EDIT_ENUM)
#undef EDIT_ENUM
		EDIT_KIND_COUNT,
};

struct edit {
	char *name;
	enum edit_kind kind;
	bool is_joined;              /* taken back and made again with the one before */
	size_t pool;                 /* EDIT_FIELD */
	enum ss_field_id field;      /* EDIT_FIELD */
	struct ss_value value;       /* EDIT_FIELD: the other side */
	struct ss_workload workload; /* EDIT_GROUPS: the other side */
	int64_t number;              /* EDIT_THRESHOLD, EDIT_BUDGET, EDIT_CORRECTIONS */
	char *coefficient;           /* EDIT_WHATIF, EDIT_REVIEW: of which entry */
	bool has_tried;              /* EDIT_WHATIF: the other side tries it at ... */
	double tried;
	struct draft draft;     /* EDIT_DRAFT */
	struct ss_review *said; /* EDIT_REVIEW: the other side, of one entry or none */
};

#endif
