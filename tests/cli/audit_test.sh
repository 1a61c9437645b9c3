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
		'Memory of one rank' 'The fixed bytes, term by term' Fit 'Evidence: 110 of 149' \
		'Everything assumed' 'Every value that price or memory read' Documents Review; do
		grep -q "^## $heading" one.md || { echo "no section $heading"; return 1; }
	done
	# one row for each assumed entry, numbered
	test "$(grep -c '^| [0-9][0-9]* | ' one.md)" -eq 38
}
tap_case 'the audit has every part a reviewer signs' complete

overridden()
{
	audit over.md --set dp=2 --set tp=4 --set enable_expert_parallel=true \
		--set all2all_backend=deepep_high_throughput $base &&
		grep -q '^## Overridden' over.md && grep -q '^| cudagraph_mode ! | PIECEWISE | NONE |' over.md
}
tap_case 'overrides stand with their reasons' overridden

tap_done
