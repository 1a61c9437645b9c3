/* What an SM70 build selects at the loaded batch: attention routes, MoE bindings, GDN prefill. */
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "stepscope/sm70.h"

/* clang-format off */
static const struct column route_columns[] = {
	{ "stage", "stage", false }, { "", "capturing", false }, { "prefix", "prefix", false },
	{ "route", "winner", false }, { "inside it", "inner", false },
	{ "a layer", "layer_s", true },
	{ "earlier one would need", "next_better", false },
};
static const struct column candidate_columns[] = {
	{ "candidate", "name", false }, { "", "outcome", false },
	{ "place", "confidence", false }, { "why", "reason", false },
};
/* each stage has its own table in text */
static const struct column candidate_data[] = {
	{ "", "stage", false }, { "", "capturing", false }, { "", "prefix", false },
	{ "", "name", false }, { "", "outcome", false }, { "", "confidence", false },
	{ "", "reason", false },
};
static const struct column dtype_columns[] = {
	{ "cache dtype", "codec", false }, { "block", "page", true },
	{ "bytes a token", "bytes_per_token", true }, { "decode", "decode", false },
	{ "prefill", "prefill", false }, { "with a prefix", "prefill_prefix", false },
};
static const struct column binding_columns[] = {
	{ "stage", "stage", false }, { "mode", "mode", false }, { "", "chosen", false },
	{ "binding", "binding", false }, { "native name", "native_name", false },
	{ "why", "reason", false },
};
/* clang-format on */

/** Routes of the session's batch; empty for another build. */
static void find_routes(struct ss_kernel_routes *out, const struct findings *f)
{
	struct ss_batch batch = session_batch(f->session);

	if (ss_kernel_routes(out, f->kernel, &batch))
		out_of_memory();
}

/** Bindings of the session's batch for the caller to free; NULL when there are none. */
static struct ss_moe_verdict *find_bindings(const struct findings *f, size_t *count)
{
	struct ss_batch batch = session_batch(f->session);
	struct ss_moe_verdict *list;

	*count = ss_kernel_moe_bindings(NULL, 0, f->kernel, &batch);
	if (!*count)
		return NULL;
	list = xcalloc(*count, sizeof(*list));
	(void)ss_kernel_moe_bindings(list, *count, f->kernel, &batch);
	return list;
}

static const char *name_of(const struct ss_route_verdict *verdict)
{
	return verdict ? verdict->candidate->name : "";
}

/* -- JSON ----------------------------------------------------------------------------- */

/** Seconds of a layer, with what they rest on; null where no rate is known. */
static void put_seconds(cJSON *o, const struct ss_route_rate *rate, double seconds)
{
	if (rate)
		json_put_number(o, "layer_s", seconds);
	else
		json_put_null(o, "layer_s");
	if (rate)
		json_put_number(o, "spread", rate->spread);
	else
		json_put_null(o, "spread");
	json_put_text_or_null(o, "method", rate ? ss_method_name(rate->method) : "");
	json_put_text_or_null(o, "rate_reason", rate ? rate->reason : "");
	json_put_text_or_null(o, "rate_source", rate ? rate->source : "");
}

static cJSON *better_json(const struct ss_kernel_route *route)
{
	const struct ss_route_verdict *verdict = route->selection.next_better;
	cJSON *o, *needs;

	if (!verdict)
		return cJSON_CreateNull();
	o = json_object();
	needs = json_array();
	json_put_text(o, "name", name_of(verdict));
	for (size_t i = 0; i < verdict->need_count; i++)
		json_put_text(needs, NULL, verdict->needs[i].text);
	json_put(o, "needs", needs);
	put_seconds(o, route->better_rate, route->better_s);
	return o;
}

