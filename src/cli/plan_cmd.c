/*
 * How many GPUs a rate takes: every deployment of a set of parts and settings is asked how
 * many of it carry the load under the service level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/capacity.h"
#include "cli/only.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "import/export_vllm.h"
#include "report/json_price.h"
#include "report/planned.h"
#include "report/sections.h"
#include "sweep/sweep.h"
#include "text/number.h"
#include "text/words.h"

/** Steps of a run between two looks at the clock. */
enum { SLICE = 2000 };

struct planning {
	struct batch *batch;
	struct progress progress;
	struct planned planned;
	char **parts; /**< as listed; a NULL: the scenario's own */
	size_t part_count;
	double *costs;          /**< of a GPU of each part an hour; NAN: not stated */
	struct session session; /**< of the part at hand */
	struct axes axes;
	struct xbuf repository;
};

/* -- what is asked ------------------------------------------------------------------------- */

static char *copy_word(const char *text, size_t len)
{
	char *word = xmalloc(len + 1);

	memcpy(word, text, len);
	word[len] = '\0';
	return word;
}

/** Parts of --part, apart by commas. */
static enum ss_status read_parts(struct planning *p, struct ss_error *err)
{
	const char *text = arguments_value(p->batch->arguments, OPT_PART);
	const char *at = text ? text : "";
	const char *end;

	do {
		end = at + strcspn(at, ",");
		if (text && end == at)
			return ss_fail(err, SS_EUSAGE, "part",
				       "must name parts apart by commas, got %s", text);
		p->parts = xrealloc(p->parts, p->part_count + 1, sizeof(*p->parts));
		p->parts[p->part_count++] = text ? copy_word(at, (size_t)(end - at)) : NULL;
		at = *end ? end + 1 : end;
	} while (*end);
	return SS_OK;
}

/** What the GPUs cost: `h100=2.5,h200=3.2`. */
static enum ss_status read_costs(struct planning *p, struct ss_error *err)
{
	const struct arguments *a = p->batch->arguments;

	p->costs = xcalloc(p->part_count, sizeof(*p->costs));
	for (size_t i = 0; i < p->part_count; i++)
		p->costs[i] = NAN;
	for (size_t u = 0; u < a->use_count; u++) {
		const char *at = a->uses[u].value;

		while (a->uses[u].id == OPT_GPU_COST && *at) {
			size_t len = strcspn(at, ","), name = strcspn(at, "=");
			char *cost = copy_word(at + (name < len ? name + 1 : len),
					       name < len ? len - name - 1 : 0);
			double value = 0;
			bool is_known = false, is_cost = word_number(cost, &value) && value > 0;

			free(cost);
			for (size_t i = 0; i < p->part_count; i++) {
				if (p->parts[i] && (strlen(p->parts[i]) != name ||
						    strncmp(p->parts[i], at, name) != 0))
					continue;
				p->costs[i] = value;
				is_known = true;
			}
			if (!is_cost || !is_known)
				return ss_fail(err, SS_EUSAGE, "gpu-cost",
					       is_cost ? "%.*s: is not among the parts of --part"
						       : "must read PART=X, as h100=2.5; got %.*s",
					       (int)len, at);
			p->planned.has_cost = true;
			at += len + (at[len] != '\0');
		}
	}
	return SS_OK;
}

/** `20/s`, `20` or `1200/min`. */
static enum ss_status read_rate(struct planning *p, struct ss_error *err)
{
	const char *text = arguments_value(p->batch->arguments, OPT_RATE);
	size_t len = text ? strcspn(text, "/") : 0;
	char *number;
	bool is_number;
	double per = 1;

	if (!text)
		return SS_OK;
	number = copy_word(text, len);
	is_number = word_number(number, &p->planned.rate);
	free(number);
	if (!strcmp(text + len, "/min"))
		per = 60;
	else if (text[len] && strcmp(text + len, "/s") != 0)
		is_number = false;
	p->planned.rate /= per;
	if (!is_number || !(p->planned.rate > 0) || !isfinite(p->planned.rate))
		return ss_fail(err, SS_EUSAGE, "rate",
			       "must be requests a second above 0, as 20/s or 1200/min, got %s",
			       text);
	return SS_OK;
}

/** Widths a node holds, doubling: what is tried of a scenario that states none. */
static void usual_widths(const struct planning *p, struct xbuf *out)
{
	int64_t gpus = ss_scenario_value(p->session.scenario, p->session.pool, SS_F_GPUS_PER_NODE)
			       ->integer;

	xbuf_puts(out, "tp=1");
	for (int64_t tp = 2; tp <= gpus; tp *= 2)
		xbuf_printf(out, ",%lld", (long long)tp);
}

