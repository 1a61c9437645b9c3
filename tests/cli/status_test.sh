# Exit statuses, error lines and formats of the batch commands.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

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

# one_line PATTERN: stderr is one line, and it matches.
one_line()
{
	test "$(wc -l <err)" -eq 1 && grep -q -e "$1" err && return 0
	cat err
	return 1
}

# out_has PATTERN
out_has()
{
	grep -q -e "$1" out && return 0
	head -40 out
	return 1
}

lead() {
	run 0 price $base && out_has '^24.43 ms (.*)  Kernels' && run 0 price $base --json &&
		out_has '"lead":.*"kernels_s"' &&
		run 0 price qwen3.6-27b-awq-v100-tp4 --json && out_has '"lead":.*"serial_s"'
}
# 24.431 ms: oracle kernel-steps gives it to 1e-3; a V100 has no kernel times
tap_case 'measured kernels lead where the part has them' lead
priced() { run 0 price $base --figure serial && out_has '^25.22 ms (24.11 .. 25.62)  Serial' && ! test -s err; }
tap_case 'the published case is priced to the published digits' priced

no_command() { run 0 $base && out_has '^Provenance'; }
tap_case 'without a command and a terminal, a scenario is reported' no_command

does_not_fit() { run 0 price $base -tp 4 && out_has 'DOES NOT FIT'; }
tap_case 'what does not fit is priced all the same' does_not_fit
tap_case 'status 1 for what does not fit when a fit is required' run 1 price $base -tp 4 --require-fit
tap_case 'fit ends with status 1 for what does not fit' run 1 fit $base -tp 4

refused() {
	run 1 price $base --set tp=3 &&
		grep -q '^stepscope: /deployment/pools/0/parallel/tp: .*\[E1\]; try parallel.tp=2' err
}
tap_case 'a refusal ends with status 1, its pointer, code and fixes on stderr' refused

refused_json() {
	run 1 price $base --set tp=3 --json && out_has '"kind":.*"refused"' &&
		out_has '"code":.*"E1"' && test -s err
}
tap_case 'with JSON the refusal is an object on stdout too, and the line stays' refused_json

bad_pool() { run 2 price deepseek-v3-h200-pd --pool 7 && one_line 'pool: no pool 7; there are: 0 (prefill), 1 (decode)'; }
tap_case 'an unknown pool is bad usage, and the pools are listed' bad_pool
role_pool() { run 0 price deepseek-v3-h200-pd --pool decode && out_has 'pool 1 of 0 to 1 (decode)'; }
tap_case 'a pool goes by its role too' role_pool

bad_set() { run 2 price $base --set block_sice=16 && one_line 'block_size'; }
tap_case 'a misspelt setting is bad usage that names the nearest' bad_set
bad_value() { run 2 price $base --set tp=many && one_line 'tp'; }
tap_case 'a value of the wrong type is bad usage' bad_value
bad_option() { run 2 price $base --formt json && one_line 'did you mean --format'; }
tap_case 'a misspelt option names the nearest' bad_option
bad_command() { run 2 prise && one_line 'did you mean price'; }
tap_case 'a misspelt command names the nearest' bad_command
lost_command() { run 2 prise $base && one_line 'prise: no such command; did you mean price'; }
tap_case 'a misspelt command before a scenario does too' lost_command
bad_coef() { run 2 price $base --coef host_launch_per_kernl=2 && one_line 'host_launch_per_kernel'; }
tap_case 'a value tried on no coefficient names the nearest' bad_coef
bad_only() { run 2 price $base --only prize && one_line 'no section prize; there are: scenario,price'; }
tap_case 'an unknown section is bad usage that lists them' bad_only
no_only() { run 2 price $base --only '' && one_line 'names no section; there are: scenario,price'; }
tap_case 'no section at all is bad usage too' no_only
usage_json() { run 2 price --formt x --json && out_has '"kind":.*"usage"'; }
tap_case 'bad usage is an error object too' usage_json
tap_case 'options of other commands are not taken' run 2 price $base --vary tp=1
tap_case 'too many words are bad usage' run 2 price $base $base
tap_case 'an option without its argument is bad usage' run 2 price $base --set
tap_case 'a format that does not exist is bad usage' run 2 price $base --format yaml

