# Every pane of the explorer and what its keys do.

. "$top_srcdir/tests/tui/explorer.sh"

tab_moves_the_focus_and_back()
{
	open_default && tui_wait 'Spc next' && tui_keys Tab && tui_wait 'Enter the law' &&
		tui_keys BTab && tui_wait 'Spc next' && leave_unchanged
}

zoom_gives_a_pane_the_screen()
{
	open_default && tui_keys 4 z && tui_gone 'Deployment' && tui_wait '972 kernels' &&
		tui_keys z && tui_wait 'Deployment' && leave_unchanged
}

resolved_names_backends_and_overrides()
{
	open_default && tui_keys 1 && tui_wait 'all-reduce +custom' && tui_wait 'OVERRIDDEN' &&
		colon 'set cache_dtype fp8_e5m2' && tui_wait '\[\+1\]|x|REFUSED' && leave
}

search_goes_on_and_back()
{
	open_default && tui_keys 2 && tui_wait '1/149' && row attention_decode_floor && tui_keys n &&
		tui_wait '>attention_decode_floor_mla' && tui_keys N &&
		tui_wait '>attention_decode_floor  ' && leave_unchanged
}

a_filter_narrows_and_escape_widens()
{
	open_default && tui_keys 2 && tui_wait '1/149' && tui_keys f && tui_type assumed &&
		tui_keys Enter && tui_wait '/38  ' && tui_lacks vendor_spec && tui_keys Escape &&
		tui_wait '/149  ' && leave_unchanged
}

a_list_sorts_by_the_next_column_and_turns_round()
{
	open_default && colon 'goto Provenance' && colon 'sort in step' && tui_keys g &&
		tui_wait 'in stepv' && tui_wait '^>hbm_derate .*5[0-9]\.[0-9] %' && tui_keys I g &&
		tui_wait 'in step\^' && tui_gone hbm_derate && tui_keys s && tui_wait 'sorted by' &&
		leave_unchanged
}

a_detail_says_why_and_from_where()
{
	open_default && tui_keys 2 && row host_launch_per_kernel && tui_keys Enter &&
		tui_wait 'method +assumed' && tui_wait 'ci95 +3\.1 to 3\.3' &&
		tui_wait '3\.2 us x 972 = 3,544\.4 us' && tui_keys Escape && tui_gone 'ci95' &&
		leave_unchanged
}

# 1.6 us in place of 3.2: 25.22 ms less 972 x 1.6 us is 23.67.
an_entry_is_tried_and_put_back()
{
	open_default && tui_keys 2 && row host_launch_per_kernel && tui_keys e && answer 1.6 &&
		tui_wait '^ 23\.67 ms' && tui_wait '>host_launch_per_kernel +\*' && tui_keys DC &&
		tui_wait '^ 25\.22 ms' && leave
}

evidence_counts_by_method()
{
	open_default && tui_keys 3 && tui_wait '110 of 149 entries rest on evidence' &&
		tui_wait '\+0\.123' && tui_wait 'measured +93' && tui_wait 'vendor_spec +17' && tui_wait 'assumed +38' &&
		row host_launch_per_kernel && tui_keys Enter && tui_wait 'cost-model-host' &&
		tui_keys Escape w && tui_wait 'WALK 1 of' && tui_keys Escape && tui_gone WALK &&
		leave_unchanged
}

# The expert weights: 52.1 GB over 0.8 of 4.8 TB/s.
a_term_opens_its_law_with_its_numbers()
{
	open_default && tui_keys 4 && row 'experts, weight reads' && tui_keys Enter &&
		tui_wait '4\.8 TB/s x 0\.8' && tui_wait '13\.58 ms on hbm' && tui_keys Escape &&
		leave_unchanged
}

a_measured_kernel_opens_with_its_curve()
{
	fresh
	tui_start 80x24 "$STEPSCOPE" && tui_wait '^ 24\.43 ms' && tui_keys 4 && row 'experts, compute' &&
		tui_keys Enter && tui_wait 'by law +floor 40\.8 us' && tui_wait 'o measured' &&
		tui_wait '@' && tui_keys Escape && leave_unchanged
}

a_divergence_is_corrected_with_a_key()
{
	open_default && tui_keys 4 && row expert_tensor && tui_keys Space &&
		tui_gone '^ 25\.22 ms' && tui_keys Space && tui_wait '^ 25\.22 ms' && leave
}

the_lead_figure_takes_turns()
{
	open_default && tui_keys F && tui_wait '^ 25\.62 ms' && tui_keys F && tui_wait '^ 24\.11 ms' &&
		tui_keys F && tui_wait '^ 24\.43 ms .*\) hbm-bound' && tui_keys F && tui_wait '^ 25\.22 ms' &&
		leave_unchanged
}

memory_tells_what_fits_of_another_length()
{
	open_default && tui_keys 5 && tui_wait 'requests of 4,096 tokens +32 +313' && tui_keys + &&
		tui_wait 'requests of 8,192 tokens' && tui_keys e && answer 4096 &&
		tui_wait 'requests of 4,096 tokens +32 +313' && tui_keys Enter &&
		tui_wait '313 requests of 4,096 tokens fit' && tui_keys Escape && leave_unchanged
}

