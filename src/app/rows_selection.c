/*
 * What the SM70 build selects for the batch and why: routes case by case with
 * every candidate before the winner, what each cache dtype would get, MoE
 * bindings, GDN prefill.
 */
#include <stdio.h>
#include <string.h>

#include "app/rows.h"
#include "app/rows_reference.h"
#include "stepscope/sm70.h"

#define MOST_CODECS 32
#define MOST_BINDINGS 128

static void put3(struct table *table, char mark, const char *name, const char *is, const char *more)
{
	table_row(table, ROWS_SELECTION, mark);
	table_put(table, 0, name);
	table_put(table, 1, is);
	table_put(table, 2, more);
}

static const char *outcome_name(enum ss_route_outcome outcome)
{
	switch (outcome) {
	case SS_ROUTE_CHOSEN:
		return "runs";
	case SS_ROUTE_REFUSED:
		return "refused";
	case SS_ROUTE_LATER:
		return "after it";
	case SS_ROUTE_RECORDED:
		return "a record";
	case SS_ROUTE_MAY_RUN:
		return "place unknown";
	case SS_ROUTE_RAISES:
		return "raises";
	}
	return "";
}

static void add_needs(struct xbuf *out, const struct ss_route_verdict *verdict)
{
	for (size_t i = 0; i < verdict->need_count; i++) {
		const struct ss_route_need *need = &verdict->needs[i];

		xbuf_printf(out, "%s%s", out->len ? "; " : "", need->text);
		if (need->option)
			xbuf_printf(out, " (%s=%s)", need->option, need->value ? need->value : "");
	}
}

static void add_route(struct table *table, const struct ss_kernel_route *route)
{
	const struct ss_route_selection *s = &route->selection;
	char title[160];

	snprintf(title, sizeof(title), "%s%s%s, %s", ss_route_stage_name(s->stage),
		 route->request.is_capturing ? ", captured" : "",
		 s->stage == SS_STAGE_PREFILL ? route->has_prefix ? ", on a prefix" : ", no prefix"
					      : "",
		 route->layer);
	put3(table, s->winner ? ' ' : 'x', title, s->winner ? s->winner->candidate->name : "none",
	     s->message);
	if (s->inner)
		put3(table, ' ', "  inside it", s->inner->candidate->name, s->inner->reason);
	if (s->beside)
		put3(table, ' ', "  decodes beside", s->beside->candidate->name, s->beside->reason);
	if (s->next_better) {
		struct xbuf needs = { 0 };

		add_needs(&needs, s->next_better);
		put3(table, ' ', "  an earlier one would need", s->next_better->candidate->name,
		     xbuf_text(&needs));
		xbuf_release(&needs);
	}
	for (size_t i = 0; i < s->verdict_count; i++) {
		const struct ss_route_verdict *verdict = &s->verdicts[i];
		struct xbuf why = { 0 };
		char name[128];

		if (verdict->outcome == SS_ROUTE_CHOSEN || verdict->outcome == SS_ROUTE_RECORDED)
			continue;
		snprintf(name, sizeof(name), "  %s", verdict->candidate->name);
		xbuf_printf(&why, "%s (%s)", verdict->reason,
			    verdict->candidate->is_inferred ? "inferred" : "read");
		put3(table, verdict->outcome == SS_ROUTE_RAISES ? 'x' : ' ', name,
		     outcome_name(verdict->outcome), xbuf_text(&why));
		xbuf_release(&why);
	}
}

static void add_dtypes(struct table *table, const struct app *app, const struct ss_batch *batch)
{
	struct ss_dtype_routes rows[MOST_CODECS];
	size_t count = 0;

	if (app->is_refused || ss_kernel_dtype_routes(rows, MOST_CODECS, &count, app->quote->kernel,
						      app->draft.scenario, app->pool, batch))
		return;
	if (count > MOST_CODECS)
		count = MOST_CODECS;
	table_heading(table, "WHAT EACH CACHE DTYPE WOULD GET");
	for (size_t i = 0; i < count; i++) {
		const struct ss_dtype_routes *row = &rows[i];
		char text[256];

		snprintf(text, sizeof(text), "prefill %s%s%s; %.0f B a token, page %lld",
			 row->prefill ? row->prefill : "none", row->prefill_inner ? " / " : "",
			 row->prefill_inner ? row->prefill_inner : "", row->bytes_per_token,
			 (long long)row->page);
		put3(table,
		     row->is_running   ? '*'
		     : row->is_refused ? 'x'
				       : ' ',
		     row->codec->symbol,
		     row->is_refused ? "refused"
		     : row->decode   ? row->decode
				     : "no decode",
		     row->is_refused ? "" : text);
	}
}

static void add_bindings(struct table *table, const struct ss_kernel *kernel,
			 const struct ss_batch *batch)
{
	struct ss_moe_verdict verdicts[MOST_BINDINGS];
	size_t count = ss_kernel_moe_bindings(verdicts, MOST_BINDINGS, kernel, batch);

	if (!count)
		return;
	if (count > MOST_BINDINGS)
		count = MOST_BINDINGS;
	table_heading(table, "MoE BINDINGS");
	for (size_t i = 0; i < count; i++) {
		const struct ss_moe_binding *binding = verdicts[i].binding;
		const char *wants = verdicts[i].wants;
		char name[128], why[256];

		snprintf(name, sizeof(name), "%s %s", binding->stage, binding->mode);
		snprintf(why, sizeof(why), "%s%s%s", verdicts[i].reason, wants ? ": " : "",
			 wants ? wants : "");
		put3(table, verdicts[i].is_chosen ? '*' : ' ', name, binding->binding, why);
	}
}

void rows_selection(struct table *table, const struct app *app)
{
	const struct ss_kernel *kernel = app->quote->kernel;
	const struct ss_reference *reference = ss_basis_inputs(app->quote->basis)->reference;
	const struct ss_gdn_choice *gdn = ss_kernel_gdn_prefill(kernel);
	struct ss_batch batch = draft_batch(&app->draft);
	struct ss_kernel_routes routes = { 0 };

	if (!ss_kernel_is_sm70(kernel))
		return;
	if (ss_kernel_routes(&routes, kernel, &batch))
		out_of_memory();
	table_heading(table, "WHAT RUNS, AND WHY NOT THE REST");
	if (routes.count && reference->order.age_note)
		rows_notice(table, reference->order.age_note);
	for (size_t i = 0; i < routes.count; i++)
		add_route(table, &routes.items[i]);
	ss_kernel_routes_release(&routes);
	if (gdn) {
		table_heading(table, "GDN PREFILL");
		for (size_t i = 0; i < reference->notices[SS_NOTICE_GDN].count; i++)
			rows_notice(table, reference->notices[SS_NOTICE_GDN].items[i]);
		put3(table,
		     gdn->is_override    ? '!'
		     : gdn->assumes_nvcc ? '~'
					 : ' ',
		     gdn->backend, gdn->inner ? gdn->inner : "", gdn->reason);
	}
	add_bindings(table, kernel, &batch);
	add_dtypes(table, app, &batch);
}
