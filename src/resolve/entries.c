#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/kernel_choice.h"
#include "resolve/kernel_impl.h"
#include "resolve/reasons.h"
#include "resolve/sm70.h"
#include "resolve/times_plan.h"

/** Last entry of each name stands before one of another name. */
static bool is_last_of_name(const struct ss_basis *b, size_t i)
{
	return i + 1 == b->entry_count || b->entries[i + 1].previous != (int)i;
}

static const char *registry_scope(struct ss_kernel *k, const struct basis_entry *e)
{
	const struct ss_coefficient *c = e->coefficient;
	char text[512];
	int n = snprintf(text, sizeof(text), "hardware: %s", k->basis->in.part->name);

	if (!c)
		return kernel_text(k, "%s", text);
	if (c->scope.model_count && n > 0 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", model: %s",
			      k->basis->in.model->name);
	if (c->scope.tp_count && n > 0 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", tp: %d", k->layout.tp);
	if (c->scope.ep_count && n > 0 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", ep: %d", k->layout.ep);
	if (c->scope.nodes_spanned_count && n > 0 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", nodes spanned: %d",
			      k->layout.nodes_spanned);
	if (*c->copied_from && n > 0 && (size_t)n < sizeof(text))
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "; copied from %s",
			       c->copied_from);
	return kernel_text(k, "%s", text);
}

static bool put_registry(struct ss_kernel *k)
{
	const struct ss_basis *b = k->basis;
	int winner = -1;

	for (size_t i = b->entry_count; i-- > 0;) {
		const struct basis_entry *e = &b->entries[i];
		const struct ss_coefficient *c = e->coefficient;
		struct ss_entry *out = &k->entries[i];

		if (is_last_of_name(b, i))
			winner = coef_winner(k, (int)i);
		*out = (struct ss_entry){
			.name = e->name,
			.set = e->is_whatif ? SS_WHATIF_SET : e->set->name,
			.method = e->is_whatif ? SS_METHOD_ASSUMED : c->method,
			.scope = registry_scope(k, e),
			.value_text = "",
			.value = e->value,
			.has_value = true,
			.original = e->original,
			.is_whatif = e->is_whatif,
			.is_shadowed = (int)i != winner,
			.coefficient = c,
			.law = e->family == COEF_FAMILY_COUNT ? "" : coef_family(e->family)->law,
		};
		if (!out->scope)
			return false;
	}
	k->entry_count = b->entry_count;
	return true;
}

static const char *value_text(struct ss_kernel *k, const struct note_value *v)
{
	if (v->text)
		return kernel_text(k, "%s", v->text);
	return fpclassify(v->real) != FP_ZERO ? kernel_text(k, "%.10g", v->real)
					      : kernel_text(k, "%lld", (long long)v->number);
}

static bool put_own(struct ss_kernel *k, const char *name, const char *value, const char *reason,
		    bool is_absent)
{
	struct ss_entry *out = &k->entries[k->entry_count++];

	*out = (struct ss_entry){
		.name = name,
		.set = SS_KERNEL_SET,
		.method = SS_METHOD_ASSUMED,
		.scope = value ? kernel_text(k, "%s: %s", value, reason) : NULL,
		.value_text = value,
		.is_own = true,
		.is_absent = is_absent,
		.law = "",
	};
	return name && value && out->scope;
}

static bool put_assumptions(struct ss_kernel *k)
{
	char reason[512];

	for (size_t i = 0; i < k->notes.assumption_count; i++) {
		const struct assumption_note *note = &k->notes.assumptions[i];

		reason_of_assumption(k, note, reason, sizeof(reason));
		if (!put_own(k,
			     kernel_text(k, "%s%s", assumption_name(note->id),
					 note->kind ? note->kind : ""),
			     value_text(k, &note->value), reason, false))
			return false;
	}
	return true;
}

static bool put_absent(struct ss_kernel *k)
{
	char reason[512];

	for (size_t i = 0; i < k->notes.absent_count; i++) {
		const struct absent_note *note = &k->notes.absent[i];
		const char *name = coef_family(note->family)->name;

		reason_of_absent(note, reason, sizeof(reason));
		if (!put_own(k,
			     kernel_text(k, "%s%s%s", name, note->kind ? "_" : "",
					 note->kind ? note->kind : ""),
			     "absent", reason, true))
			return false;
	}
	return true;
}

/** Is the note about nodes of this kind, role or format? */
static bool is_kind(const char *detail, const struct assumption_note *note)
{
	return note->kind && strcmp(detail, note->kind) == 0;
}

