# Sweeps: the same rows however they are cut, threaded, stopped or resumed.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

sweep()
{
	"$STEPSCOPE" sweep $base --vary tp=2,3,4,8 --vary block_size=64,128 --vary count=1..200:+1 --figure serial "$@"
}

sweep --format csv >whole.csv || exit 99

rows() { test "$(wc -l <whole.csv)" -eq 1601; }
tap_case 'there is a row for each combination, and a header' rows
refused() { test "$(grep -c ',E1,' whole.csv)" -eq 400; }
tap_case 'refused rows are among them with their code' refused
jobs() { sweep --format csv --jobs 1 >one.csv && sweep --format csv --jobs 3 >three.csv && cmp one.csv whole.csv && cmp three.csv whole.csv; }
tap_case 'the bytes are the same whatever the number of threads' jobs
shards() {
	for i in 1 2 3; do sweep --format csv --shard $i/3; done >joined.csv
	cmp joined.csv whole.csv
}
tap_case 'shards joined in order are the whole' shards
resumed() {
	# A kill leaves a line half written.
	head -c 40000 whole.csv >cut.csv
	sweep --format csv --resume cut.csv && cmp cut.csv whole.csv
}
tap_case 'a sweep that was cut off goes on to the same bytes' resumed
killed() {
	"$STEPSCOPE" sweep $base --vary count=1..300 --vary context=1..3000 --format csv >long.csv || return 1
	"$STEPSCOPE" sweep $base --vary count=1..300 --vary context=1..3000 --format csv --jobs 1 --resume killed.csv &
	killed_pid=$!
	# Wait for rows, and no longer than it lives.
	until test -s killed.csv || ! kill -0 $killed_pid 2>/dev/null; do :; done
	kill -9 $killed_pid 2>/dev/null
	wait $killed_pid 2>/dev/null
	"$STEPSCOPE" sweep $base --vary count=1..300 --vary context=1..3000 --format csv --resume killed.csv &&
		cmp killed.csv long.csv
}
tap_case 'a sweep that was killed goes on to the same bytes' killed
anew() { sweep --format csv --resume new.csv && cmp new.csv whole.csv; }
tap_case 'resuming a file that is not there starts one' anew
done_already() { cp whole.csv done.csv && sweep --format csv --resume done.csv && cmp done.csv whole.csv; }
tap_case 'resuming a finished sweep adds nothing' done_already
other() { cp whole.csv other.csv; "$STEPSCOPE" sweep $base --vary tp=2,4 --format csv --resume other.csv 2>err; test $? -eq 2 && cmp other.csv whole.csv; }
tap_case 'a file of another sweep is left alone' other
axis() { "$STEPSCOPE" sweep $base --vary foo=1 2>err; test $? -eq 2 && grep -q 'coef:NAME$' err; }
tap_case 'what is no axis is told what one is' axis
stranger() {
	printf 'notes of mine' >notes && printf 'one line\n' >line || return 1
	for file in notes line; do
		cp $file kept
		sweep --format csv --resume $file 2>err
		test $? -eq 2 && cmp $file kept || return 1
	done
}
tap_case 'a file that is no sweep is left alone, whole lines or not' stranger
headed() {
	for format in csv markdown text; do
		sweep --format $format >all.$format && head -n 1 all.$format >begun &&
			sweep --format $format --resume begun && cmp begun all.$format &&
			head -c 9 all.$format >begun && sweep --format $format --resume begun &&
			cmp begun all.$format || return 1
	done
}
tap_case 'a sweep stopped within its header or after it starts there' headed
switches() {
	"$STEPSCOPE" sweep $base --vary enable_expert_parallel=on,false --json --only enable_expert_parallel |
		sed 's/,"key.*//' | tr '\n' ' ' >said
	test "$(cat said)" = '{"enable_expert_parallel":true {"enable_expert_parallel":false '
}
tap_case 'JSON has switches as true and false' switches
lines() {
	sweep --json >rows.jsonl && test "$(wc -l <rows.jsonl)" -eq 1600 &&
		test "$(grep -c '"code":"E1"' rows.jsonl)" -eq 400
}
tap_case 'JSON is one object a line' lines
json_resumed() { head -c 100000 rows.jsonl >cut.jsonl; sweep --json --resume cut.jsonl && cmp cut.jsonl rows.jsonl; }
tap_case 'JSON Lines are resumed too' json_resumed
same_figures() {
	"$STEPSCOPE" price $base -tp 8 --set block_size=128 --batch 7x4096 --json --only price >price.json
	value=$(sed -n 's/.*"serial_s":[^0-9]*\([0-9.e-]*\).*/\1/p' price.json)
	grep -q "^[^,]*,8,128,7,$value," whole.csv
}
tap_case 'a row has the figures that price prints, to the last digit' same_figures
where() {
	sweep --where fits --where 'count<=3' --format csv | tail -n +2 | cut -d, -f2- >kept.csv
	grep '^[^,]*,[^,]*,[^,]*,[123],.*,true,' whole.csv | cut -d, -f2- >wanted.csv
	test -s wanted.csv && cmp kept.csv wanted.csv
}
tap_case 'tests choose rows and change none' where
best() {
	sweep --best tokens_per_s_per_gpu --top 3 --where fits --only tp,block_size,count --format csv | tail -n +2 >best.csv
	cut -d, -f2- best.csv >best.names
	printf '8,64,200\n8,64,199\n8,64,198\n' >wanted.names
	test "$(wc -l <best.csv)" -eq 3 && head -1 best.names | grep -q '^8,.*,200$'
}
tap_case 'the best rows come first' best
best_figure() {
	sweep --best serial --top 3 --format csv | cut -d, -f2- >by_figure.csv
	sweep --best serial_s --top 3 --format csv | cut -d, -f2- >by_column.csv &&
	test "$(wc -l <by_figure.csv)" -eq 4 && cmp by_figure.csv by_column.csv
}
tap_case 'a figure is a column too' best_figure
all_refused() { "$STEPSCOPE" sweep $base --vary tp=3,5 >/dev/null; test $? -eq 1; }
tap_case 'status 1 when every row is refused' all_refused
documents() {
	"$STEPSCOPE" sweep --model llama-3.1-8b-instruct --part h100 --vary hardware=h100,nowhere,h200 \
		--only hardware,serial_s,code --format csv >parts.csv
	test $? -eq 0 && grep -q ',nowhere,,' parts.csv && grep -q ',h200,0\.' parts.csv
}
tap_case 'documents are varied too, and one that is not there is a refused row' documents
releases() {
	test "$("$STEPSCOPE" sweep $base --vary engine_version=0.29.0,0.30.5,0.31.0 --format csv --only release_distance | cut -d, -f2 |
		tr '\n' ' ')" = 'release_distance 0 1 0 '
}
tap_case 'a row says how far its release is from the one it is priced as' releases
coefficient() { test "$("$STEPSCOPE" sweep $base --vary coef:hbm_derate=0.5..0.9:+0.1 --format csv | wc -l)" -eq 6; }
tap_case 'a coefficient is varied over a range with its end' coefficient
unstated() { "$STEPSCOPE" sweep $base --vary block_size=,64 --format csv --only block_size,serial_s | sed -n 2p | grep -q '^[^,]*,,0'; }
tap_case 'an empty value is unstated' unstated
for bad in tp tp= tp=x nothing=1 count=0 count=5..1 'count=1..9:x1' 'count=1..9:*2'; do
	bad_axis() { "$STEPSCOPE" sweep $base --vary "$bad" >/dev/null 2>err; test $? -eq 2 && test "$(wc -l <err)" -eq 1; }
	case $bad in tp=) continue ;; esac
	tap_case "--vary $bad is bad usage in one line" bad_axis