missing() { run 3 price no-such-scenario && one_line 'there are: .*deepseek-v3'; }
tap_case 'a scenario that is not there lists what is' missing
printf '{"kind":"Scenario","model":"x"' >broken.json
broken() { run 3 price ./broken.json && grep -q 'broken.json' err; }
tap_case 'a document that does not load ends with status 3' broken
broken_json() { run 3 price ./broken.json --json && out_has '"kind":.*"document"'; }
tap_case 'and is an error object of kind document' broken_json
from_stdin() { "$STEPSCOPE" price - <broken.json >out 2>err; test $? -eq 3; }
tap_case 'standard input is read for -' from_stdin
stdin_priced() {
	"$STEPSCOPE" price - <"$top_srcdir/scenarios/$base.json" >out 2>err && out_has '^24.43 ms'
}
tap_case 'a scenario on standard input is priced' stdin_priced
tap_case 'validate fails on a broken document' run 3 validate broken.json
list_words() {
	run 2 list && set -- $(sed 's/.*kind: //' err) && test $# -ge 8 || return 1
	for word in "$@"; do run 0 list "$word" && test -s out || return 1; done
}
tap_case 'list says what it lists, and lists each of it' list_words
hash_of() {
	(cd "$1" && find . -type f \( -name '*.json' -o -name '*.csv' \) | sed 's,^\./,,' | LC_ALL=C sort | xargs sha256sum) |
		sha256sum | cut -c1-16
}
version() {
	mkdir -p v1/registry/models && cp "$top_srcdir/registry/models/qwen3-8b.json" v1/registry/models &&
		printf 'version,date,what\n7,2026-11-01,"one, and a comma"\n6,2026-10-01,less\n' >v1/registry/releases.csv &&
		run 0 --version --registry v1/registry && out_has '^stepscope [0-9]' &&
		out_has "^registry 7 of 2026-11-01, sha256 $(hash_of v1/registry), in v1/registry\$" &&
		run 0 list registry --registry v1/registry --json && out_has '"what":.*"one, and a comma"' &&
		rm v1/registry/releases.csv && run 0 --version --registry v1/registry && out_has '^registry without a version, sha256' &&
		printf 'version,date,what\n7,2026-11-01\n' >v1/registry/releases.csv &&
		run 3 list registry --registry v1/registry && one_line 'releases.csv.*line 2: must read version,date,what'
}
command -v sha256sum >/dev/null 2>&1 &&
	tap_case 'the version of the registry is said, with a hash of its documents' version
engine_help() {
	run 0 engine admit --help && out_has '^  --stage STAGE' && out_has '^  --capturing ' || return 1
	for option in $(sed -n 's/^  \(--[a-z-]*\)  .*/\1/p' out); do
		run 2 engine admit "$option" --stage no-such-stage && one_line 'no-such-stage' || return 1
	done
}
tap_case 'the help of engine holds options that it takes' engine_help
sed 's/"tp": 8/"tp": 16/' "$top_srcdir/scenarios/$base.json" >wide.json
wide() { run 1 validate wide.json && one_line 'wide.json: /deployment/pools/0/parallel/tp: .*\[X3\]'; }
tap_case 'validate checks the rules between fields' wide
sed 's/"h200"/"h2000"/' "$top_srcdir/scenarios/$base.json" >part.json
nameless() { run 3 validate part.json && one_line 'part.json: /cluster/hardware: .*did you mean "h200"'; }
tap_case 'validate looks up what a scenario names' nameless
mkdir folder
folder() { run 3 price folder && one_line 'folder: is a folder, wants a scenario file'; }
tap_case 'a folder is no scenario' folder
two_nodes="--model llama-3.1-8b-instruct --part h100 --nodes 2 -tp 16"
no_network() { run 1 price $two_nodes && one_line '/cluster/fabric: missing; .* inter_node_gb_s'; }
tap_case 'nodes without a network are refused' no_network
tap_case 'a rate between nodes stands for the network' run 0 price $two_nodes --inter-node-gb-s 50
tap_case 'validate reads folders' run 0 validate "$top_srcdir/scenarios"
unwritable() { run 4 price $base -o no/such/folder/x && one_line 'no/such/folder/x: cannot be written'; }
tap_case 'an output that cannot be written ends with status 4' unwritable
into_file() { run 0 price $base -o priced.txt && ! test -s out && grep -q '^24.43 ms' priced.txt; }
tap_case 'output goes into a file' into_file
kept() { echo kept >kept.txt; run 1 price $base -tp 3 -o kept.txt --force; grep -q kept kept.txt; }
tap_case 'a refusal leaves the output file alone' kept
tap_case 'a folder to work in that is not there is bad usage' run 2 -C no-such price $base
tap_case 'a registry that is not there is bad usage' run 2 price $base --registry no-such

