/* What would replace a value: one sentence for each family and each assumption. */
#include "resolve/footing.h"

#include <math.h>

/* clang-format off */
/* family, the most its value can be (0: no bound), how to measure it */
#define INSTEADS(X) \
	X(HBM_DERATE, 1, "time a read of several GB of device memory and divide by the datasheet bandwidth") \
	X(HOST_LINK, 0, "time copies of 64 MB and more between pinned host memory and one GPU") \
	X(HOST_GATHER, 0, "time a gather of table rows from pinned host memory at the row size served") \
	X(GEMM_EPS, 1, "time this format's GEMM at the widths served from 64 to 8192 rows and fit the share of peak it levels off at") \
	X(GEMM_M_HALF, 0, "time this format's GEMM at the widths served from 1 to 1024 rows and fit the rows at half of its best rate") \
	X(GEMM_N_HALF, 0, "time this format's GEMM over output widths at fixed rows and depth and fit the width at half rate") \
	X(GEMM_K_HALF, 0, "time this format's GEMM over depths at fixed rows and width and fit the depth at half rate") \
	X(IMBALANCE, 0, "count the tokens each expert gets in served traffic and take the median of heaviest over mean") \
	X(DECODE_FLOOR, 0, "time this decode kernel at one short context and at several long ones; the intercept is the floor") \
	X(DECODE_RATE, 0, "time this decode kernel over contexts of 4k to 128k at the served batch; bytes over the slope is the rate") \
	X(PREFILL_FLOOR, 0, "time this prefill kernel at a few tokens; the intercept of time over FLOPs is the floor") \
	X(PREFILL_SCALE, 0, "time prefill attention at chunks of 1k to 8k and divide by the GEMM ramp's rate at as many rows") \
	X(PREFILL_RATE, 0, "time this prefill kernel over growing contexts and fit FLOPs over time after the other terms") \
	X(PREFILL_REQUEST, 0, "time this prefill kernel over the number of requests at equal total tokens; the slope is the value") \
	X(PREFILL_TOKEN, 0, "time this prefill kernel over new tokens at no cached context; the slope is the value") \
	X(PREFILL_BYTES, 0, "time this prefill kernel over cached context at equal new tokens; bytes over the slope is the rate") \
	X(RECURRENT_FLOOR, 0, "time the decode update of this mixer at one token; what is left of it at none is the floor") \
	X(RECURRENT_RATE, 0, "time the decode update of this mixer over 1 to 512 requests; tokens over the slope is the rate") \
	X(SCAN_FLOOR, 0, "time this mixer's prefill at a few tokens; the intercept is the floor") \
	X(SCAN_RATE, 0, "time this mixer's prefill over 1k to 16k tokens; tokens over the slope is the rate") \
	X(MHC_FLOOR, 0, "time this hyper-connection kernel at one token; the intercept is the floor") \
	X(MHC_RATE, 0, "time this hyper-connection kernel over 1 to 8192 tokens; tokens over the slope is the rate") \
	X(A2A_FLOOR, 0, "time this backend's dispatch and combine at one token a rank at this width") \
	X(A2A_RATE, 0, "time this backend's dispatch and combine over tokens at this width; bytes over the slope is the rate") \
	X(LINK_FLOOR, 0, "time this collective at payloads of a few KB over this many ranks of the part") \
	X(LINK_PEAK, 0, "time this collective at payloads of 64 MB and more over this many ranks of the part") \
	X(LINK_TRANSITION, 0, "time this collective from 64 KB to 16 MB over this many ranks; bytes over the slope is the rate") \
	X(COMMUNICATOR, 0, "read used device memory before and after the communicators start at this width") \
	X(WORKSPACE, 0, "take from a start-up log the memory left over after weights, activation, communicators and graphs") \
	X(CAPTURE, 0, "read the graph capture figure of this deployment's own start-up log") \
	X(BUFFERS_DENSE, 0, "read the activation peak of the profiling run and divide by one buffer of tokens x width x 2 bytes") \
	X(BUFFERS_MOE, 0, "read the activation peak of the profiling run and divide by one buffer of tokens x width x 2 bytes") \
	X(SCRATCH, 0, "read the activation peak of the profiling run at a token budget of 256") \
	X(STEP_REQUEST, 0, "time the scheduler and sampler of steps at 1 and at 512 requests of equal device work; the slope is the value") \
	X(ADMISSION_TOKEN, 0, "time a request from arrival to schedulable over prompts of 1k to 64k tokens; the slope is the value") \
	X(ADMISSION_REQUEST, 0, "time a request from arrival to schedulable over prompts of 1k to 64k tokens; the intercept is the value") \
	X(OUTPUT_TOKEN, 0, "time what the server spends from a sampled token to its being sent, one request at a time") \
	X(COMPLETION, 0, "time what the server spends to finish a request after its last token") \
	X(EAGER_KERNEL, 0, "trace 200 eager decode steps at batch 1 and divide the gaps on the device by the launches") \
	X(EAGER_LAYER, 0, "trace 200 eager decode steps at batch 1 and divide the gaps on the device by the launches") \
	X(PER_KERNEL, 0, "run a few hundred decode steps of one request with graphs on; the time the device is idle, over the kernels launched, is it") \
	X(REPLAY, 0, "trace as many steps, and take the host time from one graph replay to the next")
