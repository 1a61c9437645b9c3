# The explorer on the default scenario, driven by keys as a person would.

. "$top_srcdir/tests/tui/harness.sh"

# Its state goes to a home of its own, fresh for each case.
fresh()
{
	rm -rf "$HOME/.local"
}

# row TEXT: select a setting of the deployment pane by searching for it.
row()
{
	tui_keys / && tui_type "$1" && tui_keys Enter && tui_wait ">$1"
}

open_default()
{
	fresh
	tui_start 80x24 stepscope && tui_wait '25\.22 ms \(24\.11 \.\. 25\.62\) hbm-bound' &&
		tui_wait 'FITS 322'
}

leave()
{
	tui_keys q && { tui_wait 'not saved' && tui_keys y; } && tui_left_clean
}

the_first_screen_says_what_it_costs()
{
	open_default && tui_wait 'deepseek-v3 fp8 \| 8x h200' && tui_wait 'rests on 110/149, 38~' &&
		tui_wait '>tp +8' && tui_keys q && tui_left_clean
}

half_the_gpus_do_not_fit_by_so_much()
{
	open_default && tui_keys - && tui_wait '>tp +4' &&
		tui_wait 'DOES NOT FIT by [0-9.]+ GiB \(weights\)' && tui_wait '39\.34 ms' && leave
}

an_unstated_block_size_is_assumed()
{
	open_default && row block_size && tui_keys DC && tui_wait '>block_size +16 +~' &&
		tui_wait 'rests on 110/150, 39~' && leave
}

graphs_off_run_eager()
{
	open_default && row cudagraph_mode && tui_keys - && tui_wait '>cudagraph_mode +NONE' &&
		tui_lacks '25\.22 ms \(' && tui_keys 1 && tui_wait 'cudagraph mode +NONE' && leave
}

a_wider_cache_takes_more_room()
{
	open_default && row cache_dtype && tui_keys - && tui_wait '>cache_dtype +bfloat16' &&
		tui_wait 'FITS 161' && leave
}

another_quantization_is_priced_or_refused()
{
	open_default && row quantization && tui_keys DC && tui_wait 'quantization unstated|>quantization' &&
		tui_wait '\[\+1\]' && tui_keys u && tui_wait '25\.22 ms \(24\.11' && tui_keys q &&
		tui_left_clean
}

expert_parallelism_is_one_key()
{
	open_default && row expert_parallel && tui_keys Space && tui_wait '>expert_parallel +on' &&
		tui_keys 1 && tui_wait 'ep 8' && leave
}

three_ranks_are_refused_with_ways_out()
{
	open_default && tui_keys e && tui_wait 'tp: 8' && tui_keys C-u && tui_type 3 &&
		tui_keys Enter && tui_wait 'REFUSED' && tui_wait 'a +parallel\.tp = 2' &&
		tui_wait 'b +parallel\.tp = 4' && tui_wait 'last valid: tp 8' && tui_keys b &&
		tui_wait '>tp +4' && tui_gone REFUSED && leave
}

a_way_out_of_two_refusals_is_one_edit()
{
	open_default && tui_keys : && tui_type 'set parallel.tp=3 engine.block_size=24' &&
		tui_keys Enter && tui_wait REFUSED && tui_wait 'with block_size = 16' &&
		tui_keys a && tui_wait '>tp +2' && tui_gone REFUSED && tui_wait 'block_size +16' &&
		tui_keys u && tui_wait 'block_size +24' && tui_wait REFUSED && leave
}

undo_returns_to_the_first_screen_exactly()
{
	open_default && tui_wait 'tp = 8, stated' && tui_screen >"$tui_dir/first" &&
		tui_keys - Down Space Down Space && tui_wait '\[\+3\]' && tui_keys u u u &&
		tui_gone '\[\+' && tui_keys g && tui_wait 'tp = 8, stated' &&
		tui_screen >"$tui_dir/last" && diff "$tui_dir/first" "$tui_dir/last" &&
		tui_keys q && tui_left_clean
}

redo_makes_the_edits_again()
{
	open_default && tui_keys - u && tui_gone '\[\+' && tui_keys C-r && tui_wait '>tp +4' && leave
}

