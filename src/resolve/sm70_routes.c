/* What a deployment of the SM70 build gets at a batch. */
#include "stepscope/sm70.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "price/integers.h"
#include "resolve/sm70.h"

/** Most cases of one shape. */
enum { CASES_MAX = 7 };

bool ss_kernel_is_sm70(const struct ss_kernel *kernel)
{
	return kernel->basis->in.reference != NULL;
}

const struct ss_kv_codec *ss_kernel_kv_codec(const struct ss_kernel *kernel)
{
	return kernel->sm70.codec;
}

const char *ss_kernel_compute_dtype(const struct ss_kernel *kernel)
{
	return kernel->sm70.dtype ? kernel->sm70.dtype : "";
}

const struct ss_gdn_choice *ss_kernel_gdn_prefill(const struct ss_kernel *kernel)
{
	return kernel->sm70.has_gdn ? &kernel->sm70.gdn : NULL;
}

/* -- the batch ------------------------------------------------------------------------------ */

/** A batch as routes see it. */
struct load {
	int64_t decodes, prefills;
	int64_t context;  /**< longest of the decodes, else of the batch, else of the model */
	int64_t longest;  /**< of the batch */
	int64_t chunk;    /**< of the largest prefill; 0: none */
	int64_t computed; /**< before that chunk */
};

static struct load load_of(const struct ss_kernel *k, const struct ss_batch *batch)
{
	int64_t threshold =
		batch->decode_threshold > 0 ? batch->decode_threshold : k->plan.default_threshold;
	struct load l = { 0 };

	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];
		int64_t context = g->computed + g->scheduled;

		if (g->count <= 0 || g->scheduled <= 0)
			continue;
		l.longest = most(l.longest, context);
		if (g->scheduled <= threshold) {
			l.decodes += g->count;
			l.context = most(l.context, context);
			continue;
		}
		l.prefills += g->count;
		if (g->scheduled > l.chunk ||
		    (g->scheduled == l.chunk && g->computed > l.computed)) {
			l.chunk = g->scheduled;
			l.computed = g->computed;
		}
	}
	if (!l.context)
		l.context = l.longest ? l.longest : most(k->set.max_model_len, 1);
	return l;
}

/* -- the cases ------------------------------------------------------------------------------ */

static size_t put_decodes(const struct ss_kernel *k, const struct load *l,
			  struct ss_route_request request, struct ss_route_request *out)
{
	size_t count = 0;
	bool is_captured = graph_mode_has_full_decode(k->set.graph_mode);

	request.sequences = request.rows = most(l->decodes, 1);
	request.rows_per_sequence = 1;
	request.kv_len = l->context;
	if (request.stage == SS_STAGE_VERIFY) {
		request.rows_per_sequence = 1 + k->set.spec_tokens;
		request.rows *= request.rows_per_sequence;
	}
	if (is_captured) {
		out[count] = request;
		out[count++].is_capturing = true;
	}
	out[count++] = request;
	return count;
}

/** Decode rows beside a prefill: there are two sequences at least. */
static struct ss_route_request mixed_case(const struct load *l, struct ss_route_request request)
{
	request.rows = most(l->decodes, 1);
	request.rows_per_sequence = 1;
	request.sequences = request.rows + most(l->prefills, 1);
	request.kv_len = l->context;
	return request;
}

static struct ss_route_request prefill_case(const struct ss_kernel *k, const struct load *l,
					    struct ss_route_request request, bool has_prefix)
{
	request.chunk = l->chunk > 0 ? most(ss_kernel_prefill_chunk(k, l->chunk), 1)
				     : sm70_largest_chunk(k);
	request.sequences = most(l->prefills, 1);
	request.has_decode_rows = l->prefills > 0 && l->decodes > 0;
	if (request.has_decode_rows)
		request.sequences += l->decodes;
	request.rows = request.chunk * most(l->prefills, 1);
	request.sequence_rows = request.rows;
	if (!has_prefix) {
		request.kv_len = request.chunk;
	} else if (l->chunk > 0 && l->computed > 0) {
		request.prefix_len = l->computed;
		request.kv_len = l->computed + request.chunk;
	} else {
		sm70_add_prefix(k, &request);
	}
	request.length_hint = most(l->longest, request.kv_len);
	return request;
}