static enum ss_status read_axes(struct planning *p, struct ss_error *err)
{
	const struct arguments *a = p->batch->arguments;
	const char *tp = arguments_value(a, OPT_TP);
	struct xbuf widths = { 0 };
	enum ss_status rc = SS_OK;

	axes_release(&p->axes);
	p->axes = (struct axes){ .rows = 1 };
	if (tp)
		xbuf_printf(&widths, "tp=%s", tp);
	else if (a->request.adhoc.model)
		usual_widths(p, &widths);
	if (widths.len)
		rc = axes_add(&p->axes, xbuf_text(&widths), err);
	for (size_t i = 0; i < a->use_count && !rc; i++)
		if (a->uses[i].id == OPT_VARY)
			rc = axes_add(&p->axes, a->uses[i].value, err);
	for (size_t i = 0; i < p->axes.count && !rc; i++)
		if (p->axes.items[i].kind != AXIS_FIELD || axis_has_own_basis(&p->axes.items[i]))
			rc = ss_fail(err, SS_EUSAGE, "vary",
				     "%s: a plan varies settings of the deployment, and parts by "
				     "--part",
				     p->axes.items[i].name);
	xbuf_release(&widths);
	return rc;
}

/* -- a deployment -------------------------------------------------------------------------- */

static int64_t width(const struct ss_scenario *s, size_t pool, enum ss_field_id id)
{
	const struct ss_value *value = ss_scenario_value(s, pool, id);

	return value->is_stated && value->integer > 0 ? value->integer : 1;
}

static int64_t engine_gpus(const struct ss_scenario *s, size_t pool)
{
	return width(s, pool, SS_F_TP) * width(s, pool, SS_F_PP) * width(s, pool, SS_F_DP) *
	       width(s, pool, SS_F_PCP);
}

static void set_count(struct ss_scenario *s, size_t pool, const char *path, int64_t count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", (long long)count);
	if (ss_scenario_set(s, pool, path, text, NULL))
		out_of_memory();
}

/** One engine of the only pool, and as many nodes as it takes. */
static void keep_one(struct ss_scenario *s)
{
	int64_t per_node = width(s, 0, SS_F_GPUS_PER_NODE);
	int64_t nodes = (engine_gpus(s, 0) + per_node - 1) / per_node;

	if (s->pool_count > 1)
		return;
	if (ss_scenario_set(s, 0, "replicas", "", NULL))
		out_of_memory();
	set_count(s, 0, "cluster.nodes", nodes);
	if (ss_scenario_value(s, 0, SS_F_NODES)->is_stated)
		set_count(s, 0, "pools[0].nodes", nodes);
}

/** The session's scenario at a row of the axes. */
static struct ss_scenario *make_scenario(const struct planning *p, struct planned_row *row,
					 uint64_t index)
{
	size_t pool = p->session.pool;
	struct ss_scenario *s = NULL;

	if (ss_scenario_clone(&s, p->session.scenario))
		out_of_memory();
	row->values = xcalloc(p->axes.count + 1, sizeof(*row->values));
	for (size_t i = p->axes.count; i-- > 0;) {
		const struct axis *axis = &p->axes.items[i];
		const struct axis_value *value = &axis->values[index % axis->count];
		struct ss_value *at = ss_scenario_value_mut(s, pool, axis->field);

		index /= axis->count;
		ss_value_release(at);
		if (ss_value_copy(at, &value->value))
			out_of_memory();
		row->values[i] = xstrdup(*value->text ? value->text : "-");
	}
	keep_one(s);
	return s;
}

static void explain(struct planned_row *row, const struct ss_problems *problems,
		    const struct ss_error *err)
{
	const char *code = "";
	const char *message = err->message;

	for (size_t i = 0; i < problems->count && !*message; i++)
		if (problems->items[i].severity != SS_WARNING) {
			message = problems->items[i].message;
			code = problems->items[i].code;
		}
	(void)snprintf(row->reason, sizeof(row->reason), "%s%s%s%s",
		       *message ? message : "it is refused", *code ? " [" : "", code,
		       *code ? "]" : "");
}

/** Why no rate is carried. */
static void explain_failure(struct planned_row *row, const struct capacity *c)
{
	const struct ss_slo *slo = &c->serving->slo;

	if (c->result.refused)
		(void)snprintf(row->reason, sizeof(row->reason),
			       "%s of %s requests are longer than it takes",
			       number_count((double)c->result.refused).text,
			       number_count((double)c->result.requests).text);
	for (size_t i = 0; i < slo->term_count && !*row->reason; i++)
		if (slo->terms[i].latency == c->goodput.failed)
			(void)snprintf(row->reason, sizeof(row->reason),
				       "%s p%s is %s even for a request alone",
				       ss_latency_name(slo->terms[i].latency),
				       number_plain(slo->terms[i].percentile * 100).text,
				       number_time(c->goodput.seconds[i]).text);
	if (!*row->reason)
		(void)snprintf(row->reason, sizeof(row->reason), "no number tried carries it");
}

