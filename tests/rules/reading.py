"""A second reading of what the engine refuses, apart from the packs' rules and from C.

It knows the graphs, the parts and the names a release takes, as the registry has them,
and none of its rules: those are written out here from the engine's own sources (the
file is named at each). `refused(case)` gives the first reason, or None.
"""
import json
import math
import os


def load(root, folder, name):
    with open(os.path.join(root, "registry", folder, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


class World:
    def __init__(self, root):
        self.root = root
        self.graphs = {}
        self.parts = {}
        self.lists = load(root, "engines", "vllm-0.31.0")["lists"]

    def graph(self, name):
        if name not in self.graphs:
            self.graphs[name] = load(self.root, "models", name)
        return self.graphs[name]

    def part(self, name):
        if name not in self.parts:
            self.parts[name] = load(self.root, "hardware", name)
        return self.parts[name]


def kinds(graph):
    """Layer kinds that stand in the stack, or in a speculator's."""
    used = set()
    for part in ("prologue", "pattern", "epilogue"):
        used.update(graph["stack"].get(part, []))
    speculator = graph.get("speculator", {})
    for part in ("prologue", "pattern", "epilogue"):
        used.update(speculator.get("stack", {}).get(part, []))
    if speculator.get("layer"):
        used.add(speculator["layer"])
    return [k for k in graph["layer_kinds"] if k["id"] in used]


def nodes(graph, op):
    for kind in kinds(graph):
        for i, node in enumerate(kind["nodes"]):
            if node["op"] == op:
                after = kind["nodes"][i + 1]["op"] if i + 1 < len(kind["nodes"]) else ""
                yield kind, node, after


def main_attention(graph):
    return [n for _, n, _ in nodes(graph, "Attention") if not n.get("role")]


def sort_of_attention(graph):
    found = main_attention(graph)
    if any(n["kind"] == "sparse_mla" and n["d_h"] == 576 for n in found):
        return "dsa"
    for kind in ("sparse_mla", "mla"):
        if any(n["kind"] == kind for n in found):
            return kind
    return "gqa" if found else "none"


WIDE = ("bf16", "fp16", "fp32")
SERVES = {
    "fp8": "fp8", "fp8_per_tensor": "fp8", "fp8_per_block": "fp8", "fp8_per_channel": "fp8",
    "nvfp4": "nvfp4", "modelopt_fp4": "nvfp4", "mxfp4": "mxfp4", "mxfp8": "mxfp8",
}
FOUR_BIT = ("awq", "awq_marlin", "gptq", "gptq_marlin", "moe_wna16")


class Reading:
    def __init__(self, world, case):
        self.case = case
        self.graph = world.graph(case["model"])
        self.part = world.part(case["cluster.hardware"])
        self.lists = world.lists
        self.of = self.graph["global"]
        self.tp = case.get("tp", 1)
        self.dp = case.get("dp", 1)
        self.dcp = case.get("dcp", 1)
        self.expert_parallel = case.get("enable_expert_parallel", False)
        self.ep = self.tp * self.dp if self.expert_parallel else 1
        capability = self.part.get("compute_capability")
        if capability:
            self.sm = int(capability.lstrip("sm"))
        else:
            self.sm = 100 if "nvfp4_tflops" in self.part else 90 if "fp8_tflops" in self.part else 80
        self.drafts = case.get("num_spec_tokens", 0) if case.get("speculative.method") else 0
        self.cache = case.get("cache_dtype", "auto")
        self.attention = sort_of_attention(self.graph)
        self.recurrent = [n for _, n, _ in nodes(self.graph, "RecurrentUpdate")]
        self.budgets()

    # vllm/engine/arg_utils.py, the defaults of an API server
    def budgets(self):
        case, memory = self.case, self.part["memory_gib"]
        is_a100 = self.case["cluster.hardware"].startswith("a100")
        if memory >= 160:
            tokens, seqs = 16384, 1024
        elif memory >= 70 and not is_a100:
            tokens, seqs = 8192, 1024
        else:
            tokens, seqs = 2048, 256
        self.window = self.of.get("max_model_len", 0)
        self.length = case.get("max_model_len") or self.window
        asked = case.get("max_num_seqs") or seqs
        self.tokens = case.get("max_num_batched_tokens") or 0
        if not self.tokens:
            if case.get("enable_chunked_prefill") is False and self.length:
                tokens = max(tokens, self.length)
            self.tokens = min(tokens, asked * self.length) if self.length else tokens
        self.seqs = case.get("max_num_seqs") or min(asked, self.tokens)

    def stored(self, node):
        if node.get("weight_dtype"):
            return node["weight_dtype"]
        name = self.case.get("quantization")
        if name in FOUR_BIT and self.of["weight_dtype"] in WIDE:
            return "int4"
        return SERVES.get(name, self.of["weight_dtype"])

    def checks(self):
        yield self.ranks()
        yield self.heads()
        yield self.zeros()
        yield self.window_of_requests()
        yield self.budget()
        yield self.experts()
        yield self.cache_dtype()
        yield self.block()
        yield self.format()
        yield self.blocks_of_weights()
        yield self.groups_of_weights()
        yield self.backend()
        yield self.sparse_backend()
        yield self.context_parallel()
        yield self.captures()
        yield self.aligned()

    def ranks(self):
        if self.tp * self.dp > self.case["gpus"]:
            return "ranks"
        if self.tp % self.dcp:
            return "dcp does not divide tp"

    # vllm/config/model.py verify_with_parallel_config; mamba_mixer2.py
    def heads(self):
        for n in main_attention(self.graph):
            if n["n_q"] % self.tp:
                return "query heads"
            kv = n["n_kv"]
            if n["kind"] in ("gqa", "swa") and (kv % self.tp if kv >= self.tp else self.tp % kv):
                return "KV heads"
        if -(-self.of["vocab_size"] // 64) * 64 % self.tp:
            return "vocabulary"
        for n in self.recurrent:
            if n["n_heads"] % self.tp:
                return "recurrent heads"
            if n["recurrent_kind"] == "mamba2" and n["n_groups"] > 1 and n["n_groups"] % self.tp:
                return "Mamba-2 groups"

    def zeros(self):
        for name in ("max_num_seqs", "max_num_batched_tokens", "max_model_len", "block_size",
                     "gpu_memory_utilization"):
            if self.case.get(name) == 0:
                return name + " 0"

    # vllm/config/model.py _get_and_verify_max_len
    def window_of_requests(self):
        if self.window and self.case.get("max_model_len", 0) > self.window \
                and not self.case.get("allow_long"):
            return "beyond the window"

    # vllm/config/scheduler.py verify_max_model_len
    def budget(self):
        if self.tokens < self.seqs:
            return "budget below requests"
        if self.case.get("enable_chunked_prefill") is False and self.length > self.tokens:
            return "whole prompts above the budget"

    def experts(self):
        count = max([n["experts"] for _, n, _ in nodes(self.graph, "GroupedGEMM")], default=0)
        if count and self.ep > count:
            return "more ranks than experts"

    # vllm/config/cache.py, and the backends of vllm/v1/attention/backends
    def cache_dtype(self):
        if self.cache not in self.lists["cache_dtypes"] or self.cache == "fp8_inc":
            return "unknown cache"
        if self.cache.endswith("_ds_mla") and self.attention not in ("dsa", "sparse_mla"):
            return "packed cells without sparse attention"
        if self.cache in ("nvfp4", "nvfp4_4over6") and self.attention in ("mla", "sparse_mla", "dsa"):
            return "nvfp4 on latent attention"
        if self.of.get("family", "").startswith("deepseek-v4") \
                and self.cache in ("fp8_e4m3", "fp8_e5m2"):
            return "a spelling the packed cells do not take"

    def block(self):
        size = self.case.get("block_size")
        if size and (size % 16 or (self.attention == "dsa" and size % 64)):
            return "block size"

    # vllm/config/model.py _verify_quantization
    def format(self):
        name = self.case.get("quantization")
        if not name:
            return None
        narrow = [n.get("weight_dtype") for op in ("GEMM", "GroupedGEMM")
                  for _, n, _ in nodes(self.graph, op)
                  if n.get("weight_dtype") and n["weight_dtype"] not in WIDE]
        own = self.of["weight_dtype"]
        if own in WIDE and narrow:
            own = narrow[0]
        if name in FOUR_BIT:
            method = self.of.get("quantization", "")
            if own not in WIDE and own not in ("int4", "int8"):
                return "no such checkpoint"
            return "another method" if method and method[:3] != name[:3] else None
        if name in SERVES and own not in WIDE and SERVES[name] != own:
            return "another format"

    def is_block_scaled(self):
        return "weight_block" in self.of \
            and self.case.get("quantization", "fp8") in ("fp8", "compressed-tensors")

    # vllm/model_executor/layers/quantization/utils/fp8_utils.py validate_fp8_block_shape
    def blocks_of_weights(self):
        if not self.is_block_scaled() or self.tp == 1 and self.dp == 1:
            return None
        rows, columns = self.of["weight_block"]
        for kind, n, after in nodes(self.graph, "GEMM"):
            role = n.get("role", "")
            if self.stored(n) != "fp8" or self.tp == 1 or role in ("gdn_ba_proj", "kda_b_proj"):
                continue
            if self.is_whole(role):
                continue
            if after in ("AllReduce", "ReduceScatter"):
                if n["k"] / self.tp % columns:
                    return role
            elif any(w % rows for w in self.widths(kind, n)):
                return role
        for _, n, _ in nodes(self.graph, "GroupedGEMM"):
            shards = 1 if self.expert_parallel else self.tp * self.dp
            if self.stored(n) == "fp8" and shards > 1 and n["n"] / shards % rows:
                return "routed experts"
            shared = n.get("shared_experts", 0) * n.get("shared_intermediate_size", n["n"])
            dense = SERVES.get(self.case.get("quantization"), self.of["weight_dtype"])
            if shared and dense == "fp8" and self.tp > 1 and shared / self.tp % rows:
                return "shared experts"

    @staticmethod
    def is_whole(role):
        """Latent down-projections, scorers, compressors and hyper-connections are replicated."""
        return role.startswith(("qkv_a", "q_a_", "kv_a", "fused_wqa", "index", "compressor", "hc_",
                                "mtp_eh", "kda_f_a", "kda_g_a"))

    def widths(self, kind, node):
        """Rows of each matrix merged in a column-parallel layer, on one rank."""
        if node["role"] == "mlp_gate_up":
            return [node["n"] / 2 / self.tp]
        attention = [n for n in kind["nodes"] if n["op"] == "Attention" and not n.get("role")]
        if node["role"] == "qkv_proj" and attention:
            a = attention[0]
            return [a["n_q"] / self.tp * a["d_h"], max(a["n_kv"] / self.tp, 1) * a["d_h"]]
        return [node["n"] / self.tp]

    # awq.py, gptq_marlin.py: the input of a rank is whole groups
    def groups_of_weights(self):
        group = self.of.get("group_size", 128)
        for _, n, after in nodes(self.graph, "GEMM"):
            if self.stored(n) == "int4" and after in ("AllReduce", "ReduceScatter") \
                    and not self.is_whole(n.get("role", "")) and n["k"] / self.tp % group:
                return "groups"
        shards = 1 if self.expert_parallel else self.tp * self.dp
        for _, n, _ in nodes(self.graph, "GroupedGEMM"):
            if self.stored(n) == "int4" and shards > 1 and n["n"] / shards % group:
                return "groups of experts"

    # docs/design/attention_backends.md: what each backend serves
    def backend(self):
        name = self.case.get("attention_backend", "").upper()
        if not name:
            return None
        if name not in self.lists["attention_backends"]:
            return "unknown backend"
        latent = self.attention in ("mla", "sparse_mla", "dsa")
        narrow = self.cache not in ("auto", "float16", "bfloat16")
        size = self.case.get("block_size", 0)
        table = {
            # sort of attention, least and most capability, narrow caches, step of the block, dcp
            "FLASH_ATTN": ("gqa", 80, 999, ("fp8", "fp8_e4m3", "fp8_e5m2", "nvfp4", "nvfp4_4over6")
                           if self.sm == 90 else (), 1, True),
            "FLASHINFER": ("gqa", 75, 999, ("fp8", "fp8_e4m3", "fp8_e5m2", "nvfp4", "nvfp4_4over6"),
                           1, True),
            "TRITON_ATTN": ("gqa", 0, 999, ("fp8", "fp8_e4m3", "fp8_e5m2"), 1, False),
            "FLEX_ATTENTION": ("gqa", 0, 999, (), 1, False),
            "FLASHMLA": ("mla", 90, 109, ("fp8", "fp8_e4m3"), 64, True),
            "FLASH_ATTN_MLA": ("mla", 90, 99, (), 1, True),
            "TRITON_MLA": ("mla", 0, 999, ("fp8", "fp8_e4m3"), 1, True),
            "CUTLASS_MLA": ("mla", 100, 109, ("fp8", "fp8_e4m3"), 128, True),
            "FLASHINFER_MLA": ("mla", 100, 109, ("fp8", "fp8_e4m3"), 32, False),
            "FLASHMLA_SPARSE": ("sparse", 90, 109, None, 1, True),
        }
        if name not in table:
            return "not for NVIDIA"
        sort, least, most, caches, step, has_dcp = table[name]
        if self.attention == "none":
            pass
        elif sort == "gqa" and latent:
            return "latent attention"
        elif sort == "mla" and self.attention not in ("mla", "sparse_mla"):
            return "no latent attention"
        elif sort == "sparse" and self.attention not in ("dsa", "sparse_mla"):
            return "no sparse attention"
        if not least <= self.sm <= most:
            return "capability"
        if narrow and caches is not None and self.cache not in caches:
            return "cache of the backend"
        if size % step or (self.dcp > 1 and not has_dcp):
            return "block or dcp of the backend"
        if name == "FLASHMLA_SPARSE" and self.cache not in ("auto", "bfloat16", "fp8", "fp8_ds_mla",
                                                            "nvfp4_ds_mla"):
            return "spelling"
        if name == "FLASHINFER" and any(n["kind"] in ("gqa", "swa") and
                                        n["d_h"] not in (64, 128, 256, 512)
                                        for n in main_attention(self.graph)):
            return "head width"

    # the sparse MLA candidates of vllm/platforms/cuda.py
    def sparse_backend(self):
        if self.attention != "dsa" or self.cache not in self.lists["cache_dtypes"]:
            return None
        if self.sm < 90:
            return "before Hopper"
        heads = max(n["n_q"] for n in main_attention(self.graph)) // self.tp
        quantized = self.cache.startswith(("fp8", "nvfp4"))
        takes = {
            "FLASH_ATTN_MLA_SPARSE": ("auto", "float16", "bfloat16"),
            "FLASHMLA_SPARSE": ("auto", "bfloat16", "fp8", "fp8_ds_mla")
            + (("nvfp4_ds_mla",) if self.sm >= 100 else ()),
            "FLASHINFER_MLA_SPARSE_SM90": ("auto", "bfloat16", "fp8", "fp8_e4m3"),
            "FLASHINFER_MLA_SPARSE": ("auto", "float16", "bfloat16", "fp8", "fp8_e4m3"),
        }
        if self.sm >= 100:
            order = ["FLASHINFER_MLA_SPARSE", "FLASHMLA_SPARSE"]
            if not quantized and heads > 16:
                order.reverse()
        else:
            order = ["FLASH_ATTN_MLA_SPARSE", "FLASHMLA_SPARSE", "FLASHINFER_MLA_SPARSE_SM90"]
        if self.case.get("attention_backend"):
            order = [self.case["attention_backend"].upper()]
        chosen = [b for b in order if self.cache in takes.get(b, ())]
        if not chosen:
            return "no backend for the cache"
        if self.dcp > 1 and chosen[0] in ("FLASH_ATTN_MLA_SPARSE", "FLASHINFER_MLA_SPARSE_SM90"):
            return "no dcp"
        if self.dcp > 1 and chosen[0] == "FLASHMLA_SPARSE":
            def pad(h):
                return 64 if h <= 64 else 128
            if not quantized or heads >= 32 or pad(heads) != pad(heads * self.dcp):
                return "dcp of FLASHMLA"

    # vllm/config/parallel.py and the hybrid KV cache manager
    def context_parallel(self):
        if self.dcp <= 1:
            return None
        for n in main_attention(self.graph):
            if n["kind"] == "gqa":
                if self.tp <= n["n_kv"] or self.dcp > self.tp // n["n_kv"] \
                        or n["n_q"] // n["n_kv"] % self.dcp:
                    return "dcp on full attention"
        if any(n["kind"] == "swa" for n in main_attention(self.graph)):
            return "dcp beside windows"

    # vllm/config/vllm.py _set_cudagraph_sizes; compilation.py, sizes under speculation
    def captures(self):
        mode = self.case.get("cudagraph_mode", "FULL_AND_PIECEWISE")
        sizes = self.case.get("cudagraph_capture_sizes")
        stated = self.case.get("max_cudagraph_capture_size")
        if mode == "NONE":
            return None
        step = 1 + self.drafts
        if sizes:
            kept = sorted({s for s in sizes if s <= self.tokens})
        else:
            ceiling = 1024 if "nvfp4_tflops" in self.part else 512
            most = stated or min(self.seqs * step * 2, ceiling)
            most = min(most, self.tokens)
            kept = [s for s in (1, 2, 4) if s <= most]
            kept += list(range(8, min(most + 1, 256), 8)) + list(range(256, most + 1, 16))
            if self.tokens <= most and self.tokens not in kept:
                kept.append(self.tokens)
        valid = kept[-1] if kept else 0
        if stated and sizes and stated != valid:
            return "sizes and maximum disagree"
        if step > 1 and mode != "PIECEWISE" and kept and step > valid:
            return "no size for a decode"

    # vllm/config/vllm.py: aligned states are scheduled in whole blocks
    def aligned(self):
        prefix = self.case.get("enable_prefix_caching", True)
        mode = self.case.get("mamba_cache_mode") or ("align" if prefix else "none")
        if mode == "none" and prefix:
            mode = "align"
        attention = main_attention(self.graph)
        if not self.recurrent or not attention or mode != "align":
            return None
        n = self.recurrent[0]
        more = n["conv_kernel"] - 1 + self.drafts
        if n["recurrent_kind"] == "mamba2":
            inner, state = n["intermediate_size"], n["state_size"]
            size = inner * state * 4 + (inner + 2 * n["n_groups"] * state) * more * 2
        else:
            size = n["n_heads"] * n["state_size"] ** 2 * 4 + n["intermediate_size"] * more * 2
        size /= self.tp
        a = attention[0]
        width = {"auto": 2, "bfloat16": 2, "float16": 2}.get(self.cache, 1)
        if self.cache.startswith("nvfp4"):
            width = 0.5625
        token = 2 * max(a["n_kv"] // self.tp, 1) * a["d_h"] * width
        block = 16 * math.ceil(math.ceil(size) / (16 * token))
        if max(block, self.case.get("block_size") or 0) > self.tokens:
            return "aligned block above the budget"


def refused(world, case):
    for reason in Reading(world, case).checks():
        if reason:
            return reason
    return None
