# The explorer on terminals of every kind and size, suspended, killed.

. "$top_srcdir/tests/tui/explorer.sh"

an_unknown_terminal_is_said()
{
	fresh
	tui_start 80x24 env TERM=no-such-terminal "$STEPSCOPE" && tui_gone &&
		test "$(cat "$tui_run/status")" -eq 4 && tui_wait 'no-such-terminal' && tui_left_clean 4
}

no_terminal_type_is_said()
{
	fresh
	tui_start 80x24 env -u TERM "$STEPSCOPE" && tui_wait 'TERM' && tui_left_clean 4
}

# A dumb terminal cannot place text.
a_dumb_terminal_is_said()
{
	fresh
	tui_start 80x24 env TERM=dumb "$STEPSCOPE" && tui_wait 'dumb' && tui_left_clean 4
}

without_colours_the_marks_remain()
{
	fresh
	tui_start 80x24 env NO_COLOR=1 "$STEPSCOPE" && tui_wait 'max_cudagraph_ca.* 512 +~' || return 1
	tui_colours >"$tui_dir/plain"
	! grep -q "$(printf '\033')\[[0-9;]*[34][0-7]" "$tui_dir/plain" && leave_unchanged
}

# with_terminal TERM: the first screen as on any other.
with_terminal()
{
	fresh
	tui_start 80x24 env TERM="$1" "$STEPSCOPE" && tui_wait '91% measured 4 vendor 5~' &&
		tui_keys - && tui_wait '>tp +4' && leave
}

no_byte_beyond_ascii()
{
	tui_screen >"$tui_dir/ascii" && ! LC_ALL=C grep -n '[^ -~]' "$tui_dir/ascii"
}

ascii_screens()
{
	for key in 4 5 7 3 w; do
		tui_keys $key && tui_wait '^(--| --)' && no_byte_beyond_ascii || return 1
	done
	tui_keys Escape && tui_gone WALK
}

the_c_locale_gets_ascii()
{
	fresh
	TUI_LOCALE=C
	tui_start 80x24 stepscope && tui_wait '25\.22 ms'
	locale_rc=$?
	TUI_LOCALE=C.UTF-8
	test $locale_rc -eq 0 && ascii_screens && leave_unchanged
}

ascii_is_an_option()
{
	fresh
	tui_start 80x24 stepscope --ascii && tui_wait '25\.22 ms' && ascii_screens && leave_unchanged
}

mode_of_the_terminal()
{
	stty -g <"$(tui_state '#{pane_tty}')"
}

# A shell with job control around it, as a person has.
suspended_it_gives_the_terminal_back()
{
	fresh
	tui_start 80x24 env PS1='ready> ' ENV= sh -i && tui_wait 'ready>' && tui_type "$STEPSCOPE" &&
		tui_keys Enter && tui_wait '24\.43 ms' && tui_keys - && tui_wait '>tp +4' &&
		tui_keys C-z && tui_wait '^ready>$' && tui_is '#{alternate_on}' 0 &&
		tui_is '#{cursor_flag}' 1 && tui_size 100x30 && tui_type fg && tui_keys Enter &&
		tui_wait '>tp +4' && tui_wait '^ 31\.22 ms' && tui_keys u && tui_wait '^ 24\.43 ms' &&
		tui_keys q && tui_wait '^ready>$' && tui_type exit && tui_keys Enter && tui_left_clean
}

# ended_by SIGNAL NUMBER: clean, and its edits are offered next time.
ended_by()
{
	open_default && tui_keys - && tui_wait '>tp +4' && tui_signal "$1" &&
		tui_left_clean $((128 + $2)) && tui_start 80x24 stepscope && tui_wait 'cut short' &&
		tui_keys y && tui_wait '>tp +4' && tui_wait '\[\+1\]' && leave
}

