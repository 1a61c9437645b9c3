# Memory and files that fail, call by call, under every command: one line, status 4,
# and nothing wrong written. FAULTS=all tries every call, which takes hours; else some
# of each command's, another set each day.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
inject=$(cd "${top_builddir:-.}" && pwd)/tests/faults/.libs/inject.so
top_srcdir=$(cd "$top_srcdir" && pwd)
test "${INSTRUMENTED:-no}" = no || tap_skip_all 'sanitizers and coverage have an allocator of their own'
test -f "$inject" || tap_skip_all 'nothing here can be preloaded'
cd "$tap_dir" || exit 99
# One processor's order of calls is that of every run.
one='taskset -c 0'
command -v taskset >/dev/null || one=

base=deepseek-v3-h200-fp8-tp8
mkdir here
cat "$top_srcdir/scenarios/$base.json" >mine.json
cat "$top_srcdir/tests/data/runs.csv" >runs.csv
printf 'vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2 --max-num-seqs 64\n' >serve.sh

# run ARGUMENT...: the program with FAULT_AT and the rest as they are set.
run()
{
	rm -rf here/* && echo old >here/old
	LD_PRELOAD=$inject $one "$STEPSCOPE" "$@" >out 2>err </dev/null
	status=$?
}

# kept: the files there were are whole, and beside them is only what is whole.
kept()
{
	test "$(cat here/old)" = old || return
	test "$status" -eq 4 || { diff -r here right >/dev/null; return; }
	find here -type f | while read -r kept_file; do
		cmp -s "$kept_file" "right/${kept_file#here/}" || { ls -lA here; exit 1; }
	done
}

# said PATTERN: why, in a line for each file that failed, and no more than why.
said()
{
	test -s err && ! grep -v -q "$1" err
}

# What the failing of one call must come to.
judged()
{
	if test "$status" -eq "$right_status" && cmp -s out right.out && cmp -s err right.err && kept; then
		return 0 # it could do without
	fi
	test "$status" -eq 4 && said "$1" && kept && return 0
	echo "status $status at call $FAULT_AT of $FAULT_KIND${FAULT_ALL:+, all from there}:"
	head -3 err
	cmp out right.out
	return 1
}

# points COUNT: the calls that are tried.
points()
{
	if test "${FAULTS:-some}" = all; then
		seq 1 "$1"
		return
	fi
	# the first ones, the last ones, and some between that no one chose
	awk -v n="$1" -v many="${FAULTS_MANY:-3}" -v seed="${FAULTS_SEED:-$(date +%j)}" 'BEGIN {
		srand(seed)
		for (i = 1; i <= 3; i++) { print i; if (n > i) print n - i + 1 }
		for (i = 0; i < many; i++) print 1 + int(rand() * n)
	}' | awk -v n="$1" '$1 >= 1 && $1 <= n' | sort -nu
}

# fails KIND PATTERN ARGUMENT...: each call of a kind failing, once and from there on.
fails()
{
	export FAULT_KIND=$1 FAULT_AT=0 FAULT_COUNT=$tap_dir/count
	fails_pattern=$2
	shift 2
	unset FAULT_ALL
	rm -f count
	run "$@"
	right_status=$status
	test $right_status -eq 0 && test "$(cat count)" -gt 0 || { cat err; return 1; }
	rm -rf right right.out right.err
	cat out >right.out
	cat err >right.err
	cp -r here right
	unset FAULT_COUNT
	for FAULT_AT in $(points "$(cat count)"); do
		for all in '' yes; do
			unset FAULT_ALL
			test -z "$all" || export FAULT_ALL=$all
			run "$@"
			judged "$fails_pattern" || return
		done
	done
}

memory() { fails alloc 'out of memory$\|Cannot allocate memory$' "$@"; }
# EIO; EMFILE, where files are opened; ENOSPC, where they are written.
errors='5 24 28'
test "${FAULTS:-some}" = all || errors=$(echo $errors | cut -d' ' -f$(($(date +%s) % 3 + 1)))
files()
{
	for FAULT_ERRNO in $errors; do
		export FAULT_ERRNO
		fails file 'cannot be\|rror\|No space\|Too many\|out of' "$@" || return
	done
}

while read -r line; do
	# words apart by blanks, as a shell would have them
	# shellcheck disable=SC2086
	tap_case "memory fails: $line" memory $line
	tap_case "files fail: $line" files $line
done <<END
price $base
report mine.json --json -o here/new
resolve $base --only resolved --format csv
provenance $base --format markdown
walk $base
layers $base
model $base
sensitivity $base
sweep $base --vary tp=4,8 --vary count=1,2,4 -j 1 -o here/new
compare $base mine.json --set tp=4
fit $base --length 1000
import serve.sh --part h100 -o here/made
export $base --to vllm -o here/new
validate mine.json
score runs.csv --json -o here/new
score runs.csv --serve -j 1
evidence $base --only validation
list scenarios
new --model llama-3.1-8b-instruct --part h100 -tp 2 -o here/new
engine list attention_routes
engine render -o here/new
engine diff vllm-sm70 vllm-sm70
divergences
END

tap_done
