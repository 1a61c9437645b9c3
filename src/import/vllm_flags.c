#include "import/vllm_flags.h"

#include <stdio.h>
#include <string.h>

#include "stepscope/nearest.h"

/* clang-format off */
/* Rows: arity, effect, flag. A flag that sets a field under an old name is in `aliases`. */
#define FLAG_LIST(X)                                \
	/* read by the importer itself */           \
	X(ONE,      SPECIAL, "config")              \
	X(SWITCH,   SPECIAL, "enforce-eager")       \
	X(ONE,      SPECIAL, "nnodes")              \
	X(SWITCH,   SPECIAL, "disable-hybrid-kv-cache-manager") \
	X(ONE,      SPECIAL, "optimization-level")  \
	X(ONE,      SPECIAL, "num-redundant-experts") \
	X(ONE,      SPECIAL, "eplb-window-size")    \
	X(ONE,      SPECIAL, "eplb-step-interval")  \
	X(ONE,      SPECIAL, "speculative-model")   \
	X(ONE,      SPECIAL, "num-speculative-tokens") \
	X(ONE,      SPECIAL, "speculative-method")  \
	X(ONE,      SPECIAL, "speculative-draft-tensor-parallel-size") \
	X(ONE,      SPECIAL, "speculative-model-quantization") \
	X(ONE,      SPECIAL, "speculative-max-model-len") \
	X(ONE,      SPECIAL, "speculative-disable-by-batch-size") \
	X(ONE,      SPECIAL, "ngram-prompt-lookup-max") \
	X(ONE,      SPECIAL, "ngram-prompt-lookup-min") \
	X(ONE,      JSON,    "compilation-config")  \
	X(ONE,      JSON,    "speculative-config")  \
	X(ONE,      JSON,    "kv-transfer-config")  \
	X(ONE,      JSON,    "eplb-config")         \
	X(ONE,      JSON,    "attention-config")    \
	X(ONE,      JSON,    "hf-overrides")        \
	X(ONE,      JSON,    "kernel-config")       \
	X(ONE,      JSON,    "rope-scaling")        \
	/* the server */                            \
	X(ONE,      NO_EFFECT, "host")              \
	X(ONE,      NO_EFFECT, "port")              \
	X(ONE,      NO_EFFECT, "uds")               \
	X(MANY,     NO_EFFECT, "api-key")           \
	X(MANY,     NO_EFFECT, "served-model-name") \
	X(ONE,      NO_EFFECT, "uvicorn-log-level") \
	X(SWITCH,   NO_EFFECT, "disable-uvicorn-access-log") \
	X(ONE,      NO_EFFECT, "disable-access-log-for-endpoints") \
	X(SWITCH,   NO_EFFECT, "allow-credentials") \
	X(ONE,      NO_EFFECT, "allowed-origins")   \
	X(ONE,      NO_EFFECT, "allowed-methods")   \
	X(ONE,      NO_EFFECT, "allowed-headers")   \
	X(ONE,      NO_EFFECT, "chat-template")     \
	X(ONE,      NO_EFFECT, "chat-template-content-format") \
	X(SWITCH,   NO_EFFECT, "trust-request-chat-template") \
	X(ONE,      NO_EFFECT, "default-chat-template-kwargs") \
	X(ONE,      NO_EFFECT, "response-role")     \
	X(ONE,      NO_EFFECT, "ssl-keyfile")       \
	X(ONE,      NO_EFFECT, "ssl-certfile")      \
	X(ONE,      NO_EFFECT, "ssl-ca-certs")      \
	X(ONE,      NO_EFFECT, "ssl-cert-reqs")     \
	X(ONE,      NO_EFFECT, "ssl-ciphers")       \
	X(SWITCH,   NO_EFFECT, "enable-ssl-refresh") \
	X(ONE,      NO_EFFECT, "root-path")         \
	X(ONE,      NO_EFFECT, "middleware")        \
	X(SWITCH,   NO_EFFECT, "return-tokens-as-token-ids") \
	X(SWITCH,   NO_EFFECT, "disable-frontend-multiprocessing") \
	X(SWITCH,   NO_EFFECT, "enable-request-id-headers") \
	X(SWITCH,   NO_EFFECT, "enable-auto-tool-choice") \
	X(SWITCH,   NO_EFFECT, "exclude-tools-when-tool-choice-none") \
	X(ONE,      NO_EFFECT, "tool-call-parser")  \
	X(ONE,      NO_EFFECT, "tool-parser-plugin") \
	X(ONE,      NO_EFFECT, "tool-server")       \
	X(ONE,      NO_EFFECT, "log-config-file")   \
	X(ONE,      NO_EFFECT, "max-log-len")       \
	X(SWITCH,   NO_EFFECT, "disable-fastapi-docs") \
	X(SWITCH,   NO_EFFECT, "enable-prompt-tokens-details") \
	X(SWITCH,   NO_EFFECT, "enable-server-load-tracking") \
	X(SWITCH,   NO_EFFECT, "enable-force-include-usage") \
	X(SWITCH,   NO_EFFECT, "enable-tokenizer-info-endpoint") \
	X(SWITCH,   NO_EFFECT, "enable-offline-docs") \
	X(SWITCH,   NO_EFFECT, "enable-log-outputs") \
	X(SWITCH,   NO_EFFECT, "enable-log-deltas") \
	X(SWITCH,   NO_EFFECT, "enable-log-requests") \
	X(SWITCH,   NO_EFFECT, "disable-log-requests") \
	X(SWITCH,   NO_EFFECT, "disable-log-stats") \
	X(SWITCH,   NO_EFFECT, "aggregate-engine-logging") \
	X(SWITCH,   NO_EFFECT, "log-error-stack")   \
	X(SWITCH,   NO_EFFECT, "tokens-only")       \
	X(SWITCH,   NO_EFFECT, "grpc")              \
	X(SWITCH,   NO_EFFECT, "headless")          \
	X(ONE,      NO_EFFECT, "api-server-count")  \
	X(ONE,      NO_EFFECT, "h11-max-incomplete-event-size") \
	X(ONE,      NO_EFFECT, "h11-max-header-count") \
	X(ONE,      NO_EFFECT, "reasoning-parser")  \
	X(ONE,      NO_EFFECT, "reasoning-parser-plugin") \
	X(SWITCH,   NO_EFFECT, "enable-reasoning")  \
	X(ONE,      NO_EFFECT, "structured-outputs-config") \
	X(ONE,      NO_EFFECT, "guided-decoding-backend") \
	X(SWITCH,   NO_EFFECT, "guided-decoding-disable-fallback") \
	X(SWITCH,   NO_EFFECT, "guided-decoding-disable-any-whitespace") \
	X(SWITCH,   NO_EFFECT, "guided-decoding-disable-additional-properties") \
	X(ONE,      NO_EFFECT, "stream-interval")   \
	/* the checkpoint and its tokenizer */      \
	X(ONE,      NO_EFFECT, "runner")            \
	X(ONE,      NO_EFFECT, "convert")           \
	X(ONE,      NO_EFFECT, "task")              \
	X(ONE,      NO_EFFECT, "tokenizer")         \
	X(ONE,      NO_EFFECT, "tokenizer-mode")    \
	X(ONE,      NO_EFFECT, "tokenizer-revision") \
	X(ONE,      NO_EFFECT, "tokenizer-pool-size") \
	X(ONE,      NO_EFFECT, "tokenizer-pool-type") \
	X(ONE,      NO_EFFECT, "tokenizer-pool-extra-config") \
	X(SWITCH,   NO_EFFECT, "skip-tokenizer-init") \
	X(SWITCH,   NO_EFFECT, "trust-remote-code") \
	X(ONE,      NO_EFFECT, "seed")              \
	X(ONE,      NO_EFFECT, "hf-config-path")    \
	X(OPTIONAL, NO_EFFECT, "hf-token")          \
	X(ONE,      NO_EFFECT, "revision")          \
	X(ONE,      NO_EFFECT, "code-revision")     \
	X(ONE,      NO_EFFECT, "config-format")     \
	X(ONE,      NO_EFFECT, "load-format")       \
	X(ONE,      NO_EFFECT, "download-dir")      \
	X(ONE,      NO_EFFECT, "model-loader-extra-config") \
	X(MANY,     NO_EFFECT, "ignore-patterns")   \
	X(SWITCH,   NO_EFFECT, "use-tqdm-on-load")  \
	X(ONE,      NO_EFFECT, "pt-load-map-location") \
	X(ONE,      NO_EFFECT, "safetensors-load-strategy") \
	X(ONE,      NO_EFFECT, "max-parallel-loading-workers") \
	X(ONE,      NO_EFFECT, "model-impl")        \
	X(ONE,      NO_EFFECT, "generation-config") \
	X(ONE,      NO_EFFECT, "override-generation-config") \
	X(ONE,      NO_EFFECT, "logits-processor-pattern") \
	X(MANY,     NO_EFFECT, "logits-processors") \
	X(ONE,      NO_EFFECT, "io-processor-plugin") \
	X(ONE,      NO_EFFECT, "renderer-num-workers") \
	X(ONE,      NO_EFFECT, "max-logprobs")      \
	X(ONE,      NO_EFFECT, "logprobs-mode")     \
	X(SWITCH,   NO_EFFECT, "enable-prompt-embeds") \
	X(SWITCH,   NO_EFFECT, "enable-sleep-mode") \
	X(SWITCH,   NO_EFFECT, "disable-async-output-proc") \
	X(SWITCH,   NO_EFFECT, "use-v2-block-manager") \
	X(ONE,      NO_EFFECT, "allowed-local-media-path") \
	X(MANY,     NO_EFFECT, "allowed-media-domains") \
	/* of few releases */ \
	X(ONE,      NO_EFFECT, "quantization-param-path") \
	X(SWITCH,   NO_EFFECT, "worker-use-ray") \
	X(SWITCH,   NO_EFFECT, "engine-use-ray") \
	X(ONE,      NO_EFFECT, "shutdown-timeout") \
	X(SWITCH,   NO_EFFECT, "fail-on-environ-validation") \
	X(ONE,      NO_EFFECT, "reasoning-config") \
	X(SWITCH,   NO_EFFECT, "speculative-disable-mqa-scorer") \
	X(ONE,      NO_EFFECT, "spec-decoding-acceptance-method") \
	X(ONE,      NO_EFFECT, "typical-acceptance-sampler-posterior-threshold") \
	X(ONE,      NO_EFFECT, "typical-acceptance-sampler-posterior-alpha") \
	X(SWITCH,   NO_EFFECT, "disable-logprobs-during-spec-decoding") \
	X(SWITCH,   NO_EFFECT, "enable-return-routed-experts") \
	X(SWITCH,   NO_EFFECT, "enable-flashinfer-autotune") \
	X(SWITCH,   NO_EFFECT, "disable-log-stats-per-engine") \
	X(ONE,      NO_EFFECT, "block-ips") \
	X(ONE,      NO_EFFECT, "guided-decoding-options") \
	X(ONE,      NO_EFFECT, "max-context-len-to-capture") \
	X(ONE,      NO_EFFECT, "ray-workers-use-nsys") \
	X(ONE,      NO_EFFECT, "data-parallel-supervisor-port") \
	X(SWITCH,   NO_EFFECT, "data-parallel-multi-port-external-lb") \
	X(ONE,      NO_EFFECT, "safetensors-prefetch-num-threads") \
	X(ONE,      NO_EFFECT, "safetensors-prefetch-block-size") \
	X(ONE,      NO_EFFECT, "mm-tensor-ipc") \
	X(SWITCH,   NO_EFFECT, "enable-tracing") \
	X(ONE,      NOT_PRICED, "quantization-config") \
	X(SWITCH,   NOT_PRICED, "enable-elastic-ep") \
	X(SWITCH,   NOT_PRICED, "enable-ep-weight-filter") \
	X(SWITCH,   NOT_PRICED, "enable-mamba-cache-stochastic-rounding") \
	X(ONE,      NOT_PRICED, "mamba-cache-philox-rounds") \
	X(ONE,      NOT_PRICED, "gdn-prefill-backend") \
	X(ONE,      NOT_PRICED, "prefix-match-unit") \
	X(SWITCH,   NOT_PRICED, "omni") \
	X(ONE,      NOT_PRICED, "blocks-watermark") \
	/* images, sound, video: the encoder is not priced */ \
	X(ONE,      NOT_PRICED, "limit-mm-per-prompt") \
	X(SWITCH,   NO_EFFECT,  "enable-mm-embeds") \
	X(ONE,      NO_EFFECT,  "media-io-kwargs")  \
	X(ONE,      NO_EFFECT,  "mm-processor-kwargs") \
	X(ONE,      NO_EFFECT,  "mm-processor-cache-gb") \
	X(ONE,      NO_EFFECT,  "mm-processor-cache-type") \
	X(ONE,      NO_EFFECT,  "mm-shm-cache-max-object-size-mb") \
	X(SWITCH,   NO_EFFECT,  "disable-mm-preprocessor-cache") \
	X(SWITCH,   NOT_PRICED, "mm-encoder-only")  \
	X(ONE,      NOT_PRICED, "mm-encoder-tp-mode") \
	X(ONE,      NOT_PRICED, "mm-encoder-attn-backend") \
	X(SWITCH,   NO_EFFECT,  "interleave-mm-strings") \
	X(SWITCH,   NOT_PRICED, "skip-mm-profiling") \
	X(ONE,      NOT_PRICED, "video-pruning-rate") \
	X(SWITCH,   NOT_PRICED, "enable-multimodal-encoder-data-parallel") \
	X(SWITCH,   NO_EFFECT,  "language-model-only") \
	X(SWITCH,   NO_EFFECT,  "disable-chunked-mm-input") \
	/* where the ranks are */                   \
	X(ONE,      NO_EFFECT, "distributed-executor-backend") \
	X(ONE,      NO_EFFECT, "master-addr")       \
	X(ONE,      NO_EFFECT, "master-port")       \
	X(ONE,      NO_EFFECT, "node-rank")         \
	X(ONE,      NO_EFFECT, "data-parallel-rank") \
	X(ONE,      NO_EFFECT, "data-parallel-start-rank") \
	X(ONE,      NO_EFFECT, "data-parallel-address") \
	X(ONE,      NO_EFFECT, "data-parallel-rpc-port") \
	X(ONE,      NO_EFFECT, "data-parallel-backend") \
	X(SWITCH,   NO_EFFECT, "data-parallel-hybrid-lb") \
	X(SWITCH,   NO_EFFECT, "data-parallel-external-lb") \
	X(SWITCH,   NO_EFFECT, "disable-nccl-for-dp-synchronization") \
	X(ONE,      NO_EFFECT, "distributed-timeout-seconds") \
	X(SWITCH,   NO_EFFECT, "ray-workers-use-nsight") \
	X(SWITCH,   NO_EFFECT, "numa-bind")         \
	X(MANY,     NO_EFFECT, "numa-bind-nodes")   \
	X(MANY,     NO_EFFECT, "numa-bind-cpus")    \
	X(ONE,      NO_EFFECT, "worker-cls")        \
	X(ONE,      NO_EFFECT, "worker-extension-cls") \
	X(ONE,      NO_EFFECT, "device")            \
	/* measuring and logging */                 \
	X(ONE,      NO_EFFECT, "show-hidden-metrics-for-version") \
	X(ONE,      NO_EFFECT, "otlp-traces-endpoint") \
	X(MANY,     NO_EFFECT, "collect-detailed-traces") \
	X(SWITCH,   NO_EFFECT, "kv-cache-metrics")  \
	X(ONE,      NO_EFFECT, "kv-cache-metrics-sample") \
	X(SWITCH,   NO_EFFECT, "cudagraph-metrics") \
	X(SWITCH,   NO_EFFECT, "enable-layerwise-nvtx-tracing") \
	X(SWITCH,   NO_EFFECT, "enable-mfu-metrics") \
	X(SWITCH,   NO_EFFECT, "enable-logging-iteration-details") \
	X(ONE,      NO_EFFECT, "profiler-config")   \
	X(ONE,      NO_EFFECT, "kv-events-config")  \
	X(ONE,      NO_EFFECT, "prefix-caching-hash-algo") \
	X(SWITCH,   NO_EFFECT, "eplb-log-balancedness") \
	X(ONE,      NO_EFFECT, "weight-transfer-config") \
	X(ONE,      NO_EFFECT, "ec-transfer-config") \
	/* the run changes, no law here reads it */ \
	X(ONE,      NOT_PRICED, "dtype")            \
	X(ONE,      NOT_PRICED, "rope-theta")       \
	X(SWITCH,   NOT_PRICED, "disable-sliding-window") \
	X(ONE,      NOT_PRICED, "override-neuron-config") \
	X(ONE,      NOT_PRICED, "override-pooler-config") \
	X(ONE,      NOT_PRICED, "pooler-config")    \
	X(ONE,      NOT_PRICED, "override-attention-dtype") \
	X(ONE,      NOT_PRICED, "qlora-adapter-name-or-path") \
	X(ONE,      NOT_PRICED, "expert-placement-strategy") \
	X(ONE,      NOT_PRICED, "ubatch-size")      \
	X(ONE,      NOT_PRICED, "swap-space")       \
	X(ONE,      NOT_PRICED, "cpu-offload-gb")   \
	X(MANY,     NOT_PRICED, "cpu-offload-params") \
	X(ONE,      NOT_PRICED, "offload-backend")  \
	X(ONE,      NOT_PRICED, "offload-group-size") \
	X(ONE,      NOT_PRICED, "offload-num-in-group") \
	X(ONE,      NOT_PRICED, "offload-prefetch-step") \
	X(MANY,     NOT_PRICED, "offload-params")   \
	X(SWITCH,   NOT_PRICED, "calculate-kv-scales") \
	X(MANY,     NOT_PRICED, "kv-cache-dtype-skip-layers") \
	X(SWITCH,   NOT_PRICED, "kv-sharing-fast-prefill") \
	X(ONE,      NOT_PRICED, "kv-offloading-size") \
	X(ONE,      NOT_PRICED, "kv-offloading-backend") \
	X(ONE,      NOT_PRICED, "mamba-block-size") \
	X(ONE,      NOT_PRICED, "mamba-backend")    \
	X(ONE,      NOT_PRICED, "max-num-partial-prefills") \
	X(ONE,      NOT_PRICED, "max-long-partial-prefills") \
	X(ONE,      NOT_PRICED, "num-lookahead-slots") \
	X(ONE,      NOT_PRICED, "num-scheduler-steps") \
	X(SWITCH,   NOT_PRICED, "multi-step-stream-outputs") \
	X(ONE,      NOT_PRICED, "scheduler-delay-factor") \
	X(ONE,      NOT_PRICED, "scheduler-cls")    \
	X(ONE,      NOT_PRICED, "preemption-mode")  \
	X(ONE,      NOT_PRICED, "performance-mode") \
	X(ONE,      NOT_PRICED, "additional-config") \
	X(SWITCH,   NOT_PRICED, "enable-lora")      \
	X(SWITCH,   NOT_PRICED, "enable-lora-bias") \
	X(MANY,     NOT_PRICED, "lora-modules")     \
	X(ONE,      NOT_PRICED, "max-loras")        \
	X(ONE,      NOT_PRICED, "max-lora-rank")    \
	X(ONE,      NOT_PRICED, "max-cpu-loras")    \
	X(ONE,      NOT_PRICED, "lora-extra-vocab-size") \
	X(ONE,      NOT_PRICED, "lora-dtype")       \
	X(MANY,     NOT_PRICED, "lora-target-modules") \
	X(ONE,      NOT_PRICED, "long-lora-scaling-factors") \
	X(SWITCH,   NOT_PRICED, "fully-sharded-loras") \
	X(SWITCH,   NOT_PRICED, "enable-tower-connector-lora") \
	X(SWITCH,   NOT_PRICED, "specialize-active-lora") \
	X(ONE,      NOT_PRICED, "default-mm-loras") \
	X(SWITCH,   NOT_PRICED, "enable-prompt-adapter") \
	X(ONE,      NOT_PRICED, "max-prompt-adapters") \
	X(ONE,      NOT_PRICED, "max-prompt-adapter-token") \
	X(MANY,     NOT_PRICED, "prompt-adapters")

