#include "app/serve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/act.h"
#include "text/number.h"

const char *serve_shown_name(enum serve_shown shown)
{
	static const char *const names[] = { "TTFT", "TPOT", "ITL", "E2E", "timeline", "frontier" };

	return names[shown];
}

struct serve_view *serve_new(struct app *app)
{
	(void)app;
	return xcalloc(1, sizeof(struct serve_view));
}

static void end_probe(struct serve_view *v)
{
	serving_run_release(&v->probe);
	serving_release(&v->other);
	ss_kernel_free(v->kernel);
	ss_scenario_free(v->changed);
	v->kernel = NULL;
	v->changed = NULL;
	v->is_probing = false;
}

static void close_run(struct serve_view *v)
{
	end_probe(v);
	serving_run_release(&v->run);
	serving_release(&v->serving);
	quote_drop(v->quote);
	v->quote = NULL;
	v->is_open = v->is_over = false;
	v->sides = 0;
}

void serve_free(struct serve_view *v)
{
	if (!v)
		return;
	close_run(v);
	free(v);
}

/* -- what is asked ------------------------------------------------------------------------- */

static struct serving_request request_of(const struct app *app)
{
	struct ss_batch batch = draft_batch(&app->draft);

	return (struct serving_request){
		.registry = app->registry,
		.basis = app->quote->basis,
		.scenario = app->draft.scenario,
		.kernel = app->quote->kernel,
		.pool = app->pool,
		.corrections = app->draft.corrections,
		.pricing = { .figure = app->figure,
			     .decode_threshold = batch.decode_threshold,
			     .sm_budget = batch.sm_budget,
			     .acceptance = app->acceptance,
			     .spread = &app->spread },
		.batch_requests = serving_batch_requests(batch.groups, batch.group_count),
	};
}

/** The present load in what the curve varies; 0 where it has none. */
static double load_now(const struct serve_view *v)
{
	const struct ss_load *load = &v->serving.load;

	if (v->by_rate)
		return load->arrival == SS_ARRIVAL_RATE ? load->rate : 0;
	return load->arrival == SS_ARRIVAL_CONCURRENCY ? (double)load->concurrency : 0;
}

/** Loads from 1/32 to 16 times the present one, by halves of a doubling. */
static void lay_points(struct serve_view *v)
{
	double now = load_now(v), centre = now > 0 ? now : v->by_rate ? 4 : 32;
	double last = 0;

	v->point_count = v->done = 0;
	v->knee = 0;
	for (int i = -10; i <= 8 && v->point_count < SERVE_POINTS; i++) {
		double load = centre * pow(2, i / 2.0);

		if (!v->by_rate)
			load = round(load);
		if ((!v->by_rate && load < 1) || !(load > last))
			continue;
		last = load;
		if (i == 0)
			v->at = v->point_count;
		v->points[v->point_count++] = (struct serve_point){ .load = load };
	}
}

static bool model_has_experts(const struct ss_model *model)
{
	for (size_t k = 0; k < model->kind_count; k++)
		for (size_t n = 0; n < model->kinds[k].node_count; n++)
			if (model->kinds[k].nodes[n].op == SS_OP_GROUPED_GEMM)
				return true;
	return false;
}

/** Widths that divide the GPUs there are, with replicas that fill them. */
static void lay_frontier(struct app *app, struct serve_view *v)
{
	static const int64_t loads[] = { 1, 4, 16, 64, 256 };
	const struct ss_scenario *s = app->draft.scenario;
	int64_t gpus = ss_scenario_value(s, 0, SS_F_CLUSTER_NODES)->integer *
		       ss_scenario_value(s, 0, SS_F_GPUS_PER_NODE)->integer;
	bool has_experts = model_has_experts(ss_basis_inputs(app->quote->basis)->model);

	v->frontier_count = v->frontier_done = v->frontier_at = 0;
	for (int64_t tp = 1; tp <= gpus; tp *= 2)
		for (int ep = 0; ep < 2; ep++)
			for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
				if (gpus % tp || (ep && (tp == 1 || !has_experts)) ||
				    v->frontier_count == SERVE_FRONTIER)
					continue;
				v->frontier[v->frontier_count++] = (struct serve_frontier){
					.tp = tp,
					.replicas = gpus / tp,
					.concurrency = loads[i] * (gpus / tp),
					.has_ep = ep,
				};
			}
}

/* -- the run ------------------------------------------------------------------------------------
 */

