# Numbers that no model, part or engine can have are refused with their place.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
from=$(cd "$top_srcdir" && pwd)
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

# says STATUS PATTERN ARGUMENT...: the program ends so, and says so in one line of stderr.
says()
{
	says_status=$1 says_pattern=$2
	shift 2
	"$STEPSCOPE" "$@" >out 2>err </dev/null
	says_got=$?
	test "$says_got" -eq "$says_status" && grep -q -e "$says_pattern" err && return 0
	echo "status $says_got, not $says_status: stepscope $*"
	cat err
	return 1
}

# changed SET FROM TO: a registry whose set has a line of it changed.
changed()
{
	mkdir -p "other/$1" && sed "s/$3/$4/" "$from/registry/$1/$2.json" >"other/$1/$2.json" &&
		! cmp -s "$from/registry/$1/$2.json" "other/$1/$2.json"
}

a_negative_value_is_no_document()
{
	changed coefficients cost-model-host-overheads '"value": 3.2,' '"value": -1000,' &&
		says 3 'value: found -1000, must be 0 or more' validate other/coefficients/cost-model-host-overheads.json &&
		says 3 'value: found -1000, must be 0 or more' price $base --registry other
}

a_share_above_one_is_refused()
{
	rm -rf other
	changed coefficients cost-model-primitives '"value": 0.8,' '"value": 1.8,' &&
		says 3 'must be from 0 to 1, got 1.8' price $base --registry other
}

a_vast_state_is_not_counted_as_none()
{
	rm -rf other
	changed models qwen3.6-27b '"state_size": [0-9]*' '"state_size": 1000000000' &&
		says 1 'state bytes of a request come to 10^15 or more' price --model qwen3.6-27b \
			--part h100 -tp 4 --registry other
}

a_tried_value_has_a_range()
{
	says 2 'must be above 0 and at most 1e+09, got 1e+308' price $base \
		--coef host_launch_per_kernel=1e308 &&
		! grep -q 'did you mean' err &&
		says 2 'at most 1, got 1.5' price $base --coef hbm_derate=1.5
}

a_price_that_is_no_time_is_refused()
{
	says 1 'the step comes to inf s on hbm' price $base \
		--coef attention_decode_rate_mla=1e-306 &&
		! "$STEPSCOPE" sweep $base --vary coef:attention_decode_rate_mla=1e-306 >out 2>err &&
		grep -q 'makes no time' out
}

tap_case 'a negative value is no document' a_negative_value_is_no_document
tap_case 'a share above one is refused' a_share_above_one_is_refused
tap_case 'a vast state is refused, not counted as none' a_vast_state_is_not_counted_as_none
tap_case 'a tried value has a range, and its name is not doubted' a_tried_value_has_a_range
tap_case 'a price that is no time is refused' a_price_that_is_no_time_is_refused
tap_done
