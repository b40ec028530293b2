#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A draw's bytes depend on nothing but what is asked for: not on threads, instruction set, daemon, cuts or ranks.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"

n=200003
draws='bits --dtype u32
bits --dtype u64
uniform --dtype f32
uniform --dtype f64 --low -3 --high 5
normal --dtype f32 --mean 1 --std 2
normal --dtype f64
bits --generator ars4x32_7
uniform --dtype f32 --generator ars4x32_7
normal --dtype f64 --generator ars4x32_7
bits --generator threefry4x32_trn
normal --dtype f32 --generator threefry4x32_trn
bits --generator threefry4x64
normal --dtype f64 --generator philox4x64
bits --generator threefry2x32 --stream 4294967295
gamma --shape 0.5 --dtype f32 --generator threefry2x32 --stream 5
uniform --dtype f64 --generator philox2x32 --stream 4294967295'
common='--seed 0xdeadbeefcafef00d --stream 18446744073709551615 --offset 7 --format raw'
counts='1 2 7 128'
[ -z "${SAN:-}" ] || counts=7 # a sanitized command takes a tenth of a second to start

# all WHERE... : one sum for every draw
all() {
	echo "$draws" | while read -r draw; do
		# shellcheck disable=SC2086
		"$cli" -q "$@" rand $common -n $n $draw || echo "failed $(date +%N)"
	done | sum
}

expected=$(TRNSCI_CPU=scalar all --embedded --threads 1)
for level in scalar avx2 avx512; do
	if TRNSCI_CPU=$level "$cli" --embedded status | grep -q lowered; then
		echo "# this CPU cannot run $level"
		continue
	fi
	for threads in $counts; do
		same "embedded, $level, $threads threads" "$expected" \
			"$(TRNSCI_CPU=$level all --embedded --threads $threads)"
		export TRNSCI_CPU=$level
		start_daemon --threads $threads
		unset TRNSCI_CPU
		same "daemon, $level, $threads threads" "$expected" "$(all --socket "$socket")"
		stop_daemon
	done
done

start_daemon --threads 2
for where in "--embedded" "--socket $socket"; do
	# parts WHERE DRAW CUT... : the samples between the cuts, joined
	parts() {
		from=0
		for cut in 1 2 5 4096 16387 65535 65536 100001 $n; do
			# shellcheck disable=SC2086
			"$cli" -q $where rand $1 -n $((cut - from)) --seed 5 --offset $((from + 3)) --format raw
			from=$cut
		done | sum
	}
	ranks() {
		for rank in 0 1 2 3 4 5 6; do
			# shellcheck disable=SC2086
			"$cli" -q $where rand $1 -n $n --seed 5 --offset 3 --rank $rank --size 7 --format raw
		done | sum
	}
	for draw in bits "bits --dtype u64" uniform "uniform --dtype f64" normal "normal --dtype f64"; do
		# shellcheck disable=SC2086
		whole=$("$cli" -q $where rand $draw -n $n --seed 5 --offset 3 --format raw | sum)
		same "${where%% *}, $draw: parts cut anywhere join to the whole" "$whole" "$(parts "$draw")"
		same "${where%% *}, $draw: ranks join to the whole" "$whole" "$(ranks "$draw")"
	done
	# A permutation of 0 items is of the whole draw: of a rank's part, and of a piece, too.
	for draw in permutation "permutation --items 0" "permutation --items 1000"; do
		# shellcheck disable=SC2086
		same "${where%% *}, $draw: ranks join to the whole" \
			"$("$cli" -q $where rand $draw -n $n --seed 5 --offset 3 --format raw | sum)" "$(ranks "$draw")"
	done
	# shellcheck disable=SC2086
	same "${where%% *}, permutation --items 0: every item once" 1000000 \
		"$("$cli" -q $where rand permutation --items 0 -n 1000000 --format raw | od -An -v -w8 -td8 | sort -nu | wc -l)"
	# More than a piece of the command's own, so that tiles are used in turn.
	# shellcheck disable=SC2086
	same "${where%% *}: many pieces are one draw" \
		"$("$cli" -q $where rand bits -n 4000001 --seed 9 --format raw | tail -c 400 | sum)" \
		"$("$cli" -q $where rand bits -n 100 --offset 3999901 --seed 9 --format raw | sum)"
done
same "high streams and seeds as hex or decimal" \
	"$("$cli" -q --embedded rand bits -n 9 --seed 18446744073709551615 --format text)" \
	"$("$cli" -q --embedded rand bits -n 9 --seed 0xFFFFFFFFFFFFFFFF --format text)"
same "stream vectors" "b8ed4609 11293615 20738f4f f7a0783a" \
	"$("$cli" -q --socket "$socket" rand bits -n 4 --seed 1 --format raw | od -An -tx4 | sed 's/^ //')"
finish
