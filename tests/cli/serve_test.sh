# Serving a load: what is printed, found and written, and how a run is stopped.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
base=qwen3-30b-a3b-h100-tp2

serve() { "$STEPSCOPE" serve $base "$@"; }
value() { sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\([^,]*\),*\$/\1/p" | head -1; }

serve --load 1024/512@64 --json >closed.json || exit 99
done_all() { test "$(value completed <closed.json)" -eq 200 && test "$(value max_concurrency <closed.json)" -eq 64; }
tap_case 'a short form is a closed loop of 200 requests' done_all
bench_flags() {
	serve --random-input-len 1024 --random-output-len 512 --num-prompts 200 --max-concurrency 64 --json >flags.json &&
		cmp flags.json closed.json
}
tap_case 'the flags of vllm bench serve are the same load' bench_flags
settings() {
	serve --set workload.prompt.tokens=1024 --set workload.output.tokens=512 --set concurrency=64 --json >set.json &&
		cmp set.json closed.json
}
tap_case 'so are its settings' settings
ratio() {
	serve --random-input-len 1000 --random-output-len 100 --random-range-ratio 0.25 --num-prompts 5 \
		--request-rate 2 --json --only load >ratio.json &&
		grep -q '"high":[[:space:]]*1250' ratio.json && grep -q '"low":[[:space:]]*750' ratio.json &&
		grep -q '"low":[[:space:]]*75,' ratio.json && grep -q '"rate":[[:space:]]*2,' ratio.json
}
tap_case 'a range ratio goes either way of the length' ratio
both() { serve --request-rate 2 --max-concurrency 3 2>err; test $? -eq 2 && grep -q 'not both' err; }
tap_case 'a rate and a concurrency together are bad usage' both
goodput() {
	serve --load 1024/64@8 --goodput ttft:500 tpot:30 --json --only slo >slo.json &&
		grep -q '"text":[[:space:]]*"ttft=500ms,tpot=30ms"' slo.json
}
tap_case 'goodput terms are words of their own' goodput
found() {
	serve --load 1024/256@8 --slo tpot=15ms --find concurrency --json >find.json || return 1
	n=$(value value <find.json)
	test "$n" -ge 1 || return 1
	serve --load "1024/256@$n" --slo tpot=15ms --json --only slo | grep -q '"is_met":[[:space:]]*true'
}
tap_case 'the concurrency found meets the service level' found
none() { serve --load 1024/64 --slo ttft=1us --find rate >none.txt; test $? -eq 1 && grep -q 'none:' none.txt; }
tap_case 'a service level that nothing meets is told, with status 1' none
# What goes on for ever cannot be more than what leaves an engine that is never idle.
sustained() {
	serve --load 1024/64 --requests 3000 --json --only serve >full.json &&
		serve --load 1024/64 --slo tpot=1s --find rate --json --only find >rate.json || return 1
	awk -v found="$(value value <rate.json)" -v most="$(value requests_per_s <full.json)" \
		'BEGIN { exit !(found > 0.5 * most && found <= 1.02 * most) }'
}
tap_case 'a rate found is one that can go on' sustained
trace_rate() {
	printf 'timestamp,input_length,output_length\n0,1000,50\n250,2000,60\n900,500,9\n' >three.csv &&
		serve --trace three.csv --slo ttft=1s --find rate --json >three.json || return 1
	test "$(value completed <three.json)" -eq 3 && test "$(value input_tokens <three.json)" -eq 3500
}
tap_case 'a search plays a trace faster or slower, its requests as they are' trace_rate
wants_slo() { serve --find rate 2>err; test $? -eq 2 && grep -q 'wants --slo' err; }
tap_case 'a search wants a service level' wants_slo
rows() {
	serve --load 1024/64@8 --requests-out rows.csv --timeline line.jsonl -q >/dev/null &&
		test "$(wc -l <rows.csv)" -eq 201 && head -1 rows.csv | grep -q '^request,state,prompt' &&
		head -1 line.jsonl | grep -q '"running": 8, "waiting": 0, .*"tokens": 8192'
}
tap_case 'requests and the timeline are written row by row' rows
kept() { echo mine >kept.csv; serve --requests-out kept.csv 2>err; test $? -ne 0 && test "$(cat kept.csv)" = mine; }
tap_case 'a file that is there is not written over' kept
trace() {
	printf 'timestamp,input_length,output_length\n0,100,5\n250,200,6\n' >trace.csv &&
		serve --trace trace.csv --json --only serve | value completed | grep -qx 2
}
tap_case 'a trace is played' trace
bad_trace() { printf 'arrival,prompt,output\n0,x,5\n' >bad.csv; serve --trace bad.csv 2>err; test $? -eq 3 && grep -q 'bad.csv.*line 2' err; }
tap_case 'a fault of a trace names file and line' bad_trace
named() { serve --load random-8k-1k@16 --json --only load | value requests | grep -qx 160; }
tap_case 'a workload is served by name' named
unknown() { serve --load chatbit 2>err; test $? -eq 2 && grep -q 'chatbot' err; }
tap_case 'an unknown workload is told the nearest' unknown
priority() { serve --set scheduling_policy=priority 2>err; test $? -eq 1 && grep -q 'fcfs' err; }
tap_case 'priority scheduling is refused with a reason' priority
pools() { "$STEPSCOPE" serve deepseek-v3-h200-pd --load 1024/16@8 --json --only serve | value completed | grep -qx 200; }
tap_case 'prefill and decode pools serve together' pools
apart() { serve --load 1024/16@8 --engine-version 0.30.5 --json --only load | value release_distance | grep -qx 1; }
tap_case 'a release priced as another is said' apart
carried() {
	n=$("$STEPSCOPE" fit $base --load 1024/64 --slo tpot=12ms --json --only carries | value concurrency)
	test "$n" -ge 1 && test "$n" = "$(serve --load 1024/64 --slo tpot=12ms --find concurrency --json --only find | value value)" &&
		"$STEPSCOPE" fit $base --load 1024/64 --slo tpot=12ms | grep -q "kept to $n at once"
}
tap_case 'fit tells the load that is carried' carried
tap_done