cp "$top_srcdir/scenarios/$base.json" report
like_command() { run 0 price ./report && out_has '^24.43 ms'; }
tap_case 'a scenario named like a command is reached by its path' like_command

# -- a coefficient that only the step reads is missing

sets=coefficients=cost-model-memory,cost-model-primitives
unpriced() {
	run 1 price $base --set $sets && out_has 'not priced' && out_has 'weights  *78.11 GiB' &&
		one_line '\[C2\]'
}
tap_case 'the price is refused, once, and memory is shown alone' unpriced
unpriced_json() { run 1 price $base --set $sets --json && out_has '"price":.*null' && out_has '"error"'; }
tap_case 'in JSON the price is null beside the error' unpriced_json
tap_case 'memory alone is no refusal' run 0 memory $base --set $sets
unpriced_pair() { run 1 compare $base --set $sets && out_has 'not compared: B is not priced'; }
tap_case 'a pair with one side unpriced compares no terms' unpriced_pair

# -- spellings of settings

same_price() {
	same_a=$("$STEPSCOPE" price $base --json --only price "$@") || return 1
	same_b=$("$STEPSCOPE" price $base --json --only price --set tp=4 --set max_model_len=32000 --set enable_prefix_caching=false) || return 1
	test "$same_a" = "$same_b"
}
tap_case 'short and long flags of the engine are settings' same_price -tp 4 --max-model-len 32k --no-enable-prefix-caching
tap_case 'with = and underscores too' same_price -tp=4 --max_model_len=32k --enable-prefix-caching=false
tap_case 'and as paths of --set' same_price --set tensor-parallel-size=4 --set engine.max_model_len=32k --set enable-prefix-caching=off
expert() { run 0 resolve mixtral-8x7b-h100-tp2-dp2 --enable-expert-parallel && out_has 'expert parallel  *4'; }
tap_case 'a switch needs no value' expert
unset_block() { run 0 evidence $base --set block_size= && out_has '^  block_size ~'; }
tap_case 'an empty value leaves a setting unstated, and the kernel assumes it' unset_block

# -- the batch

batch_line() { run 0 price $base --batch 64x8192 && out_has 'batch 64 decode x 8,192$'; }
tap_case 'a batch is taken from the line' batch_line
# chatbot: prompts of 256 tokens and as many out, so 256 and half of 256
shape() { run 0 price mixtral-8x7b-h100-tp2-dp2 && out_has 'batch 1 decode x 384 on each'; }
tap_case 'a workload shape opens with one decode at its mean length' shape
bad_batch() { run 2 price $base --batch 64y8 && one_line '64y8'; }
tap_case 'a batch that does not parse is bad usage' bad_batch
figure() { run 0 price $base --figure no_overlap && out_has '^25.62 ms (24.11 .. 25.62)  NoOverlap'; }
tap_case 'another figure can lead' figure
tap_case 'a figure that does not exist is bad usage' run 2 price $base --figure median
correct() { run 0 price $base --figure serial --correct expert_tensor_sharding && out_has '^21.66 ms\|^21.67 ms'; }
tap_case 'a divergence can be priced without' correct
whatif() { run 0 provenance $base --coef host_launch_per_kernel=2.4 && out_has 'host_launch_per_kernel.*2.4.*what-if *assumed'; }
tap_case 'a value can be tried, and provenance says so' whatif