/* clang-format on */

static const struct {
	double most;
	const char *instead;
} families[] = {
#define X(id, most, instead) [COEF_##id] = { most, instead },
	INSTEADS(X)
#undef X
};

#define X(id, most, instead) +1
_Static_assert(0 INSTEADS(X) == COEF_FAMILY_COUNT, "every family says how to measure it");
#undef X

double coef_most(enum coef_family family)
{
	if (family == COEF_FAMILY_COUNT || families[family].most <= 0)
		return INFINITY;
	return families[family].most;
}

double coef_range_most(enum coef_family family)
{
	/* A time of 1000 s, in us; rates, bytes and counts as far as documents may state them. */
	double most = family != COEF_FAMILY_COUNT && coef_family(family)->sign > 0
			      ? 1e9
			      : SS_COEFFICIENT_MOST;

	return fmin(coef_most(family), most);
}

const char *coef_instead(enum coef_family family)
{
	return family == COEF_FAMILY_COUNT ? "" : families[family].instead;
}

/* clang-format off */
/* assumption, the field that states it (COUNT: none), what else would settle it */
#define SETTLES(X) \
	X(BLOCK_SIZE, BLOCK_SIZE, "") \
	X(CUDAGRAPH_MODE, CUDAGRAPH_MODE, "") \
	X(MAX_CAPTURE, MAX_CAPTURE, "") \
	X(MAX_BATCHED_TOKENS, MAX_BATCHED_TOKENS, "") \
	X(MAX_NUM_SEQS, MAX_NUM_SEQS, "") \
	X(MAX_MODEL_LEN, MAX_MODEL_LEN, "") \
	X(MAMBA_CACHE_MODE, MAMBA_CACHE_MODE, "") \
	X(DCP_COMM_BACKEND, DCP_COMM_BACKEND, "") \
	X(MLA_CONTEXT_CHUNK, MAX_MODEL_LEN, "") \
	X(SPARSE_MLA_BACKEND, HOST_FLASHINFER, "") \
	X(SPARSE_READ_PER_QUERY, COUNT, "time a verify step against decode steps of as many requests") \
	X(ENGINE_VERSION, ENGINE_VERSION, "declare the release that is priced, or add a pack with the rules of the one that runs") \
	X(ASYNC_SCHEDULING_SPEC, ASYNC_SCHEDULING, "") \
	X(COMPUTE_CAPABILITY, COUNT, "state compute_capability in the part's document") \
	X(COMPUTE_RATE, COUNT, "state the peak rate of this format in the part's document") \
	X(GEMM_EPS_MAX, COUNT, "time this weight-only GEMM over rows and add its gemm_eps_max and gemm_m_half to a set") \
	X(RECURRENT_PREFILL_RATE, COUNT, "time this mixer's prefill over 1k to 16k tokens and add its floor and rate to a set") \
	X(ATTENTION_PREFILL, COUNT, "add the missing coefficients of this prefill family to a set: all five are used together") \
	X(MHC, COUNT, "measure both forms, pre and post, and add their floors and rates to a set") \
	X(MHC_COMPONENT, COUNT, "measure this form's floor and add it to a set beside its rate") \
	X(MOE_A2A, COUNT, "time this backend's dispatch and combine at this width and add moe_a2a_floor and moe_a2a_rate to a set") \
	X(DEEPEP_V2_MODE, CUDAGRAPH_MODE, "") \
	X(ENGRAM_CPU_OFFLOAD, ENGRAM_CPU_OFFLOAD, "") \
	X(ENGRAM_DP_SHARED, ENGRAM_DP_SHARED, "") \
	X(HOST_GATHER_RATE, COUNT, "time a gather of table rows from pinned host memory and add host_gather_rate_uva to a set") \
	X(HYBRID_KV_MANAGER, HYBRID_KV_MANAGER, "") \
	X(KV_CACHE_GROUPING, NUM_GPU_BLOCKS, "state the blocks that a start-up log of this deployment shows") \
	X(CACHE_RECORD, COUNT, "add the record of this cache under the running dtype to the model graph") \
	X(MODEL, COUNT, "import this model's own config.json") \
	X(MODALITY, COUNT, "price the encoder apart: this graph holds the text decoder alone") \
	X(NUM_SPEC_TOKENS, SPEC_TOKENS, "state as many tokens as the model's speculator drafts") \
	X(SPECULATOR, SPEC_METHOD, "state the method of the graph's speculator, or add the drafter's layers to the graph") \
	X(ALLREDUCE, COUNT, "give the engine pack of this release its list of widths of the custom all-reduce") \
	X(SEQUENCE_PARALLEL_MOE, COUNT, "give the engine pack of this release its list of dispatch backends that split the input") \
	X(UNCHECKED, COUNT, "give the engine pack of this release its list of what this setting takes") \
	X(KV_CODEC_ALIAS, CACHE_DTYPE, "") \
	X(NATIVE_ROUTE_ABI, COUNT, "check the running build's own report of its native operators") \
	X(GDN_PREFILL_TOOLKIT, HOST_NVCC, "")
