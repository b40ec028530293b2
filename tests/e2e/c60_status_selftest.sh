#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# status, selftest and version, with and without a daemon.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"

code "selftest without a daemon" 0 "$cli" selftest
like "says that there is none" "*daemon*skip*" "$(cat "$work/out")"
same "selftest has a line a variant, and none fails" "" "$(grep -v '^[a-z0-9]* *\(ok\|skip\) ' "$work/out")"
like "selftest runs the scalar kernels" "*scalar*ok*known answers*stream vectors*normals*lanes*fft*" "$(cat "$work/out")"
code "selftest -v prints what was checked" 0 "$cli" -v --embedded selftest
like "on all 128 lanes" "*128 of 128 lanes*" "$(cat "$work/out")"
sed -n 's/^\([a-z0-9]*\) *skip .*/# this CPU cannot run \1/p' "$work/out"
if [ -z "${SAN:-}" ]; then
	code "the errors of every precision mode hold their bounds" 0 "$cli" selftest --fft
	same "a row for each mode and length" 417 "$(grep -c ' ok$' "$work/out")"
else
	echo "# without selftest --fft, slow: check_precision runs these kernels under sanitizers"
fi

code "status --wait 0 without a daemon" 69 "$cli" --socket "$socket" status --wait 0
like "says how long it waited, and for what" "*no daemon answered within 0 s: no_daemon: $socket*" "$(cat "$work/err")"
code "--wait of an embedded engine" 2 "$cli" --embedded status --wait 1
code "--wait of more than a day" 2 "$cli" --socket "$socket" status --wait 86401
like "says what is allowed" "*--wait: '86401', allowed 0 to 86400 seconds*" "$(cat "$work/err")"
"$cli" --socket "$socket" status --wait 60 >"$work/waited" &
waits=$!
start_daemon --threads 3 --slow-us 1
wait $waits
same "status --wait waits for a daemon that is started later" 0 $?
like "and prints its figures" "daemon*$socket*pid $daemon_pid*" "$(cat "$work/waited")"
code "selftest with a daemon" 0 "$cli" --socket "$socket" selftest
like "holds it against the embedded engine" "*daemon*ok*$socket*" "$(cat "$work/out")"
"$cli" --socket "$socket" rand bits -n 3000000 --format raw >/dev/null
code "status" 0 "$cli" --socket "$socket" status
out=$(cat "$work/out")
like "status names the daemon" "daemon*$socket*pid $daemon_pid*version*" "$out"
like "status prints the threads" "*threads    3*" "$out"
like "status prints the instruction set" "*cpu *" "$out"
like "status prints the busiest lane" "*busiest *lane *" "$out"
like "status prints sessions, arenas and plans" "*sessions *arenas *plans *" "$out"
code "status --json" 0 "$cli" --socket "$socket" status --json
same "is JSON with 128 lanes" "128 3" "$(python3 -c "
import json
s = json.load(open('$work/out'))
print(len(s['engine']['lanes']), s['engine']['threads'])" 2>&1)"
code "version" 0 "$cli" --socket "$socket" version
like "prints both versions" "trnsci-cli [0-9]*$socket [0-9]*protocol 1*" "$(cat "$work/out")"
code "a daemon is found by TRNSCI_SOCKET" 0 env TRNSCI_SOCKET="$socket" "$cli" -v rand bits -n 1 --format text
like "and named with -v" "*using $socket*" "$(cat "$work/err")"
mkdir -p "$work/run/trnsci"
ln -s "$socket" "$work/run/trnsci/trnsci.sock"
code "a daemon is found in XDG_RUNTIME_DIR" 0 env XDG_RUNTIME_DIR="$work/run" "$cli" -v rand bits -n 1 --format text
like "and named as well" "*using $work/run/trnsci/trnsci.sock*" "$(cat "$work/err")"
like "status has the times of draws" "*times      draw * requests, p50 *" "$out"
"$cli" --socket "$socket" ring normal -f raw >/dev/null &
reader=$!
until "$cli" --socket "$socket" status --clients >"$work/out" && grep -q " $reader " "$work/out"; do kill -0 $reader || break; done
like "status --clients lists the sessions" "* id * pid * command *trnsci-cli*" "$(cat "$work/out")"
id=$(awk -v pid=$reader '$2 == pid {print $1}' "$work/out")
code "status --disconnect" 0 "$cli" --socket "$socket" status --disconnect "$id"
wait $reader
same "ends the session" 69 $?
code "a session that there is not" 2 "$cli" --socket "$socket" status --disconnect 999999
like "is not found" "*not_found: disconnect: id: 999999, allowed: that of a session which this user may end*" "$(cat "$work/err")"
code "status --html" 0 "$cli" --socket "$socket" status --html "$work/page.html"
like "writes a page with all its parts" "<!DOCTYPE html>*Lanes*A sample draw*Times of requests*Slow requests*Sessions*Named streams*</html>" \
	"$(cat "$work/page.html")"
