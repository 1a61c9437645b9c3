/*
 * Rules that tie fields of a deployment to each other (D) and to its cluster
 * (X). The numbers are those of the documents' reference; what a decoder sees
 * already (D3, D4: a negative width) has no code here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "documents/value.h"
#include "stepscope/scenario.h"

enum { VALUE_SIZE = 32 };

/* The deployment under check. */
struct check {
	const struct ss_scenario *scenario;
	struct ss_problems *problems;
	size_t refusal_count;
	size_t last; /* index of the last problem, for its fixes */
};

/* Widths of one pool; those left out or 0 are 1. */
struct widths {
	int64_t tp, pp, dp, pcp, dcp, dp_local, nodes, gpus_per_node;
};

static void problem(struct check *c, enum ss_severity severity, const char *code, size_t pool,
		    enum ss_field_id id, const char *message)
{
	char pointer[160];

	ss_scenario_pointer(pointer, sizeof(pointer), pool, id);
	c->refusal_count += severity == SS_REFUSAL;
	c->last = ss_problems_add(c->problems, severity, code, c->scenario->file, pointer, "%s",
				  message);
}

/* One setting that would do, named with its pool where there are several. */
static void fix_text(struct check *c, size_t pool, enum ss_field_id id, const char *value,
		     const char *note)
{
	const struct ss_field *f = ss_field(id);
	char path[160];

	if (f->owner == SS_OWNER_POOL && c->scenario->pool_count > 1)
		(void)snprintf(path, sizeof(path), "pools[%zu].%s", pool, f->path);
	else
		(void)snprintf(path, sizeof(path), "%s%s", ss_field_prefix(f->owner), f->path);
	ss_problems_add_fix(c->problems, c->last, path, value, note);
}

static void fix(struct check *c, size_t pool, enum ss_field_id id, int64_t value, const char *note)
{
	char text[VALUE_SIZE];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	fix_text(c, pool, id, text, note);
}

static const struct ss_value *get(const struct check *c, size_t pool, enum ss_field_id id)
{
	return ss_scenario_value(c->scenario, pool, id);
}

static int64_t width(const struct check *c, size_t pool, enum ss_field_id id)
{
	const struct ss_value *v = get(c, pool, id);

	return v->is_stated && v->integer > 0 ? v->integer : 1;
}

static int64_t times(int64_t a, int64_t b)
{
	return a && b > INT64_MAX / a ? INT64_MAX : a * b;
}

/* Largest divisor of `n` up to `limit`; 0 when limit is below 1. */
static int64_t divisor_below(int64_t n, int64_t limit)
{
	for (int64_t d = limit < n ? limit : n; d > 0; d--)
		if (n % d == 0)
			return d;
	return 0;
}

static int64_t divisor_above(int64_t n, int64_t from)
{
	for (int64_t d = from; d <= n; d++)
		if (n % d == 0)
			return d;
	return 0;
}

static void check_context(struct check *c, size_t pool, const struct widths *w)
{
	char message[256];
	int64_t below, above, all = times(w->tp, w->pcp);

	if (w->pcp <= 1 && w->tp % w->dcp != 0) {
		(void)snprintf(message, sizeof(message),
			       "found %" PRId64 ", must divide tp (%" PRId64 ")", w->dcp, w->tp);
		problem(c, SS_REFUSAL, "D1", pool, SS_F_DCP, message);
		below = divisor_below(w->tp, w->dcp);
		above = divisor_above(w->tp, w->dcp);
		fix(c, pool, SS_F_DCP, below, "");
		if (above)
			fix(c, pool, SS_F_DCP, above, "");
	}
	if (w->pcp > 1 && w->dcp != 1 && w->dcp != w->pcp && w->dcp != all) {
		(void)snprintf(message, sizeof(message),
			       "found %" PRId64 ", must be 1, pcp (%" PRId64
			       ") or tp x pcp (%" PRId64 ")",
			       w->dcp, w->pcp, all);
		problem(c, SS_REFUSAL, "D2", pool, SS_F_DCP, message);
		fix(c, pool, SS_F_DCP, 1, "");
		fix(c, pool, SS_F_DCP, w->pcp, "");
		if (w->tp > 1)
			fix(c, pool, SS_F_DCP, all, "");
	}
}

