# The library from Python: the same figures as the program's, and its refusals.
. "$top_srcdir/tests/tap.sh"

if ! command -v python3 >/dev/null || ! python3 -c 'import ctypes' 2>/dev/null; then
	tap_skip 'Python prices as the program does' 'no python3'
	tap_done
	exit
fi
if test "${INSTRUMENTED:-no}" = yes; then
	tap_skip 'Python prices as the program does' 'an instrumented library needs its runtime loaded first'
	tap_done
	exit
fi

export STEPSCOPE_LIBRARY="$top_builddir/.libs/libstepscope.so.0" PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$top_srcdir/src/bindings/python"

# The figure of case dsv3-h200-tp8-fp8-pw/d32x4k of tests/oracle/steps.json: 25.2238 ms.
priced()
{
	python3 - <<-'PY'
		import stepscope
		case = stepscope.open("deepseek-v3-h200-fp8-tp8")
		price = case.price("32x4096", figure="serial")
		assert abs(price.seconds - 0.0252238) < 1e-7, price
		assert price.fits and price.bottleneck == "hbm", price
		assert price.overlap_s <= price.serial_s <= price.no_overlap_s
		assert abs(sum(case.price("32x4096", figure="no_overlap").resources.values()) - price.no_overlap_s) < 1e-12
	PY
}

refused()
{
	python3 - <<-'PY'
		import stepscope
		case = stepscope.open("deepseek-v3-h200-fp8-tp8")
		try:
		    case.set(tp=3)
		    raise SystemExit("tp 3 was not refused")
		except stepscope.Refused as why:
		    assert why.problems[0].code == "E1" and why.problems[0].fixes, why.problems
		    for fix in why.problems[0].fixes:
		        case.set({fix.path: fix.value}).price("32x4096")
		for wrong in (lambda: case.set(tq=3), lambda: case.price("32y"), lambda: stepscope.open("nothing")):
		    try:
		        wrong()
		        raise SystemExit("nothing was wrong")
		    except stepscope.Error as why:
		        assert not isinstance(why, stepscope.Refused) and str(why), why
	PY
}

as_the_program()
{
	python3 - "$STEPSCOPE" <<-'PY'
		import csv, subprocess, sys
		import stepscope
		case = stepscope.open("deepseek-v3-h200-fp8-tp8")
		ours = stepscope.sweep(case, ["1x4096", "32x4096", "64x4096"], tp=[3, 4, 8], cudagraph_mode=["NONE", "FULL"],
		                       figure="serial")
		text = subprocess.run([sys.argv[1], "sweep", "deepseek-v3-h200-fp8-tp8", "--vary", "tp=3,4,8",
		                       "--vary", "cudagraph_mode=NONE,FULL", "--vary", "count=1,32,64", "--format", "csv", "--figure", "serial",
		                       "--only", "tp,count,serial_s,fits,code,tokens_per_s"],
		                      capture_output=True, text=True, check=True).stdout
		theirs = list(csv.DictReader(text.splitlines()))
		assert len(ours) == len(theirs) == 18
		for a, b in zip(ours, theirs):
		    assert (a["code"] or "") == b["code"], (a, b)
		    if not b["code"]:
		        assert a["serial_s"] == float(b["serial_s"]) and a["fits"] == (b["fits"] == "true"), (a, b)
		        assert abs(a["tokens_per_s"] / float(b["tokens_per_s"]) - 1) < 1e-12, (a, b)
	PY
}

# What ctypes lays out otherwise than the library is not called.
other_version_refused()
{
	python3 - <<-'PY'
		import ctypes
		import stepscope
		class Other(ctypes.Structure):
		    _fields_ = [("x", ctypes.c_int64)]
		stepscope._STRUCTS["group"] = Other
		try:
		    stepscope._load()
		    raise SystemExit("loaded")
		except ImportError as why:
		    assert "another version" in str(why)
	PY
}

# The same load, played by the program: every figure and every request.
serves_as_the_program()
{
	python3 - "$STEPSCOPE" "$tap_dir/requests.csv" <<-'PY'
		import csv, json, subprocess, sys
		import stepscope
		case = stepscope.open("deepseek-v3-h200-fp8-tp8")
		for name, load in (("deepseek-v3-h200-fp8-tp8", "1024/256@16"), ("deepseek-v3-h200-fp8-tp8", "800..1024/128@4/s"),
		                   ("deepseek-v3-h200-fp8-tp8", "chatbot@4/s"), ("mixtral-8x7b-h100-tp2-dp2", "512/32")):
		    ours = stepscope.open(name).serve(load)
		    text = subprocess.run([sys.argv[1], "serve", name, "--load", load, "--json",
		                           "--requests-out", sys.argv[2], "--force"],
		                          capture_output=True, text=True, check=True).stdout
		    theirs = json.loads(text)["serve"]
		    assert ours.completed == theirs["completed"] == len(ours.rows) == 200, (ours[:8], theirs)
		    assert ours.steps == theirs["steps"] and ours.output_tokens == theirs["output_tokens"]
		    assert abs(ours.duration_s / theirs["duration_s"] - 1) < 1e-12
		    for latency in ("ttft", "tpot", "itl", "e2e"):
		        for figure in ("mean", "p50", "p90", "p99"):
		            a, b = getattr(ours.latency[latency], figure), theirs[latency][figure + "_s"]
		            assert abs(a - b) <= 1e-12 * b, (name, load, latency, figure, a, b)
		    with open(sys.argv[2]) as rows:
		        assert len(list(csv.reader(rows))) == 201
		    assert all(r.state == "done" and r.arrival_s <= r.first_s <= r.end_s for r in ours.rows)
		for other, load in ((case, "1024/"), (case, "1024/512@"), (stepscope.open("deepseek-v3-h200-pd"), "1024/64@8")):
		    try:
		        other.serve(load)
		        raise SystemExit(load + " was played")
		    except stepscope.Error as why:
		        assert str(why), why
	PY
}

example_runs()
{
	python3 "$top_srcdir/src/bindings/python/example.py" "$tap_dir/plot.svg" >"$tap_dir/said" &&
		grep -q 'tok/s/GPU' "$tap_dir/said" && grep -q '</svg>' "$tap_dir/plot.svg"
}

tap_case 'Python prices as computed elsewhere' priced
tap_case 'a refusal has fixes that price, a mistake says what is wrong' refused
tap_case 'a sweep from Python has the rows of the program' as_the_program
tap_case 'a load served from Python is as the program plays it' serves_as_the_program
tap_case 'a library of another version is not loaded' other_version_refused
tap_case 'the example draws its plot' example_runs
tap_done
