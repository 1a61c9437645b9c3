# TAP from shell tests. Source it, give each case a sentence, end with tap_done:
#
#	. "$top_srcdir/tests/tap.sh"
#	tap_case 'a sum is right' test $((1 + 1)) -eq 2
#	tap_done
#
# The command runs in this shell, so a function may set variables for the next
# case. What it prints is shown only when it fails. $tap_dir is a folder of
# this test's own, removed at the end.

tap_count=0
tap_failed=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/tap.XXXXXX") || exit 99
tap_cleanup=:

tap_leave()
{
	$tap_cleanup
	# What was stopped last may still be writing.
	rm -rf "$tap_dir" 2>/dev/null || { sleep 1; rm -rf "$tap_dir"; }
}
trap tap_leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# tap_case SENTENCE COMMAND [ARGUMENT...]
tap_case()
{
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$tap_dir/.output" 2>&1; then
		printf 'ok %d - %s\n' "$tap_count" "$tap_name"
		return 0
	fi
	printf 'not ok %d - %s\n' "$tap_count" "$tap_name"
	sed 's/^/# /' "$tap_dir/.output"
	tap_failed=$((tap_failed + 1))
	return 1
}

# tap_skip SENTENCE WHY: one case that cannot run here.
tap_skip()
{
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

# tap_skip_all WHY: nothing of this file can run here.
tap_skip_all()
{
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# tap_fails COMMAND...: true when the command is not.
tap_fails()
{
	! "$@"
}

tap_done()
{
	printf '1..%d\n' "$tap_count"
	test "$tap_failed" -eq 0
	exit
}
