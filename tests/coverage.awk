# Sums gcov's "File 'x'" and "Lines executed:P% of N" pairs over src.
/^File / {
	name = $0
	sub(/^File '/, "", name)
	sub(/'$/, "", name)
	sub(/^.*\/src\//, "src/", name)
	is_ours = name ~ /^src\/.*\.c$/
	next
}
/^Lines executed:/ && is_ours {
	percent = $0
	sub(/^Lines executed:/, "", percent)
	lines = $NF
	run = percent * lines / 100
	# An object of the shared library and one of a test may both tell.
	if (!(name in best) || run > best[name]) {
		best[name] = run
		all[name] = lines
	}
	is_ours = 0
}
END {
	for (name in best) {
		printf "%6.1f %%  %6d lines  %s\n", 100 * best[name] / all[name], all[name], name | "sort -k5"
		total += all[name]
		total_run += best[name]
	}
	close("sort -k5")
	if (total)
		printf "%6.1f %%  %6d lines  in all\n", 100 * total_run / total, total
}
