# The whole check, as `./bootstrap.sh check` runs it once configure is made:
#
#	gcc     every suite, and the unit suites again under valgrind
#	clang   every suite under the address and undefined-behaviour sanitizers
#	dist    make distcheck: from the tarball, build, check, install, uninstall
#
# Ends with one line, `N passed, N failed`, over the cases of every suite run
# and the steps around them. What a step said lies in build/check/*.log.
set -u

root=${1:?the source tree}
out=$root/build/check
jobs=$(nproc)
limit=1500 # seconds a step; three times what a busy, slow machine takes
passed=0
failed=0

# A fresh start: results left from before must not count.
rm -rf "$out"
mkdir -p "$out" || exit 1

# step NAME COMMAND...: one passed or failed of its own.
step()
{
	step_name=$1
	shift
	printf '%s ... ' "$step_name"
	step_start=$(date +%s)
	if "$@" >"$out/$step_name.log" 2>&1; then
		passed=$((passed + 1))
		printf 'ok, %d s\n' $(($(date +%s) - step_start))
		return 0
	fi
	failed=$((failed + 1))
	printf 'FAILED, %d s\n' $(($(date +%s) - step_start))
	printf '%s, what it says of errors and its end:\n' "$out/$step_name.log"
	grep -n -E 'error:|undefined reference|^(FAIL|ERROR)' "$out/$step_name.log" | head -n 20
	tail -n 20 "$out/$step_name.log"
	return 1
}

# suites NAME BUILD COMMAND...: count the cases the command's suites report.
# A command that fails without a failed case, as when a test does not compile,
# counts as one.
suites()
{
	suites_name=$1
	suites_build=$2
	shift 2
	printf '%s ... ' "$suites_name"
	suites_start=$(date +%s)
	find "$suites_build" -name '*.trs' -exec rm -f {} +
	"$@" >"$out/$suites_name.log" 2>&1
	suites_rc=$?
	find "$suites_build" -name '*.trs' -exec cat {} + >"$out/$suites_name.results"
	ok=$(grep -c -E '^:test-result: (PASS|XFAIL)' "$out/$suites_name.results")
	bad=$(grep -c -E '^:test-result: (FAIL|ERROR|XPASS)' "$out/$suites_name.results")
	if test "$suites_rc" -ne 0 && test "$bad" -eq 0; then
		bad=1
		tail -n 20 "$out/$suites_name.log"
	elif test "$suites_rc" -eq 0 && test "$ok" -eq 0; then
		echo 'no case ran'
		bad=1
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	printf '%d passed, %d failed, %d s\n' "$ok" "$bad" $(($(date +%s) - suites_start))
	(cd "$suites_build" && find tests -name '*.trs' -exec grep -H '^:test-result: SKIP' {} + |
		sed 's/\.trs::test-result: SKIP/ skipped/')
	test "$bad" -eq 0 && return 0
	grep -E '^(FAIL|ERROR|XPASS): ' "$out/$suites_name.log"
	failing_logs "$suites_build"
}

# The start of the log of each suite that has a failing case.
failing_logs()
{
	find "$1" -name '*.trs' -exec grep -l -E '^:test-result: (FAIL|ERROR|XPASS)' {} + |
		while IFS= read -r trs; do
			printf -- '---- %s\n' "${trs%.trs}"
			grep -v '^ok ' "${trs%.trs}.log" | head -n 60
		done
}

# configure_build FOLDER ARGUMENT...
configure_build()
{
	mkdir -p "$1" && cd "$1" && shift && "$root/configure" --enable-werror "$@"
}

build()
{
	make -C "$1" -j"$jobs"
}

gcc=$out/gcc
if step gcc-configure configure_build "$gcc" CC=gcc CFLAGS='-O2 -g' &&
	step gcc-build build "$gcc"; then
	step generated-files make -C "$gcc" check-generated
	suites gcc-check "$gcc" timeout "$limit" make -C "$gcc" -j"$jobs" -k check
	suites valgrind-check "$gcc" timeout "$limit" make -C "$gcc" -j"$jobs" -k check-valgrind
fi

clang=$out/clang
if step clang-configure configure_build "$clang" CC=clang CFLAGS='-O1 -g' \
		--with-sanitizer=address,undefined &&
	step clang-build build "$clang"; then
	suites clang-sanitizer-check "$clang" timeout "$limit" env EXPLORER_KEYS=100000 \
		make -C "$clang" -j"$jobs" -k check
fi

test ! -f "$gcc/Makefile" || step distcheck timeout "$limit" make -C "$gcc" -j"$jobs" INSTRUMENTED=yes distcheck \
	AM_DISTCHECK_CONFIGURE_FLAGS='--enable-werror CC=gcc'

printf '%d passed, %d failed\n' "$passed" "$failed"
test "$failed" -eq 0
