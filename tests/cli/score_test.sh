# Scoring: published serving runs against the price.
#
# The bars are those that an implementation made apart from this one reached on the same runs.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
head='model,part,precision,tp,concurrency,prompt,output,engine_version,tpot_ms'

score() { "$STEPSCOPE" score "$@"; }
# stat FIELD: median, p90 and bias of a column of errors, in percent.
stat() {
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ e = $at; sum += e; print (e < 0 ? -e : e) > "sizes"; n++ }
		END { close("sizes"); while (("sort -g sizes" | getline line) > 0) v[m++] = line
			printf "%.1f %.1f %+.1f\n", 100 * q(.5), 100 * q(.9), 100 * sum / n }
		function q(p, k, i) { k = (m - 1) * p; i = int(k)
			return v[i] + (v[i + 1 < m ? i + 1 : i] - v[i]) * (k - i) }'
}

score --format csv >runs.csv || exit 99
score >score.txt || exit 99

all_priced() { grep -q ': 383 runs, 383 priced, 0 not$' score.txt; }
tap_case 'every shipped run is priced' all_priced
bars() {
	set -- $(stat kernels_error <runs.csv)
	echo "$@"
	awk -v m="$1" -v p="$2" -v b="$3" 'BEGIN { exit !(m <= 5.8 && p <= 18 && b > -3 && b < 3) }'
}
tap_case 'Kernels is within 5.8 % at the median, 18 % at p90 and 3 % on the whole' bars
serial() { test "$(stat serial_error <runs.csv | cut -d' ' -f1)" = 9.2; }
tap_case 'Serial errs by 9.2 % at the median' serial
printed() {
	for figure in kernels serial; do
		set -- $(stat ${figure}_error <runs.csv)
		grep -qi "^ *$figure  *383  *$1 %  *$2 %  *$3 %" score.txt || return 1
	done
}
tap_case 'what is printed are the statistics of its rows' printed
closed_form() {
	run='gpt-oss-120b,h100,fp4,4,64,1000,500,0.18.0,10'
	printf '%s\n%s\n' "$head" "$run" >one.csv
	step() {
		"$STEPSCOPE" price --model gpt-oss-120b --part h100 -tp 4 --engine-version 0.18.0 \
			--batch "$1" --figure kernels --only price --json |
			sed -n 's/^[[:space:]]*"kernels_s":[[:space:]]*\([^,]*\),*/\1/p'
	}
	want=$(awk -v d="$(step 64x1250)" -v m="$(step 64x1250,1x1000p)" \
		'BEGIN { printf "%.9f", d + 63 / 500 * (m - d) }')
	got=$(score one.csv --format csv | tail -1 | cut -d, -f9)
	echo "$want $got"
	awk -v a="$want" -v b="$got" 'BEGIN { exit !(a > 0 && (a - b) / a < 1e-6 && (b - a) / a < 1e-6) }'
}
tap_case 'a token takes a decode step, and its share of the steps that begin the others' closed_form
limit() { score --max-median 5.8 >/dev/null && { score --max-median 1% >/dev/null 2>err; test $? -eq 1; } && grep -q 'above 1 %' err; }
tap_case 'a median above --max-median is status 1' limit
strangers() {
	cat >own.csv <<-END
		$head,publisher
		gpt-oss-120b,h100,fp4,4,64,1000,500,0.18.0,9,us
		gpt-oss-121b,h100,fp4,4,64,1000,500,0.18.0,9,us
		gpt-oss-120b,mi300x,fp4,4,64,1000,500,0.18.0,9,us
		llama-3.1-70b-instruct,h100,fp8,3,64,1000,500,,9,us
		llama-3.1-70b-instruct,h100,bf16,1,64,1000,500,,9,us
		llama-3.1-70b-instruct,h100,fp8,2,64,1000,500,,9,us
		kimi-k2.5,h200,fp4,8,64,1000,500,,9,us
		gpt-oss-120b,h100,fp4,4,64,131000,500,,9,us
		deepseek-v3,h200,fp8,16,64,1000,500,,9,us
	END
	score own.csv >own.txt 2>err || return 1
	cat own.txt
	grep -q 'own.csv: 9 runs, 2 priced, 7 not' own.txt &&
		grep -q '^ *3 .*no model graph gpt-oss-121b in the registry (did you mean' own.txt &&
		grep -q '^ *4 .*no part mi300x in the registry' own.txt &&
		grep -q '^ *5 .*tp 3' own.txt && grep -q '^ *6 .*DOES NOT FIT by [0-9.]* GiB' own.txt &&
		grep -q '^ *8 .*column precision: the graph of kimi-k2.5 holds' own.txt &&
		grep -q '^ *9 .*requests of 131500 tokens, max_model_len is 131072' own.txt &&
		grep -q '^ *10 .*cluster/fabric: missing' own.txt &&
		grep -q 'columns that are not read: publisher' err
}
tap_case 'models and parts that are not there, and what cannot run, are listed with the reason' strangers
released() { grep -q '^~ 6 state no release, taken as vllm 0.18.0 (6)' own.txt; }
tap_case 'a run without a release is taken as the middle of those beside it' released
asked() { score own.csv --engine-version 0.20.0 2>/dev/null | grep -q 'taken as vllm 0.20.0 (6)'; }
tap_case 'or as the one asked for' asked
faulty() {
	printf '%s\ngpt-oss-120b,h100,fp4,4,64,1000,500,0.18.0,9\ngpt-oss-120b,h100,fp4,4,64,1000,500,0.18.0,"9,5"\n' "$head" >bad.csv
	score bad.csv >bad.txt 2>err
	test $? -eq 1 && grep -q 'bad.csv: line 3: column tpot_ms: "9,5" wants milliseconds' err &&
		grep -q '2 runs, 1 priced, 1 not' bad.txt
}
tap_case 'a row that cannot be read is said by line and column, the others are scored' faulty
headless() { printf 'a,b\n1,2\n' >none.csv; score none.csv 2>err; test $? -eq 3 && grep -q 'none.csv: line 1: the heading wants a column model' err; }
tap_case 'a table without the columns it takes is a faulty document' headless
gone() { score nowhere.csv 2>err; test $? -eq 4 && grep -q nowhere.csv err; }
tap_case 'a file that is not there is a failure' gone
nearest() {
	head -1 runs.csv >near.csv
	grep ",llama-3.1-70b-instruct,h200," runs.csv >>near.csv
	set -- $(stat kernels_error <near.csv)
	"$STEPSCOPE" evidence --model llama-3.1-70b-instruct --part h200 --figure kernels --only validation >near.txt
	cat near.txt
	grep -q "^58 published runs of this model on h200: median $1 % off, bias $3 %" near.txt
}
tap_case 'evidence says how far off published runs of the model and part were' nearest
others() {
	"$STEPSCOPE" evidence --model qwen3-8b --part h100 --only validation | grep -q '^85 published runs of other models on h100:' &&
		"$STEPSCOPE" evidence --model gpt-oss-120b --part l40s --only validation | grep -q '^166 published runs of this model on other parts:' &&
		"$STEPSCOPE" evidence --model qwen3-8b --part l40s --only validation | grep -q '^no published run of this model or on this part'
}
tap_case 'else of the model, else on the part' others
ranks() {
	cat >ranks.csv <<-END
		model,part,precision,tp,dp,ep,concurrency,prompt,output,engine_version,tpot_ms
		deepseek-v3,h200,fp8,8,1,8,64,1024,1024,0.18.0,30
		deepseek-v3,h200,fp8,8,1,4,64,1024,1024,0.18.0,30
		deepseek-v3,h200,fp8,1,8,8,64,1024,1024,0.18.0,30
	END
	score ranks.csv --only refused --format csv >ranks.txt && cat ranks.txt &&
		test "$(wc -l <ranks.txt)" -eq 2 && grep -q '^3,.*column ep: experts over 4 ranks of 8' ranks.txt &&
		score ranks.csv --json --only runs | grep -q '"held":[[:space:]]*8,'
}
tap_case 'experts lie over all ranks or none, requests are spread over data-parallel ones' ranks
spelt() {
	printf '%s\nopenai/GPT-OSS-120B,H100,FP4,4,64,1000,500,0.18.0,10\n' "$head" >spelt.csv &&
		score spelt.csv --format csv | tail -1 | cut -d, -f9 >spelt.txt &&
		score one.csv --format csv | tail -1 | cut -d, -f9 | cmp - spelt.txt
}
tap_case 'names may be as their makers write them' spelt
played() {
	score one.csv --serve --format csv >played.csv || return 1
	"$STEPSCOPE" serve --model gpt-oss-120b --part h100 -tp 4 --engine-version 0.18.0 --figure kernels \
		--load 1000/500@64 --requests 640 --json --only bench >bench.json || return 1
	head -1 played.csv | grep -q 'tpot_s,serve_tpot_s,serve_tpot_error,kernels_s,kernels_error$' || return 1
	want=$(sed -n 's/^[[:space:]]*"mean_tpot_ms":[[:space:]]*\([^,]*\),*/\1/p' bench.json)
	got=$(tail -1 played.csv | cut -d, -f9)
	echo "$want $got"
	awk -v a="$want" -v b="$got" 'BEGIN { b *= 1e3; exit !(a > 0 && (a - b) / a < 1e-9 && (b - a) / a < 1e-9) }'
}
tap_case 'a run that is played is what serve makes of its load' played
score --serve --where length=819..1024/819..1024 --format csv >short.csv || exit 99
within() {
	played=$(stat serve_tpot_error <short.csv | cut -d' ' -f1)
	closed=$(stat kernels_error <short.csv | cut -d' ' -f1)
	echo "$played $closed"
	awk -v a="$played" -v b="$closed" 'BEGIN { exit !(a - b <= 1 && b - a <= 1) }'
}
tap_case 'played, the time per token is within a point of the closed form' within
firsts() {
	score --serve --where length=819..1024/819..1024 --where part=h200 --where tp=8 --only ttft >ttft.txt || return 1
	cat ttft.txt
	test "$(grep -c '819..1024/819..1024' ttft.txt)" -eq 5 && grep -q 'left over' ttft.txt
}
tap_case 'the time to the first token is told by concurrency and length' firsts
kept() {
	test "$(score --where part=h200 --where tp\>=4 --format csv | wc -l)" -eq 60 &&
		{ score --where gpu=h200 2>err; test $? -eq 2; } && grep -q 'there are: model, part' err &&
		{ score --where part=mi300x 2>err; test $? -eq 2; } && grep -q 'no run of' err
}
tap_case 'runs are chosen by their columns' kept
valid() {
	"$STEPSCOPE" validate "$STEPSCOPE_REGISTRY/validation/serving.csv" | grep -q 'Runs  *ok' || return 1
	"$STEPSCOPE" validate bad.csv >valid.txt 2>err
	test $? -eq 3 && grep -q 'bad.csv: line 3: column tpot_ms' err && grep -q '1 problem' valid.txt
}
tap_case 'validate reads such tables' valid
case='--model gpt-oss-120b --part h100 -tp 4'
saved() {
	cat >saved.json <<-END
		{"backend": "vllm", "num_prompts": 40, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 8,
		 "duration": 20.0, "completed": 40, "total_input_tokens": 40960, "total_output_tokens": 20480,
		 "mean_ttft_ms": 50.0, "mean_tpot_ms": 5.0, "p99_itl_ms": 7.0, "request_goodput": null}
	END
	"$STEPSCOPE" serve $case --load 1024/512@8 --requests 40 --json --only bench >bench.json || return 1
	score saved.json $case --format csv >saved.csv || return 1
	cat saved.csv
	for metric in duration mean_ttft_ms mean_tpot_ms p99_itl_ms; do
		want=$(sed -n "s/^[[:space:]]*\"$metric\":[[:space:]]*\([^,]*\),*/\1/p" bench.json)
		grep "^$metric," saved.csv | awk -F, -v p="$want" '{ exit !($3 == p && $4 - ($3 / $2 - 1) < 1e-9 && ($3 / $2 - 1) - $4 < 1e-9) }' || return 1
	done
	! grep -q 'num_prompts\|goodput\|max_concurrency' saved.csv
}
tap_case 'a saved result is set against its load played, metric by metric' saved
lengths() {
	printf '{"num_prompts": 3, "request_rate": 2.5, "completed": 3, "input_lens": [100, 200, 300], "output_lens": [9, 9, 9], "mean_ttft_ms": 50}' >lens.json &&
		score lens.json $case | grep -q 'lens.json against 3 requests of ~200 in, 9 out, 2.5/s'
}
tap_case 'lengths kept one by one give its spread' lengths
no_result() {
	printf '{"a": 1}' >none.json && printf '[' >open.json
	{ score none.json 2>err; test $? -eq 3; } && grep -q 'none.json: is no result that vllm bench serve saved' err &&
		{ score open.json 2>err; test $? -eq 3; } && grep -q 'open.json: is no JSON object' err &&
		{ score gone.json 2>err; test $? -eq 4; } && grep -q 'gone.json' err &&
		{ score saved.json $case --max-median 0.1 >/dev/null 2>err; test $? -eq 1; } && grep -q 'above 0.1 %' err
}
tap_case 'what is no result is told, and a limit holds for one' no_result
mixed() {
	{ score one.csv --model gpt-oss-120b 2>err; test $? -eq 2; } && grep -q 'a table has columns for it' err &&
		{ score one.csv base 2>err; test $? -eq 2; } && grep -q 'goes with a saved result' err
}
tap_case 'a table takes no scenario' mixed
over() {
	score one.csv --format csv | tail -1 | cut -d, -f9 >plain.txt
	score one.csv --set async_scheduling=off --format csv | tail -1 | cut -d, -f9 >set.txt
	echo "$(cat plain.txt) $(cat set.txt)"
	# 350 us a step and 13 us for each of 64 requests
	awk 'NR == FNR { a = $1; next } { d = ($1 - a) * 1e6; exit !(d > 1100 && d < 1300) }' plain.txt set.txt
}
tap_case 'a setting on the line stands over those of every run' over
ladder() {
	cat >ladder.csv <<-END
		model,part,tp,concurrency,prompt,output,tpot_ms,engine_version
		gpt-oss-120b,h100,4,1,9,9,9,0.9.1
		gpt-oss-120b,h200,4,1,9,9,9,0.18.0
		gpt-oss-120b,h200,4,1,9,9,9,0.18.0
		qwen3-8b,h100,1,1,9,9,9,0.20.0
		qwen3-8b,h100,1,1,9,9,9,0.20.0
		qwen3-8b,h100,1,1,9,9,9,0.20.0
		gpt-oss-120b,h100,4,1,9,9,9,
		gpt-oss-120b,b200,4,1,9,9,9,
		qwen3-14b,h200,1,1,9,9,9,
	END
	score ladder.csv --json --only runs | sed -n 's/^[[:space:]]*"engine_version":[[:space:]]*"\(.*\)",*/\1/p' | tr '\n' ' ' >ladder.txt
	cat ladder.txt
	test "$(cat ladder.txt)" = '0.9.1 0.18.0 0.18.0 0.20.0 0.20.0 0.20.0 0.9.1 0.18.0 0.20.0 ' || return 1
	sed 's/,0[.0-9]*$/,/' ladder.csv >unstated.csv
	score unstated.csv --only summary | grep -q '9 state no release, taken as vllm 0.31.0 (9)'
}
tap_case 'the release is that of the model on the part, else of the model, else of the file, else ours' ladder
figures() {
	score --figure overlap,serial --only summary | awk '/^ *(Overlap|Serial) / { print $1 }' | tr '\n' ' ' | grep -qx 'Overlap Serial ' &&
		score --figure no_overlap --only summary | grep -c '^ *\(NoOverlap\|Serial\|Kernels\) ' | grep -qx 1
}
tap_case 'one figure or two are scored where they are asked for' figures
tap_done
