/*
 * Every refusal of a deployment: its code, where it points, what it says, and that
 * each fix offered resolves and prices, the nearest one first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

#define NODE FIXTURE_NODE
#define PAIR (&(struct fixture_cluster){ .nodes = 2, .gpus_per_node = 8, .inter_node_gb_s = 50 })

#define WIDE (&(struct fixture_cluster){ .nodes = 4, .gpus_per_node = 8, .inter_node_gb_s = 50 })

#define PARALLEL "/deployment/pools/0/parallel/"
#define ENGINE "/deployment/pools/0/engine/"

static const char without_derate[] =
	"coefficients=cost-model-collectives,cost-model-memory,cost-model-attention";
static const char without_memory[] =
	"coefficients=cost-model-primitives,cost-model-collectives,cost-model-attention";

/** A deployment that is refused. */
struct row {
	const char *code, *pointer;
	const char *says; /**< part of the message */
	const char *model, *part;
	const struct fixture_cluster *cluster;
	const char *settings;
	const char *
		fixes; /**< `path=value` of the first ones in order, apart by a space; NULL: none */
};

/*
 * Codes and conditions are those of the published rules of the engine (query heads,
 * blocks, backends) and of the documents' reference; expected fixes follow from the
 * arithmetic of each rule.
 */
/* clang-format off */
static const struct row rows[] = {
	{ "E1", PARALLEL "tp", "32 query heads", "llama-3.1-8b-instruct", "h100", NODE, "tp=3",
	  "parallel.tp=2 parallel.tp=4" },
	{ "E1", PARALLEL "tp", "8 KV heads", "qwen3-14b", "h100", NODE, "tp=5",
	  "parallel.tp=4 parallel.tp=2" },
	{ "E1", PARALLEL "tp", "vocabulary", "small-heads", "h100", NODE, "tp=3", "parallel.tp=2" },
	{ "E2", PARALLEL "pcp", "full-attention", "llama-3.1-8b-instruct", "h100", NODE, "pcp=2",
	  "parallel.pcp=1" },
	{ "E2", PARALLEL "pcp", "recurrent", "kimi-k3", "b200", NODE, "pcp=2 tp=4 quantization=mxfp4",
	  "parallel.pcp=1" },
	{ "E3", PARALLEL "dcp", "only DSA", "deepseek-v3", "h200", NODE, "tp=4 pcp=2 dcp=2",
	  "parallel.dcp=1 parallel.pcp=1" },
	{ "E4", ENGINE "dcp_comm_backend", "does not work with pcp", "glm-5", "b200", NODE,
	  "tp=2 pcp=4 dcp=4 cache_dtype=fp8 dcp_comm_backend=a2a", "engine.dcp_comm_backend=" },
	{ "E4", ENGINE "dcp_comm_backend", "must be ag_rs or a2a", "deepseek-v3", "h200", NODE,
	  "tp=8 dcp_comm_backend=ring", "engine.dcp_comm_backend=" },
	{ "E5", ENGINE "cp_kv_cache_interleave_size", "must divide the block", "deepseek-v3", "h200",
	  NODE, "tp=8 dcp=2 block_size=64 cp_kv_cache_interleave_size=24",
	  "engine.cp_kv_cache_interleave_size=16 engine.cp_kv_cache_interleave_size=32" },
	{ "E5", ENGINE "cp_kv_cache_interleave_size", "must divide the block", "deepseek-v3", "h200",
	  NODE, "tp=8 dcp=2 block_size=64 cp_kv_cache_interleave_size=5000",
	  "engine.cp_kv_cache_interleave_size=64" },
	{ "E5", ENGINE "cp_kv_cache_interleave_size", "MultiConnector", "deepseek-v3", "h200", NODE,
	  "tp=8 dcp=2 block_size=64 kv_connector=MultiConnector",
	  "engine.cp_kv_cache_interleave_size=1" },
	{ "E6", PARALLEL "dcp", "tp above the KV heads", "llama-3.1-8b-instruct", "h100", NODE,
	  "tp=8 dcp=2", "parallel.dcp=1" },
	{ "E6", PARALLEL "dcp", "at most tp / KV heads", "qwen3.5-397b-a17b", "b200", NODE,
	  "tp=8 dcp=8", "parallel.dcp=4" },
	{ "E6", PARALLEL "dcp", "sliding-window", "gpt-oss-120b", "h100", NODE,
	  "tp=8 dcp=2 kv_connector=MooncakeConnector", "parallel.dcp=1" },
	{ "E7", ENGINE "block_size", "multiples of 64", "glm-5", "h200", NODE, "tp=8 block_size=48",
	  "engine.block_size=64 engine.block_size=128" },
	{ "E7", "/cluster/hardware", "Hopper or newer", "glm-5", "a100-80", NODE, "tp=8", NULL },
	{ "E7", ENGINE "cache_dtype", "no sparse latent backend", "glm-5", "h200", NODE,
	  "tp=8 cache_dtype=nvfp4_ds_mla", "engine.cache_dtype=fp8_ds_mla" },
	{ "E7", ENGINE "cache_dtype", "fewer than 32 query heads", "glm-5", "h200", NODE,
	  "tp=2 dcp=2 cache_dtype=fp8 max_num_seqs=64", "parallel.tp=4" },
	{ "E8", ENGINE "cache_dtype", "takes auto", "deepseek-v3", "h200", NODE, "tp=8 cache_dtype=fp7",
	  "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "cache_dtype", "not for NVIDIA", "deepseek-v3", "h200", NODE,
	  "tp=8 cache_dtype=fp8_inc", "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "cache_dtype", "no sparse latent attention", "deepseek-v3", "h200", NODE,
	  "tp=8 cache_dtype=fp8_ds_mla", "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "cache_dtype", "latent attention does not take it", "deepseek-v3", "b200", NODE,
	  "tp=8 cache_dtype=nvfp4", "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "mamba_cache_dtype", "auto, float32", "nemotron-3.5-lightning-30b-a3b-bf16",
	  "h100", NODE, "mamba_cache_dtype=fp8", "engine.mamba_cache_dtype=" },
	{ "E9", PARALLEL "enable_expert_parallel", "above the 8 experts", "mixtral-8x7b-v0.1", "h100",
	  PAIR, "tp=8 dp=2 enable_expert_parallel=true", "parallel.enable_expert_parallel=false" },
	{ "E9", ENGINE "eplb/num_redundant_experts", "do not divide", "deepseek-v3", "h200", NODE,
	  "tp=8 enable_expert_parallel=true enable_eplb=true num_redundant_experts=5",
	  "engine.eplb.num_redundant_experts=8" },
	{ "E10", ENGINE "max_num_batched_tokens", "below max_num_seqs", "llama-3.1-8b-instruct", "h100",
	  NODE, "max_num_batched_tokens=512 max_num_seqs=1024",
	  "engine.max_num_batched_tokens=1024 engine.max_num_batched_tokens= "
	  "engine.max_num_seqs=512" },
	{ "E10", ENGINE "max_num_batched_tokens", "enable_chunked_prefill is off",
	  "llama-3.1-8b-instruct", "h100", NODE,
	  "max_model_len=32768 max_num_batched_tokens=8192 enable_chunked_prefill=false",
	  "engine.max_num_batched_tokens=32768" },
	{ "E11", PARALLEL "tp", "scale blocks", "minimax-m2.5", "h200", NODE, "tp=8",
	  "parallel.tp=4 parallel.tp=2 parallel.enable_expert_parallel=true" },
	{ "E12", ENGINE "block_size", "multiples of 16", "llama-3.1-8b-instruct", "h100", NODE,
	  "block_size=24", "engine.block_size=16 engine.block_size=32" },
	{ "E13", ENGINE "all2all_backend", "takes naive", "qwen3-30b-a3b", "h100", NODE,
	  "tp=2 all2all_backend=deepep_v3", "engine.all2all_backend=deepep_v2" },
	{ "E13", ENGINE "speculative/method", "takes ngram", "deepseek-v3", "h200", NODE,
	  "tp=8 speculative.method=eagle4 num_spec_tokens=1",
	  "engine.speculative.method=eagle engine.speculative.method=eagle3" },
	{ "E13", ENGINE "scheduling_policy", "takes fcfs", "llama-3.1-8b-instruct", "h100", NODE,
	  "scheduling_policy=lifo", "engine.scheduling_policy=" },
	{ "E13", ENGINE "mamba_cache_mode", "takes none", "nemotron-3.5-lightning-30b-a3b-bf16",
	  "h100", NODE, "mamba_cache_mode=alin", "engine.mamba_cache_mode=align" },
	{ "E13", "/deployment/offload/spec", "takes CPUOffloadingSpec", "llama-3.1-8b-instruct", "h100",
	  NODE, "offload.tiers=cpu_dram:1000 offload.spec=DiskSpec", "deployment.offload.spec=" },
	{ "E15", ENGINE "max_cudagraph_capture_size", "must agree", "llama-3.1-8b-instruct", "h100",
	  NODE, "cudagraph_capture_sizes=8,16 max_cudagraph_capture_size=32",
	  "engine.max_cudagraph_capture_size=16 engine.cudagraph_capture_sizes=" },
	{ "E15", ENGINE "max_cudagraph_capture_size", "6 drafts", "deepseek-v3", "h200", NODE,
	  "tp=8 max_cudagraph_capture_size=5 speculative.method=deepseek_mtp num_spec_tokens=6",
	  "engine.max_cudagraph_capture_size=8" },
	/* rules of the releases, as their packs state them */
	{ "E11", PARALLEL "tp", "holds 576 rows", "deepseek-v3", "gb200-nvl72", WIDE,
	  "tp=32 enable_expert_parallel=true", "parallel.tp=16 parallel.tp=8" },
	{ "E11", PARALLEL "tp", "shared experts' width 3072 over 16 ranks leaves 192",
	  "deepseek-v4-pro", "b200", PAIR, "tp=16 enable_expert_parallel=true",
	  "parallel.tp=8 parallel.tp=4" },
	{ "E11", PARALLEL "tp", "expert width 768 over 4 ranks leaves 192", "qwen3-30b-a3b", "h100",
	  NODE, "tp=4 quantization=fp8", "parallel.tp=2 parallel.tp=1" },
	{ "E11", PARALLEL "tp", "groups of 128", "small-awq", "h100", NODE, "tp=2", "parallel.tp=1" },
	{ "E1", PARALLEL "tp", "8 groups of Mamba-2 state", "nemotron-3-ultra-550b-a55b-nvfp4", "b200",
	  PAIR, "tp=16", "parallel.tp=8 parallel.tp=4" },
	{ "E10", ENGINE "max_num_batched_tokens", "below the attention block", "qwen3.6-27b", "h100",
	  NODE, "tp=1 max_num_batched_tokens=512 mamba_cache_mode=align",
	  "engine.max_num_batched_tokens=784 engine.max_num_batched_tokens=262144" },
	{ "E10", ENGINE "max_num_batched_tokens", "2048 is below max_num_seqs 4096",
	  "llama-3.1-8b-instruct", "l40s", NODE, "max_num_seqs=4096",
	  "engine.max_num_batched_tokens=4096 engine.max_num_seqs=2048" },
	{ "E10", ENGINE "max_model_len", "beyond the window of 131072", "llama-3.1-8b-instruct", "h100",
	  NODE, "max_model_len=200000", "engine.max_model_len=131072 engine.max_model_len=" },
	{ "E10", ENGINE "max_model_len", "max_model_len 0", "llama-3.1-8b-instruct", "h100", NODE,
	  "max_model_len=0", "engine.max_model_len= engine.max_model_len=131072" },
	{ "E10", ENGINE "max_num_seqs", "at least one request", "llama-3.1-8b-instruct", "h100", NODE,
	  "max_num_seqs=0", "engine.max_num_seqs= engine.max_num_seqs=1" },
	{ "E10", ENGINE "max_num_batched_tokens", "a step must hold", "llama-3.1-8b-instruct", "h100",
	  NODE, "max_num_batched_tokens=0",
	  "engine.max_num_batched_tokens= engine.max_num_batched_tokens=131072" },
	{ "E10", ENGINE "gpu_memory_utilization", "no memory at all", "llama-3.1-8b-instruct", "h100",
	  NODE, "gpu_memory_utilization=0", "engine.gpu_memory_utilization=" },
	{ "E12", ENGINE "block_size", "block_size 0", "llama-3.1-8b-instruct", "h100", NODE,
	  "block_size=0", "engine.block_size= engine.block_size=16" },
	{ "E16", ENGINE "quantization", "serves nvfp4 weights", "deepseek-v3", "b200", NODE,
	  "tp=8 quantization=nvfp4", "engine.quantization= engine.quantization=fp8" },
	{ "E16", ENGINE "quantization", "serves fp8 weights", "gpt-oss-120b", "h100", NODE,
	  "quantization=fp8", "engine.quantization= engine.quantization=mxfp4" },
	{ "E16", ENGINE "quantization", "reads a checkpoint of that format", "deepseek-v3", "h200",
	  NODE, "tp=8 quantization=gptq", "engine.quantization= engine.quantization=fp8" },
	{ "E13", ENGINE "attention_backend", "takes FLASH_ATTN", "llama-3.1-8b-instruct", "h100", NODE,
	  "attention_backend=FLASH_ATN",
	  "engine.attention_backend=FLASH_ATTN engine.attention_backend=" },
	{ "E16", ENGINE "attention_backend", "not for decoders on NVIDIA", "llama-3.1-8b-instruct",
	  "h100", NODE, "attention_backend=ROCM_ATTN",
	  "engine.attention_backend= engine.attention_backend=FLASH_ATTN" },
	{ "E16", ENGINE "attention_backend", "serves latent attention", "llama-3.1-8b-instruct", "h100",
	  NODE, "attention_backend=FLASHMLA",
	  "engine.attention_backend= engine.attention_backend=FLASH_ATTN" },
	{ "E16", ENGINE "attention_backend", "serves sparse latent", "deepseek-v3", "h200", NODE,
	  "tp=8 attention_backend=FLASHMLA_SPARSE",
	  "engine.attention_backend= engine.attention_backend=FLASHMLA" },
	{ "E16", ENGINE "attention_backend", "does not serve latent", "deepseek-v3", "h200", NODE,
	  "tp=8 attention_backend=flash_attn",
	  "engine.attention_backend= engine.attention_backend=FLASHMLA" },
	{ "E16", ENGINE "attention_backend", "data-centre Blackwell", "deepseek-v3", "h200", NODE,
	  "tp=8 attention_backend=CUTLASS_MLA",
	  "engine.attention_backend= engine.attention_backend=FLASHMLA" },
	{ "E16", ENGINE "attention_backend", "Hopper alone", "deepseek-v3", "b200", NODE,
	  "tp=8 attention_backend=FLASH_ATTN_MLA",
	  "engine.attention_backend= engine.attention_backend=FLASHINFER_MLA" },
	{ "E16", ENGINE "attention_backend", "16-bit cache alone", "deepseek-v3", "h200", NODE,
	  "tp=8 attention_backend=FLASH_ATTN_MLA cache_dtype=fp8",
	  "engine.cache_dtype= engine.attention_backend=" },
	{ "E16", ENGINE "attention_backend", "on Hopper alone", "llama-3.1-8b-instruct", "a100-80", NODE,
	  "attention_backend=FLASH_ATTN cache_dtype=fp8",
	  "engine.cache_dtype= engine.attention_backend=" },
	{ "E16", ENGINE "attention_backend", "blocks of 64", "deepseek-v3", "h200", NODE,
	  "tp=8 attention_backend=FLASHMLA block_size=16",
	  "engine.block_size=64 engine.attention_backend=" },
	{ "E16", ENGINE "attention_backend", "no decode-context", "qwen3.5-397b-a17b", "b200", NODE,
	  "tp=8 dcp=2 attention_backend=TRITON_ATTN", "parallel.dcp=1 engine.attention_backend=" },
	{ "E8", ENGINE "cache_dtype", "fp8 or fp8_ds_mla only", "glm-5", "h200", NODE,
	  "tp=8 attention_backend=FLASHMLA_SPARSE cache_dtype=fp8_e4m3",
	  "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "cache_dtype", "fp8 or fp8_ds_mla only", "deepseek-v4-pro", "b200", NODE,
	  "tp=8 cache_dtype=fp8_e4m3", "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "E8", ENGINE "cache_dtype", "reads a narrow cache", "llama-3.1-8b-instruct",
	  "v100-sxm2-32", NODE,
	  "cache_dtype=fp8 coefficients=cost-model-sm70,cost-model-memory,cost-model-host-overheads",
	  "engine.cache_dtype= engine.cache_dtype=float16" },
	{ "E2", PARALLEL "pcp", "does not run prefill-context", "glm-5", "h200", PAIR,
	  "engine_version=0.29.0 tp=4 pcp=2 dp=2", "parallel.pcp=1 parallel.dp=1" },
	{ "P1", PARALLEL "pp", "pipeline", "llama-3.1-8b-instruct", "h100", NODE, "pp=4",
	  "parallel.pp=1" },
	{ "P2", ENGINE "dcp_q_replicate", "not priced", "deepseek-v3", "h200", NODE,
	  "tp=8 dcp=2 dcp_q_replicate=true", "engine.dcp_q_replicate=false" },
	{ "P3", ENGINE "cache_dtype", "no page size", "llama-3.1-8b-instruct", "h100", NODE,
	  "cache_dtype=turboquant_k8v4", "engine.cache_dtype=fp8 engine.cache_dtype=" },
	{ "P4", ENGINE "quantization", "these are", "llama-3.1-8b-instruct", "h100", NODE,
	  "quantization=torchao", "engine.quantization=" },
	{ "P4", ENGINE "cudagraph_mode", "must be NONE", "llama-3.1-8b-instruct", "h100", NODE,
	  "cudagraph_mode=FULL_AND_PIECE", "engine.cudagraph_mode=" },
	{ "P5", "/model", "op \"Convolution\"", "small-unknown-op", "h100", NODE, "", NULL },
	{ "P5", "/model", "attention kind \"linear\"", "small-unknown-kind", "h100", NODE, "", NULL },
	{ "P5", "/model", "recurrent kind \"rwkv\"", "small-unknown-mixer", "h100", NODE, "", NULL },
	{ "P5", "/model", "condition \"sequence_parallel\"", "small-unknown-condition", "h100", NODE,
	  "", NULL },
	{ "C1", "/coefficients", "hbm_derate", "llama-3.1-8b-instruct", "h100", NODE, without_derate,
	  NULL },
	{ "C2", "/coefficients", "alltoall over 6 ranks of h200", "deepseek-v3", "h200", NODE,
	  "dp=6 enable_expert_parallel=true quantization=fp8", "parallel.dp=4 parallel.dp=8" },
	{ "C3", ENGINE "cudagraph_mode", "cudagraph_capture_bytes", "llama-3.1-8b-instruct", "h100", NODE,
	  without_memory, NULL },
	{ "D1", PARALLEL "dcp", "must divide tp", "deepseek-v3", "h200", NODE, "tp=8 dcp=3",
	  "parallel.dcp=2 parallel.dcp=4" },
	{ "D2", PARALLEL "dcp", "must be 1", "glm-5", "b200", NODE, "tp=2 pcp=4 dcp=2 cache_dtype=fp8",
	  "parallel.dcp=1 parallel.dcp=4 parallel.dcp=8" },
	{ "D5", PARALLEL "dp_local", "must not exceed dp", "llama-3.1-8b-instruct", "h100", NODE,
	  "dp=2 dp_local=4", "parallel.dp_local=2 parallel.dp_local=" },
	{ "D6", "/deployment/pools", "need a decode pool", "llama-3.1-8b-instruct", "h100", NODE,
	  "role=prefill pd_transfer.connector=NixlConnector", "role=colocated" },
	{ "D8", ENGINE "disable_custom_all_reduce", "state one of them", "llama-3.1-8b-instruct",
	  "h100", NODE, "tp=2 disable_custom_all_reduce=true allreduce_backend=custom",
	  "engine.allreduce_backend=nccl engine.disable_custom_all_reduce=" },
	{ "X1", "/deployment/pools", "must be all 1", "llama-3.1-8b-instruct", "h100", NODE, "nodes=2",
	  "nodes=1" },
	{ "X2", PARALLEL "dp_local", "must divide gpus_per_node", "llama-3.1-8b-instruct", "h100",
	  NODE, "dp=3 dp_local=3", "parallel.dp_local=2" },
	{ "X3", PARALLEL "tp", "needs 16 GPUs", "llama-3.1-8b-instruct", "h100", NODE, "tp=8 dp=2",
	  "parallel.tp=4 parallel.dp=1" },
	{ "X3", PARALLEL "tp", "needs 997 GPUs", "llama-3.1-8b-instruct", "h100", NODE, "tp=997",
	  "parallel.tp=8 parallel.tp=4" },
	/* a node is filled first, then nodes are added, with the cluster where it must */
	{ "X3", PARALLEL "tp", "needs 8 GPUs", "llama-3.1-8b-instruct", "h100",
	  (&(struct fixture_cluster){ .nodes = 1, .gpus_per_node = 4 }), "tp=8",
	  "parallel.tp=4 cluster.gpus_per_node=8" },
	{ "X3", PARALLEL "tp", "needs 32 GPUs", "llama-3.1-405b-instruct", "h100", PAIR, "tp=32",
	  "parallel.tp=16 nodes=4+cluster.nodes" },
	{ "X4", PARALLEL "dp_local", "would start at GPU 12", "llama-3.1-8b-instruct", "h100", PAIR,
	  "tp=4 dp=4 dp_local=4", "parallel.dp_local=2" },
	{ "X5", "/deployment/offload/tiers/0/tier", "must be one of cluster.storage",
	  "llama-3.1-8b-instruct", "h100", NODE,
	  "cluster.storage=nvme_gen4 offload.tiers=cpu_dram:1000",
	  "cluster.storage=nvme_gen4,cpu_dram" },
	{ "missing", "/cluster/fabric", "needs a network", "llama-3.1-8b-instruct", "h100", NODE,
	  "cluster.nodes=2 nodes=2", "cluster.nodes=1" },
	{ "missing", ENGINE "speculative/num_spec_tokens", "needs the tokens", "deepseek-v3", "h200",
	  NODE, "tp=8 speculative.method=deepseek_mtp",
	  "engine.speculative.num_spec_tokens=1 engine.speculative.method=" },
};
/* clang-format on */

