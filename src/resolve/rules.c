#include "resolve/rules.h"

#include <stdio.h>
#include <string.h>

#include "price/integers.h"

/** Names of a list in one line, cut when long. */
static void join(char *out, size_t size, char *const *items, size_t count)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < count && used + 4 < size; i++) {
		int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "", items[i]);

		if (n < 0)
			return;
		used += (size_t)n;
	}
	if (used >= size && size > 4)
		memcpy(out + size - 4, "...", 4);
}

/** Of a dotted path. */
static const char *last_word(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static void check_stated(struct ss_kernel *k, const char *code, enum ss_field_id field,
			 enum ss_pack_list_id id)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const struct ss_list *list = &pack->lists[id];
	bool has_case = id != SS_LIST_ALL2ALL_BACKENDS && id != SS_LIST_ATTENTION_BACKENDS &&
			id != SS_LIST_MOE_BACKENDS && id != SS_LIST_LINEAR_BACKENDS;
	const char *text = has_case ? stated_text(k, field) : stated_backend(k, field);
	char names[400];

	if (*text && !list->is_known)
		note_assumption(&k->notes, ASSUME_UNCHECKED, last_word(ss_field(field)->path),
				NOTE_TEXT(text), WHY_NO_LIST);
	if (!*text || !list->is_known || ss_list_has(list, text))
		return;
	join(names, sizeof(names), list->items, list->count);
	refuse(k, code, field, "%s %s: %s %s takes %s", ss_field(field)->path, text, pack->name,
	       pack->version, names);
}

static void warn_unlisted(struct ss_kernel *k, enum ss_field_id field, enum ss_pack_list_id id)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *text = stated_text(k, field);

	if (*text && pack->lists[id].is_known && !ss_list_has(&pack->lists[id], text))
		warn(k, field, "%s %s: not a name that %s %s ships", ss_field(field)->path, text,
		     pack->name, pack->version);
}

/** Recurrent state can be kept at a float width only, whatever a pack's list says. */
static void check_state_dtype(struct ss_kernel *k, enum ss_field_id field)
{
	static const char *const widths[] = { "auto", "float32", "float16", "bfloat16" };
	const char *text = stated_text(k, field);

	for (size_t i = 0; *text && i < sizeof(widths) / sizeof(widths[0]); i++)
		if (strcmp(text, widths[i]) == 0)
			return;
	if (*text)
		refuse(k, "E8", field,
		       "%s %s: a recurrent state is kept as auto, float32, float16 or bfloat16",
		       ss_field(field)->path, text);
}

void rules_check_lists(struct ss_kernel *k)
{
	static const enum ss_field_id listed[] = {
		SS_F_ALL2ALL_BACKEND,  SS_F_SPEC_METHOD,    SS_F_SCHEDULING_POLICY,
		SS_F_MAMBA_CACHE_MODE, SS_F_OFFLOAD_SPEC,   SS_F_ATTENTION_BACKEND,
		SS_F_MOE_BACKEND,      SS_F_LINEAR_BACKEND,
	};

	check_state_dtype(k, SS_F_MAMBA_CACHE_DTYPE);
	check_state_dtype(k, SS_F_MAMBA_SSM_CACHE_DTYPE);
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		check_stated(k, "E13", listed[i], ss_field(listed[i])->list);
	warn_unlisted(k, SS_F_QUANTIZATION, SS_LIST_QUANTIZATIONS);
	warn_unlisted(k, SS_F_KV_CONNECTOR, SS_LIST_KV_CONNECTORS);
	warn_unlisted(k, SS_F_PD_CONNECTOR, SS_LIST_KV_CONNECTORS);
	warn_unlisted(k, SS_F_OFFLOAD_CONNECTOR, SS_LIST_KV_CONNECTORS);
	warn_unlisted(k, SS_F_OFFLOAD_EVICTION, SS_LIST_EVICTION_POLICIES);
	if (*stated_text(k, SS_F_OFFLOAD_EVICTION))
		warn(k, SS_F_OFFLOAD_EVICTION,
		     "%s %s is not priced: a tier is priced by the request it reads or writes, "
		     "whichever leaves it first",
		     ss_field(SS_F_OFFLOAD_EVICTION)->path, stated_text(k, SS_F_OFFLOAD_EVICTION));
}

