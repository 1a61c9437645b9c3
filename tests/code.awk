# Prints "FILE:LINE:text" of C sources with comments dropped and the insides of
# strings emptied, so that a search finds code and nothing said about code.
# With -v keep=strings the strings stay, for include lines.
FNR == 1 { in_comment = 0 }
{
	out = ""
	n = length($0)
	in_string = 0
	for (i = 1; i <= n; i++) {
		c = substr($0, i, 1)
		two = substr($0, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
			}
			continue
		}
		if (in_string) {
			if (c == "\\") {
				i++
				continue
			}
			if (c == quote) {
				in_string = 0
				out = out c
			} else if (keep == "strings") {
				out = out c
			}
			continue
		}
		if (two == "/*") {
			in_comment = 1
			i++
			continue
		}
		if (two == "//")
			break
		if (c == "\"" || c == "'") {
			in_string = 1
			quote = c
		}
		out = out c
	}
	if (out ~ /[^ \t]/)
		print FILENAME ":" FNR ":" out
}
