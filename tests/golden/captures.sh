# captures.sh README: the text with its captures made anew, on standard output.
# A capture stands between two markers, and is a screen of this folder:
#
#	<!-- screen deployment-80x24 -->
#	<!-- end of screen -->
awk -v folder="$(dirname "$0")" '
/^<!-- screen [a-z0-9-]+ -->$/ {
	print
	print "```text"
	file = folder "/" $3 ".txt"
	lines = 0
	while ((getline line < file) > 0) {
		print line
		lines++
	}
	close(file)
	print "```"
	if (!lines) {
		print "captures: no screen " file >"/dev/stderr"
		status = 1
	}
	inside = 1
	next
}
/^<!-- end of screen -->$/ { inside = 0 }
!inside { print }
END { exit inside || status }' "$1"
