# What the explorer reads and writes: scenarios, exports, tours, its history.

. "$top_srcdir/tests/tui/explorer.sh"

save_to()
{
	tui_keys S && tui_wait 'save as' && answer "$1"
}

saved_there_is_nothing_to_ask()
{
	rm -f "$tui_dir/mine.json"
	open_default && tui_keys - && tui_wait '\[\+1\]' && save_to "$tui_dir/mine.json" &&
		tui_wait 'saved to' && tui_gone '\[\+1\]' && leave_unchanged &&
		tui_start 80x24 stepscope "$tui_dir/mine.json" && tui_wait '>tp +4' && leave_unchanged
}

leaving_asks_and_no_stays()
{
	open_default && tui_keys - q && tui_wait 'not saved' && tui_keys n && tui_gone 'not saved' &&
		tui_wait '>tp +4' && leave
}

saving_asks_before_it_covers_another()
{
	rm -f "$tui_dir/mine.json"
	open_default && tui_keys - && save_to "$tui_dir/mine.json" && tui_wait 'saved to' &&
		grep -q '"tp": 4' "$tui_dir/mine.json" && echo changed >"$tui_dir/mine.json" &&
		tui_keys - S && tui_wait 'save as' && tui_keys Enter && tui_wait 'changed since' &&
		tui_keys n && grep -q changed "$tui_dir/mine.json" && tui_keys S &&
		tui_wait 'save as' && tui_keys Enter && tui_wait 'changed since' && tui_keys y &&
		tui_wait 'saved to' && grep -q '"tp": 2' "$tui_dir/mine.json" && leave_unchanged
}

a_folder_that_is_missing_is_said()
{
	open_default && tui_keys - && save_to "$tui_dir/none/mine.json" &&
		tui_wait 'cannot be written|No such file' && leave
}

# A scenario of its own, opened from its file.
open_mine()
{
	fresh
	# Not cp: the tree may be read-only, and the copy must not be.
	cat "$top_srcdir/scenarios/deepseek-v3-h200-fp8-tp8.json" >"$tui_dir/mine.json" &&
		tui_start 80x24 stepscope "$tui_dir/mine.json" && tui_wait '>tp +8'
}

a_file_edited_elsewhere_is_read_again()
{
	open_mine && sed -i 's/"tp": 8/"tp": 4/' "$tui_dir/mine.json" && tui_keys r &&
		tui_wait '>tp +4' && tui_wait '^ 39\.34 ms' && leave_unchanged
}

a_broken_file_leaves_what_was_there()
{
	open_mine && echo '{' >"$tui_dir/mine.json" && tui_keys r && tui_wait 'mine\.json' &&
		tui_wait '>tp +8' && tui_wait '^ 25\.22 ms' && leave_unchanged
}

edits_are_kept_over_the_new_file_or_dropped()
{
	open_mine && tui_keys - && tui_wait '>tp +4' && sed -i 's/"block_size": 64/"block_size": 128/' \
		"$tui_dir/mine.json" && tui_keys r && tui_wait 'k keep them' && tui_keys Escape &&
		tui_gone 'k keep them' && tui_wait 'block_size +64' && tui_keys r &&
		tui_wait 'k keep them' && tui_keys k && tui_wait 'your edits over it' &&
		tui_wait 'block_size +128' && tui_wait '>tp +4' && tui_keys r && tui_wait 'd drop' &&
		tui_keys d && tui_wait 'your edits dropped' && tui_wait '>tp +8' && tui_keys u &&
		tui_wait '>tp +4' && leave
}