static cJSON *route_json(const struct ss_kernel_route *route)
{
	const struct ss_route_selection *s = &route->selection;
	cJSON *o = json_object();
	cJSON *candidates = json_array();

	json_put_text(o, "stage", ss_route_stage_name(route->request.stage));
	json_put_bool(o, "capturing", route->request.is_capturing);
	json_put_bool(o, "prefix", route->has_prefix);
	json_put_text_or_null(o, "winner", name_of(s->winner));
	json_put_text_or_null(o, "inner", name_of(s->inner));
	json_put_text_or_null(o, "confidence",
			      !s->winner                          ? ""
			      : s->winner->candidate->is_inferred ? "inferred"
								  : "read");
	for (size_t i = 0; i < s->verdict_count; i++) {
		cJSON *item = json_object();

		json_put_text(item, "name", name_of(&s->verdicts[i]));
		json_put_text_or_null(item, "reason", s->verdicts[i].reason);
		json_put(candidates, NULL, item);
	}
	json_put(o, "candidates", candidates);
	json_put(o, "next_better", better_json(route));
	put_seconds(o, route->rate, route->seconds);
	return o;
}

cJSON *json_routes(const struct findings *f)
{
	struct ss_kernel_routes routes = { 0 };
	cJSON *list;

	if (!ss_kernel_is_sm70(f->kernel))
		return cJSON_CreateNull();
	find_routes(&routes, f);
	list = json_array();
	for (size_t i = 0; i < routes.count; i++)
		json_put(list, NULL, route_json(&routes.items[i]));
	ss_kernel_routes_release(&routes);
	return list;
}

/** Why a binding is chosen or not, with what its rule asks for. */
static void put_reason(struct xbuf *out, const struct ss_moe_verdict *verdict)
{
	xbuf_printf(out, "%s%s%s", verdict->reason, verdict->wants ? ": " : "",
		    verdict->wants ? verdict->wants : "");
}

cJSON *json_moe_bindings(const struct findings *f)
{
	size_t count;
	struct ss_moe_verdict *verdicts = find_bindings(f, &count);
	cJSON *list;

	if (!verdicts)
		return cJSON_CreateNull();
	list = json_array();
	for (size_t i = 0; i < count; i++) {
		const struct ss_moe_binding *binding = verdicts[i].binding;
		struct xbuf reason = { 0 };
		cJSON *o = json_object();

		put_reason(&reason, &verdicts[i]);
		json_put_text(o, "stage", binding->stage);
		json_put_bool(o, "chosen", verdicts[i].is_chosen);
		json_put_text_or_null(o, "mode", binding->mode);
		json_put_text_or_null(o, "binding", binding->binding);
		json_put_text_or_null(o, "native_name", binding->native_name);
		json_put_text(o, "reason", xbuf_text(&reason));
		json_put(list, NULL, o);
		xbuf_release(&reason);
	}
	free(verdicts);
	return list;
}

cJSON *json_gdn_prefill(const struct findings *f)
{
	const struct ss_gdn_choice *choice = ss_kernel_gdn_prefill(f->kernel);
	cJSON *o;

	if (!choice)
		return cJSON_CreateNull();
	o = json_object();
	json_put_text(o, "backend", choice->backend);
	json_put_text_or_null(o, "inner", choice->inner);
	json_put_text(o, "reason", choice->reason);
	return o;
}

/* -- text ----------------------------------------------------------------------------- */

static const char *outcome_text(enum ss_route_outcome outcome)
{
	switch (outcome) {
	case SS_ROUTE_CHOSEN:
		return "runs";
	case SS_ROUTE_REFUSED:
		return "refused";
	case SS_ROUTE_LATER:
		return "later";
	case SS_ROUTE_RECORDED:
		return "recorded";
	case SS_ROUTE_MAY_RUN:
		return "may run";
	case SS_ROUTE_RAISES:
		return "raises";
	}
	return "";
}

static void put_needs(struct xbuf *out, const struct ss_route_verdict *verdict)
{
	if (!verdict)
		return;
	xbuf_printf(out, "%s: ", name_of(verdict));
	for (size_t i = 0; i < verdict->need_count; i++)
		xbuf_printf(out, "%s%s", i ? "; " : "", verdict->needs[i].text);
}