# -- made from words

adhoc() { run 0 price --model llama-3.1-8b-instruct --part h100 --batch 8x1024 && out_has '^llama-3.1-8b-instruct-h100'; }
tap_case 'a scenario is made of a model and a part' adhoc
tap_case 'a part that does not exist ends with status 3' run 3 price --model llama-3.1-8b-instruct --part h1000
tap_case 'a model needs a part' run 2 price --model llama-3.1-8b-instruct
new_same() {
	run 0 new --model llama-3.1-8b-instruct --part h100 -tp 2 --batch 8x1024 -o made.json &&
		"$STEPSCOPE" price ./made.json --json --only price >a &&
		"$STEPSCOPE" price --model llama-3.1-8b-instruct --part h100 -tp 2 --batch 8x1024 --json --only price >b &&
		cmp a b
}
tap_case 'new writes the scenario that the words make' new_same
tap_case 'new takes no option that it would leave out' run 2 new --model llama-3.1-8b-instruct --part h100 --coef hbm_derate=1
only_alone() { run 0 walk $base --only resolved && out_has '^Resolved' && ! grep -q '^1 of' out; }
tap_case 'sections chosen are printed alone' only_alone
v100_sets() { run 0 new --model qwen3.6-27b-awq --part v100-sxm2-32 && out_has 'cost-model-sm70' && ! grep -q cost-model-primitives out; }
tap_case 'the sets of a part are those written for it' v100_sets

# 129,280 x 7,168 weights of two bytes over 8 ranks at 4.8 TB/s x 0.8: 60.3 us, twice those of
# one byte; the products at half of the FP8 peak, 46.1 us, twice 23.1
wide_head() {
	run 0 layers $base --figure serial && out_has 'LM head reads .*30.2 us' && out_has 'LM head  .*23.1 us' &&
		run 0 layers $base --figure serial --correct head_width &&
		out_has 'LM head reads .*60.3 us' && out_has 'LM head  .*46.1 us' &&
		run 0 price $base --figure serial --only divergences && out_has '^  head_width ! *-30.2 us' &&
		run 0 price $base --only divergences && ! grep -q head_width out &&
		run 0 price llama-3.1-8b-l40s-tp1 --figure serial --only divergences && ! grep -q head_width out
}
tap_case 'a quantised checkpoint keeps its head at 16 bits, which the laws do not' wide_head

# -- the rest

