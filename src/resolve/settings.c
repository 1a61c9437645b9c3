#include "resolve/formats.h"
#include "resolve/kernel_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "price/dcp.h"
#include "price/integers.h"
#include "resolve/cache_format.h"
#include "resolve/capture.h"
#include "resolve/release_rules.h"
#include "resolve/release_terms.h"
#include "resolve/rules.h"
#include "resolve/sm70.h"
#include "resolve/sparse_backend.h"

/** As the part states it, else inferred from its native formats. */
static const char *capability_name(const struct ss_part *part)
{
	if (*part->compute_capability)
		return part->compute_capability;
	return part->nvfp4_tflops > 0 ? "sm100" : part->fp8_tflops > 0 ? "sm90" : "sm80";
}

/** `sm90` to 90. */
static int capability(const char *name)
{
	int sm = 0;

	for (const char *c = name; *c; c++)
		if (*c >= '0' && *c <= '9' && sm < 10000)
			sm = sm * 10 + (*c - '0');
	return sm;
}

/** Two capabilities of one generation share all but the last digit. */
static bool is_generation(const char *sm, int capability_sm)
{
	return !*sm || capability(sm) / 10 == capability_sm / 10;
}

void use_capability(struct ss_kernel *k)
{
	const struct ss_part *part = k->basis->in.part;

	if (part->has_inferred_capability || !*part->compute_capability)
		note_assumption(&k->notes, ASSUME_COMPUTE_CAPABILITY, NULL,
				NOTE_TEXT(capability_name(part)), WHY_DEFAULT);
}

static void settle_release(struct ss_kernel *k)
{
	const char *version = k->scenario->values[SS_F_ENGINE_VERSION].text;

	if (version && strcmp(version, SS_PRICED_RELEASE) != 0)
		note_assumption(&k->notes, ASSUME_ENGINE_VERSION, NULL,
				NOTE_TEXT(SS_PRICED_RELEASE),
				k->basis->in.is_fallback_pack ? WHY_NO_LIST : WHY_DEFAULT);
	if (*k->basis->in.model->reason)
		note_assumption(&k->notes, ASSUME_MODEL, NULL,
				NOTE_TEXT(k->basis->in.model->name), WHY_DEFAULT);
	if (k->basis->in.model->is_multimodal_decoder)
		note_assumption(&k->notes, ASSUME_MODALITY, NULL, NOTE_TEXT("text decoder"),
				WHY_DEFAULT);
}

/* -- weights ---------------------------------------------------------------------------- */

static void settle_quantization(struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *name = stated_text(k, SS_F_QUANTIZATION);

	/* A name may say the format of its weights: `-awq`. */
	if (!*name)
		name = k->basis->in.model->asked_quantization;
	k->set.quantization = name;
	k->set.has_quantization = *name;
	if (!*name)
		return;
	for (size_t i = 0; i < pack->quantization_count; i++) {
		const struct ss_quantization *q = &pack->quantizations[i];

		if (strcmp(q->name, name) != 0)
			continue;
		if (q->is_priced) {
			k->set.served_as = !q->is_checkpoint                    ? q->served
					   : ss_model_is_plain(k->basis->in.model) ? q->plain
										: SS_DTYPE_UNSTATED;
			return;
		}
	}
	rules_refuse_quantization(k, name);
}

/* -- KV cache --------------------------------------------------------------------------- */

static const char *family_layout(struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *family = k->basis->in.model->family;

	for (size_t i = 0; *family && i < pack->family_layout_count; i++) {
		const struct ss_family_layout *f = &pack->family_layouts[i];

		if (strcmp(f->family, family) != 0 ||
		    strcmp(f->cache_dtype, k->set.cache_dtype) != 0)
			continue;
		use_capability(k);
		if (is_generation(f->sm, k->set.sm))
			return f->layout;
	}
	return "";
}

/** Parts of a dotted release compared as numbers. */
static bool is_older(const char *release, const char *than)
{
	while (*release && *than) {
		char *end_a, *end_b;
		long a = strtol(release, &end_a, 10), b = strtol(than, &end_b, 10);

		if (a != b)
			return a < b;
		if (end_a == release || end_b == than)
			return false;
		release = *end_a == '.' ? end_a + 1 : end_a;
		than = *end_b == '.' ? end_b + 1 : end_b;
	}
	return *than != '\0';
}

