#include "case/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/xbuf.h"

/* -- pools ----------------------------------------------------------------------------- */

static bool has_role(const struct ss_scenario *s, size_t pool, const char *role)
{
	return !strcmp(session_text(s, pool, SS_F_ROLE), role);
}

static size_t pool_of_role(const struct ss_scenario *s, const char *role)
{
	size_t i = 0;

	while (i < s->pool_count && !has_role(s, i, role))
		i++;
	return i;
}

/** A prefill or a decode pool serves with the first one of the other kind. */
static enum ss_status find_pools(struct serving *s, struct ss_problems *problems,
				 struct ss_error *err)
{
	const struct serving_request *r = &s->request;
	bool is_prefill = has_role(r->scenario, r->pool, "prefill");
	const char *role = is_prefill ? "decode" : "prefill";
	size_t other;
	enum ss_status rc;

	s->pool_count = 1;
	s->kernels[0] = r->kernel;
	s->pools[0] = r->pool;
	if (has_role(r->scenario, r->pool, "colocated"))
		return SS_OK;
	other = pool_of_role(r->scenario, role);
	if (other == r->scenario->pool_count)
		return ss_fail(err, SS_EREFUSED, "deployment.pools",
			       "a %s pool serves no one alone; the deployment has no %s pool",
			       is_prefill ? "prefill" : "decode", role);
	rc = ss_kernel_new(&s->other, r->basis, r->scenario, other, r->corrections, problems);
	if (rc)
		return rc;
	s->pool_count = 2;
	s->pools[is_prefill] = other;
	s->pools[!is_prefill] = r->pool;
	s->kernels[is_prefill] = s->other;
	s->kernels[!is_prefill] = r->kernel;
	return SS_OK;
}

/** Where the pools lie to each other: in the one node, in one rack, else over the fabric. */
static enum ss_place place_of(const struct ss_scenario *s)
{
	const struct ss_value *nodes = ss_scenario_value(s, 0, SS_F_CLUSTER_NODES);
	const struct ss_value *gpus = ss_scenario_value(s, 0, SS_F_GPUS_PER_NODE);
	const struct ss_value *rack = ss_scenario_value(s, 0, SS_F_GPUS_PER_RACK);

	if (nodes->integer <= 1)
		return SS_PLACE_SAME_NODE;
	return rack->is_stated && nodes->integer * gpus->integer <= rack->integer
		       ? SS_PLACE_SAME_RACK
		       : SS_PLACE_FABRIC;
}

/* -- the load --------------------------------------------------------------------------- */

static enum ss_status find_shape(const struct serving_request *r,
				 const struct ss_workload_shape **out, struct ss_problems *problems)
{
	const char *name = r->scenario->workload.shape;

	*out = name ? ss_registry_workload(r->registry, name, problems) : NULL;
	return name && !*out ? SS_EDOCUMENT : SS_OK;
}

/** A trace is found from here, else beside the document that names it. */
static char *trace_path(const char *name, const char *document)
{
	const char *slash = document ? strrchr(document, '/') : NULL;
	struct xbuf path = { 0 };
	char *out;

	if (*name != '/' && access(name, R_OK) != 0 && slash)
		xbuf_printf(&path, "%.*s/", (int)(slash - document), document);
	xbuf_puts(&path, name);
	out = xstrdup(xbuf_text(&path));
	xbuf_release(&path);
	return out;
}

static enum ss_status read_trace(struct serving *s, const struct ss_workload_shape *shape,
				 struct ss_problems *problems)
{
	const struct ss_scenario *scenario = s->request.scenario;
	const char *name = ss_load_trace(scenario, shape);
	bool is_own = ss_scenario_value(scenario, 0, SS_F_LOAD_TRACE)->is_stated;
	bool is_counted = ss_scenario_value(scenario, 0, SS_F_LOAD_REQUESTS)->is_stated;
	enum ss_status rc;
	char *path;

	if (!name)
		return SS_OK;
	path = trace_path(name, is_own ? scenario->file : shape->file);
	rc = ss_trace_load(&s->trace, path, problems);
	free(path);
	if (rc)
		return rc;
	s->load.trace = s->trace.rows;
	if (!is_counted || s->load.requests > (int64_t)s->trace.count)
		s->load.requests = (int64_t)s->trace.count;
	return SS_OK;
}

static enum ss_status read_slo(struct serving *s, const char *text,
			       const struct ss_workload_shape *shape, struct ss_error *err)
{
	const struct ss_value *own = ss_scenario_value(s->request.scenario, 0, SS_F_LOAD_SLO);

	if (!text && own->is_stated)
		text = own->text;
	if (!text && shape && shape->values[SS_F_LOAD_SLO].is_stated)
		text = shape->values[SS_F_LOAD_SLO].text;
	s->has_slo = text != NULL;
	return text ? ss_slo_parse(&s->slo, text, err) : SS_OK;
}