static void link_op(struct plan_op *op, const struct assumption_note *note, int entry)
{
	switch (op->kind) {
	case PLAN_RECURRENT:
		if (note->id == ASSUME_RECURRENT_PREFILL_RATE &&
		    !coef_is_set(op->u.recurrent.prefill_rate) &&
		    is_kind(op->u.recurrent.detail, note))
			op->u.recurrent.prefill_entry = entry;
		break;
	case PLAN_ATTENTION:
		if (note->id == ASSUME_ATTENTION_PREFILL && is_kind(op->u.attention.detail, note))
			op->u.attention.prefill_entry = entry;
		break;
	case PLAN_LINK:
		if (note->id == ASSUME_MOE_A2A && op->u.link.term == SS_TERM_ALL2ALL)
			op->u.link.assumed_entry = entry;
		break;
	case PLAN_MHC:
		if (note->id == ASSUME_MHC ||
		    (note->id == ASSUME_MHC_COMPONENT && is_kind(op->u.mhc.detail, note)))
			op->u.mhc.assumed_entry = entry;
		break;
	case PLAN_TABLE:
		if (note->id == ASSUME_HOST_GATHER_RATE && op->u.table.is_host)
			op->u.table.assumed_entry = entry;
		break;
	case PLAN_GEMM:
	case PLAN_EXPERTS:
		break;
	}
}

/** Own assumptions that stand in for a figure get read by the charges that miss it. */
static void link_own(struct ss_kernel *k, size_t first)
{
	for (size_t i = 0; i < k->notes.assumption_count; i++) {
		const struct assumption_note *note = &k->notes.assumptions[i];
		int entry = (int)(first + i);

		for (size_t j = 0; j < k->plan.op_count; j++)
			link_op(&k->plan.ops[j], note, entry);
		for (int r = 0; r < k->plan.rate_count; r++) {
			struct plan_rate *rate = &k->plan.rates[r];

			if ((note->id == ASSUME_GEMM_EPS_MAX || note->id == ASSUME_COMPUTE_RATE) &&
			    is_kind(rate->detail, note))
				rate->peak_entry = entry;
		}
	}
}

static const char *list_text(struct ss_kernel *k, const int64_t *items, size_t count, int64_t most)
{
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used + 24 < sizeof(text); i++)
		if (items[i] <= most)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%lld",
						 used ? "," : "", (long long)items[i]);
	return kernel_text(k, "%s", text);
}

static bool put_overrides(struct ss_kernel *k)
{
	char reason[512];

	k->overrides = calloc(k->notes.override_count + 1, sizeof(*k->overrides));
	if (!k->overrides)
		return false;
	for (size_t i = 0; i < k->notes.override_count; i++) {
		const struct override_note *note = &k->notes.overrides[i];
		struct ss_override *o = &k->overrides[i];

		reason_of_override(k, note, reason, sizeof(reason));
		o->field = override_name(note->id);
		o->requested = value_text(k, &note->requested);
		o->resolved = value_text(k, &note->resolved);
		if (note->id == OVERRIDE_CAPTURE_SIZES) {
			const struct ss_value *v = stated(k, SS_F_CAPTURE_SIZES);

			o->requested = list_text(k, v->integers, v->count, INT64_MAX);
			o->resolved = list_text(k, k->set.sizes, k->set.size_count,
						k->set.max_batched_tokens);
		}
		o->reason = kernel_text(k, "%s", reason);
		if (!o->requested || !o->resolved || !o->reason)
			return false;
	}
	return true;
}

static const char *attention_backend(const struct ss_kernel *k)
{
	const struct ss_reference *r = k->basis->in.reference;

	if (*k->set.attention_backend)
		return k->set.attention_backend;
	if (*k->set.sparse_backend)
		return k->set.sparse_backend;
	if (r && k->basis->has_attention && k->sm70.backend)
		return k->sm70.backend;
	if (r && k->basis->has_attention && r->order.backend)
		return r->order.backend;
	return "the engine's choice";
}

/** What was stated, else whose times were taken. */
static const char *moe_backend(const struct ss_kernel *k)
{
	const char *taken = k->times.experts ? kernel_backend(k->times.experts) : "";

	if (!k->basis->has_experts)
		return "none";
	if (*k->set.moe_backend)
		return k->set.moe_backend;
	return *taken ? taken : "auto";
}