code "without a folder for it" 73 "$cli" --socket "$socket" status --html "$work/no/such/page.html"
code "without a daemon" 69 env TRNSCI_SOCKET="$work/none" "$cli" status --html "$work/page.html"
like "top shows lanes, times and sessions, until q" "0 *trnscid *lanes 0 to 127*class *p50 *longest*draw *command *trnsci-cli*sort by*" \
	"$(python3 "$(dirname "$0")/on_terminal.py" "sort by" sq "$cli" --socket "$socket" top)"
code "top without a terminal" 2 env -u TERM "$cli" --socket "$socket" top
like "names the other way" "*status prints the same figures*" "$(cat "$work/err")"
code "status --slow" 0 "$cli" --socket "$socket" status --slow
like "status --slow lists requests, with their times, sizes and clients" "time *wait ms*[0-9]  bits * MiB *$(id -u) *" "$(cat "$work/out")"
like "and the command, of one that has ended too" "*bits * (ended)*" "$(cat "$work/out")"
code "status --slow --json" 0 "$cli" --socket "$socket" status --slow --json
same "of which the draw has all members" "4194304 True" "$(python3 -c "
import json
reply = json.load(open('$work/out'))
one = max((one for one in reply['slow'] if one['method'] == 'bits'), key=lambda one: one.get('bytes', 0))
print(one['bytes'], one['total_us'] >= one['wait_us'] + one['run_us'] > 0 and one['time_s'] > 1.6e9 and reply['slow_us'] == 1)" 2>&1)"
code "metrics" 0 "$cli" --socket "$socket" metrics
out=$(cat "$work/out")
like "metrics have counters" "*# TYPE trnscid_requests_total counter*trnscid_requests_total [1-9]*" "$out"
like "metrics have the times of draws" "*trnscid_request_duration_seconds_count{class=\"draw\"} [1-9]*" "$out"
same "metrics have 128 lanes" 128 "$(echo "$out" | grep -c '^trnscid_lane_busy_seconds_total{')"
same "every metric has help and a type before it" "" "$(echo "$out" | awk '
	/^# HELP/ {helped[$3] = 1} /^# TYPE/ {typed[$3] = 1; if (!helped[$3]) print "no help: " $3}
	/^[a-z]/ {name = $1; sub(/{.*/, "", name); base = name; sub(/_(sum|count)$/, "", base); if (!typed[name] && !typed[base]) print name}')"
same "the daemon's figures are helped by what trnsci-protocol(7) says of them" "" "$(echo "$out" | python3 -c '
import re, sys
text = open(sys.argv[1]).read()
table = text[text.index("## Counters of the daemon"):].split("\n## ")[0]
helped = dict(re.findall(r"^# HELP trnscid_(\w+?)(?:_total)? (.*)$", sys.stdin.read(), re.M))
for name, meaning in re.findall(r"^\| (\w+) \| (.*) \|$", table, re.M)[1:]:
    if helped.get(name) != meaning[0].upper() + meaning[1:] + ".":
        print(name, helped.get(name))' "$(dirname "$0")/../../proto/PROTOCOL.md")"
if command -v promtool >/dev/null; then
	same "promtool finds nothing to complain" "" "$(echo "$out" | promtool check metrics 2>&1)"
else
	echo "# promtool is not installed"
fi
same "metrics by HTTP" "HTTP/1.0 200 OK" "$(printf 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' |
	"$cli" --socket "$socket" metrics --http | head -1 | tr -d '\r')"
code "bench, with the daemon" 0 "$cli" --socket "$socket" --json bench
same "has figures of memory, draws, transforms and requests" "memset normal fft daemon: all" "$(python3 -c "
import json
rows = json.load(open('$work/out'))
names = ' '.join(row['what'] for row in rows)
print(*[word for word in ('memset', 'normal', 'fft', 'daemon:') if word in names], 'all' if all(row['figure'] > 0 for row in rows) else rows)")"
stop_daemon
same "the daemon ends well" 0 "$daemon_status"

code "status, embedded" 0 env TRNSCI_CPU=scalar "$cli" --embedded status
like "prints the level that was asked for" "*cpu        scalar*" "$(cat "$work/out")"
code "a level beyond this CPU" 0 env TRNSCI_CPU=avx512bf16 "$cli" --embedded status
if grep -q avx512_bf16 /proc/cpuinfo; then
	like "is taken where there is one" "*cpu        avx512bf16*" "$(cat "$work/out")"
else
	like "is lowered, and said so" "*lowered: this CPU lacks avx512bf16*" "$(cat "$work/out")"
fi
finish
