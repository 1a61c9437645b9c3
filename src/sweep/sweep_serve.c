/* Columns of a served load: each row plays it before its deployment. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "case/serving.h"
#include "sweep/sweep.h"
#include "text/xbuf.h"

/* The registry keeps what it has read, and all workers share it. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

static enum ss_status open_serving(struct worker *w, struct serving *out,
				   struct ss_problems *problems, struct ss_error *err)
{
	const struct session *s = w->plan->session;
	struct serving_request request = serving_of_session(s);
	enum ss_status rc;

	request.basis = ss_kernel_basis(w->kernel);
	request.scenario = w->scenario;
	request.kernel = w->kernel;
	request.batch_requests = serving_batch_requests(w->groups, w->group_count);
	(void)pthread_mutex_lock(&registry_lock);
	rc = serving_open(out, &request, NULL, problems, err);
	(void)pthread_mutex_unlock(&registry_lock);
	return rc;
}

static enum ss_status take_figures(struct worker *w, const struct serving *serving,
				   const struct serving_run *run)
{
	double *n = w->row.numbers;
	struct ss_serve_result r;
	struct ss_goodput goodput;
	enum ss_status rc = ss_serve_result(run->serve, &r);

#define X(id, latency, p)                       \
	if (!rc && w->plan->needs[COLUMN_##id]) \
		rc = ss_serve_percentile(run->serve, SS_LATENCY_##latency, p, &n[COLUMN_##id]);
	SWEEP_LATENCY_LIST(X)
#undef X
	if (rc)
		return rc;
	n[COLUMN_REQUESTS] = r.requests_per_s;
	n[COLUMN_OUTPUT] = r.output_tokens_per_s;
	n[COLUMN_OUTPUT_GPU] = r.output_tokens_per_s / (double)serving->gpus;
	if (!serving->has_slo)
		return SS_OK;
	rc = ss_serve_goodput(run->serve, &serving->slo, &goodput);
	n[COLUMN_GOODPUT] = goodput.requests_per_s;
	n[COLUMN_SLO_SHARE] = goodput.share;
	n[COLUMN_SLO_MET] = goodput.is_met && !r.is_saturated;
	return rc;
}

void worker_serve(struct worker *w)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct serving serving = { 0 };
	struct serving_run run = { 0 };
	enum ss_status rc;

	/* of the row before, which may have resolved the same */
	if (!strcmp(w->row.code, "serve"))
		w->row.code[0] = w->row.reason[0] = '\0';
	rc = open_serving(w, &serving, &problems, &err);
	if (!rc)
		rc = serving_start(&run, &serving, NULL, SS_SERVE_FIGURE, false, &err);
	while (!rc && ss_serve_run(run.serve, 100000)) {
	}
	if (!rc)
		rc = ss_serve_is_incomplete(run.serve) ? SS_ENOMEM
						       : take_figures(w, &serving, &run);
	if (rc == SS_ENOMEM)
		out_of_memory();
	/* the step has its price all the same */
	if (rc) {
		(void)snprintf(w->row.code, sizeof(w->row.code), "serve");
		(void)snprintf(w->row.reason, sizeof(w->row.reason), "%s",
			       *err.message     ? err.message
			       : problems.count ? problems.items[0].message
						: "the load cannot be played");
	}
	serving_run_release(&run);
	serving_release(&serving);
	ss_problems_release(&problems);
}
