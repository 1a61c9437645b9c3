/* A served load: its figures, then latency against load, the timeline or the frontier. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/serve.h"
#include "text/number.h"
#include "view/plot.h"
#include "view/popup.h"
#include "view/screen.h"

/* -- figures ----------------------------------------------------------------------------- */

/** Does the service level hold of a latency? 0 not asked, 1 met, -1 not met. */
static int holds(const struct serve_view *v, enum ss_latency_id id)
{
	const struct ss_slo *slo = &v->serving.slo;
	int met = 0;

	for (size_t i = 0; v->serving.has_slo && i < slo->term_count; i++) {
		if (slo->terms[i].latency != id)
			continue;
		if (!(v->served.goodput.seconds[i] <= slo->terms[i].limit_s))
			return -1;
		met = 1;
	}
	return met;
}

static void draw_load(const struct area *area, const struct serve_view *v)
{
	int cols = area_cols(area) - 2;
	char load[200], slo[200], state[80], text[480];

	(void)ss_load_describe(&v->serving.load, load, sizeof(load));
	if (v->serving.has_slo)
		(void)ss_slo_format(&v->serving.slo, slo, sizeof(slo));
	else
		snprintf(slo, sizeof(slo), "nothing, :slo ttft=500ms,tpot=30ms");
	snprintf(text, sizeof(text), "load      %s", load);
	area_text(area, 0, 1, cols, STYLE_HEADER, text);
	if (!v->is_over)
		snprintf(state, sizeof(state), "playing, %s done",
			 number_percent(ss_serve_progress(v->run.serve), 0).text);
	else if (v->serving.has_slo)
		snprintf(state, sizeof(state), "%s, %s of requests",
			 v->served.goodput.is_met ? "met" : "NOT met",
			 number_percent(v->served.goodput.share, 0).text);
	else
		state[0] = '\0';
	snprintf(text, sizeof(text), "promised  %s  %s", slo, state);
	area_text(area, 1, 1, cols,
		  !v->is_over || !v->serving.has_slo ? STYLE_TEXT
		  : v->served.goodput.is_met         ? STYLE_GOOD
						     : STYLE_WARN,
		  text);
}

static void draw_latencies(const struct area *area, const struct serve_view *v)
{
	int row = 2;

	area_printf(area, row++, 1, STYLE_COLUMN, "%-4s %9s %9s %9s %9s", "", "mean", "p50", "p90",
		    "p99");
	for (int i = 0; i < SS_LATENCY_COUNT; i++) {
		const struct ss_latency *l = &v->served.result.latency[i];
		int met = holds(v, (enum ss_latency_id)i);

		area_printf(area, row++, 1, met < 0 ? STYLE_WARN : STYLE_TEXT,
			    "%-4s %9s %9s %9s %9s %s", ss_latency_name((enum ss_latency_id)i),
			    l->count ? number_time(l->mean).text : "-",
			    l->count ? number_time(l->p50).text : "-",
			    l->count ? number_time(l->p90).text : "-",
			    l->count ? number_time(l->p99).text : "-",
			    met < 0   ? "!"
			    : met > 0 ? "met"
				      : "");
	}
}

/** Right of the latencies: what the engine does meanwhile. */
static void draw_rates(const struct area *area, const struct serve_view *v, int col)
{
	const struct ss_serve_result *r = &v->served.result;
	double gpus = (double)v->serving.gpus;
	int row = 2;

	if (area_cols(area) - col < 24)
		return;
	area_printf(area, row++, col, STYLE_TEXT, "%s req/s, %s of %s",
		    number_fixed(r->requests_per_s, 2).text,
		    number_count((double)r->completed).text,
		    number_count((double)r->requests).text);
	area_printf(area, row++, col, STYLE_TEXT, "%s tok/s out, %s/GPU",
		    number_count(r->output_tokens_per_s).text,
		    number_count(r->output_tokens_per_s / gpus).text);
	area_printf(area, row++, col, STYLE_TEXT, "%s running, %s waiting",
		    number_fixed(r->running.mean, 1).text, number_fixed(r->waiting.mean, 1).text);
	area_printf(area, row++, col, STYLE_TEXT, "KV %s, at most %s",
		    number_percent(r->kv.mean, 0).text, number_percent(r->kv.peak, 0).text);
	area_printf(area, row++, col, r->preemptions || r->refused ? STYLE_WARN : STYLE_TEXT,
		    "%s preempted, %s refused", number_count((double)r->preemptions).text,
		    number_count((double)r->refused).text);
}

/** A median over the band: `153..192 ms`. */
static const char *range_of(const struct serve_view *v, enum ss_latency_id id, char *out,
			    size_t size)
{
	double a = v->ends[0].latency[id].p50, b = v->ends[1].latency[id].p50;
	double unit = fmax(a, b) < 1 ? 1e3 : 1;

	(void)snprintf(out, size, "%.3g..%.3g %s", fmin(a, b) * unit, fmax(a, b) * unit,
		       unit > 1 ? "ms" : "s");
	return out;
}