/** The lines of an export that start something: not those that only `import` reads. */
static char *commands_of(const char *text, bool has_pools)
{
	struct xbuf out = { 0 };

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (*text != '#' || (has_pools && !strncmp(text, "# pool", 6)))
			xbuf_printf(&out, "%.*s\n", (int)len, text);
		text += len + (text[len] != '\0');
	}
	return out.data ? out.data : xstrdup("");
}

static void write_command(const struct planning *p, struct planned_row *row,
			  const struct ss_scenario *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || vllm_export(out, s, xbuf_text(&p->repository)) || fclose(out))
		out_of_memory();
	row->command = commands_of(text, s->pool_count > 1);
	free(text);
}

static void take_capacity(struct planning *p, struct planned_row *row, const struct capacity *c,
			  size_t part)
{
	row->is_met = c->replicas[SS_SERVE_FIGURE] > 0;
	row->gpus = c->serving->gpus;
	memcpy(row->replicas, c->replicas, sizeof(row->replicas));
	memcpy(row->by_method, c->by_method, sizeof(row->by_method));
	memcpy(row->leading, c->leading, sizeof(row->leading));
	row->output_tokens_per_s = c->output_tokens_per_s;
	row->goodput = c->goodput;
	row->cost = p->costs[part] * (double)planned_gpus(row);
	if (!row->is_met)
		explain_failure(row, c);
}

/** The rate where none was asked for by itself, and what the heading says. */
static enum ss_status take_load(struct planning *p, const struct serving *serving,
				struct ss_error *err)
{
	struct planned *planned = &p->planned;
	struct ss_load load = serving->load;
	const char *lengths;
	char text[200];

	if (!serving->has_slo)
		return ss_fail(err, SS_EUSAGE, "plan", "wants --slo, as ttft=500ms,tpot=30ms");
	if (!(planned->rate > 0) && load.arrival == SS_ARRIVAL_RATE)
		planned->rate = load.rate;
	if (!(planned->rate > 0))
		return ss_fail(err, SS_EUSAGE, "plan",
			       "wants --rate, as 20/s, or a load of one, as --load 1024/512@20/s");
	if (*planned->model)
		return SS_OK;
	planned->slo = serving->slo;
	load = serving_load_at(serving, SERVING_FIND_RATE, planned->rate, 0);
	(void)ss_load_describe(&load, text, sizeof(text));
	/* how many are played is as many as tell */
	lengths = load.trace ? NULL : strstr(text, " of ");
	(void)snprintf(planned->load, sizeof(planned->load), "%s", lengths ? lengths + 4 : text);
	(void)snprintf(planned->model, sizeof(planned->model), "%s",
		       session_text(p->session.scenario, 0, SS_F_MODEL));
	return SS_OK;
}

static enum ss_status play(struct planning *p, struct planned_row *row,
			   const struct serving *serving, size_t part, struct ss_error *err)
{
	struct planned *planned = &p->planned;
	struct capacity c;
	enum ss_status rc = SS_OK;

	capacity_init(&c, serving, planned->rate);
	while (!rc && !c.is_done && !progress_is_stopped()) {
		char what[80];

		rc = capacity_run(&c, SLICE, err);
		(void)snprintf(what, sizeof(what), "%zu of %zu: %s", planned->count + 1,
			       planned->tried, row->part);
		p->progress.what = what;
		progress_show(&p->progress, ((double)planned->count + capacity_progress(&c)) /
						    (double)planned->tried);
	}
	if (!rc)
		take_capacity(p, row, &c, part);
	capacity_release(&c);
	return rc;
}

/** Try one deployment; its row says what came of it. Usage and memory alone fail. */
static enum ss_status try_row(struct planning *p, size_t part, uint64_t index, struct ss_error *err)
{
	struct planned *planned = &p->planned;
	struct planned_row row = { .part = session_text(p->session.scenario, 0, SS_F_HARDWARE),
				   .order = planned->count,
				   .cost = NAN };
	struct serving_request request = serving_of_session(&p->session);
	struct ss_scenario *s;
	struct ss_problems problems = { 0 };
	struct ss_kernel *kernel = NULL;
	struct serving serving = { 0 };
	enum ss_status rc;