static void put_route(struct doc *doc, const struct ss_kernel_route *route)
{
	const struct ss_route_selection *s = &route->selection;
	struct xbuf needs = { 0 };

	put_needs(&needs, s->next_better);
	if (route->rate && route->better_rate)
		xbuf_printf(&needs, "; %s a layer, %s", number_time(route->better_s).text,
			    number_percent(route->better_s / route->seconds - 1, 0).text);
	doc_cell(doc, MARK_NONE, ss_route_stage_name(route->request.stage));
	doc_figure(doc, MARK_DIM, route->request.is_capturing ? "captured" : "eager",
		   route->request.is_capturing ? "true" : "false");
	doc_figure(doc, MARK_NONE, route->has_prefix ? "yes" : "",
		   route->has_prefix ? "true" : "false");
	doc_cell(doc, s->winner ? MARK_STRONG : MARK_REFUSED,
		 s->winner ? name_of(s->winner) : "none");
	doc_cell(doc, MARK_NONE, name_of(s->inner));
	if (route->rate)
		doc_number(doc,
			   ss_method_is_evidence(route->rate->method) ? MARK_NONE : MARK_ASSUMED,
			   number_time(route->seconds).text, route->seconds);
	else
		doc_cell(doc, MARK_DIM, "");
	doc_cell(doc, MARK_DIM, xbuf_text(&needs));
	xbuf_release(&needs);
}

static void put_candidate(struct doc *doc, const struct ss_route_verdict *verdict)
{
	enum ss_route_outcome outcome = verdict->outcome;
	const struct ss_route_need *flip = ss_route_flip(verdict);
	struct xbuf reason = { 0 };

	xbuf_puts(&reason, verdict->reason);
	if (flip)
		xbuf_printf(&reason, "; %s alone would admit it", flip->text);
	doc_cell(doc, outcome == SS_ROUTE_CHOSEN ? MARK_STRONG : MARK_NONE, name_of(verdict));
	doc_cell(doc, MARK_NONE, outcome_text(outcome));
	doc_cell(doc, MARK_DIM, verdict->candidate->is_inferred ? "inferred" : "read");
	doc_cell(doc, MARK_DIM, xbuf_text(&reason));
	xbuf_release(&reason);
}