static void gather(struct serve_view *v)
{
	if (served_gather(&v->served, &v->serving, &v->run, NULL))
		out_of_memory();
	v->served.is_partial = !v->is_over;
}

static void play(struct serve_view *v, int64_t steps)
{
	v->is_over = !ss_serve_run(v->run.serve, steps);
	if (ss_serve_is_incomplete(v->run.serve))
		out_of_memory();
	gather(v);
}

static void fail(struct serve_view *v, enum ss_status rc, const struct ss_problems *problems,
		 const struct ss_error *err)
{
	if (rc == SS_ENOMEM)
		out_of_memory();
	snprintf(v->why, sizeof(v->why), "%s",
		 *err->message     ? err->message
		 : problems->count ? problems->items[0].message
				   : "it cannot be served");
	close_run(v);
}

static void open_run(struct app *app, struct serve_view *v)
{
	struct serving_request request = request_of(app);
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc = serving_open(&v->serving, &request, NULL, &problems, &err);

	v->quote = quote_keep(app->quote);
	if (!rc)
		rc = serving_start(&v->run, &v->serving, NULL, SS_SERVE_FIGURE, true, &err);
	if (!rc)
		rc = ss_serve_keep_timeline(v->run.serve, SERVE_TIMELINE);
	if (rc) {
		fail(v, rc, &problems, &err);
	} else {
		v->is_open = true;
		v->why[0] = '\0';
		v->by_rate = v->serving.load.arrival == SS_ARRIVAL_RATE ? true : v->by_rate;
		if (v->serving.load.arrival == SS_ARRIVAL_CONCURRENCY)
			v->by_rate = false;
		lay_points(v);
		lay_frontier(app, v);
		play(v, SERVE_FIRST);
	}
	ss_problems_release(&problems);
}

void serve_refresh(struct app *app)
{
	struct serve_view *v = app->serve;

	if (v->priced == app->prices && v->figure == app->figure)
		return;
	v->priced = app->prices;
	v->figure = app->figure;
	close_run(v);
	snprintf(v->why, sizeof(v->why), "refused: what does not run serves no one");
	if (app->quote && !app->is_refused)
		open_run(app, v);
}

/* -- the curve ------------------------------------------------------------------------------------
 */

static struct ss_load load_at(const struct serving *serving, double load, bool by_rate)
{
	return serving_load_at(serving, by_rate ? SERVING_FIND_RATE : SERVING_FIND_CONCURRENCY,
			       load, 0);
}

/** Where twice the load brings less than a tenth more tokens. */
static void find_knee(struct serve_view *v)
{
	v->knee = 0;
	for (size_t i = 2; i < v->done && !(v->knee > 0); i++) {
		const struct serve_point *a = &v->points[i - 2], *b = &v->points[i];

		if (a->tokens_per_s > 0 && b->tokens_per_s < a->tokens_per_s * 1.1)
			v->knee = a->load;
	}
}

static void take_point(struct serve_view *v, struct serve_point *point)
{
	struct ss_serve_result r;
	struct ss_goodput good = { .is_met = true };

	if (ss_serve_result(v->probe.serve, &r) ||
	    (v->serving.has_slo && ss_serve_goodput(v->probe.serve, &v->serving.slo, &good)))
		out_of_memory();
	for (int i = 0; i < SS_LATENCY_COUNT; i++)
		point->latency[i] = r.latency[i].count ? r.latency[i].p90 : NAN;
	point->tokens_per_s = r.output_tokens_per_s;
	point->is_met = good.is_met && !r.refused;
	point->is_saturated = r.is_saturated;
	point->is_done = true;
}

static bool think_point(struct serve_view *v)
{
	struct serve_point *point = &v->points[v->done];
	struct ss_error err = { 0 };

	if (!v->probe.serve) {
		struct ss_load load = load_at(&v->serving, point->load, v->by_rate);

		if (serving_start(&v->probe, &v->serving, &load, SS_SERVE_FIGURE, false, &err))
			point->has_failed = true;
	}
	if (!point->has_failed && ss_serve_run(v->probe.serve, SERVE_SLICE))
		return true;
	if (!point->has_failed)
		take_point(v, point);
	serving_run_release(&v->probe);
	v->done++;
	find_knee(v);
	return true;
}

/* -- the frontier
 * ---------------------------------------------------------------------------------- */

