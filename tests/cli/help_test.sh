# The pages of the manual, in each of their forms.
. "$top_srcdir/tests/tap.sh"
cd "$tap_dir" || exit 99

topics='manual tutorial registry laws'

listed() { "$STEPSCOPE" help >said && for t in $topics; do grep -q "help $t " said || return 1; done; }
text()
{
	for t in $topics; do
		"$STEPSCOPE" help $t >page && test "$(wc -l <page)" -gt 30 &&
			test "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' page)" -le 110 &&
			! grep -q '`' page || return 1
	done
}
# A command's page is what --help says.
of_a_command() { "$STEPSCOPE" help price >said && "$STEPSCOPE" price --help | cmp - said; }
unknown() { "$STEPSCOPE" help nothing 2>said; test $? -eq 2 && grep -q 'no such topic' said; }
html()
{
	for t in $topics; do
		"$STEPSCOPE" --generate html-$t >page.html && grep -q '</html>' page.html || return 1
		for tag in h1 h2 p pre dl dd code; do
			test "$(grep -o "<$tag[ >]" page.html | wc -l)" -eq "$(grep -o "</$tag>" page.html | wc -l)" || return 1
		done
	done
}
# Every key, `:` command and tour step of the explorer is in the manual.
of_the_explorer()
{
	"$STEPSCOPE" help manual >page
	for name in '(:row-down)' '(:walk-accept)' '(:sweep-pareto)' 'coef NAME' 'expect FIGURE'; do
		grep -qF "$name" page || { echo "no $name"; return 1; }
	done
}
# Every family that a set of the registry has an entry of is in the page of laws.
of_the_laws()
{
	"$STEPSCOPE" help laws >page
	for name in gemm_eps_max attention_decode_floor collective_peak_rate host_launch_per_kernel expert_tensor_sharding; do
		grep -q "^ *$name" page || { echo "no $name"; return 1; }
	done
}
roff()
{
	for t in $topics; do
		"$STEPSCOPE" --generate $t >page.roff && man --warnings -l page.roff 2>said >/dev/null &&
			test ! -s said || { cat said; return 1; }
	done
}

tap_case 'help lists its topics' listed
tap_case 'a topic reads as text of a terminal' text
tap_case 'a command is a topic' of_a_command
tap_case 'a topic that is not there is bad usage' unknown
tap_case 'a page as HTML closes what it opens' html
tap_case 'the manual has the keys, commands and tours of the explorer' of_the_explorer
tap_case 'the page of laws has the families and what errs' of_the_laws
if command -v man >/dev/null && man --warnings -l "$top_srcdir/src/manual/stepscope.1" >/dev/null 2>&1; then
	tap_case 'man reads the pages without a warning' roff
else
	tap_skip 'man reads the pages without a warning' 'no man'
fi
tap_done
