#include "resolve/memory.h"

#include <math.h>

#include "price/integers.h"
#include "resolve/corrections.h"
#include "resolve/kv_pool.h"
#include "resolve/pool_classes.h"
#include "resolve/release_terms.h"
#include "resolve/weights.h"

#define GIB 1073741824.0

/** Buffers shrink with width no further than this. */
#define BUFFER_WIDTH_MOST 8
/** Bytes of one rank from which a document is taken to be wrong: a petabyte. */
#define COUNTABLE 1e15

/** Share of memory that advice goes no further than: all of it is never the engine's. */
#define UTILIZATION_MOST 0.99

/** Bytes of an activation element. */
#define ACTIVATION_BYTES 2

bool has_communicator(const struct ss_kernel *k)
{
	const struct layout *l = &k->layout;

	return l->tp > 1 || l->moe_group > 1 || l->pcp > 1 || l->dcp > 1;
}

/** A magnitude that memory cannot do without. */
static double magnitude(struct ss_kernel *k, struct coef c, enum coef_family family,
			const char *kind, enum ss_field_id field)
{
	if (!coef_is_set(c))
		refuse(k, "C3", field, "no coefficient %s%s%s for %s: memory needs it",
		       coef_family(family)->name, *kind ? "_" : "", kind, k->basis->in.part->name);
	return c.value;
}

/** Width of the widest buffer: heads side by side, or hidden for latent attention. */
static int64_t activation_width(const struct ss_model *model)
{
	int64_t width = 0;

	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];

		for (size_t j = 0; kind->count > 0 && j < kind->node_count; j++) {
			const struct ss_node *n = &kind->nodes[j];

			if (n->op != SS_OP_ATTENTION || *n->role)
				continue;
			width = most(width, ss_attention_is_latent(n->attention)
						    ? model->hidden_size
						    : n->n_q * n->d_h);
		}
	}
	return width > 0 ? width : model->hidden_size;
}

static double activation(struct ss_kernel *k)
{
	const struct ss_basis *b = k->basis;
	enum coef_family family = b->has_experts ? COEF_BUFFERS_MOE : COEF_BUFFERS_DENSE;
	const struct basis_widths *widths = b->has_experts ? &b->buffers_moe : &b->buffers_dense;
	int ranks = (int)least(k->layout.tp, BUFFER_WIDTH_MOST);
	struct memory_coefs *reads = &k->memory_reads;
	double buffers, least_bytes;

	reads->buffers = coef_by_width(k, widths, ranks);
	reads->scratch = coef_bind(k, b->plain[COEF_SCRATCH]);
	reads->buffer_bytes = (double)k->set.max_batched_tokens *
			      (double)activation_width(b->in.model) * ACTIVATION_BYTES;
	buffers = magnitude(k, reads->buffers, family, "<N>rank", SS_F_TP);
	least_bytes = magnitude(k, reads->scratch, COEF_SCRATCH, "", SS_F_MAX_BATCHED_TOKENS);
	return fmax(buffers * reads->buffer_bytes, least_bytes);
}

/** Caches the graph states outright, or those of its layers. */
static void cache_bytes(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	struct ss_memory *m = &k->memory;
	int64_t pages = state_pages(k);
	double kv = 0, scorer = 0, state = 0;

	for (size_t i = 0; i < model->cache_count; i++) {
		const struct ss_cache *c = &model->caches[i];
		int64_t record = cache_record_bytes(k, c);

		if (cache_kind(c) == POOL_STATE)
			state += (double)pages * (double)c->layers * (double)record;
		else
			kv += (double)c->layers * (double)record;
	}
	for (size_t i = 0; !model->cache_count && i < k->cache_count; i++) {
		const struct layer_cache *c = &k->caches[i];
		int64_t layers = model->kinds[i].count;

		kv += (double)layers * c->kv_bytes;
		scorer += (double)layers * c->scorer_bytes;
		state += (double)pages * (double)layers * (double)c->state_bytes;
	}
	m->sequence_fixed_bytes = whole_bytes(state);
	m->kv_bytes_per_token = kv;
	m->scorer_bytes_per_token = scorer;
}