every_pane_opens_by_its_digit()
{
	open_default || return 1
	tui_keys 1 && tui_wait '1 Resolved' && tui_keys 2 && tui_wait '2 Provenance' &&
		tui_keys 3 && tui_wait '3 Evidence' && tui_wait 'SHARE OF THE PRICE' && tui_keys 4 &&
		tui_wait '4 Step' && tui_keys 5 && tui_wait '1,319,808 tokens' && tui_keys 6 &&
		tui_wait '6 Batch' && tui_keys 7 && tui_wait 'capture ceiling' && tui_keys 8 &&
		tui_wait 'No baseline yet' && tui_keys 9 && tui_wait '9 Engine' && tui_keys 0 &&
		tui_wait '0 Model' && tui_keys q && tui_left_clean
}

a_baseline_shows_what_moved()
{
	open_default && tui_keys b && tui_wait 'as A' && tui_keys - && tui_wait 'vs A .*\+14\.12 ms' &&
		tui_keys 8 && tui_wait 'BY TERM' && tui_wait 'experts, weight reads' && leave
}

the_walk_reviews_what_is_assumed()
{
	open_default && tui_keys w && tui_wait 'WALK 1 of' && tui_keys a &&
		tui_wait 'reviewed 1 of' && tui_wait 'host_launch_per_kernel' && tui_wait '23\.67' &&
		tui_keys Escape && tui_gone 'WALK' && tui_keys q && tui_left_clean
}

a_command_completes_and_runs()
{
	open_default && tui_keys : && tui_type 'set cudagraph_m' && tui_keys Tab &&
		tui_wait 'set cudagraph_mode' && tui_type ' NO' && tui_keys Tab Enter &&
		tui_wait 'cudagraph_mode +NONE' && leave
}

help_lists_the_keys()
{
	open_default && tui_keys '?' && tui_wait 'Help: Deployment' && tui_wait 'Marks: ~ assumed' &&
		tui_keys q && tui_gone 'Help: Deployment' && tui_keys q && tui_left_clean
}

another_scenario_is_chosen_from_a_list()
{
	open_default && tui_keys o && tui_wait 'Open a scenario' && tui_wait 'llama-3.1-70b-h100-tp4' &&
		tui_keys g && tui_keys Enter && tui_gone 'Open a scenario' && tui_keys q &&
		tui_left_clean
}

a_saved_scenario_asks_before_it_covers_another()
{
	open_default && tui_keys - S && tui_wait 'save as' && tui_keys C-u &&
		tui_type "$tui_dir/mine.json" && tui_keys Enter && tui_wait 'saved to' &&
		grep -q '"tp": 4' "$tui_dir/mine.json" && echo changed >"$tui_dir/mine.json" &&
		tui_keys - S && tui_wait 'save as' && tui_keys Enter && tui_wait 'changed since' &&
		tui_keys n && grep -q changed "$tui_dir/mine.json" && leave
}

an_export_is_written()
{
	rm -f "$tui_dir/step.csv"
	open_default && tui_keys 4 x && tui_wait 'export to' && tui_keys C-u &&
		tui_type "$tui_dir/step.csv" && tui_keys Enter && tui_wait 'written to' &&
		head -1 "$tui_dir/step.csv" | grep -q '^term,ms' && tui_keys q && tui_left_clean
}

a_killed_session_is_offered_again()
{
	open_default && tui_keys - && tui_wait '>tp +4' &&
		tui_until test -n "$(ls "$HOME/.local/state/stepscope" 2>/dev/null)" &&
		tui_signal KILL && tui_gone && tui_start 80x24 stepscope && tui_wait 'cut short' &&
		tui_keys y && tui_wait '>tp +4' && leave
}

signals_leave_cleanly_and_keep_the_session()
{
	for signal in TERM HUP INT; do
		open_default && tui_keys - && tui_wait '>tp +4' && tui_signal $signal && tui_gone &&
			ls "$HOME/.local/state/stepscope"/session-* >/dev/null || return 1
	done
}

small_and_large_screens_are_used()
{
	open_default && tui_size 40x10 && tui_wait '25\.22 ms' && tui_size 200x60 &&
		tui_wait '4 Step' && tui_wait '5 Memory' && tui_size 80x24 && tui_wait 'FITS 322' &&
		tui_keys q && tui_left_clean
}

typing_goes_on_through_a_resize()
{
	open_default && tui_keys : && tui_type 'set tp' && tui_size 100x30 && tui_wait 'set tp' &&
		tui_type ' 4' && tui_keys Enter && tui_wait 'tp +4' && leave
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
	open_default && tui_keys : && tui_type "record $tui_dir/live.tour" && tui_keys Enter &&
		tui_wait 'recording' && tui_keys - && tui_wait '>tp +4' && tui_keys : &&
		tui_type 'say Half.' && tui_keys Enter && tui_keys : && tui_type record &&
		tui_keys Enter && tui_wait 'written to' && grep -q '^set parallel.tp=4$' "$tui_dir/live.tour" &&
		grep -q '^say Half.$' "$tui_dir/live.tour" && leave &&
		"$STEPSCOPE" tour --check "$tui_dir/live.tour"
}