static size_t put_cases(const struct ss_kernel *k, const struct ss_node *node, const struct load *l,
			const struct ss_settings *settings, struct ss_route_request out[CASES_MAX])
{
	struct ss_route_request request = sm70_request(k, node, SS_STAGE_DECODE, settings);
	size_t count = put_decodes(k, l, request, out);

	request.stage = SS_STAGE_MIXED_DECODE;
	out[count++] = mixed_case(l, request);
	if (k->set.spec_tokens > 0) {
		request.stage = SS_STAGE_VERIFY;
		count += put_decodes(k, l, request, out + count);
	}
	request.stage = SS_STAGE_PREFILL;
	out[count++] = prefill_case(k, l, request, false);
	out[count++] = prefill_case(k, l, request, true);
	return count;
}

/** Tokens that a chunk was cut from to whole blocks; 0: it was not. */
static int64_t cut_from(const struct ss_kernel *k, const struct load *l, int64_t chunk)
{
	int64_t asked = least(l->chunk > 0 ? l->chunk : k->set.max_batched_tokens,
			      k->set.max_batched_tokens);

	return asked > chunk && asked - chunk < k->pool.block_size ? asked : 0;
}

/** A need of another chunk names what made it so short. */
static enum ss_status explain_chunk(struct ss_route_selection *s, int64_t block, int64_t asked)
{
	for (size_t i = 0; i < s->verdict_count; i++)
		for (size_t j = 0; j < s->verdicts[i].need_count; j++) {
			char **text = &s->verdicts[i].needs[j].text;
			size_t size = strlen(*text) + 96;
			char *longer;

			if (strncmp(*text, "chunk ", 6) != 0)
				continue;
			longer = realloc(*text, size);
			if (!longer)
				return SS_ENOMEM;
			*text = longer;
			(void)snprintf(longer + strlen(longer), size - strlen(longer),
				       ": block %" PRId64 " does not divide %" PRId64, block,
				       asked);
		}
	return SS_OK;
}

/** The rate of a route, with this cache if one is known so. */
static const struct ss_route_rate *rate_of(const struct ss_kernel *k,
					   const struct ss_route_verdict *verdict)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *cache = k->sm70.codec ? k->sm70.codec->canonical : "";

	for (size_t i = 0; verdict && i < pack->rate_count; i++) {
		const struct ss_route_rate *rate = &pack->rates[i];

		if (strcmp(rate->route, verdict->candidate->name) == 0 &&
		    (!*rate->cache || strcmp(rate->cache, cache) == 0))
			return rate;
	}
	return NULL;
}

/** Seconds of one layer's attention on one rank. */
static double seconds_at(const struct ss_kernel *k, const struct ss_route_rate *rate,
			 const struct ss_route_request *r)
{
	double width = (double)r->head_dim, sequences = (double)most(r->sequences, 1);
	double chunk = (double)r->chunk, prefix = (double)r->prefix_len;
	double bytes = k->sm70.codec && k->sm70.codec->is_quantized ? 1 : 2;

	if (!rate)
		return 0;
	if (rate->tflops > 0)
		return rate->floor / 1e6 + sequences * 4 * (chunk * prefix + chunk * chunk / 2) *
						   (double)r->query_heads * width /
						   (rate->tflops * 1e12);
	return rate->floor / 1e6 + sequences * (double)r->kv_len * 2 * (double)r->kv_heads * width *
					   bytes / (rate->gb_s * 1e9);
}

/** What runs inside the winner is what takes the time. */
static void put_rates(const struct ss_kernel *k, struct ss_kernel_route *row)
{
	const struct ss_route_selection *s = &row->selection;

	row->rate = rate_of(k, s->inner);
	if (!row->rate)
		row->rate = rate_of(k, s->winner);
	row->better_rate = rate_of(k, s->next_better);
	row->seconds = seconds_at(k, row->rate, &row->request);
	row->better_s = seconds_at(k, row->better_rate, &row->request);
}

