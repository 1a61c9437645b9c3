# The JSON contract: every key is always there, and keys are sorted.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99

# keys FILE: the path of every key, arrays as [], one a line, in order.
keys()
{
	awk '
		{
			line = $0
			sub(/^[ \t]*/, "", line)
			name = ""
			while (match(line, /^[]}[{, ]/)) {
				step(substr(line, 1, 1))
				line = substr(line, 2)
			}
			if (match(line, /^"[^"]*":/)) {
				name = substr(line, 2, RLENGTH - 3)
				print path[depth] name
				line = substr(line, RLENGTH + 1)
			}
			gsub(/"([^"\\]|\\.)*"/, "", line)
			for (i = 1; i <= length(line); i++)
				step(substr(line, i, 1))
		}
		function step(c)
		{
			if (c == "{" || c == "[") {
				path[depth + 1] = name == "" ? path[depth] : path[depth] name "."
				depth++
				name = ""
			} else if (c == "}" || c == "]") {
				depth--
			}
		}' "$1"
}

has_keys()
{
	has_prefix=$1
	shift
	for has_key; do
		grep -q "^$has_prefix$has_key\$" keys || { echo "no key $has_prefix$has_key"; return 1; }
	done
}

whole()
{
	"$STEPSCOPE" report "$1" --json >report.json 2>err || { cat err; return 1; }
	keys report.json | sort -u >keys
	has_keys '' format scenario warnings divergences price layers memory fit resolved routes \
		moe_bindings gdn_prefill evidence provenance || return 1
	has_keys 'scenario\.' name model part engine engine_version || return 1
	has_keys 'price\.' lead no_overlap_s serial_s overlap_s band_s itl_s bottleneck resources_s \
		kernels graph tokens_per_s tokens_per_s_per_gpu prefill_tokens_per_s ttft draft_s || return 1
	has_keys 'price\.resources_s\.' sm hbm nvlink nic pcie host || return 1
	has_keys 'layers\.' kind count sm_s hbm_s nvlink_s nic_s pcie_s host_s terms || return 1
	has_keys 'layers\.terms\.' name resource seconds flops bytes reads || return 1
	has_keys 'memory\.' weights_bytes scales_bytes tables_bytes redundant_bytes draft_bytes \
		activation_bytes communicator_bytes workspace_bytes graphs_bytes total_bytes \
		visible_bytes room_corrections budget_bytes kv_bytes_per_token sequence_fixed_bytes \
		pool || return 1
	has_keys 'memory\.pool\.' block_size page_bytes block_bytes blocks blocks_per_request \
		reported_tokens max_concurrency fixed_bytes_per_request marginal_bytes_per_token || return 1
	has_keys 'fit\.' fits reason term short_bytes fixes || return 1
	has_keys 'engine\.' name version taken_as release_distance || return 1
	has_keys 'resolved\.' tensor_parallel data_parallel expert_parallel decode_context_parallel \
		prefill_context_parallel allreduce_backend async_scheduling cascade_attention \
		sequence_parallel_moe cudagraph_mode max_cudagraph_capture_size \
		cudagraph_capture_sizes block_size \
		max_num_batched_tokens max_num_seqs max_model_len cache_layout attention_backend \
		all2all_backend mamba_cache_mode overrides || return 1
	has_keys 'evidence\.' evidenced total assumed by_method price_share || return 1
	has_keys 'provenance\.' name set method scope value original units fitted read elasticity \
		ci95 sources rationale laws
}

for path in "$top_srcdir"/scenarios/*.json; do
	name=${path##*/}
	tap_case "every key of the contract is in the report of ${name%.json}" whole "$path"
done