static void draw_footing(const struct area *area, const struct serve_view *v)
{
	double percents[SS_SHARE_PARTS];
	char text[240], ttft[64], tpot[64];
	size_t n;

	if (v->served.result.is_saturated) {
		area_text(area, 7, 1, area_cols(area) - 2, STYLE_WARN,
			  "! saturated: the queue grows to the end; latencies grow with more");
		return;
	}
	ss_share_percents(&v->served.share, 0, percents);
	n = (size_t)snprintf(text, sizeof(text), "~ %.0f %% measured, %.0f vendor, %.0f assumed",
			     percents[SS_METHOD_MEASURED], percents[SS_METHOD_VENDOR_SPEC],
			     percents[SS_METHOD_ASSUMED] + percents[SS_METHOD_COPIED]);
	if (v->sides == 2)
		(void)snprintf(text + n, sizeof(text) - n, "; p50 ttft %s, tpot %s",
			       range_of(v, SS_LATENCY_TTFT, ttft, sizeof(ttft)),
			       range_of(v, SS_LATENCY_TPOT, tpot, sizeof(tpot)));
	area_text(area, 7, 1, area_cols(area) - 2, STYLE_FAINT, text);
}

/* -- latency against load -------------------------------------------------------------------- */

static double y_of(const struct serve_view *v, const struct serve_point *p)
{
	return p->is_done ? p->latency[v->shown] * 1e3 : NAN;
}

static double limit_of(const struct serve_view *v)
{
	for (size_t i = 0; v->serving.has_slo && i < v->serving.slo.term_count; i++)
		if ((int)v->serving.slo.terms[i].latency == (int)v->shown)
			return v->serving.slo.terms[i].limit_s * 1e3;
	return NAN;
}

static void draw_reading(const struct area *area, const struct serve_view *v)
{
	const struct serve_point *p = &v->points[v->at];
	const char *what = v->by_rate ? "rate" : "concurrency";
	char text[240];

	if (p->is_done)
		snprintf(text, sizeof(text), "%s %s: %s p90 %s, %s tok/s%s%s", what,
			 number_plain(p->load).text, serve_shown_name(v->shown),
			 number_time(p->latency[v->shown]).text, number_count(p->tokens_per_s).text,
			 v->serving.has_slo ? (p->is_met ? ", meets it" : ", does not meet it")
					    : "",
			 p->is_saturated ? ", saturated" : "");
	else
		snprintf(text, sizeof(text), "%s %s: %s", what, number_plain(p->load).text,
			 p->has_failed ? "cannot be served" : "not played yet");
	area_text(area, 8, 1, area_cols(area) - 16, p->is_done ? STYLE_HEADER : STYLE_FAINT, text);
	if (v->is_over && v->done < v->point_count)
		area_printf(area, 8, area_cols(area) - 14, STYLE_WARN, "%zu of %zu", v->done,
			    v->point_count);
}

static void draw_curve(const struct area *area, const struct serve_view *v)
{
	double x[SERVE_POINTS], y[SERVE_POINTS], limit[2], ends[2];
	struct plot_series series[2] = { { 0 } };
	struct plot_mark marks[1];
	struct plot plot = { .series = series, .series_count = 1, .marks = marks };
	char title[40];

	for (size_t i = 0; i < v->point_count; i++) {
		x[i] = v->points[i].load;
		y[i] = y_of(v, &v->points[i]);
	}
	series[0] = (struct plot_series){
		.x = x, .y = y, .count = v->point_count, .style = style_series(0)
	};
	plot.x = axis_over(x, v->point_count, true);
	plot.y = axis_over(y, v->point_count, true);
	limit[0] = limit[1] = limit_of(v);
	if (!isnan(limit[0])) {
		ends[0] = x[0];
		ends[1] = x[v->point_count - 1];
		axis_include(&plot.y, limit, 2);
		series[plot.series_count++] = (struct plot_series){
			.x = ends, .y = limit, .count = 2, .style = style_series(1)
		};
	}
	if (v->knee > 0)
		marks[plot.mark_count++] = (struct plot_mark){ v->knee, "knee" };
	snprintf(title, sizeof(title), "%s p90, ms%s", serve_shown_name(v->shown),
		 isnan(limit[0]) ? "" : " (level: promised)");
	plot.y_title = title;
	plot.x_title = v->by_rate ? "requests/s" : "requests at once";
	plot.cursor_x = x[v->at];
	plot.cursor_y = y[v->at];
	(void)plot_draw(area, &plot);
}

/* -- the timeline --------------------------------------------------------------------------------
 */

