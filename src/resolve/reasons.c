#include "resolve/reasons.h"

#include <stdio.h>
#include <string.h>

#include "resolve/kv_pool.h"
#include "resolve/pool_classes.h"

#define VLLM "vLLM " SS_PRICED_RELEASE

/** The raw state in its page; on latent attention, whose step of the block it is. */
static void aligned_reason(const struct ss_kernel *k, const char *before, char *out, size_t size)
{
	const char *backend = pool_aligned_backend(k);

	(void)snprintf(out, size,
		       "%s" VLLM
		       " aligns the attention block so that its page holds a recurrent state "
		       "(%lld raw bytes in a page of %lld%s%s)",
		       before, (long long)k->pool.state_page_bytes, (long long)k->pool.page_bytes,
		       *backend ? ", in steps of the block of " : "", backend);
}

static void block_reason(const struct ss_kernel *k, enum note_reason why, char *out, size_t size)
{
	const char *family = k->basis->in.model->family;

	switch ((int)why) {
	case WHY_DSA:
		(void)snprintf(out, size,
			       "no block size is stated; the sparse-attention indexer of " VLLM
			       " takes 64 only");
		break;
	case WHY_FAMILY:
		(void)snprintf(out, size,
			       "no block size is stated; the %s backends of " VLLM
			       " accept one kernel block on this part",
			       family);
		break;
	case WHY_ALIGNED:
		aligned_reason(k, "no block size is stated; ", out, size);
		break;
	default:
		(void)snprintf(out, size, "no block size is stated; the default of " VLLM);
	}
}

static void length_reason(enum note_reason why, char *out, size_t size)
{
	const char *text = "no context length is stated; the model's own window";

	if (why == WHY_AUTO)
		text = "auto is stated: the longest request that one rank's KV pool can hold";
	else if (why == WHY_NO_WINDOW)
		text = "no context length is stated and the graph has no window: only the KV pool "
		       "bounds "
		       "a request";
	(void)snprintf(out, size, "%s (" VLLM ")", text);
}

static void budget_reason(const struct ss_kernel *k, const char *what, char *out, size_t size)
{
	(void)snprintf(out, size, "no %s is stated; the default of " VLLM " for a GPU of %g GiB",
		       what, k->basis->in.part->memory_gib);
}