a_sweep_point_is_taken()
{
	open_default && tui_keys : && tui_type 'sweep tp 1,2,4,8' && tui_keys Enter &&
		tui_wait 'step over tp' && tui_keys h && tui_wait 'tp 4: step' && tui_keys Enter &&
		tui_wait 'taken: tp = 4' && tui_keys h Escape && tui_wait 'tp +4' && leave
}

an_unknown_terminal_is_said()
{
	fresh
	tui_start 80x24 env TERM=no-such-terminal "$STEPSCOPE" && tui_gone &&
		test "$(cat "$tui_dir/status")" -ne 0 && tui_wait 'terminal'
}

ascii_has_no_other_characters()
{
	fresh
	tui_start 80x24 stepscope --ascii && tui_wait '25\.22 ms' && tui_keys 7 &&
		tui_wait 'capture ceiling' && tui_screen >"$tui_dir/ascii" &&
		! LC_ALL=C grep -n '[^ -~]' "$tui_dir/ascii" && tui_keys q && tui_left_clean
}

suspending_and_coming_back()
{
	fresh
	# A shell with job control around it, as a person has.
	tui_start 80x24 sh -ic "\"$STEPSCOPE\"; fg 2>/dev/null || sleep 600" && tui_wait '25\.22 ms' &&
		tui_keys C-z && tui_wait '25\.22 ms' && tui_keys q && tui_gone
}

without_colours_the_marks_remain()
{
	fresh
	tui_start 80x24 env NO_COLOR=1 "$STEPSCOPE" && tui_wait 'max_cudagraph_ca.* 512 +~' &&
		! tui_colours | grep -q '\[3[1-6]m' && tui_keys q && tui_left_clean
}

tap_case 'the first screen says what it costs' the_first_screen_says_what_it_costs
tap_case 'tp 8 to 4 does not fit and says by how much' half_the_gpus_do_not_fit_by_so_much
tap_case 'an unstated block size is an assumption' an_unstated_block_size_is_assumed
tap_case 'graphs off run eager' graphs_off_run_eager
tap_case 'another cache dtype changes what fits' a_wider_cache_takes_more_room
tap_case 'quantization is one key, and one back' another_quantization_is_priced_or_refused
tap_case 'expert parallelism is one key' expert_parallelism_is_one_key
tap_case 'tp 3 is refused with ways out that work' three_ranks_are_refused_with_ways_out
tap_case 'a way out of two refusals is one edit' a_way_out_of_two_refusals_is_one_edit
tap_case 'undo returns to the first screen exactly' undo_returns_to_the_first_screen_exactly
tap_case 'redo makes the edits again' redo_makes_the_edits_again
tap_case 'every pane opens by its digit' every_pane_opens_by_its_digit
tap_case 'a baseline shows what moved' a_baseline_shows_what_moved
tap_case 'the walk reviews what is assumed' the_walk_reviews_what_is_assumed
tap_case 'a command completes and runs' a_command_completes_and_runs
tap_case 'help lists the keys' help_lists_the_keys
tap_case 'another scenario is chosen from a list' another_scenario_is_chosen_from_a_list
tap_case 'saving asks before it covers another' a_saved_scenario_asks_before_it_covers_another
tap_case 'an export is written' an_export_is_written
tap_case 'a killed session is offered again' a_killed_session_is_offered_again
tap_case 'signals leave cleanly and keep the session' signals_leave_cleanly_and_keep_the_session
tap_case 'small and large screens are used' small_and_large_screens_are_used
tap_case 'typing goes on through a resize' typing_goes_on_through_a_resize
tap_case 'a tour plays, pauses and goes back' a_tour_plays_pauses_and_goes_back
tap_case 'what is done is recorded as a tour' what_is_done_is_recorded_as_a_tour
tap_case 'a point of a sweep is taken' a_sweep_point_is_taken
tap_case 'an unknown terminal is said' an_unknown_terminal_is_said
tap_case 'ASCII has no other characters' ascii_has_no_other_characters
tap_case 'suspending and coming back' suspending_and_coming_back
tap_case 'without colours the marks remain' without_colours_the_marks_remain
tap_done
