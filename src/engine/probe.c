/* How a selection ends, for callers that only need to know whether a route is left. */
#include "engine/select.h"

enum walk_end {
	WALK_NOTHING, /* nothing taken, the next walk is tried */
	WALK_TAKEN,
	WALK_RAISES,
	WALK_STOPS, /* nothing taken, and nothing else may be */
};

static enum walk_end probe_walk(const struct facts *facts, const struct ss_route_walk *walk);

static enum walk_end probe_gate(const struct facts *facts, const struct ss_route_candidate *c)
{
	const char *allow = facts->reference->order.triton_option;

	if (conditions_unmet(facts, &c->needs))
		return WALK_NOTHING;
	if (ss_setting_state(facts->reference, facts->request.settings, allow) == 1 &&
	    !(c->admitted_as && admit(facts, c->admitted_as, NULL, 0)))
		return WALK_TAKEN;
	return WALK_RAISES;
}

static enum walk_end probe_delegate(const struct facts *facts, const struct ss_route_candidate *c)
{
	struct ss_route_request request = request_as_stage(&facts->request, c->delegate->stage);
	struct facts inside;
	enum walk_end end;

	facts_fill(&inside, facts->reference, &request);
	end = probe_walk(&inside, c->delegate);
	/* what runs beside takes only the decode rows */
	return end == WALK_TAKEN && c->continues ? WALK_NOTHING : end;
}

static enum walk_end probe_candidate(const struct facts *facts, const struct ss_route_candidate *c)
{
	bool is_refused;

	if (c->role == SS_ROLE_GATE)
		return probe_gate(facts, c);
	is_refused = (c->admitted_as && admit(facts, c->admitted_as, NULL, 0)) ||
		     conditions_unmet(facts, &c->needs);
	if (c->role == SS_ROLE_DELEGATE)
		return is_refused ? WALK_NOTHING : probe_delegate(facts, c);
	if (is_refused)
		return candidate_ends_all(facts, c) ? WALK_STOPS : WALK_NOTHING;
	return candidate_is_record(c) || c->is_inferred ? WALK_NOTHING : WALK_TAKEN;
}

static enum walk_end probe_walk(const struct facts *facts, const struct ss_route_walk *walk)
{
	if (conditions_unmet(facts, &walk->enter))
		return WALK_NOTHING;
	for (size_t i = 0; i < walk->candidate_count; i++) {
		enum walk_end end = probe_candidate(facts, &walk->candidates[i]);

		if (end != WALK_NOTHING)
			return end;
	}
	return walk->is_exclusive ? WALK_STOPS : WALK_NOTHING;
}

enum ss_route_result ss_route_probe(const struct ss_reference *reference,
				    const struct ss_route_request *request)
{
	enum ss_route_stage stage = request_walked_stage(request);
	const struct ss_route_order *order = &reference->order;
	enum walk_end end = WALK_NOTHING;
	struct facts facts;

	facts_fill(&facts, reference, request);
	for (size_t i = 0; end == WALK_NOTHING && i < order->stage_counts[stage]; i++)
		end = probe_walk(&facts, order->stages[stage][i]);
	switch (end) {
	case WALK_TAKEN:
		return SS_RESULT_CHOSEN;
	case WALK_RAISES:
		return SS_RESULT_RAISES;
	case WALK_NOTHING:
	case WALK_STOPS:
		break;
	}
	return SS_RESULT_NO_ROUTE;
}