static void check_heads(struct ss_kernel *k, const struct ss_layer_kind *kind,
			const struct ss_node *n)
{
	int64_t tp = k->layout.tp;
	bool is_latent = ss_attention_is_latent(n->attention);

	if (n->n_q % tp)
		refuse(k, "E1", SS_F_TP,
		       "tp %lld: layer %s has %lld query heads, which %lld ranks do not share "
		       "evenly",
		       (long long)tp, kind->id, (long long)n->n_q, (long long)tp);
	else if (!is_latent && (n->n_kv >= tp ? n->n_kv % tp : tp % n->n_kv))
		refuse(k, "E1", SS_F_TP,
		       "tp %lld: layer %s has %lld KV heads, neither a multiple nor a divisor of "
		       "tp",
		       (long long)tp, kind->id, (long long)n->n_kv);
}

static bool check_node(struct ss_kernel *k, const struct ss_layer_kind *kind,
		       const struct ss_node *n)
{
	const char *what = NULL, *text = "";

	if (n->op == SS_OP_UNKNOWN) {
		what = "op";
		text = n->op_text;
	} else if (n->op == SS_OP_ATTENTION && n->attention == SS_ATTENTION_UNKNOWN) {
		what = "attention kind";
		text = n->kind_text;
	} else if (n->op == SS_OP_RECURRENT && n->recurrent == SS_RECURRENT_UNKNOWN) {
		what = "recurrent kind";
		text = n->kind_text;
	} else if (n->emit == SS_CONDITION_UNKNOWN) {
		what = "condition";
		text = n->emit_text;
	}
	if (what)
		refuse(k, "P5", SS_F_MODEL, "model %s, layer %s: %s \"%s\" is not one we price",
		       k->basis->in.model->name, kind ? kind->id : "head", what, text);
	return !what;
}

void rules_check_model(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	int64_t vocabulary = divide_up(model->vocab_size, 64) * 64;
	char padded[48] = "";
	size_t before;

	if (vocabulary != model->vocab_size)
		(void)snprintf(padded, sizeof(padded), " rounded up to %lld",
			       (long long)vocabulary);
	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];

		if (!kind->count && !kind->draft_count)
			continue;
		before = k->refusals;
		for (size_t j = 0; j < kind->node_count && k->refusals == before; j++) {
			const struct ss_node *n = &kind->nodes[j];

			if (check_node(k, kind, n) && n->op == SS_OP_ATTENTION && !*n->role)
				check_heads(k, kind, n);
		}
		/* layers alike fail alike: the first says it */
		if (k->refusals > before)
			break;
	}
	for (size_t j = 0; j < model->head_count; j++)
		(void)check_node(k, NULL, &model->head[j]);
	if (vocabulary % k->layout.tp)
		refuse(k, "E1", SS_F_TP, "tp %d does not divide the vocabulary of %lld%s",
		       k->layout.tp, (long long)model->vocab_size, padded);
}

void rules_refuse_quantization(struct ss_kernel *k, const char *name)
{
	const struct ss_pack *pack = k->basis->in.pack;
	char names[420] = "";
	bool is_listed = false;
	size_t used = 0;

	for (size_t i = 0; i < pack->quantization_count; i++)
		is_listed |= strcmp(pack->quantizations[i].name, name) == 0;
	for (size_t i = 0; i < pack->quantization_count && used + 32 < sizeof(names); i++)
		if (pack->quantizations[i].is_priced)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", pack->quantizations[i].name);
	/* the SM70 build starts with what its pack lists and nothing else */
	if (k->basis->in.reference && !is_listed)
		refuse(k, "E14", SS_F_QUANTIZATION, "quantization %s: %s %s serves %s", name,
		       pack->name, pack->version, names);
	else
		refuse(k, "P4", SS_F_QUANTIZATION, "quantization %s is not priced; these are: %s",
		       name, names);
}