void fill_resolution(struct ss_kernel *k)
{
	struct ss_resolution *r = &k->resolution;
	const struct settings *s = &k->set;
	const struct assumption_note *block = note_find(&k->notes, ASSUME_BLOCK_SIZE);

	*r = (struct ss_resolution){
		.tensor_parallel = k->layout.tp,
		.data_parallel = k->layout.dp,
		.expert_parallel = k->layout.ep,
		.decode_context_parallel = k->layout.dcp,
		.prefill_context_parallel = k->layout.pcp,
		.ranks = k->layout.ranks,
		.allreduce_backend = s->is_custom_allreduce ? "custom" : "nccl",
		.async_scheduling = s->is_async,
		.cascade_attention = s->has_cascade,
		.sequence_parallel_moe = k->layout.is_sequence_parallel_moe,
		.cudagraph_mode = graph_mode_name(s->graph_mode),
		.max_cudagraph_capture_size = s->ceiling,
		.capture_sizes = s->sizes,
		.capture_size_count = s->size_count,
		.block_size = k->pool.block_size > 0 ? k->pool.block_size
			      : block                ? block->value.number
						     : s->block_size,
		.max_num_batched_tokens = s->max_batched_tokens,
		.max_num_seqs = s->max_num_seqs,
		.max_model_len = s->max_model_len,
		.gpu_memory_utilization = s->utilization,
		.spec_tokens = s->spec_tokens,
		.decode_threshold = k->plan.default_threshold,
		.cache_layout = *s->packed_layout ? s->packed_layout : s->cache_dtype,
		.attention_backend = attention_backend(k),
		.all2all_backend = s->all2all_run,
		.mamba_cache_mode = s->state_mode,
		.moe_backend = moe_backend(k),
		.linear_backend = *s->linear_backend ? s->linear_backend : "auto",
		.fuse_allreduce_rms = s->has_reduce_fusion,
		.fuse_act_quant = s->has_act_fusion,
		.quantization = ss_dtype_name(s->served_as != SS_DTYPE_UNSTATED
						      ? s->served_as
						      : k->basis->in.model->weight_dtype),
	};
}

/** Settings read after resolving outlive the scenario they were stated in. */
static bool keep_texts(struct ss_kernel *k)
{
	struct settings *s = &k->set;
	struct ss_resolution *r = &k->resolution;
	const char **texts[] = { &s->quantization,     &s->cache_dtype,     &s->packed_layout,
				 &s->sparse_backend,   &s->spec_method,     &s->all2all,
				 &s->all2all_run,      &s->dcp_backend,     &s->state_mode,
				 &r->cache_layout,     &r->all2all_backend, &r->attention_backend,
				 &r->mamba_cache_mode, &s->moe_backend,     &s->linear_backend,
				 &r->moe_backend,      &r->linear_backend };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		*texts[i] = kernel_text(k, "%s", *texts[i] ? *texts[i] : "");
		if (!*texts[i])
			return false;
	}
	return true;
}

bool kernel_finish(struct ss_kernel *k)
{
	size_t most = k->basis->entry_count + k->notes.assumption_count + k->notes.absent_count +
		      k->times.choice_count;

	k->entries = calloc(most + 1, sizeof(*k->entries));
	if (!k->entries || !put_registry(k))
		return false;
	link_own(k, k->entry_count);
	k->is_finished = keep_texts(k) && sm70_keep(k) && put_assumptions(k) && put_absent(k) &&
			 times_put_entries(k) && put_overrides(k);
	return k->is_finished;
}

size_t ss_kernel_entry_count(const struct ss_kernel *kernel)
{
	assert(kernel->is_finished);
	return kernel->entry_count;
}

const struct ss_entry *ss_kernel_entry(const struct ss_kernel *kernel, size_t index)
{
	assert(kernel->is_finished && index < kernel->entry_count);
	return &kernel->entries[index];
}

size_t ss_kernel_override_count(const struct ss_kernel *kernel)
{
	assert(kernel->is_finished);
	return kernel->notes.override_count;
}

const struct ss_override *ss_kernel_override(const struct ss_kernel *kernel, size_t index)
{
	assert(kernel->is_finished && index < kernel->notes.override_count);
	return &kernel->overrides[index];
}

bool ss_kernel_entry_counts(const struct ss_kernel *kernel, enum ss_figure figure, size_t index)
{
	return !kernel->entries[index].times || ss_kernel_lead(kernel, figure) == SS_FIGURE_KERNELS;
}

void ss_kernel_evidence(const struct ss_kernel *kernel, enum ss_figure figure,
			struct ss_evidence *out)
{
	assert(kernel->is_finished);
	*out = (struct ss_evidence){ 0 };
	for (size_t i = 0; i < kernel->entry_count; i++) {
		const struct ss_entry *e = &kernel->entries[i];

		if (e->is_shadowed || !ss_kernel_entry_counts(kernel, figure, i))
			continue;
		out->total++;
		out->by_method[e->method]++;
		out->evidenced += ss_method_is_evidence(e->method) != 0;
		out->assumed += e->method == SS_METHOD_ASSUMED;
	}
}
