#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands that outlast a daemon: ring, broadcast send and broadcast read go on with the next one, and lose no sample of a stream
# with a seed.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"

# replace SIGNAL : ends the daemon and starts another.
replace() {
	kill "-$1" "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	start_daemon --threads 2 --state-dir "$work/state"
}

start_daemon --threads 2 --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"
for signal in TERM KILL; do
	# The reader stops in the middle: the ring is full, and the pipe, too.
	mkfifo "$work/pipe"
	"$cli" ring normal -n 3000000 --seed 5 --offset 77 --samples 65536 -f raw >"$work/pipe" 2>"$work/err" &
	ring=$!
	exec 3<"$work/pipe"
	head -c 400000 <&3 >"$work/got"
	replace $signal
	head -c 4000000 <&3 >>"$work/got"
	replace $signal
	cat <&3 >>"$work/got"
	exec 3<&-
	wait $ring
	same "SIG$signal: ring ends well" 0 $?
	same "it has nothing to say" "" "$(cat "$work/err")"
	"$cli" rand normal -n 3000000 --seed 5 --offset 77 -f raw >"$work/expected"
	same "its bytes are those of one draw" "$(sum <"$work/expected")" "$(sum <"$work/got")"

	"$cli" stream create "s$signal" >/dev/null
	"$cli" -v ring normal --name "s$signal" -n 1000000 --samples 65536 -f raw >"$work/pipe" 2>"$work/err" &
	ring=$!
	exec 3<"$work/pipe"
	head -c 400000 <&3 >"$work/got"
	replace $signal
	cat <&3 >>"$work/got"
	exec 3<&-
	wait $ring
	same "SIG$signal: ring of a named stream" 0 $?
	same "as many samples" 4000000 "$(wc -c <"$work/got")"
	# A reservation of which nothing was read is no loss of this reader.
	grep -q "samples of s$signal that it had reserved are skipped" "$work/err" || awk '/n=/ { sub(/.*position=/, ""); sub(/ n=/, " "); print }' "$work/err" |
		awk 'NR > 1 && $1 != end && last < most { gap = 1 } { end = $1 + $2; last = $2; most = $2 > most ? $2 : most } END { exit gap }'
	same "what was skipped is reported" 0 $?
	awk '/n=/ { sub(/.*position=/, ""); sub(/ n=/, " "); print }' "$work/err" |
		awk 'NR > 1 && $1 < end { twice = 1 } { end = $1 + $2 } END { exit twice }'
	same "no position comes twice" 0 $?
	rm "$work/pipe"

	"$cli" broadcast send feed normal --seed 9 --offset 5 --rate 100000 --samples 262144 2>"$work/send_err" &
	sender=$!
	await sh -c "'$cli' broadcast list | grep -q feed"
	: >"$work/got" # the reader truncates it only once it has started
	"$cli" broadcast read feed -n 150000 -f raw >>"$work/got" 2>"$work/read_err" &
	reader=$!
	await sh -c "[ \"\$(wc -c <'$work/got')\" -gt 40000 ]"
	replace $signal
	await sh -c "[ \"\$(wc -c <'$work/got')\" -gt 300000 ]"
	replace $signal
	wait $reader
	same "SIG$signal: broadcast read ends well" 0 $?
	same "it missed nothing" "" "$(cat "$work/read_err")"
	"$cli" rand normal -n 150000 --seed 9 --offset 5 -f raw >"$work/expected"
	same "its bytes are those of one draw" "$(sum <"$work/expected")" "$(sum <"$work/got")"
	kill -0 $sender
	same "the sender sends on" 0 $?
	kill $sender
	wait $sender
	same "and said nothing" "" "$(cat "$work/send_err")"
done

mkfifo "$work/pipe"
"$cli" --timeout 1 ring normal -f raw >"$work/pipe" 2>"$work/err" &
ring=$!
exec 3<"$work/pipe"
head -c 4 <&3 >"$work/got" # it has attached
cat <&3 >/dev/null &
exec 3<&-
stop_daemon
wait $ring
same "without another daemon it ends" 69 $?
like "with the reason" "trnsci-cli: closed: ring: it ended with the daemon; again: *" "$(cat "$work/err")"
finish
