# Run by `make installcheck`: what is installed works where it lies. Needs
# PKG_CONFIG, CC, CFLAGS, destdir, bindir, libdir and datadir (pkgdatadir) set.
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

only_public_names_are_exported()
{
	nm -D --defined-only "$destdir$libdir/libstepscope.so" | awk '
		$3 !~ /^ss_/ && $2 ~ /[TDBR]/ { print $3 " is exported"; bad = 1 }
		$3 ~ /^ss_/ { found = 1 }
		END { exit bad || !found }'
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
if test "${INSTRUMENTED:-no}" = no; then
	tap_case 'only public names are exported' only_public_names_are_exported
fi
tap_case 'the installed program runs' program_runs
for folder in registry scenarios; do
	test ! -d "$top_srcdir/$folder" ||
		tap_case "all of $folder is installed" data_is_installed "$folder"
done
tap_done