static enum ss_status add_shape(struct ss_kernel_routes *out, const struct ss_kernel *k,
				const struct sm70_shape *shape, const struct load *l)
{
	struct ss_route_request cases[CASES_MAX];
	struct ss_settings settings = sm70_settings(k);
	size_t count = put_cases(k, shape->node, l, &settings, cases);

	for (size_t i = 0; i < count; i++) {
		struct ss_kernel_route *row = &out->items[out->count];
		enum ss_status rc =
			ss_route_select(&row->selection, k->basis->in.reference, &cases[i], NULL);

		if (rc)
			return rc;
		row->layer = shape->layer;
		row->has_prefix = cases[i].prefix_len > 0;
		row->request = cases[i];
		row->request.settings = NULL;
		put_rates(k, row);
		out->count++;
		if (cases[i].chunk > 0 && cut_from(k, l, cases[i].chunk))
			rc = explain_chunk(&row->selection, k->pool.block_size,
					   cut_from(k, l, cases[i].chunk));
		if (rc)
			return rc;
	}
	return SS_OK;
}

enum ss_status ss_kernel_routes(struct ss_kernel_routes *out, const struct ss_kernel *kernel,
				const struct ss_batch *batch)
{
	struct ss_kernel_routes routes = { 0 };
	struct sm70_shape shapes[SM70_SHAPES_MAX];
	struct load load = load_of(kernel, batch);
	size_t count = kernel->sm70.has_routes ? sm70_shapes(kernel, shapes) : 0;
	enum ss_status rc = SS_OK;

	*out = routes;
	if (!count)
		return SS_OK;
	routes.items = calloc(count * CASES_MAX, sizeof(*routes.items));
	if (!routes.items)
		return SS_ENOMEM;
	for (size_t i = 0; i < count && !rc; i++)
		rc = add_shape(&routes, kernel, &shapes[i], &load);
	if (rc)
		ss_kernel_routes_release(&routes);
	*out = routes;
	return rc;
}

void ss_kernel_routes_release(struct ss_kernel_routes *routes)
{
	if (!routes)
		return;
	for (size_t i = 0; i < routes->count; i++)
		ss_route_selection_release(&routes->items[i].selection);
	free(routes->items);
	*routes = (struct ss_kernel_routes){ 0 };
}

const struct ss_route_need *ss_route_flip(const struct ss_route_verdict *verdict)
{
	bool is_alone = verdict->outcome == SS_ROUTE_REFUSED && verdict->need_count == 1 &&
			verdict->candidate->role != SS_ROLE_GATE &&
			!verdict->candidate->is_inferred;

	return is_alone && verdict->needs[0].option ? &verdict->needs[0] : NULL;
}

/* -- cache dtypes ---------------------------------------------------------------------------- */

static const char *name_of(const struct ss_route_verdict *verdict)
{
	return verdict ? verdict->candidate->name : NULL;
}

static void read_routes(struct ss_dtype_routes *row, const struct ss_kernel_routes *routes)
{
	for (size_t i = 0; i < routes->count && routes->items[i].layer == routes->items[0].layer;
	     i++) {
		const struct ss_route_selection *s = &routes->items[i].selection;

		if (s->stage == SS_STAGE_DECODE && !routes->items[i].request.is_capturing) {
			row->decode = name_of(s->winner);
		} else if (s->stage == SS_STAGE_PREFILL && !routes->items[i].has_prefix) {
			row->prefill = name_of(s->winner);
			row->prefill_inner = name_of(s->inner);
			row->enters_inner = s->entered_inner;
		} else if (s->stage == SS_STAGE_PREFILL) {
			row->prefix = name_of(s->winner);
			row->prefix_inner = name_of(s->inner);
			row->enters_inner_prefix = s->entered_inner;
		}
	}
}

