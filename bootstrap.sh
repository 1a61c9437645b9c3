#!/bin/sh
# From a bare Debian machine to the explorer, or to a checked tree.
set -u

usage()
{
	cat <<TEXT
usage: ./bootstrap.sh run [ARGUMENT...]   install what is needed, build, open the explorer
                                          (without a terminal: print the report);
                                          arguments go to stepscope
       ./bootstrap.sh check               install what is needed, build, run every test
TEXT
}

run_packages='autoconf automake gcc libc6-dev libcjson-dev libncurses-dev libreadline-dev libsqlite3-dev
libtool libyaml-dev make pkg-config'
check_packages="$run_packages binutils clang g++ libclang-rt-dev libc6-dbg libcmocka-dev diffutils parallel python3
sqlite3 tmux valgrind xz-utils"

root=$(cd "$(dirname "$0")" && pwd -P) || exit 1

say()
{
	printf 'bootstrap: %s\n' "$*" >&2
}

# as_root COMMAND...
as_root()
{
	if test "$(id -u)" -eq 0; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	else
		say "neither root nor sudo; as root: $*"
		return 1
	fi
}

is_installed()
{
	test "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ||
		# pkgconf stands in for pkg-config on newer releases.
		{ test "$1" = pkg-config && command -v pkg-config >/dev/null 2>&1; }
}

# install PACKAGE...: those that are not there; nothing is asked or fetched when all are.
install_packages()
{
	missing=
	if ! command -v dpkg-query >/dev/null 2>&1; then
		say "not a Debian system; what the build needs is taken as present: $(echo $*)"
		return 0
	fi
	for package; do
		is_installed "$package" || missing="$missing $package"
	done
	test -n "$missing" || return 0
	say "installing$missing"
	as_root apt-get update -qq >&2 || say 'apt-get update failed; trying with the lists at hand'
	# shellcheck disable=SC2086 # one word a package
	as_root apt-get install -y -qq --no-install-recommends $missing >&2 && return 0
	say "could not install:$missing"
	return 1
}

# quietly LOG COMMAND...: show what it said only when it failed.
quietly()
{
	log=$1
	shift
	"$@" >>"$log" 2>&1 && return 0
	tail -n 40 "$log" >&2
	say "failed: $*; all of it in $log"
	return 1
}

# Make configure where it is missing or older than what it is made from.
generate()
{
	if test -f "$root/configure" && test -f "$root/Makefile.in" &&
		test -z "$(find "$root/configure.ac" "$root/Makefile.am" -newer "$root/Makefile.in")"; then
		return 0
	fi
	say 'generating configure'
	quietly "$1" autoreconf -fi "$root"
}

run()
{
	# shellcheck disable=SC2086 # one word a package
	install_packages $run_packages || return 1
	build=$root/build/run
	prefix=$build/root
	mkdir -p "$build" && : >"$build/bootstrap.log" || return 1
	generate "$build/bootstrap.log" || return 1
	if ! test -f "$build/Makefile"; then
		say 'configuring'
		(cd "$build" && quietly "$build/bootstrap.log" "$root/configure" --prefix="$prefix" \
			CFLAGS='-O2 -g') || return 1
	fi
	say 'building'
	quietly "$build/bootstrap.log" make -C "$build" -j"$(nproc)" || return 1
	rm -rf "$prefix"
	quietly "$build/bootstrap.log" make -C "$build" install || return 1
	exec "$prefix/bin/stepscope" "$@"
}

check()
{
	# shellcheck disable=SC2086 # one word a package
	install_packages $check_packages || return 1
	mkdir -p "$root/build" && : >"$root/build/bootstrap.log" || return 1
	generate "$root/build/bootstrap.log" || return 1
	exec sh "$root/tests/check.sh" "$root"
}

case ${1-} in
run)
	shift
	run "$@"
	;;
check)
	if test $# -ne 1; then
		usage >&2
		exit 2
	fi
	check
	;;
-h|--help|help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
