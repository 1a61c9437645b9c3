# The folder of TARBALL runs where it is unpacked, with nothing of the machine's.
#
# usage: portable.sh TARBALL
. "${top_srcdir:=.}/tests/tap.sh"

tarball=$(cd "$(dirname "${1:?the tarball}")" && pwd -P)/$(basename "$1")

unpacked_runs()
{
	mkdir "$tap_dir/a place" && tar -xf "$tarball" -C "$tap_dir/a place" || return 1
	priced "$tap_dir/a place"/*/stepscope
}

# The figure of case dsv3-h200-tp8-fp8-pw/d32x4k of tests/oracle/steps.json: 25.2238 ms.
priced()
{
	(cd / && env -i "$@" price --figure serial --format json) >"$tap_dir/price" &&
		grep -q '"serial_s":[[:space:]]*0\.02522' "$tap_dir/price"
}

linked_runs()
{
	mkdir "$tap_dir/bin" && ln -s "$tap_dir/a place"/*/stepscope "$tap_dir/bin/stepscope" &&
		priced "$tap_dir/bin/stepscope"
}

moved_runs()
{
	mv "$tap_dir/a place" "$tap_dir/another" && priced "$tap_dir/another"/*/stepscope
}

brings_its_libraries()
{
	for library in "$tap_dir"/another/*/lib/*; do
		test -f "$library" || return 1
	done
	ls "$tap_dir"/another/*/lib | grep -q '^libc\.so' && ls "$tap_dir"/another/*/lib | grep -q '^libstepscope\.so'
}

tap_case 'an unpacked folder prices with its own data' unpacked_runs
tap_case 'a link to the program finds the folder' linked_runs
tap_case 'a folder that was moved runs as before' moved_runs
tap_case 'the C library and ours are in it' brings_its_libraries
tap_done