static void draw_timeline(const struct area *area, const struct serve_view *v)
{
	const struct ss_serve_point *points;
	size_t count = ss_serve_timeline(v->run.serve, &points);
	double *x = calloc(4 * count + 4, sizeof(*x)), *running = x + count + 1;
	double *waiting = running + count + 1, *kv = waiting + count + 1, most = 1;
	struct plot_series series[3];
	struct plot plot = { .series = series, .series_count = 3 };

	if (!x)
		return;
	for (size_t i = 0; i < count; i++) {
		x[i] = points[i].time_s;
		running[i] = (double)points[i].running;
		waiting[i] = (double)points[i].waiting;
		most = fmax(most, fmax(running[i], waiting[i]));
	}
	/* KV to the same height: all of it is the top */
	for (size_t i = 0; i < count; i++)
		kv[i] = points[i].kv * most;
	for (int s = 0; s < 3; s++)
		series[s] = (struct plot_series){ .x = x,
						  .y = s == 0   ? running
						       : s == 1 ? waiting
								: kv,
						  .count = count,
						  .style = style_series(s) };
	plot.x = axis_over(x, count, false);
	plot.y = axis_over(running, count, false);
	plot.y.low = 0;
	plot.y.high = most;
	plot.x_title = "s";
	plot.y_title = "requests";
	plot.cursor_x = plot.cursor_y = NAN;
	(void)plot_draw(area, &plot);
	free(x);
}

static void draw_timeline_legend(const struct area *area)
{
	static const char *const names[] = { "running", "waiting", "KV, to the top" };
	int col = 1;

	for (int s = 0; s < 3; s++)
		col = area_printf(
			area, 8, col, style_series(s), "%c %s   ",
			style_row(style_series(s))->mark ? style_row(style_series(s))->mark : '-',
			names[s]);
}

/* -- the frontier
 * ---------------------------------------------------------------------------------- */

static void draw_frontier_reading(const struct area *area, const struct serve_view *v)
{
	const struct serve_frontier *p = &v->frontier[v->frontier_at];
	char text[240], what[80];

	snprintf(what, sizeof(what), "tp %lld%s x %lld, %lld at once", (long long)p->tp,
		 p->has_ep ? " ep" : "", (long long)p->replicas, (long long)p->concurrency);
	if (p->is_done)
		snprintf(text, sizeof(text), "%s: %s tok/s/GPU, %s tok/s/user%s", what,
			 number_count(p->per_gpu).text, number_fixed(p->per_user, 1).text,
			 !v->serving.has_slo ? ""
			 : p->is_met         ? ", meets it"
					     : ", does not meet it");
	else
		snprintf(text, sizeof(text), "%s: %s", what,
			 p->has_failed ? "does not run" : "not played yet");
	area_text(area, 8, 1, area_cols(area) - 16, p->is_done ? STYLE_HEADER : STYLE_FAINT, text);
	if (v->frontier_done < v->frontier_count)
		area_printf(area, 8, area_cols(area) - 14, STYLE_WARN, "%zu of %zu",
			    v->frontier_done, v->frontier_count);
}

static void draw_frontier(const struct area *area, const struct serve_view *v)
{
	double x[SERVE_FRONTIER], y[2][SERVE_FRONTIER];
	struct plot_series series[2];
	struct plot plot = { .series = series, .series_count = 2 };
	const struct serve_frontier *at = &v->frontier[v->frontier_at];

	for (size_t i = 0; i < v->frontier_count; i++) {
		const struct serve_frontier *p = &v->frontier[i];

		x[i] = p->is_done ? p->per_user : NAN;
		y[0][i] = p->is_done && p->is_met ? p->per_gpu : NAN;
		y[1][i] = p->is_done && !p->is_met ? p->per_gpu : NAN;
	}
	for (int s = 0; s < 2; s++)
		series[s] = (struct plot_series){ .x = x,
						  .y = y[s],
						  .count = v->frontier_count,
						  .style = style_series(s),
						  .is_points = true };
	plot.x = axis_over(x, v->frontier_count, true);
	plot.y = axis_over(y[0], v->frontier_count, true);
	axis_include(&plot.y, y[1], v->frontier_count);
	plot.x_title = "tok/s/user";
	plot.y_title =
		v->serving.has_slo ? "tok/s/GPU, promise met and (fainter) not," : "tok/s/GPU";
	plot.cursor_x = at->is_done ? at->per_user : NAN;
	plot.cursor_y = at->is_done ? at->per_gpu : NAN;
	(void)plot_draw(area, &plot);
}

void serve_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	const struct serve_view *v = app->serve;
	struct area rest;

	(void)screen;
	if (!v)
		return;
	if (!v->is_open) {
		popup_text(area, STYLE_WARN, v->why, 0);
		return;
	}
	draw_load(area, v);
	draw_latencies(area, v);
	draw_rates(area, v, 51);
	draw_footing(area, v);
	rest = area_part(area, 9, 0, area_rows(area) - 9, area_cols(area));
	switch (v->shown) {
	case SERVE_SHOWS_TTFT:
	case SERVE_SHOWS_TPOT:
	case SERVE_SHOWS_ITL:
	case SERVE_SHOWS_E2E:
		draw_reading(area, v);
		draw_curve(&rest, v);
		return;
	case SERVE_SHOWS_TIMELINE:
		draw_timeline_legend(area);
		draw_timeline(&rest, v);
		return;
	case SERVE_SHOWS_FRONTIER:
		draw_frontier_reading(area, v);
		draw_frontier(&rest, v);
		return;
	case SERVE_SHOWN_COUNT:
		return;
	}
}
