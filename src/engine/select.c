#include "engine/select.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the builder knows of a verdict beyond what the caller is shown. */
struct scratch {
	double step;
	bool has_unsettable;
};

enum { NONE = -1 };

/* One selection under construction. Verdicts move as the list grows, so that
 * indexes stand for them until the end. */
struct builder {
	const struct ss_reference *reference;
	struct ss_route_selection *out;
	struct scratch *scratch;
	size_t capacity;
	long winner;
	long beside;
	long inner;
	long raised;
	bool has_entered;
	const char *ended_by; /* candidate that ended all walks; NULL: none */
	char enter_reason[320];
	bool is_out_of_memory;
};

static char *copy_text(struct builder *b, const char *format, ...) SS_PRINTF(2, 3);

static char *copy_text(struct builder *b, const char *format, ...)
{
	char text[640];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = strdup(text);
	if (!copy)
		b->is_out_of_memory = true;
	return copy;
}

static bool reserve(struct builder *b)
{
	size_t capacity = b->capacity ? b->capacity * 2 : 32;
	struct ss_route_verdict *verdicts;
	struct scratch *scratch;

	if (b->out->verdict_count < b->capacity)
		return true;
	verdicts = realloc(b->out->verdicts, capacity * sizeof(*verdicts));
	if (verdicts)
		b->out->verdicts = verdicts;
	scratch = realloc(b->scratch, capacity * sizeof(*scratch));
	if (scratch)
		b->scratch = scratch;
	if (!verdicts || !scratch) {
		b->is_out_of_memory = true;
		return false;
	}
	b->capacity = capacity;
	return true;
}

/* Takes `reason` over. Returns the verdict's index. */
static long add_verdict(struct builder *b, const struct ss_route_walk *walk,
			const struct ss_route_candidate *candidate, enum ss_route_outcome outcome,
			char *reason)
{
	size_t at = b->out->verdict_count;

	if (!reason || !reserve(b)) {
		free(reason);
		return NONE;
	}
	b->out->verdicts[at] = (struct ss_route_verdict){
		.candidate = candidate, .walk = walk, .outcome = outcome, .reason = reason
	};
	b->scratch[at] = (struct scratch){ 0 };
	b->out->verdict_count++;
	return (long)at;
}

static void add_needs(struct builder *b, long at, const struct facts *facts,
		      const struct ss_route_conditions *extra)
{
	struct ss_route_verdict *verdict;
	struct need_list needs;

	if (at < 0)
		return;
	verdict = &b->out->verdicts[at];
	needs_collect(&needs, facts, verdict->candidate, extra);
	if (needs.is_out_of_memory)
		b->is_out_of_memory = true;
	verdict->needs = needs.items;
	verdict->need_count = needs.count;
	b->scratch[at] = (struct scratch){ needs.step, needs.has_unsettable };
}

bool candidate_is_record(const struct ss_route_candidate *c)
{
	return c->role == SS_ROLE_RECORD || (c->route && c->route->is_observer);
}

/* First thing that keeps a candidate out, or false. */
static bool refused(const struct facts *facts, const struct ss_route_candidate *c, char *reason,
		    size_t size)
{
	const struct ss_route_condition *unmet;
	char detail[256] = "";
	const char *why = NULL;

	if (c->admitted_as)
		why = admit(facts, c->admitted_as, detail, sizeof(detail));
	if (why) {
		snprintf(reason, size, "%s: %s", why, detail);
		return true;
	}
	unmet = conditions_unmet(facts, &c->needs);
	if (unmet)
		condition_unmet_text(facts, unmet, reason, size);
	return unmet != NULL;
}

/* Under which condition a failure of this candidate ends everything. */
bool candidate_ends_all(const struct facts *facts, const struct ss_route_candidate *c)
{
	struct ss_route_condition flag = { .flag = true };

	if (!c->exclusive)
		return false;
	flag.key = condition_find(c->exclusive);
	return condition_holds(facts, &flag);
}