done
for bad in 0/3 4/3 x/3 3; do
	bad_shard() { sweep --shard $bad >/dev/null 2>err; test $? -eq 2; }
	tap_case "--shard $bad is bad usage" bad_shard
done
bad_where() { sweep --where 'speed>3' >/dev/null 2>err; test $? -eq 2 && grep -q 'no column speed' err; }
tap_case 'a test of no column is bad usage' bad_where


# The same rows in a table: numbers as numbers, what is absent as NULL.
table() { "$STEPSCOPE" sweep $base --vary tp=2,3,4,8 --vary enable_expert_parallel=on,off --vary count=1..50 "$@"; }
in_sqlite()
{
	table --format sqlite -o rows.db && table --format csv --only tp,enable_expert_parallel,count,serial_s,fits,code |
		tail -n +2 | cut -d, -f2- | sed 's/,on,/,1,/; s/,off,/,0,/; s/,true,/,1,/; s/,false,/,0,/' >rows.csv &&
		sqlite3 -csv rows.db 'SELECT tp, enable_expert_parallel, count, serial_s, fits, code FROM sweep ORDER BY row' |
		tr -d '\r' >read.csv && same_numbers rows.csv read.csv || return 1
	test "$(sqlite3 rows.db 'SELECT group_concat(DISTINCT typeof(tp)), count(*) FROM sweep')" = 'integer|400' &&
		test "$(sqlite3 rows.db "SELECT count(*) FROM sqlite_master WHERE type = 'index'")" = 3
}
# Equal cell by cell, numbers to 1e-12: SQLite prints 15 digits.
same_numbers()
{
	paste -d'|' "$1" "$2" | awk -F'|' '{
		n = split($1, a, ","); m = split($2, b, ",")
		if (n != m) { print; exit 1 }
		for (i = 1; i <= n; i++)
			if (a[i] != b[i] && (a[i] == 0 || (a[i] - b[i]) / a[i] > 1e-12 || (b[i] - a[i]) / a[i] > 1e-12)) { print; exit 1 }
	}' && test "$(wc -l <"$1")" -eq "$(wc -l <"$2")"
}
sqlite_goes_on()
{
	sqlite3 rows.db 'DELETE FROM sweep WHERE row >= 137' && table --format sqlite --resume rows.db &&
		test "$(sqlite3 rows.db 'SELECT count(*), max(row) FROM sweep')" = '400|399' &&
		table --format sqlite --resume rows.db && test "$(sqlite3 rows.db 'SELECT count(*) FROM sweep')" = 400
}
sqlite_of_another()
{
	sweep --format sqlite --resume rows.db 2>said
	test $? -eq 2 && grep -q 'rows.db: holds no rows of this sweep' said || return 1
	table --format sqlite -o rows.db 2>said
	test $? -ne 0 && grep -q 'rows.db' said && test "$(sqlite3 rows.db 'SELECT count(*) FROM sweep')" = 400
}
sqlite_forced()
{
	table --vary block_size=64 --format sqlite -o try.db --force && table --format sqlite -o try.db --force &&
		test "$(sqlite3 try.db 'SELECT count(*) FROM sweep')" = 400
}
sqlite_over_a_killed_one()
{
	table --vary block_size=64 --format sqlite -o torn.db --force && cp torn.db torn && : >torn.db-journal || return 1
	table --format sqlite -o torn.db --force 2>said
	test $? -eq 4 && grep -q 'torn.db-journal: is left of a run that was killed' said && cmp torn.db torn
}
sqlite_needs_a_file() { table --format sqlite 2>said; test $? -eq 2 && grep -q -- '-o FILE' said; }
lines() {
	"$STEPSCOPE" sweep $base --vary batch=1..3 --format jsonl >rows.jsonl &&
		"$STEPSCOPE" sweep $base --vary batch=1..3 --json | sed 's/"key":"[^"]*"//' >rows.json &&
		sed 's/"key":"[^"]*"//' rows.jsonl | cmp - rows.json && test "$(wc -l <rows.jsonl)" -eq 3 &&
		grep -q '"batch":3' rows.jsonl || return 1
	"$STEPSCOPE" price --format jsonl 2>said
	test $? -eq 2 && grep -q 'jsonl is for sweep' said || return 1
	"$STEPSCOPE" sweep $base --vary batch=1..3 --vary count=4 2>said
	test $? -eq 2 && grep -q 'varied twice' said
}
tap_case 'rows are JSON Lines, by that name too, and batch is an axis' lines
sqlite_is_for_sweeps() { "$STEPSCOPE" price --format sqlite 2>said; test $? -eq 2 && grep -q 'sqlite is for sweep' said; }
if table --vary block_size=64 --format sqlite -o try.db 2>/dev/null && command -v sqlite3 >/dev/null; then
	tap_case 'an SQLite table holds the rows of the CSV, typed' in_sqlite
	tap_case 'an SQLite table goes on after its last row' sqlite_goes_on
	tap_case 'a table of something else is left alone' sqlite_of_another
	tap_case 'a table is made anew when asked' sqlite_forced
	tap_case 'a table is not put where a killed run would be played back' sqlite_over_a_killed_one