static int main_heads(const struct ss_model *model)
{
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];

			if (n->op == SS_OP_ATTENTION && !*n->role &&
			    n->attention == SS_ATTENTION_SPARSE_MLA)
				return (int)n->n_q;
		}
	return 0;
}

static void settle_sparse_backend(struct ss_kernel *k)
{
	const char *release = stated_text(k, SS_F_HOST_FLASHINFER);
	struct sparse_request r = {
		.sm = k->set.sm,
		.cache_dtype = k->set.cache_dtype,
		.heads = main_heads(k->basis->in.model) / k->layout.tp,
		.tp = k->layout.tp,
		.pcp = k->layout.pcp,
		.dcp = k->layout.dcp,
		.combine = k->set.dcp_backend,
		.wanted = k->set.attention_backend,
		.has_old_flashinfer = *release && is_older(release, SPARSE_FLASHINFER_MIN),
	};
	struct sparse_choice choice;

	use_capability(k);
	choice = sparse_backend_choose(&r);
	if (!choice.backend) {
		refuse(k, "E7",
		       k->set.sm < SPARSE_SM_MIN ? SS_F_HARDWARE
		       : *r.wanted               ? SS_F_ATTENTION_BACKEND
						 : SS_F_CACHE_DTYPE,
		       "cache_dtype %s, tp %d, pcp %d, dcp %d on %s: %s", k->set.cache_dtype,
		       k->layout.tp, k->layout.pcp, k->layout.dcp, k->basis->in.part->name,
		       choice.refusal);
		return;
	}
	k->set.sparse_backend = choice.backend;
	k->set.packed_layout = choice.layout;
	if (choice.needs_flashinfer && !*release)
		note_assumption(&k->notes, ASSUME_SPARSE_MLA_BACKEND, NULL,
				NOTE_TEXT(choice.backend), WHY_DEFAULT);
}

static void settle_cache_format(struct ss_kernel *k)
{
	const struct ss_value *v = stated(k, SS_F_CACHE_DTYPE);
	const struct cache_format *f;
	const char *family = "";

	k->set.attention_backend = stated_backend(k, SS_F_ATTENTION_BACKEND);
	k->set.cache_dtype = v->is_stated ? v->text : "auto";
	/* A checkpoint with scales for its keys and values is served so unless told otherwise. */
	if (strcmp(k->set.cache_dtype, "auto") == 0 && *k->basis->in.model->cache_dtype)
		k->set.cache_dtype = k->basis->in.model->cache_dtype;
	k->set.packed_layout = k->set.sparse_backend = "";
	f = rules_cache_format(k, k->set.cache_dtype);
	if (!f) {
		/* another cache dtype would not help a part that has no kernel for any */
		if (k->basis->has_dsa && k->set.sm < SPARSE_SM_MIN)
			settle_sparse_backend(k);
		return;
	}
	k->set.cache_element_bytes = f->bytes;
	if (k->basis->has_dsa) {
		settle_sparse_backend(k);
	} else if (f->class == CACHE_PACKED) {
		k->set.packed_layout = f->name;
	} else if (k->basis->has_sparse) {
		family = family_layout(k);
		k->set.packed_layout = family;
	}
	if (*k->set.packed_layout && v->is_stated && strcmp(k->set.packed_layout, v->text) != 0)
		note_override(&k->notes, OVERRIDE_CACHE_DTYPE, NOTE_TEXT(v->text),
			      NOTE_TEXT(k->set.packed_layout),
			      *family ? WHY_FAMILY_LAYOUT : WHY_PACKED);
}

static int64_t family_block(struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *family = k->basis->in.model->family;

	for (size_t i = 0; *family && i < pack->family_block_count; i++) {
		const struct ss_family_block *f = &pack->family_blocks[i];

		if (strcmp(f->family, family) != 0)
			continue;
		if (*f->sm)
			use_capability(k);
		if (is_generation(f->sm, k->set.sm))
			return f->block_size;
	}
	return 0;
}

