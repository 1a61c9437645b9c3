# Killed before each call on a file in its turn, under every command that writes one: what
# was there is whole or what is new is, the next run leaves the right bytes and nothing
# beside them. KILLS=all tries every call; else some of each command's, another set each day.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
inject=$(cd "${top_builddir:-.}" && pwd)/tests/faults/.libs/inject.so
top_srcdir=$(cd "$top_srcdir" && pwd)
test "${INSTRUMENTED:-no}" = no || tap_skip_all 'sanitizers and coverage are not preloaded over'
test -f "$inject" || tap_skip_all 'nothing here can be preloaded'
cd "$tap_dir" || exit 99

base=deepseek-v3-h200-fp8-tp8
cat "$top_srcdir/scenarios/$base.json" >mine.json
for i in 1 2; do
	"$STEPSCOPE" sweep $base --vary count=1..40 --format csv --shard $i/2 >shard.$i || exit 99
done

# start: what a user had before.
start()
{
	rm -rf here && mkdir here && cp old here/new
}

# run ARGUMENT...: in silence; what it prints is not what is looked at.
run()
{
	LD_PRELOAD=$inject "$STEPSCOPE" "$@" >out 2>err </dev/null
}

# whole FILE: it holds what was there or what is new, unless rows are added to it in place.
whole()
{
	cmp -s "$1" old || cmp -s "$1" right || test -n "$grows"
}

points()
{
	test "${KILLS:-some}" != all || { seq 1 "$1"; return; }
	# the first ones, the last ones, where files are put in place, and some between
	awk -v n="$1" -v seed="${KILLS_SEED:-$(date +%j)}" 'BEGIN {
		srand(seed)
		for (i = 0; i < 8; i++) print n - i
		for (i = 0; i < 3; i++) print 1 + int(rand() * n)
	}' | awk -v n="$1" '$1 >= 1 && $1 <= n' | sort -nu
}

# killed ARGUMENT...: at each of the calls there are; it writes here/new.
killed()
{
	export FAULT_KIND=kill FAULT_AT=0 FAULT_COUNT=$tap_dir/count
	start
	run "$@" && test "$(cat count)" -gt 0 || { cat err; return 1; }
	cp here/new right
	! cmp -s old right || test -n "$grows" || { echo 'writes nothing new'; return 1; }
	unset FAULT_COUNT
	for killed_at in $(points "$(cat count)"); do
		start
		export FAULT_AT="$killed_at"
		run "$@"
		killed_status=$?
		test $killed_status -eq 137 || { echo "status $killed_status at $killed_at"; return 1; }
		kills=$((kills + 1))
		whole here/new || { echo "here/new is cut at call $killed_at"; ls -l here; return 1; }
		FAULT_AT=0
		run "$@" || { echo "after call $killed_at:"; cat err; return 1; }
		cmp here/new right && test "$(ls -A here)" = new || { echo "after $killed_at"; ls -lA here; return 1; }
	done
}

kills=0
while read -r kind line; do
	case $kind in
	grows) grows=yes && cp shard.1 old && head -c 700 shard.1 >old ;;
	*) grows='' && printf 'what a user had\n' >old ;;
	esac
	# words apart by blanks, as a shell would have them
	# shellcheck disable=SC2086
	tap_case "killed anywhere: $line" killed $line
done <<END
puts price $base --force -o here/new
puts report mine.json --json --force -o here/new
puts audit $base --force -o here/new
puts export $base --to vllm --force -o here/new
puts sweep $base --vary tp=4,8 --vary count=1,2,4 --format csv --force -o here/new
puts sweep $base --vary count=1,2,4 --format sqlite --force -o here/new
puts merge shard.1 shard.2 --force -o here/new
puts new --model llama-3.1-8b-instruct --part h100 -tp 2 --force -o here/new
puts engine render --force -o here/new
puts serve llama-3.1-8b-l40s-tp1 --requests 20 --requests-out here/new --force
puts serve llama-3.1-8b-l40s-tp1 --requests 20 --timeline here/new --force
grows sweep $base --vary count=1..40 --format csv --shard 1/2 --resume here/new
END

echo "# $kills kills"
tap_done
