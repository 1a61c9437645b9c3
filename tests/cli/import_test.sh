# Import and export through the program.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
data=$top_srcdir/tests/data

# run STATUS ARGUMENT...: the program ends with that status; output in out and err.
run()
{
	run_status=$1
	shift
	"$STEPSCOPE" "$@" >out 2>err </dev/null
	run_got=$?
	test "$run_got" -eq "$run_status" && return 0
	echo "status $run_got, not $run_status: stepscope $*"
	cat err
	return 1
}

# has FILE PATTERN
has()
{
	grep -q -e "$2" "$1" && return 0
	head -40 "$1"
	return 1
}

# Every shipped scenario, exported, imported and exported again, is the same text.
identity()
{
	for file in "$top_srcdir"/scenarios/*.json; do
		name=$(basename "$file" .json)
		case $name in *tour*) continue ;; esac
		"$STEPSCOPE" export "$file" --to vllm >first 2>err || { cat err; return 1; }
		"$STEPSCOPE" import - -q <first >back.json 2>err || { cat err; return 1; }
		"$STEPSCOPE" export ./back.json --to vllm >second 2>err &&
			cmp first second || { echo "$name differs"; cat err; return 1; }
	done
}
tap_case 'export and import bring every shipped scenario back' identity

# Kernels chosen and passes of the compiler come back from their flags.
kernels()
{
	"$STEPSCOPE" new --model deepseek-v3 --part b200 -tp 8 --batch 8x1024 --set moe_backend=triton \
		--set linear_backend=cutlass --set fuse_allreduce_rms=off --set fuse_act_quant=on >chosen.json &&
		"$STEPSCOPE" export ./chosen.json --to vllm >first 2>err && has first '--moe-backend triton' &&
		has first '"pass_config":{"fuse_allreduce_rms":false,"fuse_act_quant":true}' &&
		"$STEPSCOPE" import - -q <first >back.json 2>err &&
		"$STEPSCOPE" export ./back.json --to vllm >second 2>err && cmp first second
}
tap_case 'kernels chosen go out and come back as flags' kernels

echo 'vllm serve Qwen/Qwen3-14B -tp 2 --port 80 --max-model-len 32k' >serve.sh
command() { run 0 import serve.sh --part h100 -o made && has out 'parallel.tp=2' &&
	has out 'no effect' && has out '^wrote made/scenarios/' &&
	run 0 validate made/scenarios/*.json; }
tap_case 'a command becomes a scenario in a folder, its flags listed' command
again() { run 4 import serve.sh --part h100 -o made && has err 'is there already'; }
tap_case 'what is there is not written over' again
price() { run 0 price made/scenarios/*.json; }
tap_case 'what was imported is priced' price
no_part() { run 3 import serve.sh && has err 'give one with --part'; }
tap_case 'a command without a part asks for it' no_part
echo 'vllm serve Qwen/Qwen3-14B --max-num-sequences 3' >wrong.sh
wrong() { run 0 import wrong.sh --part h100 && has out '"kind"' &&
	has err 'wrong.sh: line 1: no flag --max-num-sequences .*--max-num-seqs?'; }
tap_case 'an unknown flag names the nearest and loses no other' wrong
strict() { run 3 import wrong.sh --part h100 --strict && has err 'no flag --max-num-sequences'; }
tap_case 'with --strict it is refused' strict
wrong_json() { run 3 import wrong.sh --part h100 --strict --json && has out '"kind":.*"document"'; }
tap_case 'and so it does in JSON' wrong_json
printf '%s\n' 'vllm serve org/new-9B -tp 2' 'vllm serve Qwen/Qwen3-14B -tp 4' >two.sh
choose() { run 0 import two.sh --part h100 --container 2 && has out '"tp": *4' && has err 'chosen *Qwen/Qwen3-14B' &&
	has err 'left *org/new-9B'; }
tap_case 'of several commands --container takes one' choose
waits() { run 0 import two.sh --part h100 && has out '"model": *"new-9b"' && has err 'import its config.json with --model new-9b'; }
tap_case 'an unknown model says how to go on and loses no flag' waits
none() { run 3 import two.sh --part h100 --container three && has err "no command 'three' in the text, which has 2"; }
tap_case 'a command that is not there is said' none
missing() { run 4 import nowhere.sh && has err 'nowhere.sh: No such file'; }
tap_case 'a file that is not there is said' missing
printed() { run 0 import serve.sh --part h100 && has out '"kind":.*"Scenario"' && has err 'parallel.tp=2'; }
tap_case 'without a folder the scenario is printed and the list steps aside' printed
setting() { run 0 import serve.sh --part h100 --set block_size=32 -q && has out '"block_size": *32' && ! test -s err; }
tap_case 'a setting is added on the way' setting

log() { run 0 import "$data/logs/v0.31.0-hybrid-64.log" --part h100 -o log &&
	has out '215401 tokens  *215401 tokens  *0' && has out '26.29x at 8192 tokens  *26.29x  *0' &&
	has out '784 tokens  *784 tokens  *0' && has out '0.13 %  *0.13 %  *0' &&
	has out 'model loading  *not in the log'; }
tap_case 'the hybrid log agrees with us to the token' log
log_json() { run 0 import "$data/logs/v0.31.0-hybrid-64.log" --part h100 --json &&
	has out '"difference":.*0' && has out '"logged":.*215401'; }
tap_case 'figures are numbers in JSON' log_json
ranks() { run 0 import "$data/logs/v0.14.0-eight-ranks.log" --part h200 -o ranks &&
	has out 'available KV cache .*Worker_TP7 .*40.31 GiB' && has out 'Worker_TP0 .*41.02 GiB'; }
tap_case 'ranks that differ are shown' ranks
# 40 layers x 2 tensors x 8 heads x 128 x 2 bytes x 131,072 tokens are 20 GiB.
needed() { run 0 import "$data/logs/v0.10.1-too-long.log" --part l40s -o needed &&
	has out 'needed for one request .*20.00 GiB  *20.00 GiB  *0' && has out 'estimated maximum length'; }
tap_case 'memory errors are figures too' needed
room() { run 0 import "$data/logs/v0.9.2-two-ranks-colours.log" --part h100 -o room &&
	has out 'GPU KV cache size .* budget_bytes' && has out 'available KV cache .* activation_bytes,'; }
tap_case 'tokens that differ as the room does are owed to the room' room
pool() { run 0 import "$data/logs/v0.12.0-gpt-oss.log" --part h100 -o pool &&
	has out 'GPU KV cache size .* kv_bytes_per_token' && has out "MoE backend .*'MARLIN' Mxfp4"; }
tap_case 'tokens that differ more than the room are owed to the bytes of a token' pool
least() { run 0 import "$data/logs/v0.14.0-eight-ranks.log" --part h200 &&
	has err 'Worker_TP7 has the least room for KV, 40.31 GiB of up to 41.02, and decides'; }
tap_case 'the smallest rank decides, and is named' least
# 79.20 x 0.90 is 71.28; 80,480 / 8,192 is 9.82.
contradicts() { run 0 import "$data/logs/v0.15.0-contradicts.log" --part h100 --model qwen3-14b &&
	has err '79.20 GiB x 0.9 is 71.28, not 61.28' && has err 'hold 9.82 requests of 8192, not 2.00'; }
tap_case 'figures that contradict each other are said' contradicts
# The engine took 10 GiB less than its share: no other term is off by as much.
moved() { run 0 import "$data/logs/v0.15.0-contradicts.log" --part h100 --model qwen3-14b --json &&
	has out '"term":.*"visible_bytes"'; }
tap_case 'room is owed to the term that moved it most' moved
for name in truncated-figure truncated-arguments binary without-figures; do
	broken() { run 3 import "$data/logs/$name.log" --part h100 && test "$(wc -l <err)" -le 4; }
	tap_case "$name is one clear error" broken
done
every_log() {
	for file in "$data"/logs/v*.log; do
		"$STEPSCOPE" import "$file" --part h100 --gpus-per-node 8 --fabric ib-400g \
			--model qwen3-14b -q >out 2>err </dev/null
		status=$?
		test $status -le 1 || { echo "$file: $status"; cat err; return 1; }
	done
}
tap_case 'every release of log is taken' every_log

config() { mkdir -p Qwen3-14B && cp "$data/config/qwen3-14b.json" Qwen3-14B/config.json &&
	run 0 import Qwen3-14B/config.json -o graphs && has out 'the same, node by node' &&
	test -f graphs/models/qwen3-14b.json; }
tap_case 'a config.json is named for its folder and compared' config
differs() { run 0 import "$data/config/kimi-k2.5.json" -o graphs && has out 'group_size: 32 here, nothing there'; }
tap_case 'what differs from the shipped graph is listed' differs
unknown() { run 3 import "$data/config/unknown-architecture.json" && has err "Qwen9ForCausalLM' is none of the" &&
	has err 'nearest is Qwen2ForCausalLM'; }
tap_case 'an unknown architecture names the nearest known' unknown
weighs() { run 0 import "$data/config/kimi-k2.5.json" --json && has out '"parameters":	1026407202816' &&
	has out '"bytes":	594203246592'; }
tap_case 'what a configuration weighs is said' weighs
python() { printf '{"architectures":["LlamaForCausalLM"],"hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":100,"x":[-Infinity,NaN],"torch_dtype":"float32"}' >py.json
	run 0 import py.json -q && has out '"weight_dtype":	"bf16"'; }
tap_case 'what Python writes for numbers is read, and 32 bits are served as 16' python
beside() { mkdir -p q && printf '{"architectures":["LlamaForCausalLM"],"hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":100}' >q/config.json
	printf '{"producer":{"name":"modelopt"},"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","exclude_modules":["lm_head","model.layers.1.self_attn*"]}}' >q/hf_quant_config.json
	printf '{"metadata":{"total_size":100000}}' >q/model.safetensors.index.json
	run 0 import q -q && has out '"weight_dtype":	"nvfp4"' && has out '"cache_dtype":	"fp8"' &&
		has out '"dense_2"' && run 0 import q/config.json && has err 'index of its shards says'; }
tap_case 'what lies beside a configuration is read with it' beside

if "$STEPSCOPE" import "$data/yaml/h200.yaml" -q >out 2>err </dev/null || ! grep -q libyaml err; then
	yaml() { run 0 import "$data/yaml/deepseek-v3.yaml" "$data/yaml/ib-400g.yaml" "$data/yaml/storage.yaml" \
		"$data/yaml/cost-model-host-overheads.yaml" "$data/yaml/chatbot.yaml" "$data/yaml/gb200-nvl72.yaml" -o reg &&
		for file in models/deepseek-v3 networks/ib-400g storage coefficients/cost-model-host-overheads \
			workloads/chatbot hardware/gb200-nvl72; do
			run 0 validate reg/$file.json || return 1
		done; }
	tap_case 'YAML of every kind becomes a registry' yaml
	pair() { run 0 import "$data/yaml/mixtral-deployment.yaml" "$data/yaml/mixtral-scenario.yaml" -o pair &&
		run 0 price pair/scenarios/mixtral-8x7b-h100-tp2-dp2.json; }
	tap_case 'a scenario and its deployment join from two files' pair
	printf 'kind: CoefficientSet\nname: x\ncoefficients:\n- a:\n    value: 1\n    units: lightyears\n    method: measured\n    fitted: false\n    scope: {hardware: [h200]}\n' >set.yaml
	place() { run 3 import set.yaml && has err 'line 6, column 12.*/coefficients/0/units'; }
	tap_case 'what our reader refuses is said at its place in the YAML' place
	folder() { mkdir -p cat/hardware cat/models/deepseek-v3 && cp "$data/yaml/h200.yaml" cat/hardware &&
		cp "$data/yaml/deepseek-v3.yaml" cat/models/deepseek-v3/graph.yaml &&
		run 0 import cat -o fromcat && test -f fromcat/models/deepseek-v3.json && test -f fromcat/hardware/h200.json; }
	tap_case 'a whole catalogue is walked' folder
	printf 'model: Qwen/Qwen3-14B\ntensor-parallel-size: 2\n' >serve.yaml
	echo 'vllm serve --config serve.yaml' >config.sh
	flags() { run 0 import config.sh --part h100 -q && has out '"tp": *2'; }
	tap_case 'a --config file is read' flags
fi

no_form() { run 2 export deepseek-v3-h200-fp8-tp8 && has err 'vllm, json or markdown'; }
tap_case 'export wants a form' no_form
markdown() { run 0 export deepseek-v3-h200-fp8-tp8 --to markdown && has out '^|'; }
tap_case 'export to Markdown is the report' markdown
runs() { run 0 export deepseek-v3-h200-fp8-tp8 --to vllm && sh -n out && has out '^vllm serve deepseek-ai/DeepSeek-V3 '; }
tap_case 'the command is one a shell takes' runs

own_batch()
{
	run 0 export deepseek-v3-h200-fp8-tp8 --to vllm --batch 8x2s+4094 --decode-threshold 2 &&
		has out '^# set workload.batch=8x2s+4094$' && has out '^# set workload.decode_threshold=2$'
}
tap_case 'a batch on the line travels in the export' own_batch

tap_done