static bool put_frontier(struct ss_scenario *s, size_t pool, const struct serve_frontier *p)
{
	char tp[24], replicas[24], concurrency[24];

	snprintf(tp, sizeof(tp), "%lld", (long long)p->tp);
	snprintf(replicas, sizeof(replicas), "%lld", (long long)p->replicas);
	snprintf(concurrency, sizeof(concurrency), "%lld", (long long)p->concurrency);
	return !ss_scenario_set(s, pool, "parallel.tp", tp, NULL) &&
	       !ss_scenario_set(s, pool, "parallel.dp", "1", NULL) &&
	       !ss_scenario_set(s, pool, "parallel.pp", "1", NULL) &&
	       !ss_scenario_set(s, pool, "parallel.enable_expert_parallel", p->has_ep ? "true" : "",
				NULL) &&
	       !ss_scenario_set(s, pool, "replicas", replicas, NULL) &&
	       !ss_scenario_set(s, pool, "workload.concurrency", concurrency, NULL);
}

static bool start_frontier(struct app *app, struct serve_view *v, struct serve_frontier *p)
{
	struct serving_request request = request_of(app);
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	bool is_started = false;

	if (ss_scenario_clone(&v->changed, app->draft.scenario))
		out_of_memory();
	if (put_frontier(v->changed, app->pool, p) &&
	    !ss_kernel_new(&v->kernel, request.basis, v->changed, app->pool, request.corrections,
			   &problems)) {
		request.scenario = v->changed;
		request.kernel = v->kernel;
		if (!serving_open(&v->other, &request, NULL, &problems, &err)) {
			struct ss_load load = load_at(&v->other, (double)p->concurrency, false);

			is_started = !serving_start(&v->probe, &v->other, &load, SS_SERVE_FIGURE,
						    false, &err);
		}
	}
	ss_problems_release(&problems);
	return is_started;
}

static void take_frontier(struct serve_view *v, struct serve_frontier *p)
{
	struct ss_serve_result r;
	struct ss_goodput good = { .is_met = true };

	if (ss_serve_result(v->probe.serve, &r) ||
	    (v->other.has_slo && ss_serve_goodput(v->probe.serve, &v->other.slo, &good)))
		out_of_memory();
	p->per_gpu = r.output_tokens_per_s / (double)v->other.gpus;
	p->per_user = r.latency[SS_LATENCY_TPOT].count ? 1 / r.latency[SS_LATENCY_TPOT].p50 : NAN;
	p->is_met = good.is_met && !r.refused;
	p->is_done = true;
}

static bool think_frontier(struct app *app, struct serve_view *v)
{
	struct serve_frontier *p = &v->frontier[v->frontier_done];

	if (!v->is_probing) {
		v->is_probing = true;
		p->has_failed = !start_frontier(app, v, p);
	}
	if (!p->has_failed && ss_serve_run(v->probe.serve, SERVE_SLICE))
		return true;
	if (!p->has_failed)
		take_frontier(v, p);
	/* the cursor stands on what can be opened */
	if (p->is_done && !v->frontier[v->frontier_at].is_done)
		v->frontier_at = v->frontier_done;
	end_probe(v);
	v->frontier_done++;
	return true;
}

/** The load once more at the ends of the band. */
static bool think_band(struct serve_view *v)
{
	struct ss_error err = { 0 };

	if (!v->probe.serve &&
	    serving_start(&v->probe, &v->serving, NULL, v->sides ? SS_SERVE_SLOW : SS_SERVE_FAST,
			  false, &err)) {
		/* what runs at its figure and not at an end has no band to show */
		serving_run_release(&v->probe);
		v->sides = 3;
		return true;
	}
	if (ss_serve_run(v->probe.serve, SERVE_SLICE))
		return true;
	if (ss_serve_result(v->probe.serve, &v->ends[v->sides++]))
		out_of_memory();
	serving_run_release(&v->probe);
	return true;
}

bool serve_think(struct app *app)
{
	struct serve_view *v = app->serve;

	if (!v->is_open)
		return false;
	if (!v->is_over) {
		play(v, SERVE_SLICE);
		return true;
	}
	if (v->sides < 2)
		return think_band(v);
	if (v->shown == SERVE_SHOWS_FRONTIER)
		return v->frontier_done < v->frontier_count && think_frontier(app, v);
	if (v->is_probing)
		end_probe(v);
	return v->shown < SERVE_SHOWS_TIMELINE && v->done < v->point_count && think_point(v);
}

