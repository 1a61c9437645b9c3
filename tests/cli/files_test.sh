# What the program writes, and what it leaves alone.

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

# says PATTERN: stderr is one line, and it matches.
says()
{
	test "$(wc -l <err)" -eq 1 && grep -q -e "$1" err && return 0
	cat err
	return 1
}

# holds FILE TEXT
holds()
{
	test "$(cat "$1")" = "$2" && return 0
	head -3 "$1"
	return 1
}

# only FILE...: nothing else is in the folder `here`.
only()
{
	test "$(ls -A here | tr '\n' ' ')" = "$*${1:+ }" && return 0
	ls -A here
	return 1
}

# fresh: a folder `here` that is empty.
fresh()
{
	rm -rf here && mkdir here
}

unasked()
{
	fresh && echo old >here/a &&
		run 4 price $base -o here/a && says 'here/a: is there already.*--force' && holds here/a old &&
		run 4 new --model llama-3.1-8b-instruct --part h100 -o here/a && holds here/a old &&
		run 4 engine render -o here/a && says 'is there already' && holds here/a old &&
		run 4 engine list -o here/a && holds here/a old &&
		run 4 export $base --to vllm -o here/a && holds here/a old && only a
}
tap_case 'no command writes over a file unasked' unasked

forced()
{
	fresh && echo old >here/a && chmod 640 here/a && run 0 price $base -o here/a --force &&
		grep -q '^24.43 ms' here/a && test "$(stat -c %a here/a)" = 640 &&
		run 0 engine render --force -o here/a && ! grep -q '^24.43 ms' here/a && only a
}
tap_case '--force writes over a file, which keeps its rights' forced

empty() { fresh && : >here/a && run 0 price $base -o here/a && test -s here/a; }
tap_case 'an empty file holds nothing to lose' empty

before() { fresh && echo old >here/a && run 4 sweep $base --vary count=1..256 --vary context=1..1000 -o here/a && says 'is there already'; }
tap_case 'the file is asked for before the work, not after it' before

# A disk that fills is the limit of a file's size.
full()
{
	fresh && echo old >here/a && (ulimit -f 4 && run 4 report $base --json -o here/a --force) &&
		says 'here/a: cannot be written: File too large' && holds here/a old && only a
}
tap_case 'a file that does not fit leaves the old one whole' full

full_engine()
{
	fresh && echo old >here/a && (ulimit -f 4 && run 4 engine render -o here/a --force) &&
		says 'here/a: cannot be written: File too large' && holds here/a old && only a
}
tap_case 'so it is with the engine commands' full_engine

input()
{
	fresh && cat "$top_srcdir/scenarios/$base.json" >here/a.json && cat here/a.json >kept &&
		ln -s a.json here/b.json && ln here/a.json here/c.json &&
		run 4 report here/a.json -o here/a.json --force && says 'is read here' &&
		run 4 report here/a.json -o here/b.json --force && says 'is read here' &&
		run 4 report here/a.json -o here/c.json --force && says 'is read here' &&
		run 4 validate here/a.json -o here/a.json --force && says 'is read here' &&
		cmp here/a.json kept
}
tap_case 'what is read is never written over' input

linked()
{
	fresh && mkdir here/far && echo old >here/far/a && ln -s far/a here/link &&
		run 0 price $base -o here/link --force && test -L here/link && test ! -L here/far/a &&
		grep -q '^24.43 ms' here/far/a
}
tap_case 'a link stays, and its file is written' linked

device()
{
	fresh && ln -s /dev/null here/null && run 0 price $base -o here/null && test -L here/null &&
		test -c /dev/null && run 4 price $base -o /dev/full && says '/dev/full: cannot be written: No space'
}
tap_case 'a device is written into, and a full one is said' device

fifo()
{
	fresh && mkfifo here/pipe && { timeout 20 cat here/pipe >got & } &&
		run 0 price $base -o here/pipe && wait $! && test -p here/pipe && grep -q '^24.43 ms' got
}
tap_case 'a pipe is written into' fifo

# The file of a redirection is not replaced: what comes after goes into it too.
redirected()
{
	fresh && { echo first; "$STEPSCOPE" price $base -o /dev/stdout; echo last; } >here/a &&
		test "$(head -1 here/a)" = first && test "$(tail -1 here/a)" = last && grep -q '^24.43 ms' here/a
}
tap_case 'standard output by its name is what it was' redirected

error_object()
{
	fresh && run 1 price $base -tp 3 --json -o here/a && grep -q '"refused"' out && only
}
tap_case 'a refusal goes to standard output, not into the file' error_object

# killed SIGNAL: a sweep into a file, ended half way.
killed()
{
	fresh && echo old >here/a || return
	"$STEPSCOPE" sweep $base --vary count=1..256 --vary context=1..10000 -j 1 -o here/a --force 2>err &
	killed_pid=$!
	killed_tries=0
	until test "$(ls -A here | wc -l)" -eq 2; do
		killed_tries=$((killed_tries + 1))
		test $killed_tries -lt 200 || return
		sleep 0.05
	done
	kill -"$1" $killed_pid
	! wait $killed_pid 2>/dev/null && holds here/a old
}

terminated() { killed TERM && only a; }
tap_case 'a sweep that is interrupted leaves the old file and nothing else' terminated
crashed() { killed KILL && run 0 price $base -o here/b && only a b && holds here/a old; }
tap_case 'one that is killed leaves the old file, and the next writer removes the rest' crashed

import_over()
{
	fresh && printf 'vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2\n' >serve.sh &&
		run 0 import serve.sh --part h100 -o here && made=$(ls here/scenarios/*) && echo old >"$made" &&
		run 4 import serve.sh --part h100 -o here && says 'is there already' && holds "$made" old &&
		run 0 import serve.sh --part h100 -o here --force && grep -q '"tp": 2' "$made"
}
tap_case 'import writes over documents when it is told to' import_over

guessed()
{
	fresh && echo mine >here/mine && for guess in a.new a.tmp a~ .a.swp; do ln -s mine here/$guess; done &&
		run 0 price $base -o here/a && holds here/mine mine
}
tap_case 'links of names it might use are not followed' guessed

tap_done
