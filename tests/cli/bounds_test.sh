# Nothing waits for ever, nothing impossible is priced, nothing is dropped unsaid.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

# run STATUS ARGUMENT...: within a minute, the program ends with that status.
run()
{
	run_status=$1
	shift
	timeout 60 "$STEPSCOPE" "$@" >out 2>err </dev/null
	run_got=$?
	test "$run_got" -eq "$run_status" && return 0
	echo "status $run_got, not $run_status: stepscope $*"
	cat err
	return 1
}

says()
{
	test "$(wc -l <err)" -eq 1 && grep -q -e "$1" err && return 0
	cat err
	return 1
}

mkdir -p reg/registry/models reg/registry/hardware reg/registry/engines reg/scenarios
for folder in registry/models registry/hardware registry/engines scenarios; do mkfifo reg/$folder/aaa.json; done
pipes()
{
	run 3 price aaa --registry reg/registry && says 'no file and no scenario of that name' &&
		run 3 price $base --set model=aaa --registry reg/registry && says 'aaa' &&
		run 0 price $base --registry reg/registry && run 3 list models --registry reg/registry &&
		run 0 list scenarios --registry reg/registry && run 3 engine list --registry reg/registry &&
		run 0 validate reg && grep -q 'aaa.json: is no plain file, passed over' err
}
tap_case 'a pipe in a folder of documents is not waited for' pipes

named_pipe()
{
	mkfifo given && { cat "$top_srcdir/scenarios/$base.json" >given & } && run 0 price ./given && wait
}
tap_case 'a pipe that is named is read' named_pipe

axes()
{
	for axis in count=1..1000000000 gpu_memory_utilization=0.1..0.9:+1e-12 count=1..1e9:x1.0000000001; do
		run 2 sweep $base --vary $axis && says 'more than 10,000,000 values' || return
	done
}
tap_case 'the values of an axis are counted before any is made' axes

batches()
{
	run 2 price $base --batch 1000000000x1000000000 && says 'holds 1e+18 tokens, must hold 1e+12 at most' &&
		run 2 price $base --batch 999999999999x1 && says 'each figure up to 1,000,000,000' &&
		run 2 sweep $base --vary count=1,1000000000 --vary context=1,1000000000 && says 'make a batch of 1e+18' &&
		sed 's/"count": [0-9]*/"count": 1000000000/; s/"computed": [0-9]*/"computed": 1000000000/' \
			"$top_srcdir/scenarios/$base.json" >huge.json && run 3 price huge.json && says '/workload/batch: holds 1e+18'
}
tap_case 'a batch that no machine holds is refused with the bound' batches

# Both are a what-if of the same coefficient, at the same value.
numbers()
{
	run 0 price $base --coef host_launch_per_kernel=4k --json && cp out thousand &&
		run 0 price $base --coef host_launch_per_kernel=4000 --json && cmp out thousand &&
		run 2 price $base --coef host_launch_per_kernel=0x10 && says 'must be a number' &&
		run 2 price $base --set gpu_memory_utilization=0x1p-1 && run 2 price $base --ttft 0x10 &&
		run 0 price $base --ttft 4k --json && cp out thousand && run 0 price $base --ttft 4000 --json && cmp out thousand &&
		run 2 price $base --acceptance 0x1p-1 && run 2 price $base --coef host_launch_per_kernel=nan &&
		run 2 price $base --coef host_launch_per_kernel=inf
}
tap_case 'a number is written one way wherever it goes' numbers

tails()
{
	run 2 price $base --args '-tp 8 ; rm' && says 'args: .rm. stands behind the end of the command' &&
		run 2 price $base --args '-tp 8 && rm x' && says 'behind the end' &&
		run 2 price $base --args '-tp 8
--max-num-seqs 7' && says '.--max-num-seqs. stands behind the end' &&
		run 0 price $base --args '-tp 8 \
--max-num-seqs 128'
}
tap_case 'flags behind the end of a command are not dropped unsaid' tails

unread()
{
	mkdir -p shut && echo '{}' >shut/x.json && chmod 000 shut/x.json
	test "$(id -u)" -ne 0 || rm shut/x.json # root may read all
	run 4 price shut/x.json && run 4 validate shut/x.json && run 4 import shut/x.json --part h100 &&
		run 4 engine check shut/x.json && run 4 compare $base shut/x.json && run 4 tour shut/x.json --check
}
tap_case 'a file that cannot be read ends every command alike' unread

# Its time for so many lines, in seconds; a slip to squares would take minutes.
many()
{
	# a sanitizer takes ten times as long for each
	lines=100000
	test "${INSTRUMENTED:-no}" = no || lines=10000
	awk -v n=$lines 'BEGIN { printf "{\"kind\": \"Scenario\""; for (i = 0; i < n; i++) printf ",\"k%d\": 1", i; print "}" }' >many.json &&
		run 3 price many.json && awk -v n=$lines 'BEGIN { for (i = 0; i < n; i++) print "say x" }' >many.tour &&
		timeout 60 "$STEPSCOPE" tour many.tour --check >out 2>err </dev/null
	test $? -le 3
}
tap_case 'a document or tour of a hundred thousand lines takes its time and no more' many

tap_done