fi
tap_case 'SQLite needs a file to write' sqlite_needs_a_file
tap_case 'SQLite is for sweeps' sqlite_is_for_sweeps

# Cases a line: each answer is the row that a sweep of the same values gives.
jobs()
{
	printf '%s\n' '{"id":"a","tp":4,"count":64}' '{"tp":3}' '{"model":"llama-3.1-8b-instruct","tp":1,"quantization":null}' \
		'{}' '{"coef:hbm_derate":0.5}' '{"id":[1],"context":100,"batch":"7x4096"}' |
		"$STEPSCOPE" sweep $base --stdin-jobs --only serial_s,code >answers || return 1
	answer() { sed -n "$1p" answers | grep -o '"serial_s":[^}]*' | cut -d: -f2; }
	one() { "$STEPSCOPE" sweep $base "$@" --only serial_s --format csv | tail -n 1 | cut -d, -f2; }
	test "$(answer 1)" = "$(one --vary tp=4 --vary count=64)" && test "$(answer 2)" = null &&
		test "$(answer 3)" = "$(one --set model=llama-3.1-8b-instruct --set tp=1 --set quantization= --vary block_size=)" &&
		test "$(answer 4)" = "$(one --vary count=32)" &&
		test "$(answer 5)" = "$(one --vary coef:hbm_derate=0.5)" &&
		test "$(answer 6)" = "$(one --batch 7x4096 --vary context=100)" &&
		grep -q '^{"id":"a",' answers && grep -q '^{"id":2,"code":"E1"' answers && grep -q '^{"id":\[1\],' answers
}
bad_jobs()
{
	printf '%s\n' 'nope' '{"foo":1}' '{"tp":"x"}' '[1]' '{"tp":{}}' '{}' | "$STEPSCOPE" sweep $base --stdin-jobs >answers &&
		test "$(grep -c '"code":"usage"' answers)" -eq 5 && test "$(wc -l <answers)" -eq 6 && sed -n 6p answers | grep -q '"code":null'
}
# The one who asks waits for the answer before it asks again.
asked_in_turn()
{
	mkfifo ask tell || return 1
	"$STEPSCOPE" sweep $base --stdin-jobs --only fits <ask >tell &
	answering=$!
	exec 8>ask 9<tell
	for i in 1 2 3; do echo "{\"id\":$i}" >&8 && read -r said <&9 && test "${said%%,*}" = "{\"id\":$i" || return 1; done
	exec 8>&- 9<&- && wait $answering
}
tap_case 'a case on a line of standard input is answered as a sweep would' jobs
tap_case 'a line that is no case is answered with what is wrong' bad_jobs
tap_case 'a case is answered before the next is asked' asked_in_turn