static void settle_block(struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	int64_t block = stated_count(k, SS_F_BLOCK_SIZE);
	enum note_reason why = WHY_DEFAULT;

	k->set.is_block_stated = block > 0;
	if (block > 0) {
		k->set.block_size = block;
		rules_check_block(k, block);
		return;
	}
	if (k->basis->has_dsa) {
		block = pack->dsa_block_size;
		why = WHY_DSA;
	} else {
		block = family_block(k);
		why = block ? WHY_FAMILY : WHY_DEFAULT;
	}
	k->set.block_size = block > 0 ? block : pack->block_size;
	note_assumption(&k->notes, ASSUME_BLOCK_SIZE, NULL, NOTE_NUMBER(k->set.block_size), why);
}

/* -- budgets ---------------------------------------------------------------------------- */

static const struct ss_budget_row *budget_row(const struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const struct ss_part *part = k->basis->in.part;

	for (size_t i = 0; i < pack->budget_count; i++) {
		const struct ss_budget_row *row = &pack->budgets[i];

		if (part->memory_gib >= row->min_gib &&
		    (!*row->except_generation ||
		     strcmp(row->except_generation, part->generation) != 0))
			return row;
	}
	return NULL;
}

static void settle_length(struct ss_kernel *k)
{
	const struct ss_value *length = stated(k, SS_F_MAX_MODEL_LEN);
	const struct ss_value *stretch = stated(k, SS_F_ROPE_FACTOR);
	struct settings *s = &k->set;
	int64_t window = k->basis->in.model->max_model_len;

	if (stretch->is_stated)
		window = (int64_t)((double)window * stretch->number);
	s->window = window;
	s->is_model_len_auto = length->is_stated && length->is_auto;
	s->max_model_len = stated_count(k, SS_F_MAX_MODEL_LEN);
	s->is_model_len_stated = s->max_model_len > 0;
	if (s->is_model_len_stated)
		return;
	if (!s->is_model_len_auto)
		s->max_model_len = window;
	note_assumption(&k->notes, ASSUME_MAX_MODEL_LEN, NULL,
			window ? NOTE_NUMBER(window) : NOTE_TEXT("unbounded"),
			s->is_model_len_auto ? WHY_AUTO
			: window             ? WHY_DEFAULT
					     : WHY_NO_WINDOW);
}

/** The release's default, held to what its requests can fill. */
static void default_budget(struct ss_kernel *k, int64_t budget, int64_t seqs)
{
	struct settings *s = &k->set;
	int64_t length = s->max_model_len ? s->max_model_len : s->window;
	enum note_reason why = WHY_DEFAULT;

	if (!s->has_chunked_prefill && length > budget) {
		budget = length;
		why = WHY_WHOLE_PROMPTS;
	}
	if (length > 0 && seqs < budget / length + (budget % length > 0)) {
		budget = seqs * length;
		why = WHY_FILLED;
	}
	s->max_batched_tokens = budget;
	note_assumption(&k->notes, ASSUME_MAX_BATCHED_TOKENS, NULL, NOTE_NUMBER(budget), why);
}

static void settle_budgets(struct ss_kernel *k)
{
	const struct ss_budget_row *row = budget_row(k);
	double utilization = stated(k, SS_F_GPU_MEMORY_UTILIZATION)->number;
	int64_t seqs = row ? row->max_num_seqs : 256;
	struct settings *s = &k->set;

	s->utilization = utilization > 0 ? utilization
					 : release_value(k, SS_RELEASE_UTILIZATION,
							 k->basis->in.pack->gpu_memory_utilization);
	s->has_chunked_prefill = stated_bool(k, SS_F_CHUNKED_PREFILL, true);
	s->has_prefix_caching = stated_bool(
		k, SS_F_ENABLE_PREFIX_CACHING,
		!k->basis->has_recurrent || release_value(k, SS_RELEASE_HYBRID_PREFIX, 1) > 0);
	settle_length(k);
	s->max_num_seqs = stated_count(k, SS_F_MAX_NUM_SEQS);
	s->max_batched_tokens = stated_count(k, SS_F_MAX_BATCHED_TOKENS);
	if (!s->max_batched_tokens)
		default_budget(k, row ? row->max_num_batched_tokens : 2048,
			       s->max_num_seqs ? s->max_num_seqs : seqs);
	if (!s->max_num_seqs) {
		s->max_num_seqs = least(seqs, s->max_batched_tokens);
		note_assumption(&k->notes, ASSUME_MAX_NUM_SEQS, NULL, NOTE_NUMBER(s->max_num_seqs),
				WHY_DEFAULT);
	}
	s->long_prefill = stated_count(k, SS_F_LONG_PREFILL_THRESHOLD);
	s->reserves_full_isl = stated_bool(k, SS_F_RESERVE_FULL_ISL, true);
	s->is_priority = strcmp(stated_text(k, SS_F_SCHEDULING_POLICY), "priority") == 0;
	s->replicas = stated_count(k, SS_F_REPLICAS);
	if (!s->replicas)
		s->replicas = 1;
}

