#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names, paths and errors that come from a daemon: a terminal never gets their control characters.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
script=$(cd "$(dirname "$0")" && pwd)/c32_time_limits.py

# printed WHAT STATUS TEXT COMMAND...: where each QQQ of a reply is an escape sequence, TEXT is printed and the sequence is not.
printed() {
	what=$1 status=$2 text=$3
	shift 3
	code "$what" "$status" timeout 60 /usr/bin/python3 "$script" "$socket" escapes "$cli" --socket @ "$@"
	cat "$work/out" "$work/err" >"$work/both"
	like "$what: with ? in its place" "*$text*" "$(cat "$work/both")"
	same "$what: no control character" 0 "$(LC_ALL=C tr -d '\n\040-\176' <"$work/both" | wc -c)"
}

start_daemon --state-dir "$work/stateQQQ"
"$cli" --socket "$socket" stream create "noiseQQQ" >/dev/null
"$cli" --socket "$socket" broadcast send "hissQQQ" normal --rate 1000 &
sender=$!
await sh -c "'$cli' --socket '$socket' broadcast list | grep -q hissQQQ"
echo '{"steps": [{"op": "uniform", "n": 4, "as": "a"}], "results": ["a"], "stream_name": "noiseQQQ"}' >"$work/program.json"

printed "broadcast list" 0 'hiss?\[m mode=' broadcast list
printed "stream list" 0 'noise?\[m generator=' stream list
printed "stream show" 0 'noise?\[m' stream show noiseQQQ
printed "status" 0 'state in */state?\[m' status
printed "an error" 2 'other?\[m' stream show otherQQQ
printed "a program's ranges" 0 'noise?\[m generator=' -v run "$work/program.json" -o "$work/out.npy"
printed "metrics" 0 'trnscid_build_info{version="' metrics
code "JSON has escapes of its own" 0 timeout 60 /usr/bin/python3 "$script" "$socket" escapes "$cli" --socket @ --json stream list
like "of the name" '*noise\\u001b\[m*' "$(cat "$work/out")"
kill "$sender"
finish
