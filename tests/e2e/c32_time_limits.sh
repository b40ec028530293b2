#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A daemon whose replies never end: every command ends by itself, and a job shows that it is waited for.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
script=$(cd "$(dirname "$0")" && pwd)/c32_time_limits.py

for seconds in 0 3601 x; do
	code "--timeout $seconds" 2 "$cli" --timeout $seconds version
	like "allowed are" "*--timeout: '$seconds', allowed 1 to 3600 seconds*" "$(cat "$work/err")"
done
start_daemon --threads 2
code "a proxy that changes nothing" 0 timeout 60 /usr/bin/python3 "$script" "$socket" none \
	"$cli" --timeout 20 --socket @ status
code "status whose reply has a wrong length" 75 timeout 60 /usr/bin/python3 "$script" "$socket" flip \
	"$cli" --timeout 3 --socket @ status
like "names the limit" "*timeout: *within 3000 ms*" "$(cat "$work/err")"
code "a stream that is created so" 75 timeout 60 /usr/bin/python3 "$script" "$socket" flip \
	"$cli" --timeout 3 --socket @ stream create late
echo '{"steps": [{"op": "uniform", "n": 4}], "results": []}' >"$work/program.json"
code "a job whose reply has a wrong length" 75 timeout 60 /usr/bin/python3 "$script" "$socket" flip \
	"$cli" --timeout 3 --socket @ run "$work/program.json"
like "says what is missing" "*timeout: connection: the rest of a message has not come within 3000 ms*" "$(cat "$work/err")"
code "until then it shows the seconds on a terminal" 0 timeout 60 /usr/bin/python3 "$script" "$socket" terminal \
	"$cli" --timeout 20 --socket @ run "$work/program.json"
finish