tap_case 'an equal pair compares to status 0' run 0 compare $base $base --exit-code
tap_case 'a pair that differs to status 1' run 1 compare $base --set block_size=128 --exit-code
compare_row() { run 0 diff $base --set cudagraph_mode=NONE && out_has 'graph replay.*+6.370'; }
tap_case 'diff is compare, and shows the term that moved' compare_row
known_error() {
	run 0 compare $base --figure serial --set expert_parallel=true &&
		out_has '^! of it -3.56 ms a known error of the law (expert_tensor_sharding)' &&
		run 0 compare $base --figure serial --set expert_parallel=true --correct all &&
		out_has '^Serial: 21.70 ms against 21.70 ms' && ! grep -q 'known error' "$tap_dir/out"
}
tap_case 'what of a difference is a known error is said, and left out of both sides' known_error
# The laws charge what experts read and compute apart, the kernel both at once.
figures_apart() {
	run 0 compare $base --figure serial,kernels &&
		out_has '^Serial: 25.22 ms against 24.43 ms of Kernels, -7' &&
		out_has '^  attn_moe *experts, compute  *17.644' && out_has '^  all  *25.224  *24.431' &&
		run 0 compare $base --figure serial,kernels --set tp=4 &&
		out_has '^Serial: 39.34 ms against 31.22 ms of Kernels' &&
		run 1 compare $base --figure serial,kernels --exit-code &&
		run 2 compare $base --figure serial,median && grep -q 'no_overlap' err &&
		run 2 price $base --figure serial,kernels && grep -q 'two figures are for compare' err &&
		run 1 compare qwen3.6-27b-fp8-v100-tp4 --figure serial,kernels
}
tap_case 'the laws and the measured kernels part term by term' figures_apart
# What was measured for DeepSeek-V3's experts on H200: Triton's curve, CUTLASS by its law.
kernel_choice() {
	run 0 resolve $base && out_has 'MoE backend  *triton  the release.s for fp8_block on h200' &&
		run 0 compare $base --set moe_backend=flashinfer_cutlass && out_has 'experts, compute .*+0.17' &&
		run 0 resolve $base --set moe_backend=marlin && out_has 'marlin  as stated; priced by' &&
		run 0 compare $base --set moe_backend=AUTO && out_has ', +0.00 ms (0.0 %)' &&
		run 1 price $base --set moe_backend=flashinfer_trtllm && grep -q 'needs data-centre Blackwell.*E16' err &&
		run 1 price $base --set moe_backend=bogus && grep -q 'takes auto, triton' err &&
		run 1 price $base --set linear_backend=aiter && grep -q 'is for AMD GPUs' err
}
tap_case 'a kernel is chosen by its backend, and one that cannot run is refused' kernel_choice
fused() {
	run 0 resolve deepseek-v4-pro-b200-fp8-tp8 && out_has 'fused all-reduce  *on  published runs' &&
		run 0 resolve $base && out_has 'fused all-reduce  *off  published runs' &&
		run 0 compare $base --set fuse_act_quant=on && out_has 'attn_moe  *small kernels  *launch .*-0.487'
}
tap_case 'kernels are fused as the part has it, or as stated' fused
# Experts of DeepSeek-V3 on H200, 58 layers of 247.6 us at 32 tokens by a curve of 15 points.
kernels_apart() {
	run 0 kernels $base && out_has 'experts, compute *fp8_block *58 *247.6 us .* 32  tokens *15' &&
		out_has '^vllm_fp8moe_triton_tritonexperts, measured with vllm 0.24.0' &&
		out_has '^! measured 7 minor releases away' && out_has 'o measured  . law  @ this step' &&
		run 0 kernels $base --batch 1x20000p && out_has 'beyond the last point' &&
		run 0 kernels $base --figure serial && out_has 'has no measured kernels'
}
tap_case 'a measured kernel opens into its parts, its curve and its marks' kernels_apart
three_answers() {
	run 1 price $base --batch 128x32k --require-fit && out_has '^x BATCH DOES NOT FIT by' &&
		run 1 price $base --batch 128x32k --require-fit --only price &&
		out_has '^x BATCH DOES NOT FIT by' &&
		run 1 price $base --batch 300x1k --require-fit && out_has '^x ABOVE max_num_seqs 256' &&
		run 0 sweep $base --vary count=32,300 --only count,fits --format csv &&
		out_has ',32,true$' && out_has ',300,false$'
}
tap_case 'price, sweep and --require-fit agree on what fits' three_answers
tap_case 'list takes only what there is' run 2 list cars
for what in models parts scenarios sets fields engines fabrics workloads; do
	tap_case "list $what" run 0 list $what
done
divergences() { run 0 divergences --format csv && out_has '^expert_tensor_sharding,step,.*,off,'; }
tap_case 'divergences are listed with whether they are corrected' divergences
for command in report price resolve provenance evidence walk memory layers model sensitivity \
	sweep compare fit validate list new import export divergences; do
	help_of() { run 0 $command --help && out_has "^usage: stepscope $command"; }
	tap_case "$command has help" help_of
	tap_case "the manual tells of $command" sh -c "'$STEPSCOPE' --generate manual | grep -q 'fB$command'"