const struct cache_format *rules_cache_format(struct ss_kernel *k, const char *name)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const struct ss_list *list = &pack->lists[SS_LIST_CACHE_DTYPES];
	const struct cache_format *f = cache_format_find(name);
	char names[400];

	if (list->is_known && !ss_list_has(list, name)) {
		join(names, sizeof(names), list->items, list->count);
		refuse(k, "E8", SS_F_CACHE_DTYPE, "cache_dtype %s: %s %s takes %s", name,
		       pack->name, pack->version, names);
		return NULL;
	}
	if (!f || f->class == CACHE_UNSIZED) {
		refuse(k, f || list->is_known ? "P3" : "E8", SS_F_CACHE_DTYPE,
		       "cache_dtype %s: no page size is known for it", name);
		return NULL;
	}
	if (f->class == CACHE_REFUSED)
		refuse(k, "E8", SS_F_CACHE_DTYPE, "cache_dtype %s is not for NVIDIA GPUs", name);
	else if (f->class == CACHE_PACKED && !k->basis->has_sparse)
		refuse(k, "E8", SS_F_CACHE_DTYPE,
		       "cache_dtype %s is a sparse latent layout; %s has no sparse latent "
		       "attention",
		       name, k->basis->in.model->name);
	else if (strncmp(name, "nvfp4", 5) == 0 && f->class == CACHE_PLAIN && k->basis->has_latent)
		refuse(k, "E8", SS_F_CACHE_DTYPE,
		       "cache_dtype %s: latent attention does not take it", name);
	else
		return f;
	return NULL;
}

void rules_check_block(struct ss_kernel *k, int64_t block)
{
	const struct ss_pack *pack = k->basis->in.pack;

	if (pack->block_size_multiple > 0 && block % pack->block_size_multiple)
		refuse(k, "E12", SS_F_BLOCK_SIZE,
		       "block_size %lld: every CUDA attention backend takes multiples of %lld",
		       (long long)block, (long long)pack->block_size_multiple);
	else if (k->basis->has_dsa && pack->dsa_block_size > 0 && block % pack->dsa_block_size)
		refuse(k, "E7", SS_F_BLOCK_SIZE,
		       "block_size %lld: the sparse-attention indexer takes multiples of %lld",
		       (long long)block, (long long)pack->dsa_block_size);
}

enum graph_mode rules_graph_mode(struct ss_kernel *k, const char *name)
{
	enum graph_mode mode = graph_mode_find(name);

	if (mode == GRAPH_MODE_COUNT)
		refuse(k, "P4", SS_F_CUDAGRAPH_MODE,
		       "cudagraph_mode %s: must be NONE, PIECEWISE, FULL, FULL_DECODE_ONLY or "
		       "FULL_AND_PIECEWISE",
		       name);
	return mode;
}

/* -- context parallelism ---------------------------------------------------------------- */

static void check_full_attention_dcp(struct ss_kernel *k, const struct ss_node *n)
{
	int64_t tp = k->layout.tp, dcp = k->layout.dcp;
	const char *fault = NULL;

	if (tp <= n->n_kv)
		fault = "needs tp above the KV heads";
	else if (dcp > tp / n->n_kv)
		fault = "is at most tp / KV heads";
	else if ((n->n_q / n->n_kv) % dcp)
		fault = "must divide query heads / KV heads";
	if (fault)
		refuse(k, "E6", SS_F_DCP,
		       "dcp %lld on full attention %s: %lld query heads, %lld KV heads, tp %lld",
		       (long long)dcp, fault, (long long)n->n_q, (long long)n->n_kv, (long long)tp);
}