/* A number of local replicas that both divides a node and is not above dp. */
static void fix_dp_local(struct check *c, size_t pool, const struct widths *w, int64_t limit)
{
	int64_t fitting = divisor_below(w->gpus_per_node, limit < w->dp ? limit : w->dp);

	if (fitting)
		fix(c, pool, SS_F_DP_LOCAL, fitting, "");
	fix_text(c, pool, SS_F_DP_LOCAL, "", "the launch decides");
}

static void check_dp_local(struct check *c, size_t pool, const struct widths *w)
{
	char message[256];

	if (w->dp_local > w->dp) {
		(void)snprintf(message, sizeof(message),
			       "found %" PRId64 ", must not exceed dp (%" PRId64 ")", w->dp_local,
			       w->dp);
		problem(c, SS_REFUSAL, "D5", pool, SS_F_DP_LOCAL, message);
		fix_dp_local(c, pool, w, w->dp);
	} else if (w->dp_local > 0 && w->gpus_per_node % w->dp_local != 0) {
		(void)snprintf(message, sizeof(message),
			       "found %" PRId64 ", must divide gpus_per_node (%" PRId64 ")",
			       w->dp_local, w->gpus_per_node);
		problem(c, SS_REFUSAL, "X2", pool, SS_F_DP_LOCAL, message);
		fix_dp_local(c, pool, w, w->dp_local);
	}
}

/* The widths that, changed alone, would let the ranks fit. */
static void fix_ranks(struct check *c, size_t pool, const struct widths *w, int64_t there)
{
	int64_t around_tp = times(times(w->pp, w->pcp), w->dp);
	int64_t around_dp = times(times(w->pp, w->pcp), w->tp);
	int64_t around_pp = times(times(w->tp, w->pcp), w->dp);
	int64_t tp = there / around_tp;

	if (tp)
		fix(c, pool, SS_F_TP, tp, "");
	if (w->dp > 1 && there / around_dp > 0)
		fix(c, pool, SS_F_DP, there / around_dp, "");
	if (w->pp > 1 && there / around_pp > 0)
		fix(c, pool, SS_F_PP, there / around_pp, "");
}

static bool check_ranks(struct check *c, size_t pool, const struct widths *w)
{
	int64_t there = times(w->nodes, w->gpus_per_node);
	int64_t wanted = times(times(times(w->pp, w->tp), w->pcp), w->dp);
	char message[320];

	if (wanted <= there)
		return true;
	(void)snprintf(message, sizeof(message),
		       "needs %" PRId64 " GPUs (pp %" PRId64 " x tp %" PRId64 " x pcp %" PRId64
		       " x dp %" PRId64 "), must fit the %" PRId64 " of %" PRId64
		       " node%s of %" PRId64,
		       wanted, w->pp, w->tp, w->pcp, w->dp, there, w->nodes,
		       w->nodes == 1 ? "" : "s", w->gpus_per_node);
	problem(c, SS_REFUSAL, "X3", pool, SS_F_TP, message);
	fix_ranks(c, pool, w, there);
	return false;
}

/*
 * Does a node have room for its local replicas? Replica i starts at GPU
 * i x world, so the last one starts inside the node; a replica may then be cut
 * into k equal parts over the nodes its group has. The search ends: there are
 * no more parts than nodes.
 */
static bool is_placeable(const struct widths *w, bool *starts_inside)
{
	int64_t world = times(times(w->pp, w->tp), w->pcp);
	int64_t last = times(w->dp_local - 1, world);
	int64_t groups = w->dp / w->dp_local;
	int64_t parts = w->nodes / groups > 1 ? w->nodes / groups : 1;

	*starts_inside = last < w->gpus_per_node;
	if (!*starts_inside)
		return false;
	for (int64_t k = 1; k <= parts; k++)
		if (world % k == 0 && world / k <= w->gpus_per_node - last)
			return true;
	return false;
}