served() {
	"$STEPSCOPE" sweep qwen3-30b-a3b-h100-tp2 --vary concurrency=8,32 --load 1024/64 --slo ttft=1s,tpot=20ms -j 2 \
		--format csv --only concurrency,ttft_p90,tpot_p99,goodput,output_tokens_per_s >served.csv || return 1
	for n in 8 32; do
		"$STEPSCOPE" serve qwen3-30b-a3b-h100-tp2 --load "1024/64@$n" --slo ttft=1s,tpot=20ms --json --only serve,slo >one.json || return 1
		row=$(grep ",$n," served.csv | cut -d, -f3)
		test -n "$row" && grep -q "\"p90_s\":[[:space:]]*$row" one.json || return 1
	done
}
tap_case 'columns of a served load are those of serve' served
best_served() {
	"$STEPSCOPE" sweep qwen3-30b-a3b-h100-tp2 --vary concurrency=1..64:x2 --load 1024/64 --slo tpot=12ms --where slo_met=1 \
		--best output_tokens_per_s --format csv --only concurrency,slo_met,tpot_p90_s | tail -1 >best.csv
	found=$("$STEPSCOPE" serve qwen3-30b-a3b-h100-tp2 --load 1024/64 --slo tpot=12ms --find concurrency --json --only find |
		sed -n 's/.*"value":[[:space:]]*\([0-9]*\).*/\1/p')
	at=$(cut -d, -f2 best.csv)
	test "$at" -le "$found" && test $((at * 2)) -gt "$found"
}
tap_case 'the best of rows that meet what is promised is below what a search finds' best_served
unpromised() { "$STEPSCOPE" sweep qwen3-30b-a3b-h100-tp2 --vary tp=1,2 --best goodput >out 2>err; test $? -eq 2 && grep -q 'wants --slo' err; }
tap_case 'goodput wants a promise' unpromised
tap_done