# All of it: the edit and the way back, the baseline, the walk with its marks.
killed_all_of_it_is_taken_up_again()
{
	open_default && tui_keys b - && tui_wait '>tp +4' && tui_keys w a && tui_wait 'reviewed 1 of' &&
		tui_keys "'" && tui_wait '^note:' && answer seen && tui_wait 'note +seen' &&
		tui_until kept_with seen && tui_signal KILL && tui_gone && tui_start 80x24 stepscope &&
		tui_wait 'cut short' && tui_keys Escape && tui_gone 'cut short' && tui_wait '>tp +8' &&
		leave_unchanged && tui_start 80x24 stepscope && tui_wait 'cut short' && tui_keys y &&
		tui_wait 'reviewed 1 of' && tui_wait 'note +seen' && tui_keys Escape &&
		tui_wait '>tp +4' && tui_keys u u u && tui_wait '>tp +8' && tui_keys B && leave_unchanged
}

kept_with()
{
	grep -q "$1" "$HOME"/.local/state/stepscope/kept-* 2>/dev/null
}

killed_its_edits_are_offered_once()
{
	open_default && tui_keys - && tui_wait '>tp +4' && tui_until kept_session &&
		tui_signal KILL && tui_gone && tui_start 80x24 stepscope && tui_wait 'cut short' &&
		tui_keys n && tui_gone 'cut short' && tui_wait '>tp +8' && leave_unchanged &&
		tui_start 80x24 stepscope && tui_wait '>tp +8' && tui_lacks 'cut short' && leave_unchanged
}

kept_session()
{
	ls "$HOME"/.local/state/stepscope/kept-* >/dev/null 2>&1
}

a_crash_gives_the_terminal_back()
{
	open_default && tui_signal SEGV && tui_gone && tui_until tui_is '#{alternate_on}' 0 &&
		tui_until tui_is '#{cursor_flag}' 1 &&
		test "$(cat "$tui_run/stty.before")" = "$(cat "$tui_run/stty.after")"
}

control_c_leaves()
{
	open_default && tui_keys C-c && tui_left_clean 130
}

nothing_is_kept_of_a_session_without_edits()
{
	open_default && tui_signal TERM && tui_left_clean 143 && tap_fails kept_session
}

# Every size is drawn; back at the first one, the screen is the first one.
sizes_do_not_break_it()
{
	open_default && tui_wait 'tp = 8, stated' && tui_screen >"$tui_dir/first" || return 1
	for size in 1x1 2x2 3x1 1x40 400x1 10x3 20x5 40x10 79x24 80x23 120x40 200x60 400x100; do
		tui_size $size && tui_until is_drawn || return 1
	done
	tui_size 80x24 && tui_wait 'tp = 8, stated' && tui_until same_as_first && leave_unchanged
}

# Wherever a figure has room, the lead figure is there.
is_drawn()
{
	test "$tui_width" -lt 9 || test "$tui_height" -lt 3 || tui_shows '25\.22 ms'
}

same_as_first()
{
	tui_screen >"$tui_dir/last" && cmp -s "$tui_dir/first" "$tui_dir/last"
}

sizes_change_under_every_pane()
{
	open_default || return 1
	for key in 1 2 3 4 5 6 7 8 9 0 w '?'; do
		tui_keys $key && tui_size 13x7 && tui_size 1x1 && tui_size 160x50 && tui_wait '25\.22 ms' ||
			return 1
	done
	tui_size 80x24 && tui_wait 'Help: the walk' && tui_keys q q q && tui_left_clean
}

typing_goes_on_through_a_resize()
{
	open_default && tui_keys : && tui_type 'set tp' && tui_wait '^:set tp' && tui_size 40x10 &&
		tui_wait '^:set tp' && tui_size 100x30 && tui_wait '^:set tp' && tui_type ' 4' &&
		tui_keys Enter && tui_wait '>tp +4' && leave
}

# toggles_at SIZE: a setting, its refusal and the way back, on a screen of this size.
toggles_at()
{
	open_default "$1" && tui_keys - && tui_wait '>tp +4' && tui_wait '^ 39\.34 ms' &&
		colon 'set tp 3' && tui_wait 'REFUSED|last valid' && tui_keys b && tui_wait '^ 39\.34 ms' &&
		tui_keys u u u && tui_wait '>tp +8' && tui_wait '^ 25\.22 ms' && tui_keys C-r &&
		tui_wait '>tp +4|>tp +3' && tui_keys u && tui_gone '\[\+' && leave_unchanged
}