/* -- speculation and scheduling ----------------------------------------------------------- */

static void settle_speculation(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	const struct ss_pack *pack = k->basis->in.pack;
	const struct ss_list *async = &pack->lists[SS_LIST_ASYNC_SPECULATIVE_METHODS];
	struct settings *s = &k->set;

	s->spec_method = stated_text(k, SS_F_SPEC_METHOD);
	s->spec_tokens = *s->spec_method ? stated_count(k, SS_F_SPEC_TOKENS) : 0;
	s->is_async = true;
	if (s->spec_tokens > 0) {
		s->has_drafts = *model->speculator_method;
		if (!s->has_drafts)
			note_assumption(&k->notes, ASSUME_SPECULATOR, NULL, NOTE_TEXT("none"),
					WHY_NO_SPECULATOR);
		else if (strcmp(model->speculator_method, s->spec_method) != 0)
			note_assumption(&k->notes, ASSUME_SPECULATOR, NULL,
					NOTE_TEXT(model->speculator_method), WHY_OTHER_METHOD);
		if (s->has_drafts && model->speculator_tokens != s->spec_tokens)
			note_assumption(&k->notes, ASSUME_NUM_SPEC_TOKENS, NULL,
					NOTE_NUMBER(s->spec_tokens), WHY_DEFAULT);
		if (k->basis->has_sparse)
			note_assumption(&k->notes, ASSUME_SPARSE_READ_PER_QUERY, NULL,
					NOTE_TEXT("per token"), WHY_DEFAULT);
		if (!async->is_known && !stated(k, SS_F_ASYNC_SCHEDULING)->is_stated)
			note_assumption(&k->notes, ASSUME_ASYNC_SCHEDULING_SPEC, NULL,
					NOTE_TEXT("on"), WHY_NO_LIST);
		if (async->is_known)
			s->is_async = ss_list_has(async, s->spec_method);
	}
	s->is_async = stated_bool(k, SS_F_ASYNC_SCHEDULING, s->is_async);
	s->has_cascade = !stated_bool(k, SS_F_DISABLE_CASCADE_ATTN, true);
}

/* -- experts and collectives -------------------------------------------------------------- */

/** A kernel asked for; "" leaves the choice. */
static const char *asked_backend(const struct ss_kernel *k, enum ss_field_id id)
{
	const char *text = stated_backend(k, id);

	return strcmp(text, "auto") == 0 ? "" : text;
}