static void check_placement(struct check *c, size_t pool, const struct widths *w)
{
	struct widths tried = *w;
	char message[256];
	bool starts_inside;

	if (w->dp_local < 1 || w->dp_local > w->dp || is_placeable(w, &starts_inside))
		return;
	if (!starts_inside)
		(void)snprintf(message, sizeof(message),
			       "found %" PRId64 ", the last replica would start at GPU %" PRId64
			       " of a node of %" PRId64,
			       w->dp_local,
			       times(w->dp_local - 1, times(times(w->pp, w->tp), w->pcp)),
			       w->gpus_per_node);
	else
		(void)snprintf(message, sizeof(message),
			       "%" PRId64 " replicas of %" PRId64
			       " GPUs do not fit a node of %" PRId64 " in any equal parts",
			       w->dp_local, times(times(w->pp, w->tp), w->pcp), w->gpus_per_node);
	problem(c, SS_REFUSAL, "X4", pool, starts_inside ? SS_F_TP : SS_F_DP_LOCAL, message);
	for (tried.dp_local = w->dp_local - 1; tried.dp_local > 0; tried.dp_local--)
		if (w->gpus_per_node % tried.dp_local == 0 && is_placeable(&tried, &starts_inside))
			break;
	if (tried.dp_local > 0)
		fix(c, pool, SS_F_DP_LOCAL, tried.dp_local, "");
	fix_text(c, pool, SS_F_DP_LOCAL, "", "the launch decides");
}

static void check_allreduce(struct check *c, size_t pool)
{
	const struct ss_value *off = get(c, pool, SS_F_DISABLE_CUSTOM_ALL_REDUCE);
	const struct ss_value *backend = get(c, pool, SS_F_ALLREDUCE_BACKEND);

	if (!off->is_stated || !backend->is_stated)
		return;
	if (off->integer && strcmp(backend->text, "custom") == 0) {
		problem(c, SS_REFUSAL, "D8", pool, SS_F_DISABLE_CUSTOM_ALL_REDUCE,
			"on, while allreduce_backend asks for custom; state one of them");
		fix_text(c, pool, SS_F_ALLREDUCE_BACKEND, "nccl", "");
		fix_text(c, pool, SS_F_DISABLE_CUSTOM_ALL_REDUCE, "", "");
	} else if (!off->integer && strcmp(backend->text, "nccl") == 0) {
		problem(c, SS_WARNING, "D9", pool, SS_F_DISABLE_CUSTOM_ALL_REDUCE,
			"off, while allreduce_backend asks for nccl; the backend is taken");
	}
}

static void check_experts(struct check *c, size_t pool, const struct widths *w)
{
	const struct ss_value *ep = get(c, pool, SS_F_EXPERT_PARALLEL);

	if (ep->is_stated && ep->integer && times(times(w->tp, w->pcp), w->dp) == 1)
		problem(c, SS_WARNING, "D10", pool, SS_F_EXPERT_PARALLEL,
			"on, but tp x pcp x dp is 1: no expert leaves its GPU");
}

/* A method of speculation and its tokens go together. */
static void check_speculation(struct check *c, size_t pool)
{
	bool has_method = get(c, pool, SS_F_SPEC_METHOD)->is_stated;
	bool has_tokens = get(c, pool, SS_F_SPEC_TOKENS)->is_stated;

	if (has_method && !has_tokens) {
		problem(c, SS_REFUSAL, "missing", pool, SS_F_SPEC_TOKENS,
			"missing; a speculative method needs the tokens it drafts");
		fix(c, pool, SS_F_SPEC_TOKENS, 1, "");
		fix_text(c, pool, SS_F_SPEC_METHOD, "", "no speculation");
	} else if (has_tokens && !has_method) {
		problem(c, SS_REFUSAL, "missing", pool, SS_F_SPEC_METHOD,
			"missing; drafted tokens need a speculative method");
		fix_text(c, pool, SS_F_SPEC_TOKENS, "", "no speculation");
	}
}