sorted()
{
	"$STEPSCOPE" "$@" --json >sorted.json || return 1
	awk '
		match($0, /^\t*"[^"]*":/) {
			depth = index($0, "\"")
			name = substr($0, depth + 1, RLENGTH - depth - 2)
			for (d in last) if (d + 0 > depth) delete last[d]
			if (depth in last && last[depth] != "" && last[depth] > name) { print last[depth] " before " name; bad = 1 }
			last[depth] = name
		}
		/^\t*}/ { for (d in last) if (d + 0 >= index($0, "}")) delete last[d] }
		END { exit bad }' sorted.json
}
LC_ALL=C
export LC_ALL
base=deepseek-v3-h200-fp8-tp8
selects() {
	"$STEPSCOPE" resolve qwen3.6-27b-awq-v100-tp4 --json >sm70.json || return 1
	keys sm70.json | sort -u >keys
	has_keys 'routes\.' stage capturing prefix winner inner confidence candidates next_better || return 1
	has_keys 'routes\.candidates\.' name reason || return 1
	has_keys 'routes\.next_better\.' name needs || return 1
	has_keys 'gdn_prefill\.' backend inner reason || return 1
	"$STEPSCOPE" resolve --model qwen3-30b-a3b --part v100-sxm2-32 --set tp=4 --json >sm70.json || return 1
	keys sm70.json | sort -u >keys
	! has_keys '' moe_bindings.stage || return 1
	"$STEPSCOPE" resolve --model qwen3-30b-a3b --part v100-sxm2-32 --set tp=4 \
		--set enable_expert_parallel=true --set quantization=fp8 --json >sm70.json || return 1
	keys sm70.json | sort -u >keys
	has_keys 'moe_bindings\.' stage mode binding native_name chosen reason &&
		test "$(grep -c '"chosen":.*true' sm70.json)" -ge 1
}
tap_case 'routes, bindings and GDN prefill are there for the SM70 build' selects
tap_case 'the keys of a price are sorted' sorted price $base
tap_case 'the keys of a resolution are sorted' sorted resolve $base
only() {
	"$STEPSCOPE" report $base --json --only price,fit >only.json && keys only.json |
		grep -v '[.]' | tr '\n' ' ' | grep -qx 'fit format price '
}
tap_case '--only keeps the sections named, and the format' only
apart() {
	"$STEPSCOPE" report $base --engine-version 0.30.5 --json --only price >apart.json &&
		grep -q '"release_distance":[[:space:]]*1' apart.json
}
tap_case 'a release priced as another is said beside any section' apart
walk() {
	"$STEPSCOPE" walk $base --json >w.json && keys w.json | sort -u >keys &&
		has_keys 'walk\.' name set scope value units law elasticity room_elasticity moves_s share points \
			why instead setting && has_keys 'walk\.points\.' value seconds room_bytes || return 1
	# the pages of the text hold the same
	"$STEPSCOPE" walk $base | grep -c '^instead: ' | grep -qx "$(grep -c '"instead":' w.json)"
}
tap_case 'walk prints all that its pages show' walk
ttft() { "$STEPSCOPE" price $base --json --ttft 4096 >t.json && grep -q '"prompt_tokens":.*4096' t.json; }
tap_case 'the time to first token is there when asked for' ttft
model() { "$STEPSCOPE" model $base --json >m.json && keys m.json | sort -u | tr '\n' ' ' | grep -qx 'format graph nodes nodes.layer nodes.op nodes.role nodes.seconds '; }
tap_case 'model prints graph and nodes' model
compare() { "$STEPSCOPE" compare $base --set tp=4 --json >c.json && keys c.json | grep -v '[.]' | sort -u | tr '\n' ' ' | grep -qx 'difference entries format leads memory overrides releases settings terms '; }
tap_case 'compare prints settings, terms, memory, entries and overrides' compare
releases() {
	"$STEPSCOPE" compare $base --set engine_version=0.30.5 --json >c.json &&
		grep '"release_distance"' c.json | tr -dc '0-9\n' | tr '\n' ' ' | grep -qx '0 1 '
}
tap_case 'compare says how far each release is from the one it is priced as' releases

tap_done