static const struct ss_problem *find(const struct kernel_fixture *f, const struct row *r)
{
	for (size_t i = 0; i < f->problems.count; i++) {
		const struct ss_problem *p = &f->problems.items[i];

		if (p->severity == SS_REFUSAL && !strcmp(p->code, r->code) &&
		    !strcmp(p->pointer, r->pointer) && strstr(p->message, r->says))
			return p;
	}
	return NULL;
}

/** Taking a fix always yields a price. */
static bool prices(const struct kernel_fixture *f, const struct ss_fix *fix)
{
	struct ss_scenario *fixed = NULL;
	struct ss_kernel *kernel = NULL;
	struct ss_error err = { 0 };
	bool is_priced;

	assert_int_equal(ss_scenario_clone(&fixed, f->scenario), SS_OK);
	assert_int_equal(ss_scenario_take_fix(fixed, 0, fix, &err), SS_OK);
	is_priced = ss_kernel_new(&kernel, f->basis, fixed, 0, f->corrections, NULL) == SS_OK &&
		    ss_kernel_has_price(kernel);
	ss_kernel_free(kernel);
	ss_scenario_free(fixed);
	return is_priced;
}

static void text_of(const struct ss_problem *p, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < p->fix_count && used < size; i++) {
		int n = snprintf(out + used, size - used, "%s%s=%s%s%s", i ? " " : "",
				 p->fixes[i].path, p->fixes[i].value, p->fixes[i].also ? "+" : "",
				 p->fixes[i].also ? p->fixes[i].also->path : "");

		used += n > 0 ? (size_t)n : 0;
	}
}

