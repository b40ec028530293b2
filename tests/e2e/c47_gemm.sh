#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products of matrices and precision modes from the command line: the same bytes by daemon and embedded, and under
# every level of instructions whose sums of bfloat16 products have one order (AMX's tiles have another).
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon
"$cli" --embedded rand normal -n 6400 --seed 3 -o reals.npy
"$cli" --embedded fft reals.npy -o row.npy
"$cli" --embedded rand normal -n 8192 --seed 1 --format raw -o raw
for mode in bf16 bf16_refined ozaki ozaki6 ozaki_hq ozaki_fp64 kahan; do
	"$cli" --embedded fft raw --dtype c64 --length 64 --precision "$mode" -o embedded.raw
	code "fft --precision $mode by the daemon" 0 \
		"$cli" --socket "$socket" fft raw --dtype c64 --length 64 --precision "$mode" -o daemon.raw
	same "fft --precision $mode: the same by both" "$(sum <embedded.raw)" "$(sum <daemon.raw)"
done
for level in avx512 avx2 scalar; do
	TRNSCI_CPU=$level "$cli" --embedded fft raw --dtype c64 --length 64 --precision ozaki -o level.raw
	TRNSCI_CPU=avx512bf16 "$cli" --embedded fft raw --dtype c64 --length 64 --precision ozaki -o best.raw
	same "fft --precision ozaki: the same with $level" "$(sum <best.raw)" "$(sum <level.raw)"
done
for mode in fast double bf16 ozaki ozaki6 ozaki_hq ozaki_fp64; do
	"$cli" --embedded gemm row.npy row.npy --precision "$mode" -o embedded.npy
	code "gemm --precision $mode by the daemon" 0 \
		"$cli" --socket "$socket" gemm row.npy row.npy --precision "$mode" -o daemon.npy
	same "gemm --precision $mode: the same by both" "$(sum <embedded.npy)" "$(sum <daemon.npy)"
done
"$cli" --embedded gemm row.npy row.npy --op-a conjugate -o norm.npy
code "gemm with an addend" 0 "$cli" --embedded gemm row.npy row.npy --op-a conjugate -c norm.npy --beta -1 --format text
like "gemm with an addend: nothing is left" "0[ ,]0" "$(cat "$work/out")"
code "gemm -v" 0 "$cli" -v --embedded gemm row.npy row.npy --precision ozaki -o embedded.npy
like "gemm -v prints the arithmetic and its bound" "*precision ozaki, each element's error at most 0.0034 of *" "$(cat "$work/err")"
code "gemm of one input" 2 "$cli" --embedded gemm row.npy
code "gemm of rows that do not fit" 2 "$cli" --embedded gemm row.npy row.npy --precision nothing
code "selftest --psum" 0 "$cli" selftest --psum
like "selftest --psum prints the errors" "*float32*angles*accumulator*ozaki*products*" "$(cat "$work/out")"
finish