static void judge_gate(struct builder *b, const struct facts *facts,
		       const struct ss_route_walk *walk, const struct ss_route_candidate *c,
		       long *winner)
{
	const char *allow = b->reference->order.triton_option;
	const struct ss_route_condition *unmet = conditions_unmet(facts, &c->needs);
	const char *why = NULL;
	char text[320];
	long at;

	if (unmet) {
		condition_unmet_text(facts, unmet, text, sizeof(text));
		at = add_verdict(b, walk, c, SS_ROUTE_REFUSED, copy_text(b, "gate: %s", text));
		add_needs(b, at, facts, NULL);
		return;
	}
	if (*winner != NONE) {
		add_verdict(b, walk, c, SS_ROUTE_LATER, copy_text(b, "admitted, after the winner"));
		return;
	}
	if (ss_setting_state(b->reference, facts->request.settings, allow) == 1) {
		why = c->admitted_as ? admit(facts, c->admitted_as, text, sizeof(text)) : NULL;
		if (!why) {
			*winner = add_verdict(b, walk, c, SS_ROUTE_CHOSEN,
					      copy_text(b, "taken, since %s allows it", allow));
			return;
		}
	}
	b->raised = add_verdict(b, walk, c, SS_ROUTE_RAISES,
				why ? copy_text(b, "%s: %s; the engine would raise", why, text)
				    : copy_text(b, "the engine would raise: %s is not set", allow));
	b->ended_by = c->name;
}

static void judge(struct builder *b, const struct facts *facts, const struct ss_route_walk *walk,
		  const struct ss_route_candidate *c, long *winner)
{
	enum ss_route_outcome outcome = SS_ROUTE_CHOSEN;
	const char *text = c->role == SS_ROLE_LAST_RESORT
				   ? "last resort: nothing before it was taken"
				   : "first that nothing refuses";
	char reason[512];
	long at;

	if (c->role == SS_ROLE_GATE) {
		judge_gate(b, facts, walk, c, winner);
		return;
	}
	if (refused(facts, c, reason, sizeof(reason))) {
		at = add_verdict(b, walk, c, SS_ROUTE_REFUSED, copy_text(b, "%s", reason));
		add_needs(b, at, facts, NULL);
		if (*winner == NONE && candidate_ends_all(facts, c))
			b->ended_by = c->name;
		return;
	}
	if (candidate_is_record(c)) {
		outcome = SS_ROUTE_RECORDED;
		text = c->role == SS_ROLE_RECORD ? "a record, never chosen"
						 : "an observer, never chosen";
	} else if (c->is_inferred) {
		outcome = SS_ROUTE_MAY_RUN;
		text = "may run instead: its place in the order was not read";
	} else if (*winner != NONE) {
		outcome = SS_ROUTE_LATER;
		text = "admitted, after the winner";
	}
	at = add_verdict(b, walk, c, outcome, copy_text(b, "%s", text));
	if (outcome == SS_ROUTE_CHOSEN)
		*winner = at;
}

/* The same request as the walk of another stage sees it. */
struct ss_route_request request_as_stage(const struct ss_route_request *request,
					 enum ss_route_stage stage)
{
	struct ss_route_request r = *request;

	if (r.stage == stage)
		return r;
	r.stage = stage;
	if (stage == SS_STAGE_MIXED_DECODE) {
		r.rows = r.sequences;
		r.rows_per_sequence = 1;
		r.sequence_rows = r.rows;
	} else if (r.chunk > 0) {
		r.rows_per_sequence = r.chunk;
	}
	r.chunk = 0;
	return r;
}

static void walk_candidates(struct builder *b, const struct facts *facts,
			    const struct ss_route_walk *walk, long *winner);

static void judge_delegate(struct builder *b, const struct facts *facts,
			   const struct ss_route_walk *walk, const struct ss_route_candidate *c,
			   long *winner)
{
	struct ss_route_request request;
	struct facts inside;
	char reason[512];
	long found = NONE;

	if (refused(facts, c, reason, sizeof(reason))) {
		long at = add_verdict(b, walk, c, SS_ROUTE_REFUSED, copy_text(b, "%s", reason));

		add_needs(b, at, facts, NULL);
		return;
	}
	request = request_as_stage(&facts->request, c->delegate->stage);
	facts_fill(&inside, b->reference, &request);
	if (*winner != NONE && !c->continues)
		found = *winner;
	walk_candidates(b, &inside, c->delegate, &found);
	if (c->continues && b->beside == NONE)
		b->beside = found;
	else if (!c->continues)
		*winner = found;
}

