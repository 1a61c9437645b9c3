# What the engine refuses, against a second reading of its rules in Python.

. "${top_srcdir:=.}/tests/tap.sh"

: "${STEPSCOPE:=$(pwd)/stepscope}"
export PYTHONDONTWRITEBYTECODE=1

tap_case 'python3 is there (bootstrap.sh check installs it)' command -v python3
tap_case 'of 2,000 random deployments, both readings refuse the same' \
	python3 "$top_srcdir/tests/rules/second_reading.py" "$STEPSCOPE" "$top_srcdir" 2000
tap_done
