# Runs the real program in a tmux of its own and looks at the screen.
#
#	. "$top_srcdir/tests/tui/harness.sh"
#
#	price_follows_tp()
#	{
#		tui_start 80x24 stepscope tiny && tui_wait 'tp  *8' &&
#		tui_keys - && tui_wait 'tp  *4' &&
#		tui_keys q && tui_left_clean
#	}
#	tap_case 'the price follows tp' price_follows_tp
#	tap_done
#
# A failing step prints the screen as it was. The file is skipped where tmux is
# missing, or pseudo-terminals are. `stepscope` as a program name is the one just built. Settings:
# TUI_LIMIT seconds to wait for (20), TUI_TERM and TUI_LOCALE the program sees.

. "$top_srcdir/tests/tap.sh"

command -v tmux >/dev/null 2>&1 || tap_skip_all 'tmux is missing'
# As in a container without devpts, where every case would fail without a word why.
# shellcheck disable=SC2217
{ : <>/dev/ptmx; } 2>/dev/null || tap_skip_all 'no pseudo-terminals here: /dev/ptmx cannot be opened'

: "${TUI_LIMIT:=20}" "${TUI_TERM:=tmux-256color}" "${TUI_LOCALE:=C.UTF-8}"

tui_dir=$tap_dir/tui
tui_run=$tui_dir/run.0
tui_runs=0
mkdir -p "$tui_dir/home"
tap_cleanup=tui_stop

# No settings of whoever runs the tests reach the program or tmux.
unset TMUX TMUX_PANE XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME
unset LC_ALL LC_CTYPE LANG LANGUAGE LINES COLUMNS ESCDELAY NO_COLOR
export HOME="$tui_dir/home"

cat >"$tui_dir/tmux.conf" <<CONF
set -g status off
set -g default-terminal "$TUI_TERM"
set -g remain-on-exit on
set -s escape-time 0
CONF

# Stays in the pane around the program, to tell how it left the terminal. The
# empty traps let it outlive a Ctrl-C meant for the program, which starts with
# the default actions again.
cat >"$tui_dir/pane.sh" <<'PANE'
dir=$1
shift
trap : INT QUIT TERM HUP TSTP
stty -g >"$dir/stty.before"
sh -c 'echo $$ >"$0/pid.new" && mv "$0/pid.new" "$0/pid"; exec "$@"' "$dir" "$@"
status=$?
stty -g >"$dir/stty.after"
echo "$status" >"$dir/status.new"
mv "$dir/status.new" "$dir/status"
while test -e "$dir/status"; do read -r line || sleep 0.2; done
PANE

tui_tmux()
{
	tmux -u -S "$tui_dir/socket" -f "$tui_dir/tmux.conf" "$@"
}

tui_stop()
{
	tui_tmux kill-server >/dev/null 2>&1
	rm -rf "$tui_run"
	rm -f "$tui_dir/socket"
}

# tui_start WIDTHxHEIGHT PROGRAM [ARGUMENT...]
tui_start()
{
	tui_width=${1%x*}
	tui_height=${1#*x}
	shift
	if test "$1" = stepscope; then
		shift
		# what is waited for is published of this figure; a tour says its own
		test "$1" = tour || set -- "$@" --figure serial
		set -- "$STEPSCOPE" "$@"
	fi
	tui_stop
	# A pane that was stopped may write a little longer, into a folder of its own.
	tui_runs=$((tui_runs + 1))
	tui_run=$tui_dir/run.$tui_runs
	mkdir "$tui_run" || return 1
	LC_ALL=$TUI_LOCALE tui_tmux new-session -d -s tui -x "$tui_width" -y "$tui_height" \
		sh "$tui_dir/pane.sh" "$tui_run" "$@" || return 1
	tui_until test -s "$tui_run/pid" || tui_fail 'the program did not start'
}

# tui_until COMMAND...: try it until it holds or the limit is over.
tui_until()
{
	tui_end=$(($(date +%s) + TUI_LIMIT + 1))
	until "$@"; do
		test "$(date +%s)" -lt "$tui_end" || return 1
		sleep 0.03
	done
}

tui_fail()
{
	printf '%s; the screen:\n' "$*"
	tui_screen | sed 's/^/|/'
	return 1
}

# The screen as text, one line a row. tui_colours keeps the attributes as
# escape sequences.
tui_screen()
{
	tui_tmux capture-pane -p -t tui
}

tui_colours()
{
	tui_tmux capture-pane -p -e -t tui
}

tui_shows()
{
	tui_screen 2>/dev/null | grep -E -q -e "$1"
}

# tui_wait REGEX: until the screen has it.
tui_wait()
{
	tui_until tui_shows "$1" || tui_fail "waited for /$1/"
}

tui_lacks()
{
	! tui_shows "$1"
}

# tui_gone [REGEX]: until the screen no longer has it; without REGEX, until the
# program has ended, however it did.
tui_gone()
{
	if test $# -eq 0; then
		tui_until test -s "$tui_run/status" || tui_fail 'the program is still there'
		return
	fi
	tui_until tui_lacks "$1" || tui_fail "/$1/ did not go"
}

# tui_keys KEY...: as tmux names them (Down, C-c, Escape, F1, PPage) or letters.
tui_keys()
{
	for tui_key; do
		# tmux takes a bare semicolon as the end of its command.
		test "$tui_key" != ';' || tui_key='\;'
		tui_tmux send-keys -t tui -- "$tui_key" || return 1
	done
}

# tui_type TEXT: the characters as they are, no key names.
tui_type()
{
	tui_tmux send-keys -t tui -l -- "$1"
}

# tui_paste TEXT: as the clipboard gives it, between the marks of a paste.
tui_paste()
{
	tui_tmux set-buffer -- "$1" && tui_tmux paste-buffer -p -t tui
}

# tui_size WIDTHxHEIGHT: give the terminal another size.
tui_size()
{
	tui_width=${1%x*}
	tui_height=${1#*x}
	tui_tmux resize-window -t tui -x "$tui_width" -y "$tui_height"
}

# tui_signal NAME: send the program a signal.
tui_signal()
{
	kill -s "$1" "$(cat "$tui_run/pid")"
}

# tui_state FORMAT: a fact of the pane, as tmux names it.
tui_state()
{
	tui_tmux display-message -p -t tui "$1"
}

tui_is()
{
	test "$(tui_state "$1")" = "$2"
}

# tui_left_clean [STATUS]: the program ends with STATUS (0), and leaves the
# terminal as it found it: settings, main screen, cursor shown, no mouse, keys
# in normal mode.
tui_left_clean()
{
	tui_gone || return 1
	test "$(cat "$tui_run/status")" = "${1:-0}" ||
		tui_fail "ended with status $(cat "$tui_run/status"), not ${1:-0}" || return 1
	test "$(cat "$tui_run/stty.before")" = "$(cat "$tui_run/stty.after")" ||
		tui_fail 'the terminal settings are not what they were' || return 1
	# tmux may still be reading what the program wrote last.
	tui_until tui_is '#{alternate_on}' 0 || tui_fail 'still on the other screen' || return 1
	tui_until tui_is '#{cursor_flag}' 1 || tui_fail 'the cursor is hidden' || return 1
	tui_until tui_is '#{mouse_any_flag}' 0 || tui_fail 'the mouse is still on' || return 1
	tui_until tui_is '#{keypad_flag}#{keypad_cursor_flag}' 00 ||
		tui_fail 'the keys are still in application mode' || return 1
}