static bool check(const struct row *r)
{
	struct kernel_fixture f;
	const struct ss_problem *p;
	bool is_good = true;
	char fixes[1024] = "";

	fixture_make(&f, r->model, r->part, r->cluster, r->settings);
	p = find(&f, r);
	if (p) {
		text_of(p, fixes, sizeof(fixes));
		is_good =
			r->fixes ? strncmp(fixes, r->fixes, strlen(r->fixes)) == 0 : !p->fix_count;
		for (size_t i = 0; i < p->fix_count; i++)
			if (!prices(&f, &p->fixes[i])) {
				print_error("%s=%s does not price\n", p->fixes[i].path,
					    p->fixes[i].value);
				is_good = false;
			}
	} else {
		is_good = false;
		for (size_t i = 0; i < f.problems.count; i++)
			print_error("found %s %s: %s\n", f.problems.items[i].code,
				    f.problems.items[i].pointer, f.problems.items[i].message);
	}
	if (!is_good)
		print_error("%s %s %s: expected fixes %s, got %s\n", r->code, r->model, r->settings,
			    r->fixes ? r->fixes : "none", p ? fixes : "no such refusal");
	fixture_release(&f);
	return is_good;
}

static void every_refusal_says_where_why_and_what_works(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		failed += !check(&rows[i]);
	assert_int_equal(failed, 0);
}