the_batch_grows_and_gets_groups()
{
	open_default && tui_keys 6 && tui_wait '> +32 +decode' && tui_keys + &&
		tui_wait '^ batch 64 decode' && tui_keys a && tui_wait '2/2|1/2' && tui_keys d &&
		tui_wait '1/1' && tui_keys D && tui_wait '/2  ' && tui_keys u u u u &&
		tui_wait '^ batch 32 decode x 4096' && tui_gone '\[\+' && leave_unchanged
}

# 322 would fit in memory; the scheduler takes 256.
the_steady_preset_is_what_fits()
{
	open_default && tui_keys 6 p && tui_wait '^ batch 256 decode x 4096' && leave
}

a_batch_is_typed()
{
	open_default && colon 'batch 64x8k,1x2048p' && tui_wait '^ batch .*64 decode' && tui_keys 6 &&
		tui_wait 'prefill +2,048' && leave
}

a_sweep_is_read_and_drawn_otherwise()
{
	open_default && tui_keys 7 && tui_wait 'capture ceiling' && tui_keys t && tui_gone 'step, ms by' &&
		tui_keys p && tui_wait 'tok/s/GPU by ITL|ITL, ms' && tui_keys p L && tui_gone 'log x' &&
		leave_unchanged
}

a_sweep_says_what_it_leaves_out()
{
	open_default && colon 'sweep tp 1,2,4,8,16' &&
		tui_wait 'left out: 1 refused, 3 not fitting' && tui_keys a &&
		tui_wait 'left out: 1 refused$' && leave_unchanged
}

curves_stand_side_by_side()
{
	open_default && colon 'sweep batch 1..64' && colon 'series cudagraph_mode NONE,PIECEWISE' &&
		tui_wait 'NONE .*PIECEWISE' && tui_keys j && tui_wait 'cudagraph_mode' && leave_unchanged
}

pins_stand_as_columns()
{
	open_default && tui_keys b && tui_wait 'as A' && colon 'set cudagraph_mode NONE' &&
		tui_wait 'vs A' && colon 'pin eager' && tui_keys 8 && tui_wait 'BY TERM' &&
		tui_wait 'eager|  B' && tui_keys B && tui_wait 'as A' && tui_wait '^ 25\.22 ms' && leave
}

the_engine_says_what_it_accepts()
{
	open_default && tui_keys 9 && tui_wait 'cudagraph_modes' && row cudagraph_modes &&
		tui_keys Enter && tui_wait 'FULL_DECODE_ONLY' && tui_keys Escape && leave_unchanged
}

the_model_lists_its_nodes()
{
	open_default && tui_keys 0 && tui_wait '3 x attn_dense' && tui_wait 'qkv_a_proj' &&
		tui_keys Enter && tui_wait 'Esc close' && tui_keys Escape && leave_unchanged
}

the_walk_tries_states_and_notes()
{
	open_default && tui_keys w && tui_wait 'WALK 1 of' && tui_keys ] ] ] ] s &&
		tui_wait 'is stated now' && tui_wait '\[\+2\]' && tui_keys [ && tui_wait 'WALK 4 of' &&
		tui_keys a && tui_wait 'reviewed 2 of' && tui_keys a && tui_wait 'WALK 5 of' &&
		tui_keys Tab && tui_keys Escape && tui_gone WALK && tui_keys u u &&
		tui_gone '\[\+' && leave_unchanged
}

# The very document of the report, then what was reviewed, then a hash of both.
an_audit_is_written()
{
	rm -f "$tui_dir/audit.md"
	open_default && tui_keys w a "'" && tui_wait "^note:" && answer 'seen | twice' && tui_keys E &&
		tui_wait 'export the audit' && answer "$tui_dir/audit.md" &&
		tui_until test -s "$tui_dir/audit.md" && tui_keys Escape && tui_gone WALK &&
		leave || return 1
	"$STEPSCOPE" report --figure serial --format markdown deepseek-v3-h200-fp8-tp8 >"$tui_dir/report.md" || return 1
	sed '/^## Review/,$d' "$tui_dir/report.md" >"$tui_dir/before" &&
		sed '/^## Review/,$d' "$tui_dir/audit.md" | cmp - "$tui_dir/before" &&
		grep -q '^## Review: 1 of [0-9]* assumed entries accepted, [0-9]* open, 0 changed since' \
			"$tui_dir/audit.md" &&
		grep -q '^| 1 | host_launch_per_kernel | 3.2 | us_per_transfer | accepted | 3.2 us_per_transfer | .* | seen \\| twice |$' \
			"$tui_dir/audit.md" &&
		test "$(sed '$d' "$tui_dir/audit.md" | sha256sum | cut -c 1-64)" = \
			"$(sed -n '$s/.*: //p' "$tui_dir/audit.md")"
}

pools_take_turns()
{
	fresh
	tui_start 80x24 stepscope deepseek-v3-h200-pd && tui_wait 'pool .* 1/2' && tui_keys '}' &&
		tui_wait 'pool .* 2/2' && tui_keys '{' && tui_wait 'pool .* 1/2' && leave_unchanged
}

