# What the tests of the explorer share: the default scenario opened, rows
# found, clean ends.

. "$top_srcdir/tests/tui/harness.sh"

# Its state goes to a home of its own for each case, where none stopped before writes.
homes=0
fresh()
{
	homes=$((homes + 1))
	HOME=$tui_dir/home.$homes
	mkdir "$HOME"
}

# open_default [WIDTHxHEIGHT]
open_default()
{
	fresh
	tui_start "${1:-80x24}" stepscope && tui_wait '25\.22 ms \(24\.11 \.\. 25\.62\) serial, hbm' &&
		tui_wait 'FITS 313'
}

# row TEXT: select a row of the list with the focus by searching for it.
row()
{
	tui_keys / && tui_type "$1" && tui_keys Enter && tui_wait ">$1"
}

# answer TEXT: into the prompt that is open, over what stands there.
answer()
{
	tui_keys C-u && tui_type "$1" && tui_keys Enter
}

# colon LINE: a command.
colon()
{
	tui_keys : && tui_wait '^:' && tui_type "$1" && tui_keys Enter
}

# tui_frame REGEX...: one screen that has them all; when a screen has the first,
# that very one must have the others. The first should stand lowest: screens
# are written from the top.
tui_frame()
{
	tui_wait "$1" || return 1
	tui_screen >"$tui_dir/frame"
	for tui_regex; do
		grep -E -q -e "$tui_regex" "$tui_dir/frame" && continue
		printf 'not in the frame: /%s/\n' "$tui_regex"
		sed 's/^/|/' "$tui_dir/frame"
		return 1
	done
}

# leave: with unsaved edits thrown away.
leave()
{
	tui_keys q && { tui_wait 'not saved' && tui_keys y; } && tui_left_clean
}

# leave_unchanged: nothing is asked.
leave_unchanged()
{
	tui_keys q && tui_left_clean
}