static void every_code_has_a_row(void **state)
{
	/* E14 belongs to the SM70 build, whose tests reach it */
	static const char *const codes[] = { "E1", "E2",  "E3",  "E4",  "E5",  "E6",  "E7",  "E8",
					     "E9", "E10", "E11", "E12", "E13", "E15", "E16", "P1",
					     "P2", "P3",  "P4",  "P5",  "C1",  "C2",  "C3" };

	(void)state;
	for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
		bool is_there = false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			is_there |= !strcmp(rows[i].code, codes[c]);
		if (!is_there)
			print_error("no row for %s\n", codes[c]);
		assert_true(is_there);
	}
}

static void refusals_that_stand_apart_are_told_together(void **state)
{
	struct kernel_fixture f;
	size_t refusals, combined = 0;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", NODE,
		     "tp=3 block_size=24 quantization=torchao");
	assert_null(f.kernel);
	refusals = ss_problems_count(&f.problems, SS_REFUSAL);
	assert_int_equal(refusals, 3);
	for (size_t i = 0; i < f.problems.count; i++) {
		const struct ss_problem *p = &f.problems.items[i];

		if (p->severity != SS_REFUSAL)
			continue;
		assert_true(p->fix_count > 0);
		for (size_t j = 0; j < p->fix_count; j++) {
			assert_true(prices(&f, &p->fixes[j]));
			/* three faults in three settings take three changes */
			assert_non_null(p->fixes[j].also);
			assert_non_null(p->fixes[j].also->also);
			assert_null(p->fixes[j].also->also->also);
			assert_non_null(strstr(p->fixes[j].note, "with "));
			combined++;
		}
	}
	assert_true(combined >= 3);
	fixture_release(&f);
}

