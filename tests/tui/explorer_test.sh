# The explorer on the default scenario, driven by keys as a person would.

. "$top_srcdir/tests/tui/explorer.sh"

the_first_screen_says_what_it_costs()
{
	open_default && tui_wait 'deepseek-v3 fp8 \| 8x h200' && tui_wait '27% measured 56 vendor 17~' &&
		tui_wait '>tp +8' && tui_keys q && tui_left_clean
}

half_the_gpus_do_not_fit_by_so_much()
{
	open_default && tui_keys - && tui_frame 'tp = 4, stated' '^ 39\.34 ms \(' \
		'DOES NOT FIT by 36\.19 GiB \(weights\)' '>tp +4' '\[\+1\]' && tui_keys + &&
		tui_frame 'tp = 8, stated' '^ 25\.22 ms' 'FITS 313' && leave
}

an_unstated_block_size_is_assumed()
{
	open_default && row block_size && tui_keys DC &&
		tui_frame 'block_size = 16, assumed' '27% measured 56 vendor 17~' '>block_size +16 +~' &&
		tui_keys + && tui_frame 'block_size = 32, stated' '27% measured 56 vendor 17~' && leave
}

graphs_off_run_eager()
{
	open_default 80x40 && tui_keys 1 Tab && row cudagraph_mode && tui_keys - &&
		tui_frame 'cudagraph_mode = NONE, stated' '% measured [0-9]+ vendor [0-9]+~' \
			'cudagraph mode +NONE' 'capture ceiling +0' &&
		tui_lacks '^ 25\.22 ms' && leave
}

a_wider_cache_takes_more_room()
{
	open_default && row cache_dtype && tui_keys - &&
		tui_frame 'cache_dtype = bfloat16' 'FITS 156' '>cache_dtype +bfloat16' && leave
}

another_quantization_is_priced_or_refused()
{
	open_default && row quantization && tui_keys Space && tui_gone '>quantization +fp8' &&
		tui_wait '\[\+1\]' && tui_keys u && tui_frame '>quantization +fp8' '^ 25\.22 ms' &&
		tui_keys DC && tui_wait 'quantization = .*, unstated' && leave
}

# Whole experts on each rank: the 3.56 ms by which the law overstates cut ones
# go, of 25.22.
expert_parallelism_is_one_key()
{
	open_default && tui_keys 1 Tab && row expert_parallel && tui_keys Space &&
		tui_frame 'expert_parallel = on, stated' '^ 21\.67 ms' '>expert_parallel +on' \
			'parallel +tp 8  dp 1  ep 8' && leave
}

# One rank of eight has no other engine to send experts to.
an_override_shows_in_the_same_frame()
{
	open_default && tui_keys 1 Tab && colon 'set expert_parallel on' && row all2all_backend &&
		tui_keys Space && tui_frame 'all2all_backend = ' '>all2all_backend +! +none +naive' &&
		tui_keys 1 Enter && tui_wait 'Esc close' && tui_wait naive && tui_keys Escape && leave
}

three_ranks_are_refused_with_ways_out()
{
	open_default && tui_keys e && tui_wait '^ ?tp: 8' && answer 3 &&
		tui_frame 'Esc puts this away' REFUSED '128 query heads, ' 'a +parallel\.tp = 2' \
			'b +parallel\.tp = 4' '^ last valid: tp 8, PIECEWISE \| 25\.22 ms' &&
		tui_keys b && tui_wait '>tp +4' && tui_gone REFUSED && leave
}

a_way_out_of_two_refusals_is_one_edit()
{
	open_default && tui_keys : && tui_type 'set parallel.tp=3 engine.block_size=24' &&
		tui_keys Enter && tui_wait REFUSED && tui_wait 'with block_size = 16' &&
		tui_keys a && tui_wait '>tp +2' && tui_gone REFUSED && tui_wait 'block_size +16' &&
		tui_keys u && tui_wait 'block_size +24' && tui_wait REFUSED && leave
}

# is_screen NAME: as it was kept, but for what the last line but one says.
is_screen()
{
	tui_screen | sed 23d >"$tui_dir/now" && sed 23d "$tui_dir/$1" | cmp -s - "$tui_dir/now"
}

undo_and_redo_give_the_same_screens()
{
	open_default && tui_wait 'tp = 8, stated' && tui_screen >"$tui_dir/first" && tui_keys - &&
		colon 'set expert_parallel on' && colon 'set cudagraph_mode NONE' &&
		colon 'set cache_dtype bfloat16' && colon 'unset block_size' && colon 'batch 64x8k' &&
		colon 'set tp 3' && tui_wait REFUSED && tui_keys a && tui_gone REFUSED &&
		tui_wait '\[\+8\]' && tui_keys Escape && tui_screen >"$tui_dir/end" &&
		tui_keys u u u u u u u u && tui_gone '\[\+' && tui_keys Down Up &&
		tui_until is_screen first && tui_keys C-r C-r C-r C-r C-r C-r C-r C-r &&
		tui_wait '\[\+8\]' && tui_keys Escape Down Up && tui_until is_screen end && leave
}

redo_makes_the_edits_again()
{
	open_default && tui_keys - u && tui_gone '\[\+' && tui_keys C-r && tui_wait '>tp +4' && leave
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
		tui_keys Escape && tui_gone 'WALK' && leave
}

a_command_completes_and_runs()
{
	open_default && tui_keys : && tui_type 'set cudagraph_m' && tui_keys Tab &&
		tui_wait 'set cudagraph_mode' && tui_type ' NO' && tui_keys Tab Enter &&
		tui_wait 'cudagraph_mode +NONE' && leave
}

a_sweep_point_is_taken()
{
	open_default && tui_keys : && tui_type 'sweep tp 1,2,4,8' && tui_keys Enter &&
		tui_wait 'step over tp' && tui_keys h && tui_wait 'tp 4: step' && tui_keys Enter &&
		tui_wait 'taken: tp = 4' && tui_keys h Escape && tui_wait 'tp +4' && leave
}

tap_case 'the first screen says what it costs' the_first_screen_says_what_it_costs
tap_case 'tp 8 to 4 does not fit and says by how much' half_the_gpus_do_not_fit_by_so_much
tap_case 'an unstated block size is an assumption' an_unstated_block_size_is_assumed
tap_case 'graphs off run eager' graphs_off_run_eager
tap_case 'another cache dtype changes what fits' a_wider_cache_takes_more_room
tap_case 'quantization is one key, and one back' another_quantization_is_priced_or_refused
tap_case 'expert parallelism is one key' expert_parallelism_is_one_key
tap_case 'an override shows in the same frame' an_override_shows_in_the_same_frame
tap_case 'tp 3 is refused with ways out that work' three_ranks_are_refused_with_ways_out
tap_case 'a way out of two refusals is one edit' a_way_out_of_two_refusals_is_one_edit
tap_case 'undo to the start and redo to the end give the same screens' \
	undo_and_redo_give_the_same_screens
tap_case 'redo makes the edits again' redo_makes_the_edits_again
tap_case 'a baseline shows what moved' a_baseline_shows_what_moved
tap_case 'the walk reviews what is assumed' the_walk_reviews_what_is_assumed
tap_case 'a command completes and runs' a_command_completes_and_runs
tap_case 'a point of a sweep is taken' a_sweep_point_is_taken
tap_done
