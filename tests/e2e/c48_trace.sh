#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Estimates of a trace from the command line: the same by daemon and embedded and at every level of instructions.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon
"$cli" --embedded rand normal -n 90000 --dtype f64 --seed 3 --format raw -o raw
for options in "--distribution normal" "--method hutchpp --probes 90" "--generator philox4x32 --seed 7 --offset 3"; do
	# shellcheck disable=SC2086
	embedded=$("$cli" --embedded trace raw --dtype f64 --length 300 $options)
	# shellcheck disable=SC2086
	code "trace $options by the daemon" 0 "$cli" --socket "$socket" trace raw --dtype f64 --length 300 $options
	same "trace $options: the same by both" "$embedded" "$(cat "$work/out")"
	for level in avx512 avx2 scalar; do
		# shellcheck disable=SC2086
		same "trace $options: the same with $level" "$embedded" \
			"$(TRNSCI_CPU=$level "$cli" --embedded --threads 3 trace raw --dtype f64 --length 300 $options)"
	done
done
printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100' >square
code "trace of two by two" 0 "$cli" --embedded trace square --dtype f32 --length 2 --probes 1
like "one probe gives no standard error" "estimate=* standard_error=unknown" "$(cat "$work/out")"
code "Hutch++ of a small matrix" 0 "$cli" --embedded trace square --dtype f32 --length 2 --probes 12 --method hutchpp
same "a sketch as wide as the matrix is exact" 5 "$(sed 's/estimate=\([^ ]*\).*/\1/' "$work/out" | awk '{printf "%.12g", $1}')"
code "trace of what is not square" 65 "$cli" --embedded trace raw --dtype f64 --length 100
code "trace of a row" 65 "$cli" --embedded trace raw --dtype f64
code "trace of complex numbers" 65 "$cli" --embedded trace square --dtype c64 --length 1
code "trace by two probes of Hutch++" 2 "$cli" --embedded trace square --dtype f32 --length 2 --probes 2 --method hutchpp
code "trace without a file" 2 "$cli" --embedded trace
code "trace with a length that is none" 2 "$cli" --embedded trace square --dtype f32 --length two
finish
