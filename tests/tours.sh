# Every tour that ships holds, and one that does not fails.

. "${top_srcdir:=.}/tests/tap.sh"

holds()
{
	"$STEPSCOPE" tour --check "$1"
}

a_wrong_expectation_fails()
{
	printf 'say x\nexpect price.serial_s > 1000\n' >"$tap_dir/wrong.tour" || return 1
	"$STEPSCOPE" tour --check "$tap_dir/wrong.tour" 2>"$tap_dir/said"
	test $? -eq 1 && grep -q 'wrong.tour:2' "$tap_dir/said"
}

a_broken_script_is_a_document_error()
{
	printf 'fly north\n' >"$tap_dir/broken.tour" || return 1
	"$STEPSCOPE" tour --check "$tap_dir/broken.tour" 2>"$tap_dir/said"
	test $? -eq 3 && grep -q 'broken.tour:1' "$tap_dir/said"
}

a_missing_tour_is_a_document_error()
{
	"$STEPSCOPE" tour --check no-such-tour 2>"$tap_dir/said"
	test $? -eq 3 && grep -q 'no-such-tour' "$tap_dir/said"
}

# breaks TOUR STEP: the tour fails once this is done to what it shows.
breaks()
{
	sed "/^open /a $2" "$top_srcdir/scenarios/tours/$1.tour" >"$tap_dir/$1.tour" || return 1
	"$STEPSCOPE" tour --check "$tap_dir/$1.tour" 2>"$tap_dir/said"
	test $? -eq 1 && grep -q 'expect' "$tap_dir/said" && return 0
	cat "$tap_dir/said"
	return 1
}

for tour in "$top_srcdir"/scenarios/tours/*.tour; do
	tap_case "$(basename "$tour") holds" holds "$tour"
done
tap_case 'the walk fails on other coefficients' breaks assumed-entries \
	'coef host_launch_per_kernel 6'
tap_case 'the routes fail on other routes' breaks sm70-routes 'set cache_dtype=fp8_e5m2'
tap_case 'the routes fail on another block' breaks sm70-routes 'set block_size=1600'
tap_case 'the widths fail where the law is corrected' breaks tp-ep-graphs \
	'correct expert_tensor_sharding'
tap_case 'a wrong expectation fails with its line' a_wrong_expectation_fails
tap_case 'a broken script is a document error' a_broken_script_is_a_document_error
tap_case 'a missing tour is a document error' a_missing_tour_is_a_document_error
tap_done