# panes_at SIZE: each opens and names itself.
panes_at()
{
	open_default "$1" || return 1
	for key in 1:Resolved 2:Provenance 3:Evidence 4:Step 5:Memory 6:Batch 7:Sweep 8:Compare \
		9:Engine 0:Model; do
		tui_keys "${key%%:*}" && tui_wait " ${key%%:*} ${key#*:} " || return 1
	done
	leave_unchanged
}

three_panes_stand_side_by_side()
{
	open_default 200x60 && tui_frame '--|──' '── Deployment ' '── 4 Step ' '── 5 Memory ' &&
		tui_keys 7 && tui_wait '── 7 Sweep ' && tui_wait '── 5 Memory ' && leave_unchanged
}

keys_come_from_the_terminal_when_input_is_data()
{
	fresh
	tui_start 80x24 sh -c '"$0" </dev/null' "$STEPSCOPE" && tui_wait '24\.43 ms' && tui_keys - &&
		tui_wait '>tp +4' && leave
}

the_mouse_is_asked_for()
{
	open_default && tui_is '#{mouse_any_flag}' 0 && leave_unchanged &&
		tui_start 80x24 stepscope --mouse && tui_wait '25\.22 ms' &&
		tui_until tui_is '#{mouse_any_flag}' 1 && leave_unchanged
}

a_spoilt_screen_is_painted_again()
{
	open_default && tui_screen >"$tui_dir/first" || return 1
	printf '\033[2J\033[5;5Hnoise' >"$(tui_state '#{pane_tty}')"
	tui_wait noise && tui_keys C-l && tui_gone noise && tui_until same_as_first && leave_unchanged
}

a_flood_of_keys_is_taken()
{
	open_default && tui_type "$(printf '%0500d' 0 | sed 's/0/jk-+/g')" && tui_keys g &&
		tui_wait '>tp ' && tui_keys q && { tui_lacks 'not saved' || tui_keys y; } &&
		tui_until tui_ended_or_asks && tui_left_clean
}

tui_ended_or_asks()
{
	test -s "$tui_run/status" && return 0
	tui_shows 'not saved' && tui_keys y
	return 1
}

tap_case 'an unknown terminal is said' an_unknown_terminal_is_said
tap_case 'no terminal type is said' no_terminal_type_is_said
tap_case 'a dumb terminal is said' a_dumb_terminal_is_said
tap_case 'without colours the marks remain' without_colours_the_marks_remain
tap_case 'eight colours will do' with_terminal screen
tap_case 'so will 256' with_terminal xterm-256color
tap_case 'so will a terminal without colours' with_terminal vt100
tap_case 'the C locale gets ASCII' the_c_locale_gets_ascii
tap_case 'ASCII is an option' ascii_is_an_option
tap_case 'suspended, it gives the terminal back' suspended_it_gives_the_terminal_back
tap_case 'TERM ends it cleanly, edits are kept' ended_by TERM 15
tap_case 'HUP ends it cleanly, edits are kept' ended_by HUP 1
tap_case 'INT ends it cleanly, edits are kept' ended_by INT 2
tap_case 'QUIT ends it cleanly, edits are kept' ended_by QUIT 3
tap_case 'killed, all of it is taken up again' killed_all_of_it_is_taken_up_again
tap_case 'killed, its edits are offered once' killed_its_edits_are_offered_once
tap_case 'a crash gives the terminal back' a_crash_gives_the_terminal_back
tap_case 'Ctrl-C leaves' control_c_leaves
tap_case 'nothing is kept of a session without edits' nothing_is_kept_of_a_session_without_edits
tap_case 'no size breaks it' sizes_do_not_break_it
tap_case 'no size breaks any pane' sizes_change_under_every_pane
tap_case 'typing goes on through a resize' typing_goes_on_through_a_resize
tap_case 'toggles at 40x10' toggles_at 40x10
tap_case 'toggles at 200x60' toggles_at 200x60
tap_case 'panes at 40x10' panes_at 40x10
tap_case 'panes at 200x60' panes_at 200x60
tap_case 'three panes stand side by side' three_panes_stand_side_by_side
tap_case 'keys come from the terminal when input is data' \
	keys_come_from_the_terminal_when_input_is_data
tap_case 'the mouse is asked for' the_mouse_is_asked_for
tap_case 'a spoilt screen is painted again' a_spoilt_screen_is_painted_again
tap_case 'a flood of keys is taken' a_flood_of_keys_is_taken
tap_done
