# One deployment under several releases: `compare --engine-version`, and the manual's table.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99

# has FILE PATTERN
has()
{
	grep -q -e "$2" "$1" && return 0
	cat "$1"
	return 1
}

compared()
{
	"$STEPSCOPE" compare --model qwen3.6-27b --part h200 --engine-version 0.10,0.19,0.29,0.31 \
		-q >out
}

# Documented: a share of 0.90 up to 0.19, 0.92 from 0.22 on; graphs within it since 0.21.
shares() { has out 'gpu_memory_utilization \* *0\.9  *0\.9  *0\.92  *0\.92 '; }
graphs() { has out 'graphs_inside_budget \* *0  *0  *1  *1 '; }
prefixes() { has out 'hybrid_prefix_caching \* *0  *0  *1  *1 '; }

# Reported of starts of large expert models: about 7.4 GiB of activation in 0.10 and 0.11.
experts()
{
	"$STEPSCOPE" compare deepseek-v3-h200-fp8-tp8 --engine-version 0.10.2,0.31.0 -q >out &&
		has out 'expert_activation_gib \* *7\.4  *0 ' && has out 'budget_bytes \*'
}

as_priced()
{
	"$STEPSCOPE" compare --model qwen3-8b --part h100 --engine-version 0.20,0.31 -q >out &&
		has out 'gpu_memory_utilization \* *0\.92 ~  *0\.92 '
}

empty_name()
{
	! "$STEPSCOPE" compare deepseek-v3-h200-fp8-tp8 --engine-version 0.10,,0.31 >out 2>err &&
		test "$(wc -l <err)" -eq 1 && has err 'releases apart by commas'
}

json()
{
	"$STEPSCOPE" price deepseek-v3-h200-fp8-tp8 --set engine_version=0.19.0 --json -q >out &&
		has out '"graphs_inside_budget":.*false' && has out '"until":.*"0\.20"'
}

manual()
{
	"$STEPSCOPE" help laws >out && has out '^ *gpu_memory_utilization  *0\.9' &&
		has out 'graphs_inside_budget  *0  *0  *0  *0  *0  *1 '
}

env_off()
{
	"$STEPSCOPE" price deepseek-v3-h200-fp8-tp8 -q --json \
		--set cluster.host.env.VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0 >out &&
		has out '"graphs_inside_budget":.*false'
}

tap_case 'four releases stand side by side' compared
tap_case 'the default share is each release'"'"'s' shares
tap_case 'graphs lie within the share since 0.21' graphs
tap_case 'models with recurrent layers cache prefixes from 0.28 on' prefixes
tap_case 'large expert models hold more in 0.10' experts
tap_case 'a figure not known of a release is said to be that of the release priced' as_priced
tap_case 'an empty release is refused in one line' empty_name
tap_case 'JSON says what the release counts where' json
tap_case 'the manual has the table' manual
tap_case 'the host can turn the counting of graphs off' env_off
tap_done