/* -- keys
 * ------------------------------------------------------------------------------------------- */

unsigned serve_apply(struct app *app, enum action_id action)
{
	struct serve_view *v = app->serve;

	/* a probe is of what was shown */
	end_probe(v);
	if (action == ACT_SERVE_VARY) {
		v->by_rate = !v->by_rate;
		if (v->is_open)
			lay_points(v);
		app_say(app, false, "latency over %s", v->by_rate ? "rate" : "concurrency");
	} else if (action == ACT_SERVE_FRONTIER) {
		v->shown =
			v->shown == SERVE_SHOWS_FRONTIER ? SERVE_SHOWS_TTFT : SERVE_SHOWS_FRONTIER;
	} else if (action == ACT_SERVE_FIGURE) {
		v->shown = (enum serve_shown)((v->shown + 1) % SERVE_SHOWS_FRONTIER);
	}
	return APP_REDRAW;
}

/** The next point that runs to the left or right of one, by speed; itself where none is. */
static size_t beside(const struct serve_view *v, size_t from, bool is_right)
{
	const struct serve_frontier *at = &v->frontier[from];
	size_t best = from;

	for (size_t i = 0; i < v->frontier_count; i++) {
		const struct serve_frontier *p = &v->frontier[i], *b = &v->frontier[best];
		/* of as fast ones by their order, so that each is passed once */
		double ahead = at->is_done ? p->per_user - at->per_user : 0;
		double nearer = best == from ? -1 : p->per_user - b->per_user;
		bool is_beyond = ahead > 0 || (!(ahead < 0) && i > from);

		if (i == from || !p->is_done || isnan(p->per_user))
			continue;
		if (!is_right) {
			is_beyond = ahead < 0 || (!(ahead > 0) && i < from);
			nearer = best == from ? -1 : b->per_user - p->per_user;
		}
		if (is_beyond && (nearer < 0 || (!(nearer > 0) && (i < best) == is_right)))
			best = i;
	}
	return best;
}

unsigned serve_move(struct app *app, int by)
{
	struct serve_view *v = app->serve;
	long last = (long)v->point_count - 1, to = (long)v->at + by;

	if (v->shown == SERVE_SHOWS_FRONTIER) {
		for (int i = 0; i < abs(by); i++)
			v->frontier_at = beside(v, v->frontier_at, by > 0);
		return APP_REDRAW;
	}
	to = to > last ? last : to;
	v->at = (size_t)(to < 0 ? 0 : to);
	return APP_REDRAW;
}

static bool take_settings(struct app *app, struct draft *copy, const char *name)
{
	app_say(app, false, "taken: %s", name);
	return history_replace(&app->history, &app->draft, copy, name);
}

static bool take_load(struct app *app, double load)
{
	struct serve_view *v = app->serve;
	struct draft copy = { 0 };
	char text[40], name[80];

	snprintf(text, sizeof(text), "%.6g", load);
	snprintf(name, sizeof(name), "%s %s", v->by_rate ? "rate" : "concurrency", text);
	draft_copy(&copy, &app->draft);
	if (ss_scenario_set(copy.scenario, app->pool,
			    v->by_rate ? "workload.rate" : "workload.concurrency", text, NULL)) {
		draft_release(&copy);
		return false;
	}
	return take_settings(app, &copy, name);
}

bool serve_take(struct app *app)
{
	struct serve_view *v = app->serve;
	const struct serve_frontier *p = &v->frontier[v->frontier_at];
	struct draft copy = { 0 };
	char name[96];

	if (v->shown < SERVE_SHOWS_TIMELINE)
		return v->at < v->point_count && take_load(app, v->points[v->at].load);
	if (v->shown != SERVE_SHOWS_FRONTIER || !p->is_done)
		return false;
	draft_copy(&copy, &app->draft);
	if (!put_frontier(copy.scenario, app->pool, p)) {
		draft_release(&copy);
		return false;
	}
	snprintf(name, sizeof(name), "tp %lld%s, %lld replicas, %lld at once", (long long)p->tp,
		 p->has_ep ? " ep" : "", (long long)p->replicas, (long long)p->concurrency);
	return take_settings(app, &copy, name);
}