static void check_dcp_layers(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	size_t before = k->refusals;

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count && k->refusals == before; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];

			if (model->kinds[i].count && n->op == SS_OP_ATTENTION && !*n->role &&
			    n->attention == SS_ATTENTION_GQA)
				check_full_attention_dcp(k, n);
		}
	if (k->basis->has_window && stated_bool(k, SS_F_HYBRID_KV_MANAGER, true))
		refuse(k, "E6", SS_F_DCP,
		       "dcp %d: the hybrid KV cache manager has no decode-context parallelism with "
		       "sliding-window layers",
		       k->layout.dcp);
}

bool rules_has_connector(const struct ss_kernel *k, const char *name)
{
	const enum ss_field_id fields[] = { SS_F_KV_CONNECTOR, SS_F_PD_CONNECTOR,
					    SS_F_OFFLOAD_CONNECTOR };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *text = stated_text(k, fields[i]);

		if (name ? strcmp(text, name) == 0 : *text)
			return true;
	}
	return false;
}

static void check_interleave(struct ss_kernel *k)
{
	int64_t interleave = stated_count(k, SS_F_CP_INTERLEAVE);
	int64_t block = k->set.block_size;
	bool fits = interleave > 0 && interleave <= block && block % interleave == 0;

	if (rules_has_connector(k, "MultiConnector")) {
		if (!fits)
			refuse(k, "E5", SS_F_CP_INTERLEAVE,
			       "MultiConnector with dcp %d: cp_kv_cache_interleave_size must be "
			       "stated "
			       "and divide the block of %lld",
			       k->layout.dcp, (long long)block);
	} else if (interleave > 0 && !fits && !rules_has_connector(k, "NixlConnector")) {
		refuse(k, "E5", SS_F_CP_INTERLEAVE,
		       "cp_kv_cache_interleave_size %lld: must divide the block of %lld",
		       (long long)interleave, (long long)block);
	}
}

void rules_check_context(struct ss_kernel *k)
{
	int pcp = k->layout.pcp, dcp = k->layout.dcp;
	const struct ss_basis *b = k->basis;
	const struct ss_list *list = &b->in.pack->lists[SS_LIST_DCP_COMM_BACKENDS];
	const char *backend = stated_backend(k, SS_F_DCP_COMM_BACKEND);

	if (pcp > 1 && (b->has_nonlatent || b->has_recurrent))
		refuse(k, "E2", SS_F_PCP,
		       "pcp %d: prefill-context parallelism needs latent attention in every layer, "
		       "and "
		       "%s has %s layers",
		       pcp, b->in.model->name, b->has_recurrent ? "recurrent" : "full-attention");
	if (pcp > 1 && dcp > 1 && !b->has_dsa)
		refuse(k, "E3", SS_F_DCP,
		       "pcp %d with dcp %d: only DSA sparse attention takes both", pcp, dcp);
	if (*backend && list->is_known && !ss_list_has(list, backend))
		refuse(k, "E4", SS_F_DCP_COMM_BACKEND, "dcp_comm_backend %s: must be ag_rs or a2a",
		       backend);
	else if (*backend && strcmp(backend, "ag_rs") != 0 && strcmp(backend, "a2a") != 0)
		refuse(k, "P4", SS_F_DCP_COMM_BACKEND, "dcp_comm_backend %s is not priced",
		       backend);
	else if (strcmp(backend, "a2a") == 0 && dcp > 1 && pcp > 1)
		refuse(k, "E4", SS_F_DCP_COMM_BACKEND,
		       "dcp_comm_backend a2a does not work with pcp %d; use ag_rs", pcp);
	if (dcp <= 1)
		return;
	check_interleave(k);
	check_dcp_layers(k);
	if (stated_bool(k, SS_F_DCP_Q_REPLICATE, false) && pcp <= 1 && b->has_latent)
		refuse(k, "P2", SS_F_DCP_Q_REPLICATE,
		       "dcp_q_replicate with dcp %d on latent attention is not priced", dcp);
}

/* -- experts ------------------------------------------------------------------------------ */