static void not_reached(struct builder *b, const struct facts *facts,
			const struct ss_route_walk *walk, const struct ss_route_candidate *c)
{
	long at = add_verdict(b, walk, c, SS_ROUTE_REFUSED,
			      copy_text(b, "not reached: %s ends the walk", b->ended_by));

	add_needs(b, at, facts, NULL);
}

static void walk_candidates(struct builder *b, const struct facts *facts,
			    const struct ss_route_walk *walk, long *winner)
{
	const struct ss_route_condition *shut = conditions_unmet(facts, &walk->enter);
	char reason[320] = "";

	if (shut) {
		condition_unmet_text(facts, shut, reason, sizeof(reason));
		if (!b->enter_reason[0])
			snprintf(b->enter_reason, sizeof(b->enter_reason), "%s", reason);
	} else {
		b->has_entered = true;
	}
	for (size_t i = 0; i < walk->candidate_count; i++) {
		const struct ss_route_candidate *c = &walk->candidates[i];

		if (shut) {
			long at = add_verdict(b, walk, c, SS_ROUTE_REFUSED,
					      copy_text(b, "not tried: %s", reason));

			add_needs(b, at, facts, &walk->enter);
		} else if (b->ended_by) {
			not_reached(b, facts, walk, c);
		} else if (c->role == SS_ROLE_DELEGATE) {
			judge_delegate(b, facts, walk, c, winner);
		} else {
			judge(b, facts, walk, c, winner);
		}
	}
	if (!shut && walk->is_exclusive && *winner == NONE && !b->ended_by)
		b->ended_by = walk->title;
}

static bool enters_inner(const struct builder *b)
{
	const struct ss_route_candidate *c;

	if (b->winner == NONE || !b->reference->order.inner)
		return false;
	c = b->out->verdicts[b->winner].candidate;
	return c->route && names_have(&b->reference->order.inner_from, c->route->name);
}

static void walk_inner(struct builder *b, const struct facts *facts)
{
	const struct ss_route_order *order = &b->reference->order;
	const struct ss_route_condition *shut = conditions_unmet(facts, &order->inner_enter);
	char reason[320];

	if (!order->inner || order->inner->stage != facts->request.stage || b->winner == NONE)
		return;
	if (enters_inner(b) && !shut) {
		b->out->entered_inner = true;
		walk_candidates(b, facts, order->inner, &b->inner);
		return;
	}
	if (enters_inner(b))
		condition_unmet_text(facts, shut, reason, sizeof(reason));
	else
		snprintf(reason, sizeof(reason), "%s does not lead here",
			 b->out->verdicts[b->winner].candidate->name);
	for (size_t i = 0; i < order->inner->candidate_count; i++) {
		long at = add_verdict(
			b, order->inner, &order->inner->candidates[i], SS_ROUTE_REFUSED,
			copy_text(b, "%s not entered: %s", order->inner->title, reason));

		add_needs(b, at, facts, &order->inner_enter);
	}
}

/* Nearest of the candidates of `walk` that stand before `end`. */
static long nearest_before(const struct builder *b, const struct ss_route_walk *walk, size_t end)
{
	long best = NONE;

	for (size_t i = 0; i < end; i++) {
		const struct ss_route_verdict *v = &b->out->verdicts[i];
		const struct ss_route_verdict *than = best < 0 ? NULL : &b->out->verdicts[best];

		if (v->walk != walk || v->outcome != SS_ROUTE_REFUSED || v->need_count == 0)
			continue;
		if (v->candidate->role != SS_ROLE_CHOICE || v->candidate->is_inferred ||
		    candidate_is_record(v->candidate) || b->scratch[i].has_unsettable)
			continue;
		if (than && (v->need_count > than->need_count ||
			     (v->need_count == than->need_count &&
			      b->scratch[i].step > b->scratch[best].step)))
			continue;
		best = (long)i;
	}
	return best;
}