/* clang-format on */

static const struct {
	enum ss_field_id field;
	const char *text;
} settles[] = {
#define X(id, field, text) [ASSUME_##id] = { SS_F_##field, text },
#define SS_F_COUNT SS_FIELD_COUNT
	SETTLES(X)
#undef SS_F_COUNT
#undef X
};

#define X(id, field, text) +1
_Static_assert(0 SETTLES(X) == ASSUME_COUNT, "every assumption says what would settle it");
#undef X

/* clang-format off */
/** What would replace a measured time: by family. */
static const char *const times_instead[SS_TIMES_COUNT] = {
	[SS_TIMES_GEMM] = "time this product over rows at n and k of the model and add its curve",
	[SS_TIMES_GEMM_LAW] = "time products of this format over n, k and rows and add their curves",
	[SS_TIMES_MOE] = "time these experts over tokens with the engine's kernel and add the curve",
	[SS_TIMES_MOE_LAW] = "time experts of this very shape over tokens and add their curve",
	[SS_TIMES_DECODE_LAW] = "time decode attention of these heads over requests and contexts",
	[SS_TIMES_PREFILL_LAW] = "time prefill attention of these heads over chunks and contexts",
	[SS_TIMES_ALL_REDUCE] = "time the all-reduce over bytes on these ranks and add its curve",
	[SS_TIMES_NCCL] = "run nccl-tests over bytes on these ranks and add the curve",
	[SS_TIMES_DEEPEP] = "time DeepEP's dispatch and combine over tokens and add the curve",
	[SS_TIMES_GLUE] = "time a norm or a quantise kernel of a few rows in a trace",
	[SS_TIMES_PREFILL_HOST] = "time steps that hold one prefill and take off what their kernels take",
	[SS_TIMES_SYNC_BASE] = "time a decode step with async scheduling on and off: this is the difference of one request",
	[SS_TIMES_SYNC_REQUEST] = "time decode steps with async scheduling on and off over requests: this is the slope",
};
/* clang-format on */

const char *ss_kernel_entry_setting(const struct ss_kernel *kernel, int entry)
{
	const struct assumption_note *note = entry_note(kernel, entry);

	if (!note || settles[note->id].field == SS_FIELD_COUNT)
		return "";
	return ss_field(settles[note->id].field)->path;
}

/** The family of an absent coefficient's entry; COEF_FAMILY_COUNT for any other. */
static enum coef_family absent_family(const struct ss_kernel *k, int entry)
{
	size_t first = k->basis->entry_count + k->notes.assumption_count;

	return entry >= 0 && (size_t)entry >= first && (size_t)entry < first + k->notes.absent_count
		       ? k->notes.absent[(size_t)entry - first].family
		       : COEF_FAMILY_COUNT;
}

size_t ss_kernel_entry_instead(const struct ss_kernel *kernel, int entry, char *out, size_t size)
{
	struct line line = { .out = out, .size = size };
	const struct assumption_note *note = entry_note(kernel, entry);
	const char *setting = ss_kernel_entry_setting(kernel, entry);
	enum coef_family family = entry_family(kernel, entry);

	if (size)
		out[0] = '\0';
	if (note) {
		const char *text = settles[note->id].text;

		if (*setting)
			line_say(&line, "state %s%s", setting, *text ? ": " : "");
		line_say(&line, "%s", text);
		return line.length;
	}
	if (kernel->entries[entry].times) {
		line_say(&line, "%s", times_instead[kernel->entries[entry].times->family]);
		return line.length;
	}
	if (family == COEF_FAMILY_COUNT)
		family = absent_family(kernel, entry);
	line_say(&line, "%s",
		 family == COEF_FAMILY_COUNT ? "nothing: no law reads this name"
					     : coef_instead(family));
	return line.length;
}