enum ss_status serving_open(struct serving *out, const struct serving_request *request,
			    const char *slo, struct ss_problems *problems, struct ss_error *err)
{
	const struct ss_workload_shape *shape;
	enum ss_status rc;

	*out = (struct serving){ .request = *request };
	rc = find_pools(out, problems, err);
	if (!rc)
		rc = find_shape(request, &shape, problems);
	if (!rc)
		rc = ss_load_resolve(&out->load, request->scenario, shape, request->batch_requests,
				     err);
	if (!rc)
		rc = read_trace(out, shape, problems);
	if (!rc)
		rc = read_slo(out, slo, shape, err);
	out->request.pricing.place = place_of(request->scenario);
	for (int i = 0; i < out->pool_count; i++) {
		const struct ss_value *replicas =
			ss_scenario_value(request->scenario, out->pools[i], SS_F_REPLICAS);

		out->gpus += ss_kernel_resolution(out->kernels[i])->ranks *
			     (replicas->is_stated ? replicas->integer : 1);
	}
	return rc;
}

void serving_release(struct serving *serving)
{
	ss_kernel_free(serving->other);
	ss_trace_release(&serving->trace);
	*serving = (struct serving){ 0 };
}

int64_t serving_batch_requests(const struct ss_group *groups, size_t count)
{
	int64_t requests = 0;

	for (size_t i = 0; i < count; i++)
		requests += groups[i].count;
	return requests > 0 ? requests : 1;
}

struct serving_request serving_of_session(const struct session *session)
{
	return (struct serving_request){
		.registry = session->registry,
		.basis = session->basis,
		.scenario = session->scenario,
		.kernel = session->kernel,
		.pool = session->pool,
		.corrections = session->corrections,
		.pricing = { .figure = session->figure,
			     .decode_threshold = session->decode_threshold,
			     .sm_budget = session->sm_budget,
			     .acceptance = session->acceptance,
			     .spread = &session->spread },
		.batch_requests = serving_batch_requests(session->groups, session->group_count),
	};
}

/* -- a run ------------------------------------------------------------------------------- */

enum ss_status serving_start(struct serving_run *out, const struct serving *serving,
			     const struct ss_load *load, enum ss_serve_side side, bool keeps_terms,
			     struct ss_error *err)
{
	struct ss_serve_pricing pricing = serving->request.pricing;
	struct ss_serve_engine engines[2];
	enum ss_status rc = SS_OK;

	*out = (struct serving_run){ 0 };
	pricing.side = side;
	pricing.keeps_terms = keeps_terms;
	for (int i = 0; i < serving->pool_count && !rc; i++) {
		rc = ss_serve_pricer_new(&out->pricers[i], serving->kernels[i], &pricing);
		if (!rc)
			rc = ss_serve_engine_of(&engines[i], out->pricers[i], err);
		if (serving->request.replicas > 0)
			engines[i].replicas *= serving->request.replicas;
	}
	if (!rc)
		rc = ss_serve_new(&out->serve, load ? load : &serving->load, &engines[0],
				  serving->pool_count > 1 ? &engines[1] : NULL, err);
	return rc;
}

void serving_run_release(struct serving_run *run)
{
	ss_serve_free(run->serve);
	for (int i = 0; i < 2; i++)
		ss_serve_pricer_free(run->pricers[i]);
	*run = (struct serving_run){ 0 };
}

const struct ss_breakdown *serving_total(const struct serving_run *run, int index)
{
	return ss_serve_pricer_total(run->pricers[index]);
}

/* -- what came of it ------------------------------------------------------------------------ */

/** Shares of all pools' steps, each by its seconds. */
static void add_shares(struct served *out)
{
	const enum ss_figure figure = out->serving->request.pricing.figure;
	double all = 0;

	out->share.leading = -1;
	for (int i = 0; i < out->serving->pool_count; i++)
		all += ss_step_figure(&serving_total(out->run, i)->step, figure);
	for (int i = 0; i < out->serving->pool_count && all > 0; i++) {
		const struct ss_breakdown *total = serving_total(out->run, i);
		double weight = ss_step_figure(&total->step, figure) / all;
		struct ss_share share;

		ss_kernel_price_share(out->serving->kernels[i], total, figure, &share);
		for (int m = 0; m < SS_METHOD_COUNT; m++)
			out->share.by_method[m] += share.by_method[m] * weight;
		if (share.leading < 0 || share.leading_share * weight < out->share.leading_share)
			continue;
		out->share.leading = share.leading;
		out->share.leading_share = share.leading_share * weight;
		out->leader = out->serving->kernels[i];
	}
}

enum ss_status served_gather(struct served *out, const struct serving *serving,
			     const struct serving_run *run, const struct ss_load *load)
{
	enum ss_status rc;

	*out = (struct served){ .serving = serving, .run = run, .leader = serving->kernels[0] };
	out->load = load ? load : &serving->load;
	rc = ss_serve_result(run->serve, &out->result);
	if (!rc && serving->has_slo)
		rc = ss_serve_goodput(run->serve, &serving->slo, &out->goodput);
	if (!rc)
		add_shares(out);
	return rc;
}