static bool check_required(struct check *c, size_t pool, unsigned owners)
{
	bool is_complete = true;

	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);

		if (!(owners & 1u << f->owner) || !f->is_required || get(c, pool, f->id)->is_stated)
			continue;
		problem(c, SS_REFUSAL, "missing", pool, f->id, "missing; it must be stated");
		is_complete = false;
	}
	return is_complete;
}

static void check_pool(struct check *c, size_t pool, bool has_cluster)
{
	struct widths w = {
		.tp = width(c, pool, SS_F_TP),
		.pp = width(c, pool, SS_F_PP),
		.dp = width(c, pool, SS_F_DP),
		.pcp = width(c, pool, SS_F_PCP),
		.dcp = width(c, pool, SS_F_DCP),
		.dp_local = get(c, pool, SS_F_DP_LOCAL)->integer,
		.nodes = width(c, pool, SS_F_NODES),
		.gpus_per_node = width(c, pool, SS_F_GPUS_PER_NODE),
	};

	check_allreduce(c, pool);
	check_speculation(c, pool);
	if (!check_required(c, pool, 1u << SS_OWNER_POOL))
		return;
	check_context(c, pool, &w);
	check_experts(c, pool, &w);
	if (!has_cluster)
		return;
	check_dp_local(c, pool, &w);
	if (check_ranks(c, pool, &w))
		check_placement(c, pool, &w);
}

static size_t count_role(const struct check *c, const char *role)
{
	size_t count = 0;

	for (size_t i = 0; i < c->scenario->pool_count; i++) {
		const struct ss_value *v = get(c, i, SS_F_ROLE);

		count += v->is_stated && strcmp(v->text, role) == 0;
	}
	return count;
}

static void check_roles(struct check *c)
{
	size_t prefill = count_role(c, "prefill"), decode = count_role(c, "decode");
	size_t colocated = count_role(c, "colocated");
	const char *message = NULL;

	if (colocated && (prefill || decode))
		message = "a colocated pool stands beside prefill or decode pools";
	else if (prefill && !decode)
		message = "prefill pools need a decode pool";
	else if (decode && !prefill)
		message = "decode pools need a prefill pool";
	if (message) {
		c->refusal_count++;
		c->last = ss_problems_add(c->problems, SS_REFUSAL, "D6", c->scenario->file,
					  "/deployment/pools", "%s", message);
		if (c->scenario->pool_count == 1)
			fix_text(c, 0, SS_F_ROLE, "colocated", "");
	}
	if (prefill && !c->scenario->has_pd_transfer &&
	    !c->scenario->values[SS_F_PD_CONNECTOR].is_stated) {
		c->refusal_count++;
		c->last = ss_problems_add(
			c->problems, SS_REFUSAL, "D7", c->scenario->file, "/deployment/pd_transfer",
			"missing; prefill pools hand KV over through pd_transfer");
		fix_text(c, 0, SS_F_PD_CONNECTOR, "NixlConnector", "");
	}
}

static void check_nodes(struct check *c)
{
	int64_t sum = 0, nodes = c->scenario->values[SS_F_CLUSTER_NODES].integer;
	char message[200];

	for (size_t i = 0; i < c->scenario->pool_count; i++) {
		if (!get(c, i, SS_F_NODES)->is_stated)
			return;
		sum += get(c, i, SS_F_NODES)->integer;
	}
	if (sum == nodes)
		return;
	(void)snprintf(message, sizeof(message),
		       "the pools take %" PRId64 " nodes, must be all %" PRId64 " of the cluster",
		       sum, nodes);
	c->refusal_count++;
	c->last = ss_problems_add(c->problems, SS_REFUSAL, "X1", c->scenario->file,
				  "/deployment/pools", "%s", message);
	if (c->scenario->pool_count == 1)
		fix(c, 0, SS_F_NODES, nodes, "");
	fix(c, 0, SS_F_CLUSTER_NODES, sum, "");
}