static long next_better(const struct builder *b)
{
	const struct ss_route_order *order = &b->reference->order;
	long found = NONE;

	if (b->winner == NONE)
		return NONE;
	if (enters_inner(b))
		found = nearest_before(b, order->inner,
				       b->inner == NONE ? b->out->verdict_count : (size_t)b->inner);
	if (found == NONE)
		found = nearest_before(b, b->out->verdicts[b->winner].walk, (size_t)b->winner);
	return found;
}

static const struct ss_route_verdict *verdict_at(const struct builder *b, long at)
{
	return at < 0 ? NULL : &b->out->verdicts[at];
}

static bool has_only_records(const struct ss_route_selection *s)
{
	for (size_t i = 0; i < s->verdict_count; i++)
		if (!candidate_is_record(s->verdicts[i].candidate))
			return false;
	return s->verdict_count > 0;
}

static void finish(struct builder *b)
{
	struct ss_route_selection *s = b->out;
	const char *stage = ss_route_stage_name(s->stage);

	s->winner = verdict_at(b, b->winner);
	s->inner = verdict_at(b, b->inner);
	s->beside = verdict_at(b, b->beside);
	s->next_better = verdict_at(b, next_better(b));
	if (s->winner) {
		s->result = SS_RESULT_CHOSEN;
		s->message = copy_text(b, "%s%s%s", s->winner->candidate->name,
				       s->inner           ? " / "
				       : s->entered_inner ? ", plain dense"
							  : "",
				       s->inner ? s->inner->candidate->name : "");
	} else if (b->raised != NONE) {
		s->result = SS_RESULT_RAISES;
		s->message = copy_text(b, "%s: %s", s->verdicts[b->raised].candidate->name,
				       s->verdicts[b->raised].reason);
	} else if (has_only_records(s)) {
		s->result = SS_RESULT_RECORDS;
		s->message = copy_text(b, "%s has records only, nothing to choose", stage);
	} else if (!b->has_entered) {
		s->result = SS_RESULT_NOT_ENTERED;
		s->message = copy_text(b, "%s is not tried: %s", stage,
				       b->enter_reason[0] ? b->enter_reason : "no order read");
	} else {
		s->result = SS_RESULT_NO_ROUTE;
		s->message = copy_text(b, "no %s route is left%s%s%s", stage,
				       b->ended_by ? ": " : "", b->ended_by ? b->ended_by : "",
				       b->ended_by ? " has no second choice" : "");
	}
}

/* A layer that the backend cannot serve only has the routes of stage `any`. */
enum ss_route_stage request_walked_stage(const struct ss_route_request *request)
{
	return request->is_unserved ? SS_STAGE_ANY : request->stage;
}

enum ss_status ss_route_select(struct ss_route_selection *out, const struct ss_reference *reference,
			       const struct ss_route_request *request, struct ss_error *err)
{
	const struct ss_route_order *order = &reference->order;
	enum ss_route_stage stage = request_walked_stage(request);
	struct builder b = { .reference = reference,
			     .out = out,
			     .winner = NONE,
			     .beside = NONE,
			     .inner = NONE,
			     .raised = NONE };
	struct facts facts;

	*out = (struct ss_route_selection){ .stage = request->stage };
	facts_fill(&facts, reference, request);
	for (size_t i = 0; i < order->stage_counts[stage]; i++) {
		const struct ss_route_walk *walk = order->stages[stage][i];

		if (!conditions_hold(&facts, &walk->enter) && order->stage_counts[stage] > 1 &&
		    walk->is_exclusive)
			continue;
		walk_candidates(&b, &facts, walk, &b.winner);
		if (walk->is_exclusive)
			break;
	}
	walk_inner(&b, &facts);
	finish(&b);
	free(b.scratch);
	if (!b.is_out_of_memory)
		return SS_OK;
	ss_route_selection_release(out);
	return ss_fail(err, SS_ENOMEM, "", "out of memory");
}

void ss_route_selection_release(struct ss_route_selection *selection)
{
	if (!selection)
		return;
	for (size_t i = 0; i < selection->verdict_count; i++) {
		free(selection->verdicts[i].reason);
		needs_release(selection->verdicts[i].needs, selection->verdicts[i].need_count);
	}
	free(selection->verdicts);
	free(selection->message);
	*selection = (struct ss_route_selection){ 0 };
}
