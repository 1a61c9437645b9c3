# Who may know whom, by the include lines; and what the library must not do.
#
#	term -> view -> app -> case -> text -> library; files -> text -> library
#	cli -> app, sweep -> report -> case; cli, app -> import -> library
#
# Inside the library nothing is known to documents but documents. The program sees the
# library only through its public headers, since the shared object hides the
# rest.

. "${top_srcdir:=.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

library_folders='src/documents src/resolve src/price src/engine src/serve'
program_folders='src/text src/files src/import src/case src/report src/sweep src/app src/view src/cli'

# sources FOLDER...: the C files of those that exist.
sources()
{
	for folder; do
		test ! -d "$folder" || find "$folder" -name '*.[ch]'
	done | sort
}

# code FILES-ON-STDIN: their text without comments and strings.
code()
{
	xargs awk "$@" -f tests/code.awk /dev/null
}

# absent PATTERN: true when no line of stdin matches; shows those that do.
absent()
{
	! grep -E -e "$1"
}

# includes FOLDER...: "file:line header" for each include line.
includes()
{
	sources "$@" | code -v keep=strings |
		sed -n 's/^\([^:]*:[0-9]*\):[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1 \2/p'
}

# knows FOLDER LAYER...: every header of ours that FOLDER names lies in one of
# the layers. A header without a folder is its neighbour or config.h.
knows()
{
	knows_folder=$1
	shift
	includes "$knows_folder" | awk -v allowed=" $* " '
		BEGIN { split("stepscope documents resolve price engine serve text files import case report sweep app view cli term", l, " ")
			for (i in l) is_layer[l[i]] = 1 }
		{ n = split($2, part, "/")
		  if (n > 1 && is_layer[part[1]] && !index(allowed, " " part[1] " ")) {
			print "may not know: " $0
			bad = 1
		  } }
		END { exit bad }' || return 1
	includes "$knows_folder" | while read -r place header; do
		case $header in
		../*|*/../*)
			echo "leaves its folder: $place $header"; exit 1 ;;
		esac
	done
}

terminal_headers_stay_in_term()
{
	includes $library_folders $program_folders include |
		absent ' (n?curses|ncursesw?/.*|curses|term|panel|menu|form|readline/.*)(\.h)?$' &&
	! { test -f src/main.c && echo src/main.c | code -v keep=strings |
		grep -E 'include.*(curses|readline|[<"]term\.h)'; }
}

public_headers_need_only_themselves()
{
	includes include | absent ' .*(cjson|cJSON|yaml|config\.h)' && knows include stepscope
}

library_prints_nothing()
{
	sources $library_folders | grep -v '/banned\.h$' | code | absent \
		'(^|[^A-Za-z0-9_])(stdout|stderr|(v?printf|puts|putchar|perror|psignal|syslog) *\()'
}

# What is said there is spelt out on the way; a progress bar is ours alone.
standard_error_has_one_door()
{
	sources $program_folders src/term | grep -v -e '^src/text/' -e '^src/cli/\(sweep_cmd\|progress\)\.c$' | code |
		absent 'f(printf|puts|putc|write) *\(.*stderr'
}

library_reads_no_environment_and_never_exits()
{
	sources $library_folders | code | absent \
		'(^|[^A-Za-z0-9_])((secure_)?getenv|setenv|putenv|_?[Ee]xit|quick_exit|abort|setlocale|signal|sigaction) *\(|(^|[^A-Za-z0-9_])environ([^A-Za-z0-9_]|$)'
}

# In the compiled library nothing may lie in .data or .bss.
library_has_no_writable_globals()
{
	size -A "$1" | awk '
		/^[^ ].*:$/ || / :$/ || /\(ex / { object = $1 }
		($1 ~ /^\.t?(data|bss)($|\.)/ && $1 !~ /^\.data\.rel\.ro/) && $2 > 0 {
			print object ": " $2 " bytes in " $1
			bad = 1
		}
		END { exit bad }'
}

# Tests link both archives whole: one name of two functions would not link, or
# worse, link to the wrong one.
names_are_told_apart()
{
	for archive_of_two; do
		nm -g --defined-only "$archive_of_two" 2>/dev/null |
			awk '$2 ~ /^[TDRB]$/ { print $3 }' | sort -u
	done | sort | uniq -d | absent .
}

files_stay_readable()
{
	sources src include tests | xargs wc -l |
		awk '$2 != "total" && $1 > 800 { print $2 " has " $1 " lines; past 800 it is two modules"; bad = 1 }
		END { exit bad }'
}

nothing_is_left_for_later()
{
	# six of them are the end of a mkstemp() name
	sources src include tests |
		xargs grep -nE "TO""DO|FIX""ME|(^|[^X])XX""X([^X]|\$)|HA""CK" /dev/null | absent .
}

library='stepscope documents resolve price engine'
tap_case 'documents knows only itself' knows src/documents stepscope documents
tap_case 'price knows documents and resolved settings, and no program' knows src/price stepscope documents resolve price
tap_case 'resolve knows the library and no program' knows src/resolve $library
tap_case 'engine knows the library and no program' knows src/engine $library
tap_case 'serve knows documents and what is public' knows src/serve stepscope documents serve
tap_case 'text knows the public library' knows src/text stepscope text
tap_case 'files knows text and the public library' knows src/files stepscope text files
tap_case 'import knows the public library' knows src/import stepscope import
tap_case 'case knows text and the public library' knows src/case stepscope text case
tap_case 'report knows case and what that knows' knows src/report stepscope text case report
tap_case 'sweep knows report, and the words of the command line' knows src/sweep stepscope text files case report sweep cli
tap_case 'app knows case, what that knows, and import' knows src/app stepscope text files import case app
tap_case 'view knows app and what that knows' knows src/view stepscope text files case app view
tap_case 'cli knows all but view and term' knows src/cli stepscope text files import case report sweep app cli
tap_case 'term knows view and what that knows' knows src/term stepscope text files case app view term
tap_case 'public headers name no other library' public_headers_need_only_themselves
tap_case 'curses and readline stay in src/term' terminal_headers_stay_in_term
tap_case 'the library prints nothing' library_prints_nothing
tap_case 'what is said on standard error goes through src/text' standard_error_has_one_door
tap_case 'the library reads no environment and never exits' library_reads_no_environment_and_never_exits
archive=${top_builddir:-.}/.libs/libcore.a
if ! test -f "$archive" || ! command -v size >/dev/null; then
	tap_skip 'the library has no writable globals' 'no built library to look at'
elif test "${INSTRUMENTED:-no}" = yes; then
	tap_skip 'the library has no writable globals' 'sanitizers and coverage add their own'
else
	tap_case 'the library has no writable globals' library_has_no_writable_globals "$archive"
fi
program=${top_builddir:-.}/.libs/libapp.a
if ! test -f "$program" || ! test -f "$archive" || ! command -v nm >/dev/null; then
	tap_skip 'library and program share no name' 'no built archives to look at'
else
	tap_case 'library and program share no name' names_are_told_apart "$archive" "$program"
fi
tap_case 'no file is past 800 lines' files_stay_readable
tap_case 'nothing is left for later' nothing_is_left_for_later
tap_done
