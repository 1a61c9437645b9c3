# Planning a rate: how many GPUs of which part, and what starts them.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
model=qwen3-30b-a3b
load='--load 1024/128 --slo ttft=1s,tpot=20ms'

plan() { "$STEPSCOPE" plan --model $model $load "$@"; }
cell() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }'; }

plan --part h100,h200 --rate 40/s --tp 1,2 --format csv >plan.csv || exit 99

every() { test "$(wc -l <plan.csv)" -eq 5 && test "$(grep -c '^h100,' plan.csv)" -eq 2; }
tap_case 'every part has a row of every width' every

ordered() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpus") at = i; next }
		$at != "" { if ($at + 0 < last) bad = 1; last = $at + 0; n++ } END { exit bad || n < 2 }' plan.csv
}
tap_case 'the fewest GPUs are first' ordered

# What it says is what serving says of the same replicas, each step played.
carried() {
	part=$(cell part <plan.csv) tp=$(cell tp <plan.csv) n=$(cell replicas <plan.csv)
	test "$n" -ge 2 || return 1
	serve() {
		"$STEPSCOPE" serve --model $model --part "$part" --nodes 8 --set tp="$tp" --set replicas="$1" \
			--inter-node-gb-s 50 --load 1024/128@40/s --slo ttft=1s,tpot=20ms --requests 1500 --json --only slo
	}
	serve "$n" | grep -q '"is_met":[[:space:]]*true' || return 1
	serve $((n - 1)) | sed -n '/"is_met"/p' | head -1 | grep -q false
}
tap_case 'the replicas found carry the rate, and one fewer does not' carried

costs() {
	plan --part h100,h200 --rate 40/s --tp 1 --gpu-cost h100=9,h200=1 --format csv | cell part | grep -qx h200 &&
		plan --part h100,h200 --rate 40/s --tp 1 --gpu-cost h100=1,h200=9 --format csv | cell part | grep -qx h100
}
tap_case 'what GPUs cost decides which is first' costs

usual() { plan --part h100 --rate 9/s --format csv | cut -d, -f2 | sort -n | tr '\n' ' ' | grep -q 'tp 1 2 4 8'; }
tap_case 'without widths those of a node are tried' usual

moved() {
	"$STEPSCOPE" plan qwen3-30b-a3b-h100-tp2 --part h200 $load --rate 20/s --format csv >moved.csv &&
		cell part <moved.csv | grep -qx h200 && cell command <moved.csv | grep -q 'tensor-parallel-size 2'
}
tap_case 'a scenario is put on the parts that are named' moved

starts() { cell command <plan.csv >line && "$STEPSCOPE" import line --part h200 -q -o started && ls started >/dev/null; }
tap_case 'the command of a row is one that import reads' starts

switches() { plan --part h200 --rate 9/s --tp 2 --vary enable_expert_parallel=false,true --json | grep -c '"enable_expert_parallel":' | grep -qx 2; }
tap_case 'any setting of the deployment is varied beside the width' switches

minutes() {
	plan --part h200 --rate 600/min --tp 1 --json >minutes.json
	plan --part h200 --rate 10 --tp 1 --json | cmp - minutes.json
}
tap_case 'a rate may be stated a minute' minutes
own() {
	"$STEPSCOPE" plan --model $model --part h200 --tp 1 --load 1024/128@10/s --slo ttft=1s,tpot=20ms --json |
		cmp - minutes.json
}
tap_case 'the rate of the load does where none is named' own

none() { plan --part h100 --tp 1,2 --slo ttft=1us --rate 1/s >none.txt; test $? -eq 1 && grep -q 'ttft p90 is .* even for a request alone' none.txt; }
tap_case 'what no number of replicas meets is told, with status 1' none
fault() { word=$1; shift; "$STEPSCOPE" plan "$@" >out 2>err; test $? -eq 2 && grep -q "$word" err && test ! -s out; }
tap_case 'a plan wants a rate' fault 'wants --rate' --model $model --part h200 --slo ttft=1s
tap_case 'it wants a service level' fault 'wants --slo' --model $model --part h200 --rate 2/s
tap_case 'a rate that is none is bad usage' fault 'requests a second' --model $model --part h200 $load --rate -2
tap_case 'a cost of another part is bad usage' fault 'not among the parts' --model $model --part h200 $load --rate 2 --gpu-cost b200=3
tap_case 'a batch cannot be varied' fault 'settings of the deployment' --model $model --part h200 $load --rate 2 --vary count=1,2
tap_case 'an empty part is bad usage' fault 'apart by commas' --model $model --part h200, $load --rate 2
unknown() { "$STEPSCOPE" plan --model $model --part h200,h300 $load --rate 2 2>err; test $? -eq 3 && grep -q h300 err; }
tap_case 'an unknown part is told' unknown
tap_done