/** Graphs that the release captures outside what utilization gives it must have room there. */
static void warn_of_utilization(struct ss_kernel *k)
{
	const struct ss_memory *m = &k->memory;
	double visible = (double)m->visible_bytes, graphs = (double)m->captured_bytes;
	double most_share = fmin(floor(100 * (1 - graphs / visible)) / 100, UTILIZATION_MOST);

	if (m->are_graphs_inside || !(visible * (1 - k->set.utilization) < graphs) ||
	    !(most_share > 0))
		return;
	warn(k, SS_F_GPU_MEMORY_UTILIZATION,
	     "gpu_memory_utilization %.2f leaves less than the %.2f GiB that captured graphs "
	     "take; %.2f would do",
	     k->set.utilization, graphs / GIB, most_share);
}

/** Room for KV after everything else. */
static void budget(struct ss_kernel *k)
{
	struct ss_memory *m = &k->memory;
	int64_t room = stated_count(k, SS_F_KV_CACHE_MEMORY_BYTES);

	if (room > 0) {
		k->memory_reads.is_room_stated = true;
		m->budget_bytes = room;
		return;
	}
	room = (int64_t)floor((double)m->visible_bytes * k->set.utilization) - m->total_bytes;
	for (size_t i = 0; i < m->correction_count; i++)
		room += m->corrections[i].bytes;
	m->budget_bytes = room;
	warn_of_utilization(k);
}

/** A sum that the integers cannot hold is no memory of anything: refused, never wrapped. */
static void check_countable(struct ss_kernel *k)
{
	const struct ss_memory *m = &k->memory;
	const struct {
		const char *what;
		double bytes;
	} sums[] = {
		{ "fixed bytes", (double)m->total_bytes },
		{ "tables in host memory", (double)m->host_tables_bytes },
		{ "KV bytes of a token", m->kv_bytes_per_token },
		{ "scorer bytes of a token", m->scorer_bytes_per_token },
		{ "state bytes of a request", (double)m->sequence_fixed_bytes },
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!(sums[i].bytes < COUNTABLE))
			refuse(k, "range", SS_F_MODEL,
			       "%s: the %s come to 10^15 or more on one rank, beyond what is "
			       "counted",
			       k->basis->in.model->name, sums[i].what);
}

void resolve_memory(struct ss_kernel *k)
{
	const struct ss_basis *b = k->basis;
	const struct ss_part *part = b->in.part;
	struct ss_memory *m = &k->memory;
	struct memory_coefs *reads = &k->memory_reads;
	struct weights w;

	*reads = (struct memory_coefs){ .communicator = COEF_NONE };
	reads->workspace = coef_bind(k, b->plain[COEF_WORKSPACE]);
	reads->capture = coef_bind(k, b->mode[k->set.graph_mode]);
	weights_sum(k, &w);
	*m = (struct ss_memory){
		.weights_bytes = whole_bytes(w.main),
		.scales_bytes = whole_bytes(w.scales),
		.tables_bytes = whole_bytes(w.tables),
		.redundant_bytes = whole_bytes(w.redundant),
		.draft_bytes = whole_bytes(w.draft),
		.host_tables_bytes = whole_bytes(w.host_tables),
		.activation_bytes = whole_bytes(activation(k)),
		.workspace_bytes = whole_bytes(
			magnitude(k, reads->workspace, COEF_WORKSPACE, "", SS_F_HARDWARE)),
		.graphs_bytes = whole_bytes(magnitude(k, reads->capture, COEF_CAPTURE,
						      graph_mode_name(k->set.graph_mode),
						      SS_F_CUDAGRAPH_MODE)),
		.visible_bytes = whole_bytes(
			(part->visible_gib > 0 ? part->visible_gib : part->memory_gib) * GIB),
	};
	if (has_communicator(k)) {
		reads->communicator = coef_by_width(k, &b->communicator, k->layout.tp);
		m->communicator_bytes = whole_bytes(
			magnitude(k, reads->communicator, COEF_COMMUNICATOR, "<N>rank", SS_F_TP));
	}
	m->total_bytes = m->weights_bytes + m->scales_bytes + m->tables_bytes + m->redundant_bytes +
			 m->draft_bytes + m->activation_bytes + m->communicator_bytes +
			 m->workspace_bytes + m->graphs_bytes;
	m->are_graphs_inside = are_graphs_inside(k);
	correct_room(k, reads->workspace, &w);
	budget(k);
	cache_bytes(k);
	check_countable(k);
}

const struct ss_memory *ss_kernel_memory(const struct ss_kernel *kernel)
{
	return &kernel->memory;
}