done
for format in markdown text; do
	tap_case "a report in $format" run 0 report $base --format $format
done
colors() { run 0 price $base --color always && out_has "$(printf '\033')\\["; }
tap_case 'colour when it is asked for' colors
no_colors() { run 0 price $base && ! grep -q "$(printf '\033')" out; }
tap_case 'no colour where there is no terminal' no_colors
for shell in bash zsh fish; do
	tap_case "completion for $shell is made" run 0 --generate $shell
done
mode() {
	mode_wanted=$1
	shift
	run 0 resolve $base --json --only resolved "$@" && out_has "\"cudagraph_mode\":.*\"$mode_wanted\""
}
tap_case 'a flag of the engine that is no field is taken as a setting' mode NONE --enforce-eager
tap_case 'the later of two settings counts' mode NONE --set cudagraph_mode=FULL --enforce-eager
tap_case 'a flag takes JSON' mode FULL --compilation-config '{"cudagraph_mode": "FULL"}'
ignored() { run 0 price $base --port 8000 && one_line 'port is ignored'; }
tap_case 'a flag that changes nothing is listed as ignored' ignored
cut_short() { run 2 price $base "$@" && one_line 'did you mean --tensor-parallel-size'; }
tap_case 'a flag that stops early has its nearest named' cut_short --tensor-paralel 8
tap_case 'in a pasted line too' cut_short --args '--tensor-paralel 8'
complete_words() { run 0 --complete settings cudagraph_mode= && out_has '^cudagraph_mode=PIECEWISE$'; }
tap_case 'completion knows the values of a setting' complete_words

completes() { run 0 --complete "$1" "$2" && out_has "^$3\$"; }
tap_case 'completion knows settings by their last word' completes settings cuda cudagraph_mode=
tap_case 'and by their path' completes settings engine.cuda engine.cudagraph_mode=
tap_case 'completion knows the axes of a sweep' completes axes '' context=
tap_case 'completion knows the columns of a sweep' completes columns '' tokens_per_s
tap_case 'completion knows divergences' completes divergences '' expert_tensor_sharding
tap_case 'completion knows sections' completes sections '' gdn_prefill
tap_case 'completion knows the words of engine' completes engine '' admit
tap_case 'completion knows the documents a setting names' completes settings model=q model=qwen3-14b
tap_case 'and the second word of a list' completes sections price, price,memory
tap_case 'and a setting after = of its option' completes settings --set=cuda cudagraph_mode=
tap_case 'completion knows the coefficients of an axis' completes axes coef:h coef:host_launch_per_kernel=
tap_case 'completion knows stages' completes stages '' mixed_decode
once() { run 0 --complete coefficients '' && test "$(grep -c '^host_link_bandwidth=' out)" -lt 4; }
tap_case 'completion names a coefficient once a set' once

made="--model llama-3.1-8b-instruct --part h100"
made_alone() { run 1 compare $made --set tp=2 --exit-code && out_has '^  parallel.tp \* *1  2$'; }
tap_case 'a scenario that --model makes is compared with what the line makes of it' made_alone
made_second() { run 0 compare $base $made && out_has "^A $base against B llama-3.1-8b-instruct-h100$"; }
tap_case 'and with another' made_second
tap_case 'but not with two' run 2 compare $base $base $made
beyond() {
	run 0 price $base --batch 300x40000,1x9000p && out_has '^Warnings' &&
		out_has 'has requests: 301, above engine.max_num_seqs 256' &&
		out_has 'schedules tokens: 9300, above engine.max_num_batched_tokens 8192' &&
		out_has 'has a request of length 40000, above engine.max_model_len 32768'
}
tap_case 'a batch beyond the limits is priced with warnings' beyond
within() { run 0 price $base --batch 256x32768 && ! grep -q '^Warnings' out; }
tap_case 'and one at them without' within

