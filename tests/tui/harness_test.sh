# The harness tried on programs that are not ours, good ones and bad ones.
. "${top_srcdir:=.}/tests/tui/harness.sh"

text_comes_back()
{
	tui_start 80x24 cat && tui_type 'a; b' && tui_keys Enter - ';' Enter &&
		tui_wait '^a; b$' && tui_wait '^-;$' &&
		tui_keys C-d && tui_left_clean
}

text_goes()
{
	tui_start 80x24 sh -c 'echo here; read x; printf "\033[2J"; read x' &&
		tui_wait here && tui_keys Enter && tui_gone here &&
		tui_keys Enter && tui_left_clean
}

size_follows()
{
	tui_start 40x10 sh -c 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done' &&
		tui_wait '^10 40$' && tui_size 100x30 && tui_wait '^30 100$' &&
		tui_signal TERM && tui_left_clean 143
}

settings_are_isolated()
{
	tui_start 80x24 sh -c 'echo "$TERM ${TMUX+no}$LC_ALL"; echo "$HOME"; read x' &&
		tui_wait "^$TUI_TERM .*$TUI_LOCALE" && tui_wait '/tui/home$' && tui_keys Enter &&
		tui_left_clean
}

interrupt_ends_it()
{
	tui_start 80x24 cat && tui_keys C-c && tui_left_clean 130
}

# complains WHAT SHELL-TEXT: run it, true when tui_left_clean says WHAT.
complains()
{
	tui_start 80x24 sh -c "$2" && tui_gone || return 1
	TUI_LIMIT=0 tui_left_clean >"$tap_dir/said" && return 1
	cat "$tap_dir/said"
	grep -q -e "$1" "$tap_dir/said"
}

absent_text()
{
	tui_start 80x24 cat && tui_type 'what is there' && tui_wait 'what is there' || return 1
	TUI_LIMIT=0 tui_wait 'never there' >"$tap_dir/said" && return 1
	grep -q 'waited for /never there/' "$tap_dir/said" && grep -q 'what is there' "$tap_dir/said"
}

tap_case 'keys and text reach the program, and its output is seen' text_comes_back
tap_case 'text that goes is waited for' text_goes
tap_case 'a change of size reaches the program' size_follows
tap_case 'the program sees the terminal and home of the test' settings_are_isolated
tap_case 'Ctrl-C ends the program and not the harness' interrupt_ends_it
tap_case 'text that never comes is a failure that shows the screen' absent_text
tap_case 'a failing status is a failure' complains 'status 3, not 0' 'exit 3'
tap_case 'changed terminal settings are a failure' complains 'settings' 'stty -echo'
tap_case 'a screen that is not given back is a failure' complains 'other screen' 'tput smcup'
tap_case 'a hidden cursor is a failure' complains 'hidden' 'tput civis'
tap_case 'a mouse left on is a failure' complains 'mouse' 'printf "\033[?1000h"'
tap_case 'keys left in application mode are a failure' complains 'keys' 'tput smkx'
tap_done