static enum ss_status try_dtype(struct ss_dtype_routes *row, struct ss_kernel **trial,
				const struct ss_kernel *k, const struct ss_scenario *scenario,
				size_t pool, const struct ss_batch *batch)
{
	struct ss_kernel_routes routes;
	enum ss_status rc = ss_kernel_renew(trial, k->basis, scenario, pool, k->corrections, NULL);

	row->is_refused = rc == SS_EREFUSED;
	if (rc)
		return row->is_refused ? SS_OK : rc;
	rc = ss_kernel_routes(&routes, *trial, batch);
	if (rc)
		return rc;
	row->page = (*trial)->pool.block_size;
	row->bytes_per_token = (*trial)->memory.kv_bytes_per_token;
	read_routes(row, &routes);
	ss_kernel_routes_release(&routes);
	return SS_OK;
}

enum ss_status ss_kernel_dtype_routes(struct ss_dtype_routes *out, size_t capacity, size_t *count,
				      const struct ss_kernel *kernel,
				      const struct ss_scenario *scenario, size_t pool,
				      const struct ss_batch *batch)
{
	const struct ss_reference *r = kernel->basis->in.reference;
	struct ss_scenario *changed = NULL;
	struct ss_kernel *trial = NULL;
	enum ss_status rc = SS_OK;

	*count = r && kernel->sm70.has_routes ? r->codec_count : 0;
	if (!*count || !capacity)
		return SS_OK;
	rc = ss_scenario_clone(&changed, scenario);
	for (size_t i = 0; !rc && i < *count && i < capacity; i++) {
		const struct ss_kv_codec *codec = &r->codecs[i];

		out[i] = (struct ss_dtype_routes){ .codec = codec,
						   .is_running = codec == kernel->sm70.codec };
		rc = ss_scenario_set(changed, pool, ss_field(SS_F_CACHE_DTYPE)->path,
				     codec->canonical, NULL);
		if (!rc)
			rc = try_dtype(&out[i], &trial, kernel, changed, pool, batch);
	}
	ss_kernel_free(trial);
	ss_scenario_free(changed);
	return rc;
}

/* -- MoE bindings ---------------------------------------------------------------------------- */

static const struct ss_node *expert_node(const struct ss_model *model)
{
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; model->kinds[i].count && j < model->kinds[i].node_count; j++)
			if (model->kinds[i].nodes[j].op == SS_OP_GROUPED_GEMM)
				return &model->kinds[i].nodes[j];
	return NULL;
}

/** Tokens of the step; held where no rule tells them apart any more. */
static int64_t tokens_of(const struct ss_batch *batch)
{
	double tokens = 0;

	for (size_t i = 0; i < batch->group_count; i++)
		if (batch->groups[i].count > 0 && batch->groups[i].scheduled > 0)
			tokens +=
				(double)batch->groups[i].count * (double)batch->groups[i].scheduled;
	return tokens < 1e15 ? (int64_t)tokens : 1000000000000000;
}

size_t ss_kernel_moe_bindings(struct ss_moe_verdict *out, size_t capacity,
			      const struct ss_kernel *kernel, const struct ss_batch *batch)
{
	const struct ss_model *model = kernel->basis->in.model;
	const struct ss_reference *r = kernel->basis->in.reference;
	const struct ss_node *experts = expert_node(model);
	struct ss_settings settings = sm70_settings(kernel);
	const struct ss_weight_format *format;
	struct ss_moe_request request;

	if (!r || !experts)
		return 0;
	format = ss_weight_format_find(r, ss_dtype_name(stored_format(kernel, experts, false)));
	if (!format || !format->moe_family)
		return 0;
	request = (struct ss_moe_request){
		.family = format->moe_family,
		.top_k = experts->top_k,
		.hidden = model->hidden_size,
		.experts = experts->experts,
		.tp = kernel->layout.tp,
		.model_family = *model->family ? model->family : model->name,
		.settings = &settings,
	};
	request.tokens = tokens_of(batch);
	return ss_moe_select(out, capacity, r, &request);
}