static void check_links(struct check *c)
{
	const struct ss_value *values = c->scenario->values;
	const struct ss_value *rack = &values[SS_F_GPUS_PER_RACK];
	int64_t node = values[SS_F_GPUS_PER_NODE].integer;
	char message[200];

	if (values[SS_F_CLUSTER_NODES].integer > 1 && !values[SS_F_FABRIC].is_stated &&
	    !values[SS_F_INTER_NODE_GB_S].is_stated)
		problem(c, SS_REFUSAL, "missing", 0, SS_F_FABRIC,
			"missing; more than one node needs a network between them, or its "
			"inter_node_gb_s");
	if (!rack->is_stated || rack->integer % node == 0)
		return;
	(void)snprintf(message, sizeof(message),
		       "found %" PRId64 ", must be a multiple of gpus_per_node (%" PRId64 ")",
		       rack->integer, node);
	problem(c, SS_REFUSAL, "range", 0, SS_F_GPUS_PER_RACK, message);
	fix(c, 0, SS_F_GPUS_PER_RACK, (rack->integer / node + 1) * node, "");
	fix_text(c, 0, SS_F_GPUS_PER_RACK, "", "no rack tier");
}

static bool lists(const struct ss_value *v, const char *name)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->texts[i], name) == 0)
			return true;
	return false;
}

static void fix_storage(struct check *c, const struct ss_value *storage, const char *tier)
{
	const struct ss_field *f = ss_field(SS_F_STORAGE);
	char text[1024];
	size_t length = ss_value_format(text, sizeof(text), f, storage);

	if (length + strlen(tier) + 2 > sizeof(text))
		return;
	(void)snprintf(text + length, sizeof(text) - length, ",%s", tier);
	fix_text(c, 0, SS_F_STORAGE, text, "");
}

static void check_offload(struct check *c)
{
	static const enum ss_field_id needing[] = { SS_F_OFFLOAD_EVICTION, SS_F_OFFLOAD_PREFETCH,
						    SS_F_OFFLOAD_CONNECTOR, SS_F_OFFLOAD_SPEC };
	const struct ss_value *values = c->scenario->values;
	const struct ss_value *tiers = &values[SS_F_OFFLOAD_TIERS];
	const struct ss_value *storage = &values[SS_F_STORAGE];

	for (size_t i = 0; i < sizeof(needing) / sizeof(needing[0]); i++) {
		if (tiers->is_stated || !values[needing[i]].is_stated)
			continue;
		problem(c, SS_REFUSAL, "missing", 0, SS_F_OFFLOAD_TIERS,
			"missing; an offload needs the tiers it goes to");
		fix_text(c, 0, needing[i], "", "");
		break;
	}
	for (size_t i = 0; tiers->is_stated && storage->is_stated && i < tiers->count; i++) {
		char pointer[96];

		if (lists(storage, tiers->texts[i]))
			continue;
		(void)snprintf(pointer, sizeof(pointer), "/deployment/offload/tiers/%zu/tier", i);
		c->refusal_count++;
		c->last = ss_problems_add(c->problems, SS_REFUSAL, "X5", c->scenario->file, pointer,
					  "found \"%.80s\", must be one of cluster.storage",
					  tiers->texts[i]);
		fix_storage(c, storage, tiers->texts[i]);
	}
}

size_t ss_scenario_check(const struct ss_scenario *scenario, struct ss_problems *problems)
{
	struct check c = { scenario, problems, 0, SIZE_MAX };
	bool is_complete =
		check_required(&c, 0, 1u << SS_OWNER_SCENARIO | 1u << SS_OWNER_DEPLOYMENT);

	if (!scenario->pool_count) {
		c.refusal_count++;
		(void)ss_problems_add(problems, SS_REFUSAL, "missing", scenario->file,
				      "/deployment/pools",
				      "empty; a deployment has one pool at least");
		return c.refusal_count;
	}
	check_roles(&c);
	check_offload(&c);
	if (is_complete) {
		check_links(&c);
		check_nodes(&c);
	}
	for (size_t i = 0; i < scenario->pool_count; i++)
		check_pool(&c, i, is_complete);
	return c.refusal_count;
}