/* Older names of what the field table has under its present one. */
static const struct {
	const char *name;
	enum ss_field_id field;
} aliases[] = {
	{ "cuda-graph-sizes",             SS_F_CAPTURE_SIZES },
	{ "max-seq-len-to-capture",       SS_F_MAX_CAPTURE },
	{ "dcp-kv-cache-interleave-size", SS_F_CP_INTERLEAVE },
};

/*
 * Words that the parser takes, of every release from 0.8 on: what stands in none of them
 * ends the start.
 */
static const struct {
	const char *flag, *words;
} choices[] = {
	{ "kv-cache-dtype", "auto bfloat16 float16 int8 fp8 fp8_e4m3 fp8_e5m2 fp8_inc fp8_ds_mla "
	  "fp8_per_token_head int4_per_token_head int8_per_token_head nvfp4 nvfp4_4over6 "
	  "nvfp4_ds_mla turboquant_3bit_nc turboquant_4bit_nc turboquant_k3v4_nc turboquant_k8v4" },
	{ "quantization", "aqlm auto-round auto_awq auto_gptq awq awq_marlin bitblas bitsandbytes "
	  "compressed-tensors cpu_awq deepseek_v4_fp8 deepspeedfp experts_int8 fbgemm_fp8 fp8 "
	  "fp8_per_block fp8_per_channel fp8_per_tensor fp_quant gguf gpt_oss_mxfp4 gptq "
	  "gptq_bitblas gptq_marlin gptq_marlin_24 hqq humming inc int8_per_channel_weight_only "
	  "ipex marlin modelopt modelopt_fp4 modelopt_mixed modelopt_mxfp8 moe_wna16 mxfp4 mxfp8 "
	  "neuron_quant nvfp4 nvfp4_per_token online petit_nvfp4 ptpc_fp8 qqq quark rtn "
	  "squeezellm torchao tpu_int8" },
	{ "dtype",                        "auto half float16 bfloat16 float float32" },
	{ "scheduling-policy",            "fcfs priority" },
	{ "mamba-cache-mode",             "none all align" },
	{ "dcp-comm-backend",             "ag_rs a2a" },
	{ "tokenizer-pool-type",          "ray" },
	{ "chat-template-content-format", "auto string openai" },
	{ "runner",                       "auto generate pooling draft" },
	{ "device",                       "auto cuda neuron cpu openvino tpu xpu hpu rocm" },
};

