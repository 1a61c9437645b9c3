# NEWS as a Debian changelog: one entry a version, dated at noon of its day, UTC.
function close_entry()
{
	if (date)
		printf "\n -- stepscope developers <stepscope@packages.debian.org>  %s\n\n", date
}
/^stepscope / {
	close_entry()
	day = $3
	gsub(/[()]/, "", day)
	command = "date -u -R -d '" day " 12:00'"
	command | getline date
	close(command)
	printf "stepscope (%s) unstable; urgency=medium\n\n", $2
	blank = 1
	next
}
NF { print; blank = 0 }
END { close_entry() }
