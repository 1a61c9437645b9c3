# The Markdown audit: whole, the same every time, and true about what it was read from.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
case $top_srcdir in
/*) root=$top_srcdir ;;
*) root=$PWD/$top_srcdir ;;
esac
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

# audit FILE ARGUMENT...
audit()
{
	audit_file=$1
	shift
	"$STEPSCOPE" report --format markdown "$@" >"$audit_file" 2>err </dev/null && ! test -s err &&
		return 0
	cat err
	return 1
}

golden()
{
	sh "$root/tests/golden/audit.sh" >now.md && diff "$root/tests/golden/audit-default.md" now.md &&
		return 0
	echo 'make golden accepts the new audit'
	return 1
}
tap_case 'the audit of the default scenario is the golden one' golden

same() { audit one.md $base && audit two.md $base && cmp one.md two.md; }
tap_case 'two audits are the same bytes' same

# A value tried and taken back leaves no trace, in JSON neither.
restored()
{
	audit tried.md --coef host_launch_per_kernel=2.4 $base &&
		grep -q '| host_launch_per_kernel ~ | 2.4 | 3.2 | us_per_transfer |' tried.md &&
		grep -q '| tried at this value in the session |' tried.md &&
		audit back.md $base && cmp one.md back.md &&
		"$STEPSCOPE" report --json $base >a.json && "$STEPSCOPE" report --json \
			--coef host_launch_per_kernel=2.4 $base >b.json &&
		! cmp -s a.json b.json && "$STEPSCOPE" report --json $base >c.json &&
		cmp a.json c.json
}
tap_case 'a what-if is in the audit, and gone once taken away' restored

# Every hash of a document against sha256sum.
hashes()
{
	grep '| [0-9a-f]\{64\} |$' one.md | tr -d '|' >list || return 1
	n=0
	while read -r kind name hash rest; do
		case $kind in
		ModelGraph) file=models/$name ;;
		CoefficientSet) file=coefficients/$name ;;
		EnginePack) file=engines/$name ;;
		Hardware) file=hardware/$name ;;
		Storage) file=storage ;;
		*) continue ;;
		esac
		set -- $(sha256sum "$root/registry/$file.json")
		test "$1" = "$hash" || { echo "$file: $hash, its bytes give $1"; return 1; }
		n=$((n + 1))
	done <list
	test "$n" -eq 10
}
if command -v sha256sum >/dev/null 2>&1; then
	tap_case 'every hash is that of the file' hashes
else
	tap_skip 'every hash is that of the file' 'no sha256sum'
fi

complete()
{
	for heading in Stated Resolved 'What-ifs in force' Corrections Price 'The step, term by term' \
		'Memory of one rank' 'The fixed bytes, term by term' Fit 'Evidence: 117 of 157' \
		'Everything assumed' 'Every value that price or memory read' Documents Review; do
		grep -q "^## $heading" one.md || { echo "no section $heading"; return 1; }
	done
	# one row for each assumed entry, numbered
	test "$(grep -c '^| [0-9][0-9]* | ' one.md)" -eq 39
}
tap_case 'the audit has every part a reviewer signs' complete

overridden()
{
	audit over.md --set dp=2 --set tp=4 --set enable_expert_parallel=true \
		--set all2all_backend=deepep_high_throughput $base &&
		grep -q '^## Overridden' over.md && grep -q '^| cudagraph_mode ! | PIECEWISE | NONE |' over.md
}
tap_case 'overrides stand with their reasons' overridden

# A scenario of our own with a review beside it: who said what of which value.
cat "$root/scenarios/$base.json" >mine.json
review() { printf '{"kind": "Review", "scenario": "%s", "entries": [%s]}\n' "$base" "$1"; }
accepted() { printf '{"name": "%s", "value": %s, "verdict": "accepted", "reviewer": "ann", "date": "2026-11-30"}' "$1" "$2"; }

# Every assumed entry accepted at its value, from the report's own JSON.
accept_all()
{
	"$STEPSCOPE" report --json --only evidence mine.json | sed -n \
		's/^[ 	]*"name":[ 	]*"\(.*\)",/\1/p; s/^[ 	]*"value":[ 	]*//p' |
		paste -d ' ' - - >assumed &&
		assumed=$(wc -l <assumed) && test "$assumed" -gt 30 || return 1
	all=
	while read -r name value; do
		all="$all${all:+,
}$(accepted "$name" "$value")"
	done <assumed
	review "$all" >mine.review.json
}

reviewed()
{
	accept_all && "$STEPSCOPE" audit --check mine.review.json >out 2>err && test ! -s err &&
		grep -q "^Review: $assumed of $assumed assumed entries accepted, 0 open, 0 changed since" out &&
		"$STEPSCOPE" validate mine.review.json >out && grep -q Review out
}
tap_case 'a review of all that is assumed passes the check' reviewed

