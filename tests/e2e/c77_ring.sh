#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rings and broadcasts from the command line: the bytes of rand.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon
for distribution in "normal --mean 2" "randint --high 1000" "dirichlet --alpha 1,2,3" "gamma --shape 0.5 --dtype f64" \
	"uniform --generator ars4x32_7" "normal --generator threefry4x32_trn" "uniform --generator threefry4x64" "normal --generator philox2x32"; do
	# shellcheck disable=SC2086
	"$cli" --embedded -q rand $distribution -n 300000 --seed 5 --offset 7 --format raw -o rand.raw
	for at in "--embedded" "--socket $socket"; do
		# shellcheck disable=SC2086
		code "ring $distribution $at" 0 "$cli" -q $at ring $distribution -n 300000 --seed 5 --offset 7 --samples 8192 --format raw -o ring.raw
		same "ring $distribution $at: the bytes of rand" "$(sum <rand.raw)" "$(sum <ring.raw)"
	done
done
"$cli" --embedded -q ring bits --seed 9 2>/dev/null | head -c 4000000 >endless.raw
"$cli" --embedded -q rand bits --seed 9 -n 1000000 --format raw -o rand.raw
same "ring without a count: as long as somebody reads" "$(sum <rand.raw)" "$(sum <endless.raw)"
code "ring without a count as npy" 2 "$cli" --embedded -q ring bits -o ring.npy

for at in "--embedded" "--socket $socket"; do
	# shellcheck disable=SC2086
	code "ring randint beyond 2^53 $at" 0 "$cli" -q $at ring randint --low -9007199254740993 --high 9223372036854775807 \
		-n 1000 --seed 5 --samples 4096 --format raw -o ring.raw
	"$cli" --embedded -q rand randint --low -9007199254740993 --high 9223372036854775807 -n 1000 --seed 5 --format raw -o rand.raw
	same "ring randint beyond 2^53 $at: the bytes of rand" "$(sum <rand.raw)" "$(sum <ring.raw)"
done

# A named stream: each piece is repeated by what -v says of it, also when others draw in between.
"$cli" --socket "$socket" stream create noise --seed 8 >/dev/null
"$cli" --socket "$socket" -v ring normal --name noise -n 30000 --samples 4096 --format raw 2>places >ring.raw &
ringing=$!
while kill -0 "$ringing" 2>/dev/null; do
	"$cli" --socket "$socket" -q stream draw noise normal -n 5 --format raw >/dev/null
done
wait "$ringing"
same "ring --name" 0 $?
: >rand.raw
grep '^noise ' places | while read -r line; do
	eval "$(printf '%s\n' "$line" | cut -d' ' -f2-)" # generator=G seed=S stream=T position=K n=N
	# shellcheck disable=SC2154
	"$cli" --embedded -q rand normal --generator "$generator" --seed "$seed" --stream "$stream" --offset "$position" \
		-n "$n" --format raw >>rand.raw
done
same "ring --name: 30000 samples" 120000 "$(wc -c <rand.raw)"
same "ring --name: the bytes of rand at the positions printed" "$(sum <rand.raw)" "$(sum <ring.raw)"
code "ring with --timeout-ms, which only requests have" 2 "$cli" --embedded -q ring normal -n 1 --timeout-ms 5
code "a broadcast of gamma takes its shape" 69 "$cli" --socket "$work/none" broadcast send dither gamma --shape 2 --rate 100
code "ring --name with --seed" 2 "$cli" --socket "$socket" ring normal --name noise --seed 1
code "ring --name without a daemon" 69 "$cli" --socket "$work/none" ring normal --name noise -n 1

# The sender is ready when its broadcast is listed.
"$cli" --socket "$socket" broadcast send dither normal --seed 5 --rate 200000 --samples 262144 2>/dev/null &
sender=$!
is_listed() {
	"$cli" --socket "$socket" broadcast list | grep -q '^dither '
}
await is_listed
code "broadcast read" 0 "$cli" --socket "$socket" broadcast read dither -n 50000 --format raw -o read.raw
"$cli" --embedded -q rand normal --seed 5 -n 50000 --format raw -o rand.raw
same "broadcast read: the bytes of rand" "$(sum <rand.raw)" "$(sum <read.raw)"
code "broadcast read of none" 2 "$cli" --socket "$socket" broadcast read nothing -n 1
kill "$sender"
wait "$sender" 2>/dev/null
code "broadcast without a daemon" 69 "$cli" --socket "$work/none" broadcast list
finish