unsigned serve_step(struct app *app, int step)
{
	struct serve_view *v = app->serve;
	double now = v->is_open ? load_now(v) : 0;
	double next = step > 0 ? now * 2 : now / 2;

	if (!(now > 0)) {
		app_say(app, true, "the load comes all at once or by a trace; e states another");
		return APP_REDRAW;
	}
	if (!v->by_rate && next < 1)
		return APP_REDRAW;
	return act_edited(take_load(app, v->by_rate ? next : floor(next)));
}

unsigned serve_ask(struct app *app)
{
	return app_ask(app, PROMPT_LOAD, "load, as 1024/512@64, 1024/512@20/s or chatbot@8", "");
}

static unsigned set_draft(struct app *app, const char *name,
			  enum ss_status (*set)(struct app *, struct ss_scenario *, const char *,
						struct ss_error *),
			  const char *text)
{
	struct ss_error err = { 0 };
	struct draft copy = { 0 };
	char said[160];

	draft_copy(&copy, &app->draft);
	if (set(app, copy.scenario, text, &err)) {
		draft_release(&copy);
		app_say(app, true, "%s", err.message);
		return APP_REDRAW;
	}
	snprintf(said, sizeof(said), "%s %.120s", name, text);
	return act_edited(history_replace(&app->history, &app->draft, &copy, said));
}

static enum ss_status set_load(struct app *app, struct ss_scenario *s, const char *text,
			       struct ss_error *err)
{
	return ss_load_set(s, app->registry, text, err);
}

static enum ss_status set_slo(struct app *app, struct ss_scenario *s, const char *text,
			      struct ss_error *err)
{
	return ss_scenario_set(s, app->pool, "workload.slo", text, err);
}

unsigned serve_command(struct app *app, const char *load)
{
	return app_goto(app, PANE_SERVE) | set_draft(app, "load", set_load, load);
}

unsigned serve_promise(struct app *app, const char *slo)
{
	return app_goto(app, PANE_SERVE) | set_draft(app, "slo", set_slo, slo);
}

/* -- as a table -----------------------------------------------------------------------------------
 */

static void put_value(struct table *table, int column, double value, bool is_known)
{
	if (is_known && isfinite(value))
		table_put_number(table, column, value, number_plain(value).text);
}

static void frontier_rows(const struct serve_view *v, struct table *out)
{
	static const struct table_column columns[] = {
		{ .title = "tp", .width = 4 },         { .title = "ep", .width = 4 },
		{ .title = "replicas", .width = 8 },   { .title = "concurrency", .width = 8 },
		{ .title = "tok/s/GPU", .width = 10 }, { .title = "tok/s/user", .width = 10 },
		{ .title = "meets", .width = 6 },
	};

	table_reset(out, columns, 7);
	for (size_t i = 0; i < v->frontier_done; i++) {
		const struct serve_frontier *p = &v->frontier[i];

		table_row(out, (int)i, p->has_failed ? 'x' : ' ');
		put_value(out, 0, (double)p->tp, true);
		table_put(out, 1, p->has_ep ? "yes" : "no");
		put_value(out, 2, (double)p->replicas, true);
		put_value(out, 3, (double)p->concurrency, true);
		put_value(out, 4, p->per_gpu, p->is_done);
		put_value(out, 5, p->per_user, p->is_done);
		table_put(out, 6, p->has_failed ? "does not run" : p->is_met ? "yes" : "no");
	}
}

void serve_table(const struct app *app, struct table *out)
{
	static const struct table_column columns[] = {
		{ .title = "load", .width = 8 },        { .title = "ttft p90 s", .width = 10 },
		{ .title = "tpot p90 s", .width = 10 }, { .title = "itl p90 s", .width = 10 },
		{ .title = "e2e p90 s", .width = 10 },  { .title = "tok/s", .width = 10 },
		{ .title = "meets", .width = 6 },
	};
	const struct serve_view *v = app->serve;

	if (v->shown == SERVE_SHOWS_FRONTIER) {
		frontier_rows(v, out);
		return;
	}
	table_reset(out, columns, 7);
	for (size_t i = 0; i < v->done; i++) {
		const struct serve_point *p = &v->points[i];

		table_row(out, (int)i, p->has_failed ? 'x' : ' ');
		put_value(out, 0, p->load, true);
		for (int k = 0; k < SS_LATENCY_COUNT; k++)
			put_value(out, 1 + k, p->latency[k], p->is_done);
		put_value(out, 5, p->tokens_per_s, p->is_done);
		table_put(out, 6, p->is_met ? "yes" : "no");
	}
}