# A walk left by Escape or q keeps what was said; S writes it, the next one reads it.
a_review_is_saved_beside_the_scenario()
{
	rm -f "$tui_dir/mine.review.json"
	open_mine && tui_keys w && tui_wait 'WALK 1 of' && tui_keys a && tui_wait 'accepted at 3\.2 us' &&
		tui_keys "'" && tui_wait '^note:' && answer 'two runs' && tui_wait 'note +two runs' &&
		tui_keys Escape && tui_gone WALK && tui_keys q && tui_wait 'not saved' && tui_keys n &&
		tui_keys w && tui_wait 'reviewed 1 of' && tui_keys q && tui_gone WALK && tui_keys S &&
		tui_wait 'save as' && tui_keys Enter && tui_wait 'review beside it' && leave_unchanged &&
		grep -q '"note": "two runs"' "$tui_dir/mine.review.json" &&
		tui_start 80x24 stepscope "$tui_dir/mine.json" && tui_wait '>tp +8' && tui_keys w &&
		tui_wait 'WALK 2 of' && tui_wait 'reviewed 1 of' && tui_keys [ &&
		tui_wait 'note +two runs' && tui_keys t && answer 1.6 && tui_wait '; changed since' &&
		tui_keys Escape && leave
}

# exported PANE FILE REGEX: the pane written, with a line like this.
exported()
{
	rm -f "$tui_dir/$2"
	open_default && tui_keys "$1" && tui_keys x && tui_wait 'export to' && answer "$tui_dir/$2" &&
		tui_wait 'written to' && grep -E -q -e "$3" "$tui_dir/$2" && leave_unchanged
}

the_screen_becomes_a_picture()
{
	rm -f "$tui_dir/screen.svg"
	open_default && tui_keys 4 && colon "export $tui_dir/screen.svg" && tui_wait 'written to' &&
		grep -q '<svg xmlns' "$tui_dir/screen.svg" && grep -q '25.22 ms' "$tui_dir/screen.svg" &&
		! grep -q '>:export' "$tui_dir/screen.svg" && leave_unchanged
}

an_export_asks_before_it_covers_another()
{
	echo mine >"$tui_dir/there.csv"
	open_default && tui_keys 4 && colon "export $tui_dir/there.csv" && tui_wait 'is there already' &&
		tui_keys n && grep -q mine "$tui_dir/there.csv" && leave_unchanged
}

a_scenario_is_chosen()
{
	open_default && tui_keys o && tui_wait 'Open a scenario' && tui_type 'gb200 v3' &&
		tui_wait '>deepseek-v3-gb200' && tui_wait '^ 20\.34 ms \| FITS 827' && tui_keys Enter &&
		tui_gone 'Open a scenario' && tui_wait 'gb200' && leave_unchanged
}

escape_leaves_the_chooser()
{
	open_default && tui_keys o && tui_wait 'Open a scenario' && tui_keys G Escape &&
		tui_gone 'Open a scenario' && tui_wait '^ 25\.22 ms' && leave_unchanged
}

another_scenario_asks_for_the_edits()
{
	open_default && tui_keys - && tui_wait '>tp +4' && colon 'open llama-3.1-8b-l40s-tp1' &&
		tui_wait 'not saved' && tui_keys n && tui_wait '>tp +4' &&
		colon 'open llama-3.1-8b-l40s-tp1' && tui_wait 'not saved' && tui_keys y &&
		tui_wait 'l40s' && leave_unchanged
}

an_unknown_scenario_is_said()
{
	open_default && colon 'open nowhere' && tui_wait 'nowhere' && tui_wait '^ 25\.22 ms' &&
		leave_unchanged
}

a_tour_plays_pauses_and_goes_back()
{
	fresh
	tui_start 80x24 stepscope tour tp-ep-graphs && tui_wait 'DeepSeek-V3 on eight H200s' &&
		tui_keys Space && tui_wait 'Half the GPUs' && tui_wait 'DOES NOT FIT' &&
		tui_keys Space && tui_wait 'REFUSED' && tui_keys BSpace && tui_wait 'Half the GPUs' &&
		tui_gone REFUSED && tui_keys q && tui_wait 'T returns' && tui_keys 5 &&
		tui_wait '5 Memory' && tui_keys T && tui_wait 'Half the GPUs' && tui_keys q q &&
		tui_wait 'not saved' && tui_keys y && tui_left_clean
}

what_is_done_is_recorded_as_a_tour()
{
	rm -f "$tui_dir/live.tour"
	open_default && colon "record $tui_dir/live.tour" && tui_wait 'recording' && tui_keys - &&
		tui_wait '>tp +4' && colon 'say Half.' && colon record && tui_wait 'written to' &&
		grep -q '^set parallel.tp=4$' "$tui_dir/live.tour" &&
		grep -q '^say Half.$' "$tui_dir/live.tour" && leave &&
		"$STEPSCOPE" tour --check "$tui_dir/live.tour"
}

a_tour_goes_on_by_itself()
{
	fresh
	tui_start 80x24 stepscope tour tp-ep-graphs --auto 1 && tui_wait 'DeepSeek-V3 on eight H200s' &&
		tui_wait 'Half the GPUs' && tui_keys q q && tui_until ended_or_asked && tui_left_clean
}

ended_or_asked()
{
	test -s "$tui_run/status" || { tui_shows 'not saved' && tui_keys y; }
}

commands_are_remembered()
{
	open_default && colon 'goto Memory' && tui_wait '5 Memory' && leave_unchanged &&
		tui_start 80x24 stepscope && tui_wait '^ 25\.22 ms' && tui_keys : Up &&
		tui_wait '^:goto Memory' && tui_keys Enter && tui_wait '5 Memory' && leave_unchanged
}

# Where nothing can be kept it runs all the same.
a_home_that_takes_nothing_will_do()
{
	open_default && leave_unchanged && tui_start 80x24 env HOME=/nonexistent "$STEPSCOPE" &&
		tui_wait '^ 24\.43 ms' && tui_keys - && tui_wait '>tp +4' && leave
}

two_do_not_take_each_others_session()
{
	open_default && tui_keys - && tui_wait '>tp +4' && tui_tmux new-window -d -t tui:9 \
		"'$STEPSCOPE'" && tui_until other_shows '24\.43 ms' && ! other_shows 'cut short' && leave
}

# Two keys from the paste to the verdict: Enter, and there it is.
# 16 keys from nothing to a price.
a_new_scenario_is_made()
{
	open_default && tui_keys C-n && tui_wait 'which model' && tui_type 'qwen3-14b' &&
		tui_wait '>qwen3-14b' && tui_keys Enter && tui_wait 'on which part' && tui_type h100 &&
		tui_wait '>h100' && tui_keys Enter && tui_wait 'qwen3-14b.* 1x h100' &&
		tui_wait 'fewest GPUs' && leave_unchanged
}

a_pasted_command_becomes_a_scenario()
{
	open_default && tui_paste 'vllm serve deepseek-ai/DeepSeek-V3 \
  --quantization fp8 -tp 4 --port 8000
' && tui_wait 'Import paste' && tui_wait 'no effect +--port' && tui_keys Enter &&
		tui_wait '>tp +4' && tui_wait 'DOES NOT FIT' && tui_keys S &&
		tui_wait '^save as: .*\.json' && tui_keys Escape && leave_unchanged
}

a_paste_into_a_prompt_is_text()
{
	open_default && tui_keys : && tui_wait '^:' && tui_paste 'set tp 4' && tui_keys Enter &&
		tui_wait '>tp +4' && leave
}

a_log_opens_from_the_command_line()
{
	fresh
	tui_start 80x24 stepscope "$top_srcdir/tests/data/start-up-log.txt" &&
		tui_wait 'qwen3-14b \| 2x h200' && tui_keys Enter && tui_wait '>tp +2' && leave_unchanged
}

# open_with TEXT: with a file of options.
open_with()
{
	fresh && mkdir -p "$HOME/.config/stepscope" && printf "$1" >"$HOME/.config/stepscope/config" &&
		tui_start 80x24 stepscope
}

options_of_ones_own_hold_from_the_start()
{
	open_with 'pane = memory\ndraw = ascii\n' && tui_wait '5 Memory' && tui_wait '^--' &&
		colon options && tui_wait 'pane +=? *memory +line 1' &&
		tui_wait 'draw +=? *ascii +line 2' && tui_keys Escape && leave_unchanged
}

a_wrong_option_is_said_with_its_line()
{
	open_with '\nmouse = maybe\n' && tui_wait 'line 2: mouse: one of off on' && leave_unchanged
}

other_shows()
{
	tui_tmux capture-pane -p -t tui:9 2>/dev/null | grep -E -q -e "$1"
}

tap_case 'saved, there is nothing to ask' saved_there_is_nothing_to_ask
tap_case 'leaving asks, and no stays' leaving_asks_and_no_stays
tap_case 'saving asks before it covers another' saving_asks_before_it_covers_another
tap_case 'a folder that is missing is said' a_folder_that_is_missing_is_said
tap_case 'a file edited elsewhere is read again' a_file_edited_elsewhere_is_read_again
tap_case 'a broken file leaves what was there' a_broken_file_leaves_what_was_there
tap_case 'edits are kept over the new file, or dropped' edits_are_kept_over_the_new_file_or_dropped
tap_case 'a review is saved beside the scenario' a_review_is_saved_beside_the_scenario
tap_case 'Step is exported as CSV' exported 4 step.csv '^term,ms'
tap_case 'Provenance is exported as Markdown' exported 2 entries.md '^\| *host_launch_per_kernel'
tap_case 'Evidence is exported as JSON' exported 3 evidence.json '"host_launch_per_kernel"'
tap_case 'Sweep is exported' exported 7 sweep.csv '^series,batch,step,'
tap_case 'Resolved is exported as text' exported 1 resolved.txt 'all-reduce +custom'
tap_case 'the screen becomes a picture' the_screen_becomes_a_picture
tap_case 'an export asks before it covers another' an_export_asks_before_it_covers_another
tap_case 'a scenario is chosen from a list' a_scenario_is_chosen
tap_case 'Escape leaves the list' escape_leaves_the_chooser
tap_case 'another scenario asks for the edits' another_scenario_asks_for_the_edits
tap_case 'an unknown scenario is said' an_unknown_scenario_is_said
tap_case 'a new scenario is made in 16 keys' a_new_scenario_is_made
tap_case "options of one's own hold from the start" options_of_ones_own_hold_from_the_start
tap_case 'a wrong option is said with its line' a_wrong_option_is_said_with_its_line
tap_case 'a pasted command becomes a scenario' a_pasted_command_becomes_a_scenario
tap_case 'a paste into a prompt is text' a_paste_into_a_prompt_is_text
tap_case 'a log opens from the command line' a_log_opens_from_the_command_line
tap_case 'a tour plays, pauses and goes back' a_tour_plays_pauses_and_goes_back
tap_case 'what is done is recorded as a tour' what_is_done_is_recorded_as_a_tour
tap_case 'a tour goes on by itself' a_tour_goes_on_by_itself
tap_case 'commands are remembered' commands_are_remembered
tap_case 'a home that takes nothing will do' a_home_that_takes_nothing_will_do
tap_case 'two do not take each other'"'"'s session' two_do_not_take_each_others_session
tap_done