	row.part = arguments_own(p->batch->arguments, row.part, strlen(row.part));
	s = make_scenario(p, &row, index);
	rc = ss_kernel_new(&kernel, p->session.basis, s, p->session.pool, p->session.corrections,
			   &problems);
	request.scenario = s;
	request.kernel = kernel;
	if (!rc)
		rc = serving_open(&serving, &request, NULL, &problems, err);
	if (!rc)
		rc = take_load(p, &serving, err);
	if (!rc)
		rc = play(p, &row, &serving, part, err);
	if (rc == SS_EREFUSED || rc == SS_EDOCUMENT) {
		explain(&row, &problems, err);
		*err = (struct ss_error){ 0 };
		rc = SS_OK;
	}
	if (!rc && row.is_met)
		write_command(p, &row, s);
	if (!rc && (row.is_met || *row.reason) && !(progress_is_stopped() && !row.is_met)) {
		planned->rows = xrealloc(planned->rows, planned->count + 1, sizeof(*planned->rows));
		planned->rows[planned->count++] = row;
	} else {
		names_free(row.values, p->axes.count);
		free(row.command);
	}
	serving_release(&serving);
	ss_kernel_free(kernel);
	ss_scenario_free(s);
	ss_problems_release(&problems);
	return rc;
}

/* -- all of them --------------------------------------------------------------------------- */

/** Open the scenario on a part. */
static int open_part(struct planning *p, size_t part)
{
	struct session_request *request = &p->batch->arguments->request;

	session_release(&p->session);
	request->adhoc.part = request->adhoc.model ? p->parts[part] : NULL;
	request->part = request->adhoc.model ? NULL : p->parts[part];
	return batch_open_unresolved(p->batch, &p->session, batch_scenario(p->batch));
}

static void name_axes(struct planning *p)
{
	struct planned *planned = &p->planned;

	planned->axis_count = p->axes.count;
	planned->axes = xcalloc(p->axes.count + 1, sizeof(*planned->axes));
	for (size_t i = 0; i < p->axes.count; i++)
		planned->axes[i] = xstrdup(p->axes.items[i].name);
}

static int try_part(struct planning *p, size_t part)
{
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status = open_part(p, part);

	if (status)
		return status;
	rc = read_axes(p, &err);
	if (!rc && p->axes.rows > 100000)
		rc = ss_fail(&err, SS_EUSAGE, "vary", "more than 100,000 deployments to try");
	if (!rc)
		rc = ss_basis_open(&p->session.basis, p->session.registry, p->session.scenario,
				   p->session.whatifs, p->session.whatif_count,
				   &p->session.problems);
	if (rc)
		return batch_fail(p->batch, rc, &p->session.problems, &err);
	if (!part) {
		name_axes(p);
		batch_repository(&p->repository, &p->session);
		p->planned.tried = (size_t)p->axes.rows * p->part_count;
	}
	for (uint64_t i = 0; i < p->axes.rows && !rc && !progress_is_stopped(); i++)
		rc = try_row(p, part, i, &err);
	return rc ? batch_fail(p->batch, rc, NULL, &err) : EXIT_PRICED;
}

static const char section_names[] =
#define X(name) #name ","
	PLANNED_LIST(X)
#undef X
	;

static int print_plan(struct planning *p)
{
	struct doc *doc;

	if (batch_is_json(p->batch)) {
		cJSON *root = json_object();

		json_put_count(root, "format", 1);
#define X(name)                          \
	if (only_wants(p->batch, #name)) \
		json_put(root, #name, json_planned_##name(&p->planned));
		PLANNED_LIST(X)
#undef X
		return batch_print_json(p->batch, root);
	}
	doc = doc_new();
#define X(name)                                   \
	if (only_wants(p->batch, #name)) {        \
		doc_section(doc, #name);          \
		planned_##name(doc, &p->planned); \
	}
	PLANNED_LIST(X)
#undef X
	return batch_print(p->batch, doc);
}

static bool is_any_met(const struct planned *planned)
{
	return planned->count && planned->rows[0].is_met;
}

int run_plan(struct batch *batch)
{
	struct planning p = { .batch = batch };
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status = only_check(batch, section_names);

	if (status)
		return status;
	progress_start(&p.progress, batch);
	progress_catch();
	rc = read_parts(&p, &err);
	if (!rc)
		rc = read_costs(&p, &err);
	if (!rc)
		rc = read_rate(&p, &err);
	if (rc)
		status = batch_bad_usage(batch->arguments, &err);
	for (size_t i = 0; i < p.part_count && !status && !progress_is_stopped(); i++)
		status = try_part(&p, i);
	progress_end(&p.progress);
	if (!status) {
		planned_finish(&p.planned);
		status = print_plan(&p);
	}
	if (!status)
		status = progress_is_stopped()    ? EXIT_INTERRUPTED
			 : is_any_met(&p.planned) ? EXIT_PRICED
						  : EXIT_REFUSED;
	planned_release(&p.planned);
	names_free(p.parts, p.part_count);
	free(p.costs);
	axes_release(&p.axes);
	xbuf_release(&p.repository);
	session_release(&p.session);
	return status;
}
