# Run by `make installcheck`: what is installed works where it lies. Needs
# PKG_CONFIG, CC, CXX, CFLAGS, destdir, bindir, libdir and datadir (pkgdatadir) set.
. "$top_srcdir/tests/tap.sh"

export PKG_CONFIG_PATH="$destdir$libdir/pkgconfig"
test -z "$destdir" || export PKG_CONFIG_SYSROOT_DIR="$destdir"
export LD_LIBRARY_PATH="$destdir$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

example_builds()
{
	# Words of CC, CFLAGS and pkg-config are meant to split.
	$CC $CFLAGS -std=c11 -o "$tap_dir/example" "$top_srcdir/tests/install/example.c" \
		$($PKG_CONFIG --cflags --libs stepscope)
}

example_runs()
{
	# pkg-config says where the data lies; the figure is that of the case
	# dsv3-h200-tp8-fp8-pw/d32x4k of tests/oracle/steps.json: 25.2238 ms.
	example_data=$destdir$($PKG_CONFIG --variable=pkgdatadir stepscope)
	test -d "$example_data" || return 1
	"$tap_dir/example" "$example_data/registry" \
		"$example_data/scenarios/deepseek-v3-h200-fp8-tp8.json" >"$tap_dir/said" || return 1
	cat "$tap_dir/said"
	test "$(cat "$tap_dir/said")" = '25.22 ms, hbm-bound, fits'
}

example_in_cxx_builds()
{
	$CXX $CFLAGS -std=c++17 -o "$tap_dir/example_cc" "$top_srcdir/tests/install/example.cc" \
		$($PKG_CONFIG --cflags --libs stepscope)
}

# The batch of 32 is the case above.
example_in_cxx_runs()
{
	"$tap_dir/example_cc" "$example_data/registry" \
		"$example_data/scenarios/deepseek-v3-h200-fp8-tp8.json" >"$tap_dir/said" || return 1
	cat "$tap_dir/said"
	test "$(sed -n 1p "$tap_dir/said")" = '32: 25.22 ms' && test "$(wc -l <"$tap_dir/said")" -eq 3
}

# Names that the installed headers declare, one a line.
declared_names()
{
	cat "$destdir$($PKG_CONFIG --variable=includedir stepscope)"/stepscope/*.h |
		tr '\n' ' ' | tr ';' '\n' | grep SS_API |
		sed -n 's/.*SS_API[^(]*[ *]\(ss_[a-z0-9_]*\)(.*/\1/p; s/.*SS_API[^(]*[ *]\(ss_[a-z0-9_]*\)$/\1/p' |
		sort -u
}

exported_names()
{
	nm -D --defined-only "$destdir$libdir/libstepscope.so" | sed -n 's/.* [TDBR] \([^@]*\).*/\1/p' |
		grep -v '^STEPSCOPE_' | sort -u
}

declared_is_exported()
{
	declared_names >"$tap_dir/declared"
	exported_names >"$tap_dir/exported"
	test "$(wc -l <"$tap_dir/declared")" -gt 100 &&
		diff "$tap_dir/declared" "$tap_dir/exported"
}

names_have_a_version()
{
	! nm -D --defined-only "$destdir$libdir/libstepscope.so" | grep ' T ' | grep -v '@@STEPSCOPE_0$'
}

program_runs()
{
	"$destdir$bindir/stepscope" --version
}

# Every file of the source's folder lies installed, the same.
data_is_installed()
{
	diff -r -x '*~' -x '.*' "$top_srcdir/$1" "$destdir$datadir/$1"
}

tap_case 'a program builds with nothing but pkg-config' example_builds
tap_case 'and prices a step as computed elsewhere' example_runs
if command -v "${CXX%% *}" >/dev/null 2>&1; then
	tap_case 'a program in C++ builds likewise' example_in_cxx_builds
	tap_case 'and prices growing batches' example_in_cxx_runs
else
	echo '# no C++ compiler: the example in C++ was not built'
fi
if test "${INSTRUMENTED:-no}" = no; then
	tap_case 'what is declared is exported, and nothing else' declared_is_exported
	tap_case 'every name exported has a version' names_have_a_version
fi
tap_case 'the installed program runs' program_runs
for folder in registry scenarios; do
	test ! -d "$top_srcdir/$folder" ||
		tap_case "all of $folder is installed" data_is_installed "$folder"
done
tap_done