static const struct {
	const char *name, *flag;
} short_options[] = {
	{ "tp",  "tensor-parallel-size" },
	{ "pp",  "pipeline-parallel-size" },
	{ "dp",  "data-parallel-size" },
	{ "dcp", "decode-context-parallel-size" },
	{ "pcp", "prefill-context-parallel-size" },
	{ "ep",  "enable-expert-parallel" },
	{ "dpl", "data-parallel-size-local" },
	{ "dpn", "data-parallel-rank" },
	{ "dpr", "data-parallel-start-rank" },
	{ "dpa", "data-parallel-address" },
	{ "dpp", "data-parallel-rpc-port" },
	{ "dpb", "data-parallel-backend" },
	{ "dph", "data-parallel-hybrid-lb" },
	{ "dpe", "data-parallel-external-lb" },
	{ "asc", "api-server-count" },
	{ "ac",  "attention-config" },
	{ "cc",  "compilation-config" },
	{ "sc",  "speculative-config" },
	{ "q",   "quantization" },
	{ "n",   "nnodes" },
	{ "r",   "node-rank" },
};
/* clang-format on */

static const struct vllm_flag flags[] = {
#define ROW(arity, effect, name) { name, VLLM_##arity, VLLM_##effect, SS_FIELD_COUNT },
	FLAG_LIST(ROW)
#undef ROW
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char plain(char c)
{
	return c == '_' ? '-' : c;
}

static bool is_same_name(const char *a, const char *b)
{
	while (*a && plain(*a) == plain(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

static enum vllm_arity field_arity(const struct ss_field *field)
{
	if (field->type == SS_TYPE_BOOL)
		return VLLM_SWITCH;
	return field->type == SS_TYPE_INT_LIST ? VLLM_MANY : VLLM_ONE;
}

/** Every flag there is: those of the fields, their older names, the rest. */
static bool any_flag_at(struct vllm_flag *out, size_t index)
{
	if (index < SS_FIELD_COUNT) {
		const struct ss_field *field = ss_field((enum ss_field_id)index);

		*out = (struct vllm_flag){ field->flag, field_arity(field), VLLM_FIELD, field->id };
		return true;
	}
	index -= SS_FIELD_COUNT;
	if (index < COUNT(aliases)) {
		const struct ss_field *field = ss_field(aliases[index].field);

		*out = (struct vllm_flag){ aliases[index].name, field_arity(field), VLLM_FIELD,
					   field->id };
		return true;
	}
	return vllm_flag_at(out, index - COUNT(aliases));
}

bool vllm_flag_at(struct vllm_flag *out, size_t index)
{
	if (index >= COUNT(flags))
		return false;
	*out = flags[index];
	return true;
}

const char *vllm_flag_choices(const char *name)
{
	for (size_t i = 0; i < COUNT(choices); i++) {
		if (is_same_name(choices[i].flag, name))
			return choices[i].words;
	}
	return NULL;
}

const char *vllm_short_option(const char *name)
{
	for (size_t i = 0; i < COUNT(short_options); i++) {
		if (!strcmp(short_options[i].name, name))
			return short_options[i].flag;
	}
	return NULL;
}

/** The flag whose beginning is nearest to a word that stops early; "" when none is near. */
static const char *begun_name(const char *name)
{
	size_t len = strlen(name), best = len / 5 + 1;
	const char *best_name = "";
	struct vllm_flag flag;

	for (size_t i = 0; any_flag_at(&flag, i); i++) {
		for (size_t more = 0; flag.name && more < 2; more++) {
			char begun[64];
			size_t distance;

			(void)snprintf(begun, sizeof(begun), "%.*s", (int)(len + more), flag.name);
			distance = ss_edit_distance(name, begun);
			if (distance < best) {
				best = distance;
				best_name = flag.name;
			}
		}
	}
	return best_name;
}

/** The flag of that very name, `no-` before a switch turned into `*is_negated`. */
static bool find_exact(struct vllm_flag *out, bool *is_negated, const char *name)
{
	struct vllm_flag flag;

	*is_negated = false;
	for (size_t i = 0; any_flag_at(&flag, i); i++) {
		if (flag.name && is_same_name(flag.name, name)) {
			*out = flag;
			return true;
		}
	}
	if (strncmp(name, "no", 2) != 0 || plain(name[2]) != '-')
		return false;
	for (size_t i = 0; any_flag_at(&flag, i); i++) {
		if (flag.name && flag.arity == VLLM_SWITCH && is_same_name(flag.name, name + 3)) {
			*out = flag;
			*is_negated = true;
			return true;
		}
	}
	return false;
}

bool vllm_flag_find(struct vllm_flag *out, bool *is_negated, const char *name, char *nearest,
		    size_t size)
{
	struct vllm_flag flag;
	size_t best = strlen(name) / 3 + 2;
	const char *best_name = "";

	if (find_exact(out, is_negated, name))
		return true;
	if (!nearest)
		return false;
	for (size_t i = 0; any_flag_at(&flag, i); i++) {
		size_t distance = flag.name ? ss_edit_distance(name, flag.name) : best;

		if (distance < best) {
			best = distance;
			best_name = flag.name;
		}
	}
	if (!*best_name)
		best_name = begun_name(name);
	snprintf(nearest, size, "%s", best_name);
	return false;
}

static bool begins(const char *whole, const char *begun)
{
	while (*begun && plain(*whole) == plain(*begun)) {
		whole++;
		begun++;
	}
	return !*begun;
}

/** Flags that begin so: how many, how many of them set something, and the last of each. */
struct begun {
	size_t count, setting_count;
	struct vllm_flag any, setting;
};

static struct begun count_begun(const char *name, char *list, size_t size)
{
	struct begun begun = { 0 };
	struct vllm_flag flag;
	size_t used = 0;

	for (size_t i = 0; any_flag_at(&flag, i); i++) {
		if (!flag.name || !begins(flag.name, name))
			continue;
		begun.any = flag;
		begun.count++;
		if (flag.effect != VLLM_NO_EFFECT && flag.effect != VLLM_NOT_PRICED) {
			begun.setting = flag;
			begun.setting_count++;
		}
		if (used < size) {
			int n = snprintf(list + used, size - used, "%s--%s", used ? ", " : "",
					 flag.name);

			used += n > 0 ? (size_t)n : 0;
		}
	}
	return begun;
}

bool vllm_flag_match(struct vllm_flag *out, bool *is_negated, const char *name, char *nearest,
		     size_t size)
{
	bool is_no = !strncmp(name, "no", 2) && plain(name[2]) == '-';
	struct begun begun;

	if (find_exact(out, is_negated, name))
		return true;
	begun = count_begun(name, nearest, size);
	if (!begun.count && is_no) {
		begun = count_begun(name + 3, nearest, size);
		*is_negated = true;
	}
	if (begun.setting_count == 1 || begun.count == 1) {
		*out = begun.setting_count == 1 ? begun.setting : begun.any;
		return !*is_negated || out->arity == VLLM_SWITCH;
	}
	if (begun.count > 1)
		return false;
	*is_negated = false;
	return vllm_flag_find(out, is_negated, name, nearest, size);
}