static void settle_experts(struct ss_kernel *k)
{
	const struct ss_list *list = &k->basis->in.pack->lists[SS_LIST_SEQUENCE_PARALLEL_ALL2ALL];
	struct settings *s = &k->set;
	bool has_experts = k->basis->has_experts;

	s->all2all = stated_backend(k, SS_F_ALL2ALL_BACKEND);
	s->moe_backend = asked_backend(k, SS_F_MOE_BACKEND);
	s->linear_backend = asked_backend(k, SS_F_LINEAR_BACKEND);
	s->has_reduce_fusion = stated_bool(k, SS_F_FUSE_ALLREDUCE_RMS,
					   k->layout.tp > 1 && s->sm >= 100 && s->sm < 110);
	s->is_reduce_stated = stated(k, SS_F_FUSE_ALLREDUCE_RMS)->is_stated;
	s->is_act_stated = stated(k, SS_F_FUSE_ACT_QUANT)->is_stated;
	s->has_act_fusion = stated_bool(k, SS_F_FUSE_ACT_QUANT, false);
	s->has_eplb = stated_bool(k, SS_F_ENABLE_EPLB, false);
	s->redundant = s->has_eplb ? stated_count(k, SS_F_REDUNDANT_EXPERTS) : 0;
	s->all2all_run = has_experts && k->layout.runs_dispatch
				 ? *s->all2all ? s->all2all : "allgather_reducescatter"
				 : "none";
	if (has_experts && *s->all2all && k->layout.ep > 1 && k->layout.tp > 1 &&
	    k->layout.dp > 1 && !list->is_known)
		note_assumption(&k->notes, ASSUME_SEQUENCE_PARALLEL_MOE, NULL, NOTE_TEXT("off"),
				WHY_NO_LIST);
	if (has_experts && *s->all2all && k->layout.ep > 1 && !k->layout.runs_dispatch)
		note_override(&k->notes, OVERRIDE_ALL2ALL_BACKEND, NOTE_TEXT(s->all2all),
			      NOTE_TEXT("none"), WHY_DEFAULT);
}

static void settle_allreduce(struct ss_kernel *k)
{
	const struct ss_list *widths = &k->basis->in.pack->lists[SS_LIST_CUSTOM_ALLREDUCE_WIDTHS];
	const char *wanted = stated_text(k, SS_F_ALLREDUCE_BACKEND);
	bool is_wanted = *wanted || stated(k, SS_F_DISABLE_CUSTOM_ALL_REDUCE)->is_stated;
	bool is_nccl = strcmp(wanted, "nccl") == 0 ||
		       stated_bool(k, SS_F_DISABLE_CUSTOM_ALL_REDUCE, false);
	enum note_reason why = WHY_DEFAULT;
	char tp[16];

	k->set.is_custom_allreduce = !is_nccl;
	if (k->layout.tp <= 1)
		return;
	(void)snprintf(tp, sizeof(tp), "%d", k->layout.tp);
	if (!widths->is_known && !is_nccl)
		note_assumption(&k->notes, ASSUME_ALLREDUCE, NULL, NOTE_TEXT("custom"),
				WHY_NO_LIST);
	if (k->layout.groups[LAYOUT_TENSOR].crosses)
		why = WHY_NODES;
	else if (widths->is_known && !ss_list_has(widths, tp))
		why = WHY_WIDTH;
	else if (k->layout.tp > 2 && !k->basis->in.part->has_nvlink)
		why = WHY_NO_NVLINK;
	k->set.is_custom_barred = is_nccl && why == WHY_DEFAULT;
	if (is_nccl || why == WHY_DEFAULT)
		return;
	k->set.is_custom_allreduce = false;
	note_override(&k->notes, OVERRIDE_ALLREDUCE_BACKEND,
		      NOTE_TEXT(is_wanted ? "custom" : "custom (default)"), NOTE_TEXT("nccl"), why);
}

/* -- context parallelism -------------------------------------------------------------------- */

static void settle_context(struct ss_kernel *k)
{
	const struct ss_list *list = &k->basis->in.pack->lists[SS_LIST_DCP_COMM_BACKENDS];
	const char *backend = stated_backend(k, SS_F_DCP_COMM_BACKEND);
	int64_t interleave = stated_count(k, SS_F_CP_INTERLEAVE);
	struct settings *s = &k->set;

	s->has_connector = rules_has_connector(k, NULL) || stated(k, SS_F_OFFLOAD_TIERS)->is_stated;
	s->dcp_backend = *backend ? backend : "ag_rs";
	s->interleave = interleave > 0 ? interleave : 1;
	if (*backend && !list->is_known)
		note_assumption(&k->notes, ASSUME_DCP_COMM_BACKEND, NULL, NOTE_TEXT(backend),
				WHY_NO_LIST);
	else if (!*backend && k->layout.dcp > 1)
		note_assumption(&k->notes, ASSUME_DCP_COMM_BACKEND, NULL, NOTE_TEXT("ag_rs"),
				WHY_DEFAULT);
	if (k->layout.dcp > 1 && !interleave && k->set.block_size > 1 &&
	    (rules_has_connector(k, "NixlConnector") ||
	     rules_has_connector(k, "NixlPullConnector") ||
	     rules_has_connector(k, "NixlPushConnector"))) {
		s->interleave = k->set.block_size;
		note_override(&k->notes, OVERRIDE_CP_INTERLEAVE,
			      NOTE_TEXT("unstated (engine default 1)"), NOTE_NUMBER(s->interleave),
			      WHY_DEFAULT);
	}
	if (k->layout.dcp > 1 && k->basis->has_latent && !s->is_model_len_stated)
		note_assumption(&k->notes, ASSUME_MLA_CONTEXT_CHUNK, NULL,
				NOTE_NUMBER(DCP_CHUNK_MAX), WHY_DEFAULT);
	rules_check_context(k);
}

