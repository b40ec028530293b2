#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Points from the command line: the same bytes by daemon and embedded, in parts and in pieces; derived streams; the
# byte-tile tables.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon
for kind in "sobol --scramble owen" "sobol --bits 32 --scramble shift" "halton --scramble owen" \
	"lattice --scramble shift" "lhs --scramble jitter --dtype f32"; do
	# More than one piece of 4 MiB.
	set -- -n 200003 -d 3 --seed 5 --stream 0xffffffff --generator philox4x32 --format raw
	# shellcheck disable=SC2086
	expected=$(TRNSCI_CPU=scalar "$cli" -q --embedded qmc $kind "$@" | sum)
	# shellcheck disable=SC2086
	same "$kind: by the daemon" "$expected" "$("$cli" -q --socket "$socket" qmc $kind "$@" | sum)"
	# shellcheck disable=SC2086
	same "$kind: in three parts" "$expected" "$(for rank in 0 1 2; do
		"$cli" -q --embedded qmc $kind "$@" --rank $rank --size 3
	done | sum)"
done
stop_daemon

code "npy" 0 "$cli" -q --embedded qmc halton -n 10 -d 4 -o points.npy
like "npy: shape" "*(10, 4)*" "$(head -c 128 points.npy | tr -d '\0')"
same "point 1" "0.5 0.33333333333333331 " \
	"$("$cli" -q --embedded qmc halton -n 1 -d 2 --offset 1 --format text | tr '\n' ' ')"
code "no dimensions" 2 "$cli" qmc sobol -n 5
like "no dimensions: message" "*-d DIMS*" "$(cat err)"
code "too many dimensions" 2 "$cli" -q --embedded qmc sobol -n 5 -d 2000
like "too many dimensions: message" "*d: got 2000*allowed*1111*" "$(cat err)"
code "unknown kind" 2 "$cli" qmc foo -n 5 -d 1
code "no points" 0 "$cli" -q --embedded qmc lhs -n 0 -d 2 --format text
same "no points: empty" "" "$(cat out)"

same "children are those of a wider split" "$("$cli" derive --seed 3 --split 2)" \
	"$("$cli" derive --seed 3 --split 5 | head -2)"
code "a stream that Philox has not" 2 "$cli" derive --generator philox4x32 --stream 4294967296 --label x
like "a stream that Philox has not: message" "*philox4x32 has no stream 4294967296*allowed are 0 to 4294967295*" "$(cat err)"
for generator in ars4x32_7 threefry4x32_13 threefry4x32_trn threefry4x64 philox4x64; do
	same "a child of $generator is that of Threefry" "$("$cli" derive --seed 3 --stream 4294967296 --label x)" \
		"$("$cli" derive --generator $generator --seed 3 --stream 4294967296 --label x)"
done
code "byte tiles" 0 "$cli" selftest --byte-tiles
same "byte tiles: Threefry is right" 3 "$(grep -c '^threefry4x32 .*100.0000%.*ok$' out)"
same "byte tiles: Philox is not" 2 "$(grep -cE '^philox4x32 +(nearest|saturating) +0\.0000%' out)"
finish
