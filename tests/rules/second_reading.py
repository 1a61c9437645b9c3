"""usage: second_reading.py STEPSCOPE SOURCE CASES

Random deployments, refused or not, by the program and by the reading beside this file.
"""
import json
import random
import subprocess
import sys

from reading import World, refused

MODELS = ["llama-3.1-8b-instruct", "qwen3-14b", "qwen3-30b-a3b", "deepseek-v3", "glm-5",
          "gpt-oss-120b", "minimax-m2.5", "deepseek-v4-pro", "kimi-k2.5", "qwen3.6-27b",
          "qwen3.6-27b-awq", "nemotron-3.5-lightning-30b-a3b-nvfp4", "mixtral-8x7b-v0.1"]
PARTS = ["h100", "h200", "b200", "a100-80", "l40s"]
GPUS = 16

# setting, how often it is stated, what it may be
SETTINGS = [
    ("tp", 1, [1, 1, 2, 2, 4, 4, 8, 8, 16, 3]),
    ("dp", .2, [2, 4]),
    ("enable_expert_parallel", .3, [True]),
    ("dcp", .1, [2, 4, 3]),
    ("quantization", .25, ["fp8", "fp8_per_tensor", "fp8_per_block", "nvfp4", "mxfp4", "awq", "gptq",
                           "compressed-tensors"]),
    ("cache_dtype", .3, ["fp8", "fp8_e4m3", "fp8_e5m2", "bfloat16", "float16", "fp8_ds_mla", "nvfp4",
                         "fp8_inc", "fp7"]),
    ("block_size", .2, [16, 32, 64, 64, 128, 128, 24, 0]),
    ("max_num_batched_tokens", .4, [512, 1024, 2048, 8192, 8192, 8193, 16384, 16384, 32768, 0]),
    ("max_num_seqs", .3, [1, 16, 64, 128, 256, 256, 1024, 4096, 0]),
    ("max_model_len", .3, [1024, 4096, 4096, 8192, 8192, 32768, 40960, 131072, 500000, 0]),
    ("gpu_memory_utilization", .2, [.9, .9, .5, 0]),
    ("enable_chunked_prefill", .1, [False, True]),
    ("enable_prefix_caching", .15, [False]),
    ("mamba_cache_mode", .1, ["none", "align"]),
    ("attention_backend", .25, ["FLASH_ATTN", "FLASHINFER", "TRITON_ATTN", "FLEX_ATTENTION", "FLASHMLA",
                                "FLASH_ATTN_MLA", "TRITON_MLA", "CUTLASS_MLA", "FLASHINFER_MLA",
                                "FLASHMLA_SPARSE", "ROCM_ATTN", "flashinfer", "FLASH_ATTN_9"]),
    ("cudagraph_mode", .2, ["NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY"]),
    ("max_cudagraph_capture_size", .15, [1, 4, 42, 512]),
    ("cudagraph_capture_sizes", .15, [[1, 4], [8, 42], [512, 9000]]),
    ("num_spec_tokens", .2, [1, 3, 6]),
]


def make_case(rng):
    case = {"model": rng.choice(MODELS), "cluster.hardware": rng.choice(PARTS), "gpus": GPUS}
    for name, share, values in SETTINGS:
        if rng.random() < share:
            case[name] = rng.choice(values)
    if "num_spec_tokens" in case:
        case["speculative.method"] = "ngram"
    if case.get("max_model_len", 0) > 40000 and rng.random() < .3:
        case["allow_long"] = True
    return case


def as_job(case):
    # null leaves unstated what the scenario underneath states
    job = {name: None for name, _, _ in SETTINGS if name not in ("tp", "dp")}
    job["dp"] = 1
    job.update((k, v) for k, v in case.items() if k not in ("gpus", "allow_long"))
    job["cluster.gpus_per_node"] = case["gpus"]
    if job["cudagraph_capture_sizes"]:
        job["cudagraph_capture_sizes"] = ",".join(map(str, job["cudagraph_capture_sizes"]))
    if case.get("allow_long"):
        job["cluster.host.env"] = "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"
    return json.dumps(job)


def main():
    program, source, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng, world = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 31), World(source)
    cases = [make_case(rng) for _ in range(count)]
    run = subprocess.run([program, "sweep", source + "/scenarios/llama-3.1-8b-a100-tp2.json",
                          "--stdin-jobs"], input="\n".join(map(as_job, cases)) + "\n",
                         capture_output=True, encoding="utf-8", check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if len(rows) != count:
        sys.exit(f"{len(rows)} answers to {count} cases\n{run.stderr}")
    # what cannot be priced is another question than what would not start
    wrong, no, unpriced = 0, 0, 0
    for case, row in zip(cases, rows):
        code = row["code"] or ""
        ours, theirs = code[:1] in ("E", "D", "X"), refused(world, case)
        no += ours
        unpriced += code[:1] in ("P", "C")
        if code and code[:1] not in "EDXPC" or ours != (theirs is not None):
            wrong += 1
            if wrong <= 20:
                print(f"{case}\n  program: {code} {row['reason']}\n  reading: {theirs}")
    print(f"{count} deployments, {no} refused, {unpriced} not priced, {wrong} read otherwise")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