help_is_there_in_every_pane()
{
	open_default || return 1
	for key in 1:Resolved 2:Provenance 3:Evidence 4:Step 5:Memory 6:Batch 7:Sweep 8:Compare \
		9:Engine 0:Model; do
		tui_keys "${key%%:*}" '?' && tui_wait "Help: ${key#*:}" && tui_wait 'KEYS' &&
			tui_keys Escape && tui_gone 'Help:' || return 1
	done
	leave_unchanged
}

commands_complete_names_and_values()
{
	open_default && tui_keys : && tui_type 'coef host_launch_per' && tui_keys Tab &&
		tui_wait '^:coef host_launch_per_kernel' && tui_type ' 1.6' && tui_keys Enter &&
		tui_wait '^ 23\.67 ms' && tui_keys : && tui_type 'set cache_d' && tui_keys Tab &&
		tui_wait '^:set cache_dtype' && tui_type ' bfl' && tui_keys Tab && tui_wait bfloat16 &&
		tui_keys Enter && tui_wait 'FITS 156' && leave
}

mistakes_are_said()
{
	open_default && colon 'set tpp 4' && tui_wait 'no such setting; did you mean' &&
		colon nonsense && tui_wait 'no.*nonsense' && colon 'set tp four' &&
		tui_wait 'tp.*four' && leave_unchanged
}

a_topic_has_help()
{
	open_default && colon 'help block_size' && tui_wait 'block_size' && tui_wait 'Esc close' &&
		tui_keys Escape && leave_unchanged
}

the_state_is_copied_as_a_command()
{
	open_default && tui_tmux set -g set-clipboard on && tui_keys - && tui_wait '>tp +4' &&
		tui_keys Y && tui_until buffer_has 'stepscope .*parallel\.tp=4' && leave
}

buffer_has()
{
	tui_tmux show-buffer 2>/dev/null | grep -E -q -e "$1"
}

# The whole way of a newcomer: why so long, the same with experts in parallel, export.
a_newcomer_finds_the_way()
{
	rm -f "$tui_dir/compare.md"
	open_default && tui_keys '?' && tui_wait 'Compare: b pins' && tui_keys Escape 4 Enter &&
		tui_wait 'on hbm' && tui_keys Escape b && tui_keys Tab && row expert_parallel &&
		tui_keys Space && tui_wait 'vs A .*-3\.56 ms' && tui_keys 8 &&
		tui_wait 'experts, compute +\* +4\.06 +0\.51 +-3\.56' && tui_keys x &&
		answer "$tui_dir/compare.md" && tui_wait 'written to' &&
		grep -q 'experts, compute' "$tui_dir/compare.md" && leave
}

tap_case 'Tab moves the focus, and back' tab_moves_the_focus_and_back
tap_case 'zoom gives a pane the screen' zoom_gives_a_pane_the_screen
tap_case 'Resolved names backends and overrides' resolved_names_backends_and_overrides
tap_case 'a search goes on and back' search_goes_on_and_back
tap_case 'a filter narrows, Escape widens' a_filter_narrows_and_escape_widens
tap_case 'a list sorts, and turns round' a_list_sorts_by_the_next_column_and_turns_round
tap_case 'a detail says why and from where' a_detail_says_why_and_from_where
tap_case 'an entry is tried and put back' an_entry_is_tried_and_put_back
tap_case 'Evidence counts by method' evidence_counts_by_method
tap_case 'a term opens its law with its numbers' a_term_opens_its_law_with_its_numbers
tap_case 'a measured kernel opens with its curve' a_measured_kernel_opens_with_its_curve
tap_case 'a divergence is corrected with a key' a_divergence_is_corrected_with_a_key
tap_case 'the lead figure takes turns' the_lead_figure_takes_turns
tap_case 'Memory tells what fits of another length' memory_tells_what_fits_of_another_length
tap_case 'the batch grows and gets groups' the_batch_grows_and_gets_groups
tap_case 'the steady preset is what fits' the_steady_preset_is_what_fits
tap_case 'a batch is typed' a_batch_is_typed
tap_case 'a sweep is read and drawn otherwise' a_sweep_is_read_and_drawn_otherwise
tap_case 'a sweep says what it leaves out' a_sweep_says_what_it_leaves_out
tap_case 'curves stand side by side' curves_stand_side_by_side
tap_case 'pins stand as columns' pins_stand_as_columns
tap_case 'the engine says what it accepts' the_engine_says_what_it_accepts
tap_case 'the model lists its nodes' the_model_lists_its_nodes
tap_case 'the walk tries, states and goes on' the_walk_tries_states_and_notes
tap_case 'an audit is written' an_audit_is_written
tap_case 'pools take turns' pools_take_turns
tap_case 'help is there in every pane' help_is_there_in_every_pane
tap_case 'commands complete names and values' commands_complete_names_and_values
tap_case 'mistakes are said' mistakes_are_said
tap_case 'a topic has help' a_topic_has_help
tap_case 'the state is copied as a command' the_state_is_copied_as_a_command
tap_case 'a newcomer finds the way' a_newcomer_finds_the_way
tap_done
