/**
 * @file
 * What a candidate would need, all of it, and how far off it is.
 */
#ifndef ENGINE_SELECT_H
#define ENGINE_SELECT_H

#include "engine/condition.h"

/** Unmet needs of one candidate. */
struct need_list {
	struct ss_route_need *items;
	size_t count;
	double step;         /* how far the numbers are off, each relative to what is needed */
	bool has_unsettable; /* an option that no field sets */
	bool is_out_of_memory;
};

/**
 * Everything that keeps the candidate from being taken: the declared shape,
 * the XQA rules, its own conditions, and `extra` (may be NULL), the conditions
 * under which its walk is entered.
 */
void needs_collect(struct need_list *out, const struct facts *facts,
		   const struct ss_route_candidate *candidate,
		   const struct ss_route_conditions *extra);

/** A name that is only written down, never chosen. */
bool candidate_is_record(const struct ss_route_candidate *candidate);

/** Does a refusal of this candidate end all walks? */
bool candidate_ends_all(const struct facts *facts, const struct ss_route_candidate *candidate);

/** The request as the walk of another stage sees it. */
struct ss_route_request request_as_stage(const struct ss_route_request *request,
					 enum ss_route_stage stage);

/** The stage whose walks are tried. */
enum ss_route_stage request_walked_stage(const struct ss_route_request *request);

void needs_release(struct ss_route_need *items, size_t count);

#endif
