# Every fuzz driver over its corpus: nothing crashes, leaks or reads astray.
. "$top_srcdir/tests/tap.sh"

# run_corpus DRIVER NAME
run_corpus()
{
	find "$top_srcdir/tests/fuzz/corpus/$2" -type f | sort >"$tap_dir/files"
	test -s "$tap_dir/files" || {
		echo "tests/fuzz/corpus/$2 holds no input"
		return 1
	}
	tr '\n' '\0' <"$tap_dir/files" | xargs -0 "$top_builddir/$1"
}

test -n "$FUZZ_DRIVERS" || tap_skip_all 'there is no driver'
for driver in $FUZZ_DRIVERS; do
	name=${driver##*/}
	name=${name%_fuzz}
	tap_case "the $name driver survives its corpus" run_corpus "$driver" "$name"
done
tap_done