void reason_of_assumption(const struct ss_kernel *k, const struct assumption_note *note, char *out,
			  size_t size)
{
	const struct ss_model *model = k->basis->in.model;
	const struct ss_part *part = k->basis->in.part;
	const char *release = k->scenario->values[SS_F_ENGINE_VERSION].text;
	const char *kind = note->kind ? note->kind : "";
	enum note_reason why = (enum note_reason)note->why;

	switch (note->id) {
	case ASSUME_BLOCK_SIZE:
		block_reason(k, why, out, size);
		break;
	case ASSUME_CUDAGRAPH_MODE:
		(void)snprintf(out, size, "no CUDA graph mode is stated; the default of " VLLM);
		break;
	case ASSUME_MAX_CAPTURE:
		(void)snprintf(out, size, "no capture size is stated; " VLLM " %s",
			       why == WHY_OWN_LIST
				       ? "has a list of its own for this kind of decode, which "
					 "the pack states, and a larger step runs without a graph"
				       : "captures up to twice max_num_seqs x tokens per decode "
					 "within its ceiling, and a larger step runs without a "
					 "graph");
		break;
	case ASSUME_MAX_BATCHED_TOKENS:
		if (why == WHY_FILLED)
			(void)snprintf(out, size,
				       "no token budget per step is stated; " VLLM
				       " takes no more than max_num_seqs x max_model_len");
		else if (why == WHY_WHOLE_PROMPTS)
			(void)snprintf(out, size,
				       "no token budget per step is stated and chunked prefill is "
				       "off; " VLLM " then takes room for the longest prompt");
		else
			budget_reason(k, "token budget per step", out, size);
		break;
	case ASSUME_MAX_NUM_SEQS:
		budget_reason(k, "limit on concurrent requests", out, size);
		break;
	case ASSUME_MAX_MODEL_LEN:
		length_reason(why, out, size);
		break;
	case ASSUME_MAMBA_CACHE_MODE:
		(void)snprintf(out, size,
			       "no recurrent cache mode is stated and prefix caching is %s; " VLLM
			       " then runs this mode",
			       why == WHY_PREFIX ? "on" : "off");
		break;
	case ASSUME_DCP_COMM_BACKEND:
		(void)snprintf(
			out, size, "%s",
			why == WHY_NO_LIST
				? "taken as stated: the engine pack has no list of the combine "
				  "backends of " VLLM " to check it against"
				: "no combine backend is stated; the stock one of " VLLM
				  ", though a model's own hook may choose another");
		break;
	case ASSUME_MLA_CONTEXT_CHUNK:
		(void)snprintf(
			out, size,
			"decode-context parallelism on latent attention and no context length "
			"stated: the workspace of " VLLM
			" that gathers a cached prefix is taken at its largest");
		break;
	case ASSUME_SPARSE_MLA_BACKEND:
		(void)snprintf(
			out, size,
			VLLM " selects this backend only with FlashInfer 0.6.18 or newer, and the "
			     "host's release is not stated");
		break;
	case ASSUME_SPARSE_READ_PER_QUERY:
		(void)snprintf(
			out, size,
			"each verify token of a request reads its own window and top-k, as " VLLM
			" gathers them; the rate comes from decodes of one token, and what the "
			"tokens of one request share is unknown");
		break;
	case ASSUME_ENGINE_VERSION:
		if (why == WHY_NO_LIST)
			(void)snprintf(
				out, size,
				"the scenario names release %s; no pack exists for it, so its "
				"defaults are those of %s, the nearest, and the behaviour of " VLLM
				" is priced",
				release ? release : "", k->basis->in.pack->version);
		else
			(void)snprintf(out, size,
				       "the scenario names release %s; the behaviour of " VLLM
				       " is priced",
				       release ? release : "");
		break;
	case ASSUME_ASYNC_SCHEDULING_SPEC:
		(void)snprintf(out, size,
			       "the engine pack has no list of draft methods under which " VLLM
			       " keeps asynchronous scheduling, so %s is taken as one",
			       k->set.spec_method);
		break;
	case ASSUME_COMPUTE_CAPABILITY:
		(void)snprintf(
			out, size,
			"the catalogue states no compute capability for %s; inferred from its "
			"native formats and name, and " VLLM " selects kernels by it here",
			part->name);
		break;
	case ASSUME_COMPUTE_RATE:
		(void)snprintf(out, size,
			       "TFLOP/s for %s weights, a rate the catalogue does not state: " VLLM
			       " runs them at %s",
			       kind,
			       k->set.sm >= 80 ? "TF32, taken as half the dense BF16 peak"
					       : "the part's plain FP32 rate");
		break;
	case ASSUME_GEMM_EPS_MAX:
		(void)snprintf(out, size,
			       "the weight-only kernel %s of " VLLM
			       " was never timed on %s; it multiplies in BF16, and takes that "
			       "format's ramp and peak",
			       kind, part->name);
		break;
	case ASSUME_RECURRENT_PREFILL_RATE:
		(void)snprintf(out, size,
			       "nobody measured the %s prefill of " VLLM "; the FLOPs of a scan in "
			       "chunks, on the ramp of BF16, stand in",
			       kind);
		break;
	case ASSUME_ATTENTION_PREFILL:
		(void)snprintf(out, size,
			       "the sets hold some members of the family measured for the %s "
			       "prefill of " VLLM
			       " and lack others; it takes all of them, so none is read",
			       kind);
		break;
	case ASSUME_MHC:
		(void)snprintf(out, size,
			       "the sets hold one of the two hyper-connection forms of " VLLM
			       " (pre, post); they are read together or not at all");
		break;
	case ASSUME_MHC_COMPONENT:
		(void)snprintf(out, size,
			       "the rate of the %s hyper-connection of " VLLM
			       " has no floor beside it in the sets, and is left unread",
			       kind);
		break;
	case ASSUME_MOE_A2A:
		(void)snprintf(out, size,
			       "%s of " VLLM " has no measured price %s, so it is priced as any "
			       "routed all-to-all",
			       kind,
			       why == WHY_NODES ? "for an expert group that spans nodes"
						: "for this part and expert width");
		break;
	case ASSUME_DEEPEP_V2_MODE:
		(void)snprintf(
			out, size,
			VLLM " chooses between the paths of DeepEP v2 by enforce_eager; no setting "
			     "here says that, so the graph mode does: NONE is eager");
		break;
	case ASSUME_ENGRAM_CPU_OFFLOAD:
		(void)snprintf(out, size,
			       "where the Engram table lives is not stated; the default of " VLLM);
		break;
	case ASSUME_ENGRAM_DP_SHARED:
		(void)snprintf(out, size,
			       "sharing of the Engram table between data-parallel replicas is not "
			       "stated; " VLLM " shares a table that is in host memory");
		break;
	case ASSUME_HOST_GATHER_RATE:
		(void)snprintf(
			out, size,
			"bytes per us: the gather of " VLLM
			" from host memory is not measured; the host link sets the pace of it");
		break;
	case ASSUME_HYBRID_KV_MANAGER:
		(void)snprintf(out, size,
			       "a KV connector can turn the hybrid KV cache manager of " VLLM
			       " off, and window layers would then hold the full length; it is "
			       "taken as on "
			       "(off, the pool would report %lld tokens instead of %lld)",
			       (long long)pool_tokens_without_manager(k),
			       (long long)k->pool.reported_tokens);
		break;
	case ASSUME_KV_CACHE_GROUPING:
		(void)snprintf(out, size,
			       "how " VLLM
			       " puts these caches in one block pool is not modelled (%s), so "
			       "each is sized at its own page",
			       pool_cause_text(k->pool_plan.cause));
		break;
	case ASSUME_CACHE_RECORD:
		(void)snprintf(out, size,
			       "the graph states no record of this cache under %s, which " VLLM
			       " runs here, so its base record is used",
			       k->set.cache_dtype);
		break;
	case ASSUME_MODEL:
		(void)snprintf(out, size, "%s", model->reason);
		break;
	case ASSUME_MODALITY:
		(void)snprintf(out, size,
			       "%s decodes text for a model that also sees or hears; the towers "
			       "that " VLLM " runs before it cost nothing here",
			       model->name);
		break;
	case ASSUME_NUM_SPEC_TOKENS:
		(void)snprintf(
			out, size,
			"the deployment drafts another number of tokens a step than the graph's "
			"speculator (%lld); " VLLM " takes the stated one",
			(long long)model->speculator_tokens);
		break;
	case ASSUME_SPECULATOR:
		if (why == WHY_NO_SPECULATOR)
			(void)snprintf(out, size,
				       "the deployment speculates and the graph has no speculator, "
				       "so the draft passes of " VLLM " are not priced");
		else
			(void)snprintf(out, size,
				       "the deployment names %s; of " VLLM
				       " the graph's own speculator is the one priced",
				       k->set.spec_method);
		break;
	case ASSUME_ALLREDUCE:
		(void)snprintf(out, size,
			       "the engine pack has no list of the widths that the custom "
			       "all-reduce of " VLLM " runs at, so tp %d is taken as one",
			       k->layout.tp);
		break;
	case ASSUME_SEQUENCE_PARALLEL_MOE:
		(void)snprintf(
			out, size,
			"the engine pack has no list of the dispatch backends under which " VLLM
			" splits the experts' input by sequence, so %s is taken as none",
			k->set.all2all);
		break;
	case ASSUME_UNCHECKED:
		(void)snprintf(out, size,
			       "taken as stated: the engine pack has no list of what " VLLM
			       " takes for %s",
			       kind);
		break;
	case ASSUME_KV_CODEC_ALIAS:
		(void)snprintf(out, size,
			       "fp8 stands for E4M3 in the SM70 build and for E5M2 in others; the "
			       "full name of the format leaves no doubt");
		break;
	case ASSUME_NATIVE_ROUTE_ABI:
		(void)snprintf(
			out, size,
			"native operators of the SM70 build, their revisions and the "
			"alignment of pointers cannot be seen from a deployment and are taken "
			"as met");
		break;
	case ASSUME_GDN_PREFILL_TOOLKIT:
		(void)snprintf(
			out, size,
			"whether the host has nvcc is not stated; the original prefill of the "
			"SM70 build compiles at first use and needs it");
		break;
	case ASSUME_COUNT:
		out[0] = '\0';
		break;
	}
}