void rules_check_layout(struct ss_kernel *k)
{
	int64_t ep = k->layout.ep, experts = k->basis->experts;
	int64_t all = experts + k->set.redundant;

	if (ep <= 1 || experts <= 0)
		return;
	if (ep > all)
		refuse(k, "E9", SS_F_EXPERT_PARALLEL,
		       "expert width %lld is above the %lld experts of %s", (long long)ep,
		       (long long)all, k->basis->in.model->name);
	else if (k->set.has_eplb && all % ep)
		refuse(k, "E9", SS_F_REDUNDANT_EXPERTS,
		       "eplb: %lld experts with %lld redundant do not divide over %lld ranks; %lld "
		       "redundant would",
		       (long long)experts, (long long)k->set.redundant, (long long)ep,
		       (long long)(divide_up(all, ep) * ep - experts));
	else if (!k->set.has_eplb && experts % ep)
		warn(k, SS_F_EXPERT_PARALLEL,
		     "%lld experts over %lld ranks: some hold %lld and others %lld, an imbalance "
		     "of "
		     "%.2f",
		     (long long)experts, (long long)ep, (long long)(experts / ep + 1),
		     (long long)(experts / ep),
		     (double)(experts / ep + 1) / (double)(experts / ep));
}

/* -- warnings ------------------------------------------------------------------------------ */

static void warn_allreduce(struct ss_kernel *k)
{
	const struct ss_list *widths = &k->basis->in.pack->lists[SS_LIST_CUSTOM_ALLREDUCE_WIDTHS];
	int64_t gpus = stated_count(k, SS_F_GPUS_PER_NODE);
	int tp = k->layout.tp;
	char width[16], names[128];

	if (tp <= 1 || strcmp(stated_text(k, SS_F_ALLREDUCE_BACKEND), "custom") != 0)
		return;
	(void)snprintf(width, sizeof(width), "%d", tp);
	join(names, sizeof(names), widths->items, widths->count);
	if (widths->is_known && !ss_list_has(widths, width))
		warn(k, SS_F_ALLREDUCE_BACKEND,
		     "custom does not run at tp %d; the widths it has are %s", tp, names);
	if (gpus && tp > gpus)
		warn(k, SS_F_ALLREDUCE_BACKEND,
		     "custom stays inside a node, and tp %d is above the %lld GPUs of one", tp,
		     (long long)gpus);
}

static void warn_state(struct ss_kernel *k)
{
	const char *mode = stated_text(k, SS_F_MAMBA_CACHE_MODE);

	if (*mode && !k->basis->has_recurrent)
		warn(k, SS_F_MAMBA_CACHE_MODE,
		     "%s is stated, and %s has no recurrent layer that would read it", mode,
		     k->basis->in.model->name);
	else if (!*mode && k->basis->has_recurrent)
		warn(k, SS_F_MAMBA_CACHE_MODE, "not stated, and %s has recurrent layers: %s runs",
		     k->basis->in.model->name, k->set.state_mode);
}

void rules_warn(struct ss_kernel *k)
{
	const struct settings *s = &k->set;

	warn_allreduce(k);
	warn_state(k);
	if (s->has_cascade && s->spec_tokens > 0 && !stated(k, SS_F_ASYNC_SCHEDULING)->is_stated)
		warn(k, SS_F_DISABLE_CASCADE_ATTN,
		     "cascade attention is asked for beside speculation; state async_scheduling, "
		     "which decides whether the two go together");
	if (stated_bool(k, SS_F_ENABLE_DBO, false) && !stated_count(k, SS_F_DBO_DECODE) &&
	    !stated_count(k, SS_F_DBO_PREFILL))
		warn(k, SS_F_ENABLE_DBO,
		     "dual-batch overlap is on without thresholds; the engine's own are 32 decode "
		     "and 512 prefill tokens");
	if (k->layout.is_sequence_parallel_moe)
		warn(k, SS_F_ALL2ALL_BACKEND,
		     "%s with expert parallelism, tp %d and dp %d makes the experts' input "
		     "sequence-parallel",
		     s->all2all, k->layout.tp, k->layout.dp);
}