/* -- recurrent state, tables ---------------------------------------------------------------- */

static void settle_state(struct ss_kernel *k)
{
	const char *mode = stated_text(k, SS_F_MAMBA_CACHE_MODE);
	bool has_prefix = k->set.has_prefix_caching;

	k->set.state_mode = "";
	k->set.has_hybrid_manager = stated_bool(k, SS_F_HYBRID_KV_MANAGER, true);
	if (!k->basis->has_recurrent)
		return;
	if (!*mode) {
		k->set.state_mode = has_prefix ? "align" : "none";
		note_assumption(&k->notes, ASSUME_MAMBA_CACHE_MODE, NULL,
				NOTE_TEXT(k->set.state_mode),
				has_prefix ? WHY_PREFIX : WHY_NO_PREFIX);
		return;
	}
	k->set.state_mode = mode;
	if (strcmp(mode, "none") == 0 && has_prefix && k->basis->has_attention) {
		k->set.state_mode = "align";
		note_override(&k->notes, OVERRIDE_MAMBA_CACHE_MODE, NOTE_TEXT("none"),
			      NOTE_TEXT("align"), WHY_PREFIX);
	}
}

static void settle_tables(struct ss_kernel *k)
{
	const struct ss_value *offload = stated(k, SS_F_ENGRAM_CPU_OFFLOAD);
	const struct ss_value *shared = stated(k, SS_F_ENGRAM_DP_SHARED);
	const struct ss_pack *pack = k->basis->in.pack;

	if (!k->basis->has_engram)
		return;
	if (offload->is_stated) {
		k->set.is_table_on_host = offload->integer;
	} else {
		k->set.is_table_on_host = pack->has_engram_cpu_offload && pack->engram_cpu_offload;
		note_assumption(&k->notes, ASSUME_ENGRAM_CPU_OFFLOAD, NULL,
				NOTE_TEXT(k->set.is_table_on_host ? "on" : "off"), WHY_DEFAULT);
	}
	if (k->layout.dp <= 1)
		return;
	if (shared->is_stated) {
		k->set.is_table_shared = shared->integer;
		return;
	}
	k->set.is_table_shared = k->set.is_table_on_host;
	note_assumption(&k->notes, ASSUME_ENGRAM_DP_SHARED, NULL,
			NOTE_TEXT(k->set.is_table_shared ? "on" : "off"), WHY_DEFAULT);
}

/** The releases fall back to half precision where dtype is auto; the SM70 build settles its own. */
static void settle_dtype(struct ss_kernel *k)
{
	if (!k->basis->in.reference && k->set.sm > 0 && k->set.sm < BF16_CAPABILITY &&
	    model_is_bfloat16(k->basis->in.model))
		note_override(&k->notes, OVERRIDE_DTYPE, NOTE_TEXT("bfloat16"),
			      NOTE_TEXT("float16"), WHY_DEFAULT);
}

void resolve_settings(struct ss_kernel *k)
{
	k->set.sm = capability(capability_name(k->basis->in.part));
	settle_release(k);
	rules_check_model(k);
	rules_check_lists(k);
	settle_quantization(k);
	settle_block(k);
	settle_budgets(k);
	settle_speculation(k);
	settle_experts(k);
	settle_allreduce(k);
	settle_context(k);
	settle_cache_format(k);
	settle_state(k);
	settle_tables(k);
	settle_graphs(k);
	rules_check_layout(k);
	release_rules_check(k, false);
	sm70_settle(k);
	settle_dtype(k);
	rules_warn(k);
}