void reason_of_absent(const struct absent_note *note, char *out, size_t size)
{
	const struct coef_family_row *f = coef_family(note->family);
	const char *text = f->without;

	if (note->why == WHY_INHERITS)
		text = "it inherits the part-wide floor";
	else if (note->kind && note->family == COEF_DECODE_RATE)
		text = "the part-wide attention pair is used for it, or its attention kind's";
	(void)snprintf(out, size, "not in the scenario's sets: %s", text);
}

static void allreduce_reason(const struct ss_kernel *k, enum note_reason why, char *out,
			     size_t size)
{
	const char *cause = "does not support this width";

	if (why == WHY_NODES)
		cause = "does not reach across nodes on a part without multi-node NVLink";
	else if (why == WHY_NO_NVLINK)
		cause = "needs NVLink above two ranks, and this part has none";
	(void)snprintf(out, size, "the custom all-reduce of " VLLM " %s (tp %d); NCCL runs", cause,
		       k->layout.tp);
}

void reason_of_override(const struct ss_kernel *k, const struct override_note *note, char *out,
			size_t size)
{
	enum note_reason why = (enum note_reason)note->why;

	switch (note->id) {
	case OVERRIDE_ALL2ALL_BACKEND:
		(void)snprintf(out, size,
			       "with dp 1, pcp 1 and no sequence-parallel input " VLLM
			       " runs no dispatch: experts work on replicated tokens and the "
			       "tensor-parallel all-reduce combines them");
		break;
	case OVERRIDE_ALLREDUCE_BACKEND:
		allreduce_reason(k, why, out, size);
		break;
	case OVERRIDE_CACHE_DTYPE:
		if (why == WHY_FAMILY_LAYOUT)
			(void)snprintf(
				out, size,
				"the %s family stores this cache packed on this part in " VLLM,
				k->basis->in.model->family);
		else
			(void)snprintf(out, size,
				       "%s stores a quantized cache in its own packed cells (" VLLM
				       ")",
				       k->set.sparse_backend);
		break;
	case OVERRIDE_CP_INTERLEAVE:
		(void)snprintf(out, size,
			       "a NIXL connector moves whole blocks, and " VLLM
			       " then interleaves by the block");
		break;
	case OVERRIDE_CAPTURE_SIZES:
		(void)snprintf(out, size,
			       VLLM " drops capture sizes above max_num_batched_tokens %lld",
			       (long long)k->set.max_batched_tokens);
		break;
	case OVERRIDE_CUDAGRAPH_MODE:
		(void)snprintf(out, size,
			       VLLM " cannot capture the %s dispatch and runs without CUDA graphs",
			       why == WHY_MOONEP ? "MoonEP" : "DeepEP high-throughput");
		break;
	case OVERRIDE_MAMBA_CACHE_MODE:
		(void)snprintf(out, size,
			       "prefix caching is on, and " VLLM
			       " then aligns the recurrent states of a hybrid model");
		break;
	case OVERRIDE_MAX_CAPTURE:
		if (why == WHY_BUDGET)
			(void)snprintf(out, size,
				       VLLM " captures no step above max_num_batched_tokens %lld",
				       (long long)k->set.max_batched_tokens);
		else if (why == WHY_DRAFTS)
			(void)snprintf(out, size,
				       VLLM " rounds its sizes up to the %lld tokens of a decode "
					    "with drafts, and drops those above its largest",
				       (long long)(1 + k->set.spec_tokens));
		else
			(void)snprintf(out, size,
				       VLLM
				       " captures 1, 2, 4, every 8 below 256 and every 16 from "
				       "there; the largest such size is the ceiling");
		break;
	case OVERRIDE_BLOCK_SIZE:
		aligned_reason(k, "", out, size);
		break;
	case OVERRIDE_DTYPE:
		(void)snprintf(out, size, "the part has no BF16 tensor cores, and %s",
			       k->basis->in.reference ? "the SM70 build runs half precision on it"
						      : "the engine takes half precision instead");
		break;
	case OVERRIDE_GDN_PREFILL:
		(void)snprintf(out, size,
			       "the host has no nvcc, which the original prefill of the SM70 build "
			       "compiles with at first use; the prebuilt one runs");
		break;
	case OVERRIDE_COUNT:
		out[0] = '\0';
		break;
	}
}
