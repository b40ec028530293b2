#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Named streams that are one signal of coloured noise: processes draw consecutive parts of it, also after kill -9 of the daemon.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"

start_daemon --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"

code "create" 0 "$cli" stream create hum --noise pink --seed 42
same "what create prints" 'hum generator=threefry4x32 seed=42 stream=1 position=0 signal="f32 color=pink"' "$(cat "$work/out")"
code "draw" 0 "$cli" -v stream draw hum colored -n 5 --format text
same "what -v says" "hum generator=threefry4x32 seed=42 stream=1 offset=0 n=5" "$(cat "$work/err")"
same "rand repeats it" "$("$cli" rand colored -n 5 --seed 42 --stream 1 --color pink --format text)" "$(cat "$work/out")"
code "the next part" 0 "$cli" -v stream draw hum colored -n 1000001 -o "$work/long.raw"
same "begins at the next sample" "hum generator=threefry4x32 seed=42 stream=1 offset=5 n=1000001" "$(cat "$work/err")"
"$cli" rand colored -n 1000001 --offset 5 --seed 42 --stream 1 --color pink -o "$work/again.raw"
same "and is of the same signal" "$(sum <"$work/again.raw")" "$(sum <"$work/long.raw")"
code "a ring goes on with it" 0 "$cli" ring colored --name hum -n 1000 -o "$work/ring.raw" -v
same "where the draws have ended" "hum generator=threefry4x32 seed=42 stream=1 offset=1000006 n=1000" "$(head -n 1 "$work/err")"
"$cli" rand colored -n 1000 --offset 1000006 --seed 42 --stream 1 --color pink -o "$work/again.raw"
same "and has its samples" "$(sum <"$work/again.raw")" "$(sum <"$work/ring.raw")"
same "show says what it is" "signal        f32 color=pink; positions count samples" "$("$cli" stream show hum | grep ^signal)"
like "and as JSON" '*"noise": "f32 color=pink"*' "$("$cli" stream show hum --json)"

before=$("$cli" stream list)
for draw in "normal" "bits" "colored --exponent 2" "colored --color pink --std 2" "colored --dtype f64" "colored --taps 1,2" "field"; do
	# shellcheck disable=SC2086
	code "refused: $draw" 2 "$cli" stream draw hum $draw -n 5
done
like "the error says what is allowed" "*dtype: got f64, allowed is f32*" "$("$cli" stream draw hum colored --dtype f64 -n 5 2>&1)"
like "and of another distribution" '*"hum" is one signal of coloured noise, allowed are draws of colored*' \
	"$("$cli" stream draw hum normal -n 5 2>&1)"
same "nothing was taken" "$before" "$("$cli" stream list)"
code "advance counts samples" 0 "$cli" stream advance hum --to 2000003
like "and does not round" "* position=2000003 *" "$(cat "$work/out")"
code "no other noise" 2 "$cli" stream create no --noise green
code "no filter of two kinds" 2 "$cli" stream create no --noise pink --exponent 1
code "a table" 0 "$cli" stream create tabled --psd 1,1e-2,100,1e-4 --fs 1000 --band 2,50 --dtype f64
code "is drawn without stating it" 0 "$cli" stream draw tabled colored -n 3 --format text
same "from its seed" "$("$cli" rand colored -n 3 --psd 1,1e-2,100,1e-4 --fs 1000 --band 2,50 --dtype f64 --format text \
	--seed "$("$cli" stream show tabled | sed -n 's/^seed *//p')" --stream 1)" "$(cat "$work/out")"
"$cli" stream delete tabled
"$cli" stream delete hum
"$cli" stream create hum --noise pink --seed 42 >/dev/null

# draw_parts NUMBER: parts of odd lengths, as long as $work/going is there; each that has ended leaves its file and where it lies.
draw_parts() {
	part=0
	while [ -e "$work/going" ]; do
		part=$((part + 1))
		n=$((part * 37 % 3001 + 1))
		if "$cli" -v stream draw hum colored -n $n -o "$work/part.$1.$part.raw" 2>"$work/said.$1.$part"; then
			sed -n "s/^hum .* offset=\([0-9]*\) n=\([0-9]*\)$/\1 \2 part.$1.$part.raw/p" "$work/said.$1.$part" >>"$work/parts.$1"
		fi
	done
}

touch "$work/going"
drawers=
for i in 1 2 3; do
	: >"$work/parts.$i"
	draw_parts $i &
	drawers="$drawers $!"
done
# have_parts N: whether each has drawn so many.
have_parts() {
	for i in 1 2 3; do
		[ "$(wc -l <"$work/parts.$i")" -ge "$1" ] || return 1
	done
}
for life in 1 2 3; do
	await have_parts $((life * 5))
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	daemon_pid=
	start_daemon --state-dir "$work/state"
done
await have_parts 20
rm "$work/going"
# shellcheck disable=SC2086
wait $drawers

sort -n "$work"/parts.[123] >"$work/parts"
same "no sample was issued twice" "" "$(awk 'NR > 1 && $1 < end { print $1 " lies before " end } { end = $1 + $2 }' "$work/parts")"
# A crash that finds nothing reserved ahead skips nothing.
like "the crashes that skipped samples were counted" "skips         [123]" "$("$cli" stream show hum | grep '^skips')"
end=$(awk '{ end = $1 + $2 } END { print end }' "$work/parts")
"$cli" --embedded rand colored -n "$end" --seed 42 --stream 2 --color pink -o "$work/whole.raw" 2>/dev/null
wrong=
while read -r offset n file; do
	tail -c +$((4 * offset + 1)) "$work/whole.raw" | head -c $((4 * n)) | cmp -s - "$work/$file" || wrong="$wrong $file"
done <"$work/parts"
same "the parts are those of one signal" "" "$wrong"

# A state that was put back: the signal goes on far away, and is still the same.
stop_daemon
code "restored" 0 "$build/bin/trnscid" --restored-state --state-dir "$work/state"
like "what it did" "*kept: stream hum, from position 288230376151711744 on*" "$(cat "$work/out")"
start_daemon --state-dir "$work/state"
code "a draw goes on there" 0 "$cli" -v stream draw hum colored -n 5 --format text
same "at that sample" "hum generator=threefry4x32 seed=42 stream=2 offset=288230376151711744 n=5" "$(cat "$work/err")"
same "of the same signal" \
	"$("$cli" rand colored -n 5 --offset 288230376151711744 --seed 42 --stream 2 --color pink --format text)" "$(cat "$work/out")"
code "the last samples" 0 "$cli" stream advance hum --to 4611686018427387900
code "can be drawn" 0 "$cli" stream draw hum colored -n 4 --format text
like "then the signal has ended" "* position=end *" "$("$cli" stream list)"
code "and says so" 2 "$cli" stream draw hum colored -n 1
like "in samples" "*end_of_stream: stream_draw: n: 1 samples from sample 4611686018427387904*" "$(cat "$work/err")"
code "nor beyond" 2 "$cli" stream advance hum --to 4611686018427387905
finish
