# What names, files and arguments hold never acts on the terminal.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:?the program to test}"
cd "$tap_dir" || exit 99
base=deepseek-v3-h200-fp8-tp8

# A colour, a title, the same by a C1 control (U+009B), an override (U+202E), a line break.
bidi=$(printf '\342\200\256')
c1=$(printf '\302\233')
evil="x$(printf '\033')[31m$(printf '\033')]0;t$(printf '\007')${c1}31m${bidi}y$(printf '\r\177')z"
# Documents take control characters for '?', overrides come in.
quiet="x${bidi}y"

# clean FILE...: nothing in them acts.
clean()
{
	for clean_file; do
		if LC_ALL=C tr -d '\n\t' <"$clean_file" | LC_ALL=C grep -q '[[:cntrl:]]' ||
			LC_ALL=C grep -q -e "$c1" -e "$bidi" "$clean_file"; then
			echo "$clean_file holds controls:"
			cat -v "$clean_file"
			return 1
		fi
	done
}

# silent ARGUMENT...: run; whatever it ends with, but for a crash, its output is clean.
silent()
{
	"$STEPSCOPE" "$@" >out 2>err </dev/null
	silent_status=$?
	test $silent_status -le 4 && clean out err && return 0
	echo "status $silent_status: stepscope $*" | cat -v
	return 1
}

# Each option that takes an argument, as the manual lists them.
options()
{
	for option in --registry --directory --set --args --pool --model --part --fabric --engine-version --batch \
		--sm-budget --coef --figure --correct --spread --ttft --only --vary --where --best --top --jobs --shard \
		--resume --to --length --format --color; do
		for command in price sweep; do
			silent $command $base $option "$evil" || return
			silent $command $base $option "tp=$evil" || return
			silent $command $base $option "$evil" --json || return
		done
	done
}
tap_case 'an argument does not act, whatever option it is of' options

words()
{
	silent "$evil" && silent price "$evil" && silent "--$evil" && silent price "-$evil" && silent list "$evil" &&
		silent validate "$evil" && silent tour "$evil" && silent import "$evil" && silent diff "$evil" "$evil" &&
		silent price $base --only "price,$evil" && silent price $base -o "$evil/x" && silent -C "$evil" price
}
tap_case 'nor does a word' words

engine()
{
	for word in list show admit render check import diff; do
		silent engine $word "$evil" || return
		silent engine $word "$evil" --pack "$evil" --where "a=$evil" --sort "$evil" || return
	done
	silent engine "$evil" && silent engine list attention_routes --where "name=$evil" &&
		silent engine admit --stage "$evil" && silent engine admit --codec "$evil"
}
tap_case 'nor does a word of the engine commands' engine

# A scenario, its model and a file's name that all hold what acts.
sed "s/\"description\": *\"/&$quiet/" "$top_srcdir/scenarios/$base.json" >"$evil.json"
named() { silent validate "$evil.json" && silent price "$evil.json" && silent price "$evil.json" -tp 3; }
tap_case 'nor does the name of a file' named
written() { silent new --model llama-3.1-8b-instruct --part h100 -o "$evil.new" && test -s "$evil.new"; }
tap_case 'nor that of a file written' written

cat >evil.json <<END
{"kind": "scenario", "name": "n$quiet", "model": "m$quiet", "$quiet": 1, "engine": "v$quiet"}
END
document()
{
	silent validate evil.json && silent price evil.json && silent price evil.json --json &&
		silent price evil.json --format markdown
}
tap_case 'nor do the keys and values of a document' document

described()
{
	grep -q "$bidi" "$evil.json" && mkdir -p reg/registry reg/scenarios && cat "$evil.json" >reg/scenarios/evil.json &&
		silent list scenarios --registry reg/registry && grep -q 'u202e' out &&
		silent list scenarios --registry reg/registry --format markdown && silent report "$evil.json" &&
		silent report "$evil.json" --format markdown && silent compare "$evil.json" $base
}
tap_case 'nor does a description, in text and Markdown' described

# JSON says the same character another way, CSV has it as it is.
exact()
{
	silent list scenarios --registry reg/registry --json && grep -q 'x\\u202ey' out &&
		"$STEPSCOPE" list scenarios --registry reg/registry --format csv >out && grep -q "x${bidi}y" out
}
tap_case 'JSON and CSV hold the text itself' exact

printf 'vllm serve "m%s" --served-model-name "%s" --%s 3 -tp 2\n' "$evil" "$evil" "$quiet" >serve.sh
printf 'INFO 08-01 10:00:00 [core.py:1] Initializing a V1 LLM engine (v0.10.1) with config: model="%s"\n%s\n' "$evil" "$evil" >serve.log
printf 'kind: %s\n%s: [\n' "$quiet" "$quiet" >evil.yaml
printf '{"architectures": ["%s"], "model_type": "%s"}\n' "$quiet" "$quiet" >config.json
imported()
{
	for source in serve.sh serve.log evil.yaml config.json; do
		silent import $source --part h100 && silent import $source --part h100 --json || return
	done
}
tap_case 'nor does what is imported' imported

printf 'say %s\nexpect price.%s = 3\n%s\n' "$evil" "$evil" "$evil" >evil.tour
tours() { silent tour evil.tour --check; }
tap_case 'nor does a tour' tours

tap_done