/* Sparse latent attention needs Hopper: no other cache dtype leads to a price. */
static void a_part_without_a_kernel_is_told_beside_the_cache_dtype(void **state)
{
	struct kernel_fixture f;
	bool has_part = false, has_dtype = false;

	(void)state;
	fixture_make(&f, "glm-5.3", "a100-80", NODE, "tp=8 cache_dtype=int8_per_token_head");
	assert_null(f.kernel);
	for (size_t i = 0; i < f.problems.count; i++) {
		const struct ss_problem *p = &f.problems.items[i];

		has_part |=
			strcmp(p->code, "E7") == 0 && strcmp(p->pointer, "/cluster/hardware") == 0;
		has_dtype |= strcmp(p->code, "P3") == 0;
		assert_true(p->severity != SS_REFUSAL || p->fix_count == 0);
	}
	assert_true(has_dtype);
	assert_true(has_part);
	fixture_release(&f);
}

static void one_setting_may_end_two_refusals(void **state)
{
	struct kernel_fixture f;

	(void)state;
	/* 40 heads do not divide by 3, nor does the vocabulary: tp 2 ends both */
	fixture_make(&f, "qwen3-14b", "h100", NODE, "tp=3");
	assert_int_equal(ss_problems_count(&f.problems, SS_REFUSAL), 2);
	for (size_t i = 0; i < f.problems.count; i++) {
		assert_string_equal(f.problems.items[i].fixes[0].path, "parallel.tp");
		assert_string_equal(f.problems.items[i].fixes[0].value, "2");
		assert_null(f.problems.items[i].fixes[0].also);
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refusal_says_where_why_and_what_works),
		cmocka_unit_test(every_code_has_a_row),
		cmocka_unit_test(refusals_that_stand_apart_are_told_together),
		cmocka_unit_test(a_part_without_a_kernel_is_told_beside_the_cache_dtype),
		cmocka_unit_test(one_setting_may_end_two_refusals),
	};

	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
