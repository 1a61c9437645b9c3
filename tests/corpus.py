#!/usr/bin/env python3
"""Import every config.json of a folder and count its weights a second time.

usage: corpus.py STEPSCOPE FOLDER

Prints what each file came to: right (within 0.1 % of the count made here), wrong, accepted
(a shape this script does not count) or refused, with the reason. The count walks the
configuration alone, tensor by tensor. Status 1 when a file is wrong.
"""
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys

BITS = {"fp8": 8, "nvfp4": 4.5, "mxfp4": 4.25, "int8": 8, "plain": 16}


def tensors(c, layer):
    """Linear weights of one layer: (name, elements)."""
    h, q = c["hidden_size"], c["num_attention_heads"]
    kv = c.get("num_key_value_heads") or q
    d = c.get("head_dim") or h // q
    if c.get("kv_lora_rank"):
        rank, rope, nope, v = (c[k] for k in ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"))
        low = c.get("q_lora_rank")
        if low:
            yield "self_attn.q_a_proj", low * h
            yield "self_attn.q_b_proj", q * (nope + rope) * low
        else:
            yield "self_attn.q_proj", q * (nope + rope) * h
        yield "self_attn.kv_a_proj_with_mqa", (rank + rope) * h
        yield "self_attn.kv_b_proj", q * (nope + v) * rank
        yield "self_attn.o_proj", h * q * v
        types = c.get("indexer_types")
        if c.get("index_topk") and (not types or types[layer] == "full"):
            yield "self_attn.indexer.wq_b", c["index_n_heads"] * c["index_head_dim"] * low
            yield "plain", (c["index_n_heads"] + c["index_head_dim"]) * h
    else:
        yield "self_attn.q_proj", q * d * h
        yield "self_attn.k_proj", kv * d * h
        yield "self_attn.v_proj", kv * d * h
        yield "self_attn.o_proj", h * q * d
    experts = c.get("n_routed_experts") or c.get("num_experts") or c.get("num_local_experts") or 0
    if experts > 1 and layer >= c.get("first_k_dense_replace", 0) and layer not in (c.get("mlp_only_layers") or []):
        m = c.get("moe_intermediate_size") or c["intermediate_size"]
        yield "experts", experts * 3 * m * h
        yield "plain", experts * h
        shared = c.get("shared_expert_intermediate_size") or m * (c.get("n_shared_experts") or 0)
        if shared:
            yield "mlp.shared_experts.up_proj", 3 * shared * h
    else:
        for part in ("gate_proj", "up_proj", "down_proj"):
            yield "mlp." + part, c["intermediate_size"] * h


COUNTED = {a + "ForCausalLM" for a in (
    "Llama", "Mistral", "Qwen2", "Qwen3", "Qwen2Moe", "Qwen3Moe", "Mixtral", "MiniMaxM2", "DeepseekV2", "DeepseekV3",
    "DeepseekV32", "GlmMoeDsa", "Glm4Moe", "MiMo", "InternLM2", "Baichuan", "Olmo2", "Phi3", "Gemma", "Gemma2",
    "StableLm", "GptOss", "SeedOss")} | {"KimiK25ForConditionalGeneration", "Qwen3VLForConditionalGeneration",
                                          "Qwen3VLMoeForConditionalGeneration", "Mistral3ForConditionalGeneration"}
TIED = {"GemmaForCausalLM", "Gemma2ForCausalLM"}


def formats(root, c):
    """(format of linear layers, format of experts, excluded patterns); None: not read here."""
    q = root.get("quantization_config") or c.get("quantization_config") or {}
    method, algorithm = q.get("quant_method"), q.get("quant_algo")
    if not q:
        return "plain", "plain", []
    if q.get("quantized_layers"):
        return None
    if method == "mxfp4":
        return "plain", "mxfp4", []
    if algorithm in ("FP8", "NVFP4"):
        return algorithm.lower(), algorithm.lower(), q.get("ignore") or q.get("exclude_modules") or []
    if method in ("fp8", "fbgemm_fp8"):
        return "fp8", "fp8", q.get("modules_to_not_convert") or []
    groups = list((q.get("config_groups") or {}).values())
    if method == "compressed-tensors" and len(groups) == 1:
        w = groups[0]["weights"]
        name = {(8, "float"): "fp8", (8, "int"): "int8", (4, "float"): "nvfp4"}.get((w["num_bits"], w["type"]))
        if not name and w["num_bits"] == 4:
            name = "int4"
            BITS[name] = 4 + 16 / (w.get("group_size") or 128)
        return name, name, q.get("ignore") or []
    return None


def excluded(patterns, layer, name):
    bare = "layers.%d.%s" % (layer, name)
    for p in patterns:
        if p.startswith("re:"):
            if any(re.match(p[3:], x + bare) for x in ("model.", "language_model.model.", "")):
                return True
        elif "*" in p:
            if any(fnmatch.fnmatchcase(x + bare, p) for x in ("model.", "model.language_model.", "language_model.model.", "")):
                return True
        else:
            p = re.sub(r"^(model\.|language_model\.)+", "", p)
            if re.search(r"(^|\.)" + re.escape(p) + r"($|\.)", bare) and (not p.startswith("layers.") or bare.startswith(p)):
                return True
    return False


def count(root):
    c = dict(root.get("text_config") or root)
    architecture = (root.get("architectures") or [""])[0]
    f = formats(root, c)
    if architecture not in COUNTED or not f:
        return None
    linear, experts, patterns = f
    tied = c.get("tie_word_embeddings", root.get("tie_word_embeddings"))
    if tied is None:
        tied = architecture in TIED
    bits = c["vocab_size"] * c["hidden_size"] * 16 * (1 if tied else 2)
    for layer in range(c["num_hidden_layers"]):
        for name, elements in tensors(c, layer):
            own = experts if name == "experts" else linear
            if name == "experts":
                out = any(excluded(patterns, layer, m) for m in ("mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1"))
            else:
                out = name == "plain" or excluded(patterns, layer, name)
            bits += elements * BITS["plain" if out else own]
    return bits / 8


def main():
    program, folder = sys.argv[1:3]
    totals = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)):
        text = open(path).read()
        if '"architectures"' not in text and '"model_type"' not in text:
            continue
        run = subprocess.run([program, "import", path, "--model", "x", "--json"], capture_output=True, text=True)
        name = os.path.relpath(path, folder)
        if run.returncode:
            fate, detail = "refused", run.stderr.strip().split("\n")[0]
        else:
            ours, theirs = json.loads(run.stdout)["weights"][0]["bytes"], count(json.loads(text))
            fate = "accepted" if not theirs else "right" if abs(ours / theirs - 1) <= 0.001 else "wrong"
            detail = "%.2f GiB" % (ours / 2**30) + (", counted %.2f" % (theirs / 2**30) if theirs else "")
        totals[fate] = totals.get(fate, 0) + 1
        print("%-9s %s  %s" % (fate, name, detail))
    print(", ".join("%d %s" % (n, fate) for fate, n in sorted(totals.items())) or "no config.json there")
    return 1 if totals.get("wrong") else 0


sys.exit(main())