static void put_candidates(struct doc *doc, const struct ss_kernel_route *route)
{
	const struct ss_route_selection *s = &route->selection;

	doc_heading(doc, "%s, %s%s: %s", ss_route_stage_name(route->request.stage),
		    route->request.is_capturing ? "captured" : "eager",
		    route->has_prefix ? ", with a prefix" : "", s->message);
	doc_beside(doc, NULL);
	doc_table(doc, candidate_columns, 4, true);
	for (size_t i = 0; i < s->verdict_count; i++)
		put_candidate(doc, &s->verdicts[i]);
	doc_beside(doc, "candidates");
	doc_data(doc, candidate_data, 7);
	for (size_t i = 0; i < s->verdict_count; i++) {
		doc_cell(doc, MARK_NONE, ss_route_stage_name(route->request.stage));
		doc_cell(doc, MARK_NONE, route->request.is_capturing ? "true" : "false");
		doc_cell(doc, MARK_NONE, route->has_prefix ? "true" : "false");
		put_candidate(doc, &s->verdicts[i]);
	}
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

/** A prefill's route: the kernel inside it, or the family it enters without one of its own. */
static void put_prefill(struct doc *doc, const char *route, const char *inner, const char *family)
{
	struct xbuf text = { 0 };

	xbuf_puts(&text, or_dash(inner ? inner : route));
	if (family)
		xbuf_printf(&text, " (%s)", family);
	doc_cell(doc, MARK_NONE, xbuf_text(&text));
	xbuf_release(&text);
}

static void put_dtypes(struct doc *doc, const struct findings *f)
{
	struct ss_batch batch = session_batch(f->session);
	const struct ss_reference *r = ss_basis_inputs(ss_kernel_basis(f->kernel))->reference;
	const char *family = r->order.inner ? r->order.inner->title : NULL;
	struct ss_dtype_routes rows[16];
	size_t count = 0;

	if (ss_kernel_dtype_routes(rows, sizeof(rows) / sizeof(rows[0]), &count, f->kernel,
				   f->session->scenario, f->session->pool, &batch))
		out_of_memory();
	doc_heading(doc, "Routes by cache dtype");
	doc_beside(doc, "dtypes");
	doc_table(doc, dtype_columns, 6, true);
	for (size_t i = 0; i < count && i < sizeof(rows) / sizeof(rows[0]); i++) {
		doc_cell(doc, rows[i].is_running ? MARK_DIFFERS : MARK_NONE,
			 rows[i].codec->canonical);
		if (rows[i].is_refused) {
			doc_figure(doc, MARK_NONE, "-", "");
			doc_figure(doc, MARK_NONE, "-", "");
		} else {
			doc_count(doc, MARK_NONE, rows[i].page);
			doc_number(doc, MARK_NONE, number_count(rows[i].bytes_per_token).text,
				   rows[i].bytes_per_token);
		}
		doc_cell(doc, rows[i].is_refused ? MARK_REFUSED : MARK_NONE,
			 rows[i].is_refused ? "refused" : or_dash(rows[i].decode));
		put_prefill(doc, rows[i].prefill, rows[i].prefill_inner,
			    rows[i].enters_inner ? family : NULL);
		put_prefill(doc, rows[i].prefix, rows[i].prefix_inner,
			    rows[i].enters_inner_prefix ? family : NULL);
	}
}

void section_routes(struct doc *doc, const struct findings *f)
{
	struct ss_kernel_routes routes = { 0 };
	const struct ss_route_order *order;

	if (!ss_kernel_is_sm70(f->kernel))
		return;
	find_routes(&routes, f);
	order = &ss_basis_inputs(ss_kernel_basis(f->kernel))->reference->order;
	doc_heading(doc, "Attention routes");
	doc_table(doc, route_columns, 7, true);
	for (size_t i = 0; i < routes.count; i++)
		put_route(doc, &routes.items[i]);
	if (routes.count && order->age_note)
		doc_line(doc, MARK_DIM, "%s", order->age_note);
	put_dtypes(doc, f);
	for (size_t i = 0; i < routes.count; i++)
		put_candidates(doc, &routes.items[i]);
	ss_kernel_routes_release(&routes);
}

void section_moe_bindings(struct doc *doc, const struct findings *f)
{
	size_t count;
	struct ss_moe_verdict *verdicts = find_bindings(f, &count);

	if (!verdicts)
		return;
	doc_heading(doc, "MoE bindings");
	doc_table(doc, binding_columns, 6, true);
	for (size_t i = 0; i < count; i++) {
		const struct ss_moe_binding *binding = verdicts[i].binding;
		struct xbuf reason = { 0 };

		put_reason(&reason, &verdicts[i]);
		doc_cell(doc, verdicts[i].is_chosen ? MARK_STRONG : MARK_NONE, binding->stage);
		doc_cell(doc, MARK_NONE, or_dash(binding->mode));
		doc_figure(doc, MARK_NONE, verdicts[i].is_chosen ? "runs" : "",
			   verdicts[i].is_chosen ? "true" : "false");
		doc_cell(doc, MARK_NONE, or_dash(binding->binding));
		doc_cell(doc, MARK_NONE, or_dash(binding->native_name));
		doc_cell(doc, MARK_DIM, xbuf_text(&reason));
		xbuf_release(&reason);
	}
	free(verdicts);
}

void section_gdn_prefill(struct doc *doc, const struct findings *f)
{
	const struct ss_gdn_choice *choice = ss_kernel_gdn_prefill(f->kernel);

	if (!choice)
		return;
	doc_heading(doc, "GDN prefill");
	doc_line(doc, MARK_NONE, "%s%s%s: %s", choice->backend, choice->inner ? ", " : "",
		 choice->inner ? choice->inner : "", choice->reason);
}