# check STATUS REGEX ARGUMENT...: the check ends so and says so.
check()
{
	check_status=$1 check_regex=$2
	shift 2
	"$STEPSCOPE" audit --check mine.review.json "$@" >out 2>err
	test $? -eq "$check_status" && grep -E -q -e "$check_regex" out err && return 0
	cat out err
	return 1
}

changed_since()
{
	check 1 '^ +[0-9]+  host_launch_per_kernel.* 2\.4 .* changed ! +3\.2' --coef host_launch_per_kernel=2.4 &&
		check 1 "of $assumed assumed entries 0 are open and 1 have changed" --coef host_launch_per_kernel=2.4 &&
		check 1 'engine_version .*open' --set engine_version=0.30.5 &&
		check 0 "Review: $((assumed - 1)) of $((assumed - 1))" --set max_cudagraph_capture_size=512 &&
		check 0 'no longer assumed' --set max_cudagraph_capture_size=512
}
tap_case 'what changed since or came up since fails it' changed_since

unreviewed()
{
	review "$(accepted host_launch_per_kernel 3.2)" >mine.review.json &&
		check 1 "1 of $assumed assumed entries accepted, $((assumed - 1)) open, 0 changed"
}
tap_case 'what nobody accepted fails it' unreviewed

reported()
{
	"$STEPSCOPE" report mine.json >out && grep -q '^Review: 1 of' out &&
		audit mine.md mine.json && grep -q '^| [0-9]* | host_launch_per_kernel | 3.2 | us_per_transfer | accepted | 3.2 | ann | 2026-11-30 |' mine.md &&
		"$STEPSCOPE" audit mine.json >again.md && cmp mine.md again.md &&
		"$STEPSCOPE" report --json --only review mine.json | grep -q '"accepted":.*1,' &&
		"$STEPSCOPE" report --json --only review $base | grep -q '"review":.*null' &&
		"$STEPSCOPE" price mine.json >out && tap_fails grep -q '^Review' out
}
tap_case 'the report prints the review beside the scenario' reported

# wrong JSON REGEX: the review is refused as a document, in one line that says where.
wrong()
{
	echo "$1" >mine.review.json
	"$STEPSCOPE" audit --check mine.review.json >out 2>err
	test $? -eq 3 && test "$(wc -l <err)" -eq 1 && grep -E -q -e "$2" err && return 0
	cat err
	return 1
}

documents()
{
	wrong "$(review '{"name": "x", "value": 1, "verdict": "fine"}')" '/entries/0/verdict: .*fine.*accepted' &&
		wrong "$(review '{"name": "x", "value": 1, "verdict": "open", "date": "30.11.2026"}')" '/entries/0/date: ' &&
		wrong "$(review '{"name": "x", "value": 1, "verdict": "open"}, {"name": "x", "value": 1, "verdict": "open"}')" 'x is judged a second time' &&
		wrong "$(review '{"name": "x", "value": true, "verdict": "open"}')" '/entries/0/value: ' &&
		wrong '{"kind": "Scenario"}' 'mine.review.json: /kind: .*must be "Review"' &&
		"$STEPSCOPE" report mine.json >/dev/null 2>err
	test $? -eq 3 && "$STEPSCOPE" price mine.json >/dev/null
}
tap_case 'a review that is none is said' documents

# Values tried and corrections are in the file, in what it prices and in what it exports.
saved_trials()
{
	rm -f mine.review.json
	sed 's/"deployment":/"what_if": { "host_launch_per_kernel": 1.6 }, "corrections": { "expert_tensor_sharding": true },\n  "deployment":/' \
		mine.json >tried.json && "$STEPSCOPE" validate tried.json >out &&
		"$STEPSCOPE" price --json tried.json >a.json &&
		"$STEPSCOPE" price --json mine.json --coef host_launch_per_kernel=1.6 \
			--correct expert_tensor_sharding >b.json && cmp a.json b.json &&
		"$STEPSCOPE" price --json tried.json --coef host_launch_per_kernel= --correct none \
			--correct workspace_width --correct mxfp4_expert_padding >c.json &&
		tap_fails cmp -s a.json c.json &&
		sed 's/1\.6/0/' tried.json >zero.json && tap_fails "$STEPSCOPE" price zero.json 2>err &&
		grep -q '/what_if/host_launch_per_kernel: ' err &&
		sed 's/host_launch_per_kernel/host_launch_per_kernal/' tried.json >slip.json &&
		{ "$STEPSCOPE" price slip.json 2>err; test $? -eq 3; } && grep -q '/what_if/host_launch_per_kernal' err
}
tap_case 'a scenario holds what it tries and corrects' saved_trials

tap_done