caution() { run 0 divergences && tr '\n' ' ' <out | tr -s ' ' | grep -q '12.7 %; .* 15.3 %'; }
tap_case 'divergences say why they are off, with figures' caution

full() {
	test -c /dev/full || return 0
	for words in "price $base" "sweep $base --vary tp=8" "list models" "engine list routes" \
		"engine render" --help --version "--generate manual"; do
		"$STEPSCOPE" $words 2>err >/dev/full
		test $? -eq 4 && one_line 'standard output: cannot be written' || { echo "$words"; return 1; }
	done
}
tap_case 'a full disk is said, whatever was printed' full
own_scenarios() {
	mkdir -p data/stepscope/scenarios && cp "$top_srcdir/scenarios/$base.json" data/stepscope/scenarios/own.json &&
		XDG_DATA_HOME=$PWD/data run 0 price own
}
tap_case 'scenarios of the user need no registry beside them' own_scenarios
no_registry() {
	run_registry=$STEPSCOPE_REGISTRY
	unset STEPSCOPE_REGISTRY
	HOME=/nonexistent XDG_DATA_HOME=/nonexistent run 3 price no-such && one_line 'no-such: no file'
	run_got=$?
	STEPSCOPE_REGISTRY=$run_registry
	export STEPSCOPE_REGISTRY
	return $run_got
}
tap_case 'without a registry that is what is said' no_registry

below_the_tree() {
	mkdir -p tree/src tree/build/deep && touch tree/configure.ac tree/src/main.c &&
		ln -s "$STEPSCOPE_REGISTRY" tree/registry && cp -r "$STEPSCOPE_REGISTRY/../scenarios" tree/ &&
		(cd tree/build/deep && unset STEPSCOPE_REGISTRY && "$STEPSCOPE" price $base) >out 2>err &&
		out_has '^24.43 ms'
}
tap_case 'a build folder finds the registry of its source tree' below_the_tree
csv_band() {
	run 0 price $base --only price --format csv && out_has '^band_low_s,0\.02' && out_has '^band_high_s,0\.02' &&
		out_has '^admission_s,0\.0414' && test "$(grep -c '^figure,' out)" -eq 1 && ! grep -q '^$' out
}
tap_case 'csv holds the price as one table' csv_band
csv_verdict() {
	run 0 fit $base --only fit --format csv &&
		out_has '^fits,deployment,batch,max_num_seqs,budget,max_model_len,term,short_bytes,reason$' &&
		out_has '^true,true,true,true,true,true,,,$' && test "$(wc -l <out)" -eq 2
}
tap_case 'csv holds the verdict' csv_verdict
csv_choice() {
	run 2 report $base --format csv && grep -q 'one table.*price, fit, memory.*--only.*-o FOLDER/' err &&
		run 2 compare $base --set tp=4 --format csv && grep -q 'settings, terms' err &&
		run 0 compare $base --set tp=4 --only terms --format csv && out_has '^kind,' && ! grep -q '^$' out
}
tap_case 'several tables are no csv: one is chosen' csv_choice
csv_folder() {
	rm -rf tables
	run 0 report $base --format csv -o tables/ && test -s tables/price.csv -a -s tables/evidence-counts.csv &&
		grep -qx '117,157,39' tables/evidence-counts.csv &&
		"$STEPSCOPE" report $base --only memory --format csv | cmp - tables/memory.csv &&
		run 4 report $base --format csv -o tables && grep -q 'tables/.*csv.*--force' err &&
		run 0 report $base --format csv -o tables --force
}
tap_case 'or each is written into a folder' csv_folder
csv_walk() {
	run 0 walk $base --format csv && out_has '^name,value,units,set,scope,law,elasticity,low' &&
		out_has '^host_launch_per_kernel,3.2,us_per_transfer,' &&
		out_has ',state engine.max_cudagraph_capture_size$'
}
tap_case 'csv holds the walk, with what would stand instead' csv_walk

tap_done
