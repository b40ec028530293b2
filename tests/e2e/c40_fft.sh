#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fft on the command line, against numpy's, embedded and through the daemon.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

python=/usr/bin/python3
cat >reference.py <<'PYTHON'
# Holds one npy file against numpy's transform of another.
import sys
import numpy as np

what, before, after = sys.argv[1:4]
x, y = np.load(before), np.load(after)
wide = x.astype(complex) if np.iscomplexobj(x) else x.astype(float)
expected = {"forward": lambda: np.fft.fft(wide), "half": lambda: np.fft.rfft(wide), "padded": lambda: np.fft.fft(wide, y.shape[-1]),
            "ortho": lambda: np.fft.fft(wide, norm="ortho"), "axes": lambda: np.fft.fftn(wide),
            "first": lambda: np.fft.fft(wide, axis=0), "same": lambda: wide}[what]()
limit = (1 + (what == "same")) * (1e-6 if y.dtype in (np.complex64, np.float32) else 1e-14)
error = np.linalg.norm(expected - y) / np.linalg.norm(expected) if expected.shape == y.shape else np.inf
if not error <= limit:
    print("%s, %s expected; error %.2g, allowed %.2g" % (y.shape, expected.shape, error, limit))
print(y.dtype.str, ",".join(map(str, y.shape)))
PYTHON

# check NAME WHAT BEFORE AFTER KIND-AND-SHAPE
check() {
	same "$where: $1" "$5" "$("$python" reference.py "$2" "$3" "$4" 2>&1)"
}

fft() {
	# shellcheck disable=SC2086
	"$cli" -q $engine fft "$@" || echo "failed: $*" >&2
}

# An array of shape 30 x 20 by a raw file: --length is its rows' length.
"$cli" -q --embedded rand normal -n 600 --seed 3 --format raw -o x.raw
"$cli" -q --embedded rand normal -n 600 --seed 3 --dtype f64 --format raw -o x64.raw
"$python" - <<'PYTHON'
import numpy as np
for name, file, dtype, shape in (("x", "x.raw", "f4", (30, 20)), ("x64", "x64.raw", "f8", (30, 20)), ("c", "x.raw", "c8", (15, 20)),
                                 ("x3", "x.raw", "f4", (2, 15, 20)), ("x1", "x.raw", "f4", (600,))):
    np.save(name, np.fromfile(file, dtype).reshape(shape))
PYTHON

start_daemon --threads 2
for where in embedded daemon; do
	engine="--embedded"
	[ $where = daemon ] && engine="--socket $socket"
	fft x.npy -o y.npy
	check "float32 rows" forward x.npy y.npy "<c8 30,20"
	fft x64.npy -o y.npy
	check "float64 rows" forward x64.npy y.npy "<c16 30,20"
	fft c.npy -o y.npy
	check "complex rows" forward c.npy y.npy "<c8 15,20"
	fft y.npy --inverse -o back.npy
	check "and back" same c.npy back.npy "<c8 15,20"
	fft x.npy --real -o y.npy
	check "half spectra" half x.npy y.npy "<c8 30,11"
	fft y.npy --real --inverse -o back.npy
	check "and back to real" same x.npy back.npy "<f4 30,20"
	fft y.npy --real --inverse --length 20 -o back.npy
	check "and back to a stated length" same x.npy back.npy "<f4 30,20"
	fft x.npy --length 31 -o y.npy
	check "padded" padded x.npy y.npy "<c8 30,31"
	fft x.npy --length 7 -o y.npy
	check "trimmed" padded x.npy y.npy "<c8 30,7"
	fft x.npy --norm ortho -o y.npy
	check "ortho" ortho x.npy y.npy "<c8 30,20"
	fft x.npy --axes 0,1 -o y.npy
	check "two axes" axes x.npy y.npy "<c8 30,20"
	fft x3.npy --axes=-3,-2,-1 -o y.npy
	check "three axes" axes x3.npy y.npy "<c8 2,15,20"
	fft x3.npy --axes 0 -o y.npy
	check "the first axis" first x3.npy y.npy "<c8 2,15,20"
	fft x.npy --precision double -o y.npy
	check "float32 in double" forward x.npy y.npy "<c16 30,20"
	fft x.npy --precision double --dtype complex64 -o y.npy
	check "and rounded at the end" forward x.npy y.npy "<c8 30,20"
	fft x.npy --target-error 1e-12 -o y.npy
	check "a target error" forward x.npy y.npy "<c16 30,20"
	fft x1.npy -o y.npy
	check "one long row" forward x1.npy y.npy "<c8 600"
	fft x.npy -o y.npy
	same "$where: raw rows by --length" "$(tail -c 4800 y.npy | sum)" \
		"$(fft x.raw --dtype f32 --length 20 --format raw | sum)"
	same "$where: raw from a pipe" "$(tail -c 4800 y.npy | sum)" \
		"$(fft - --dtype f32 --length 20 --format raw <x.raw | sum)"
	same "$where: npy from a pipe" "$(sum <y.npy)" "$(fft - --format npy <x.npy | sum)"
	same "$where: a text line for each row, two columns for each element" "30 40" \
		"$(fft x.npy --format text | awk 'END {print NR, NF}')"
done
# Many pieces: a batch that does not fit a tile, and the same rows alone.
"$cli" -q --embedded rand normal -n 6000000 --seed 4 --format raw -o big.raw
engine="--socket $socket"
same "a row's bytes do not depend on its batch" \
	"$(fft big.raw --dtype c64 --length 1000 --format raw | tail -c 8000 | sum)" \
	"$(tail -c 8000 big.raw | fft - --dtype c64 --length 1000 --format raw | sum)"
same "embedded and daemon agree" "$(fft big.raw --dtype c64 --length 1000 --format raw | sum)" \
	"$("$cli" -q --embedded fft big.raw --dtype c64 --length 1000 --format raw | sum)"
# No more memory than the input and the result: 8 MiB each, of an arena of 18.
"$cli" -q --embedded rand normal -n 2097152 --seed 5 --format raw -o long.raw
stop_daemon
start_daemon --threads 2 --arena-bytes 18M --arena-ahead-bytes 0
code "an arena that holds input and result" 0 "$cli" -q --socket "$socket" fft long.raw --dtype c64 --length 1048576 -o long-result
code "the same in float64 does not fit" 75 "$cli" -q --socket "$socket" fft long.raw --dtype c64 --length 1048576 \
	--out-dtype complex128 -o wide
for how in "--target-error 1e-12" "--precision double" "--dtype complex128"; do
	# shellcheck disable=SC2086
	code "room for a float64 result: $how" 0 "$cli" -q --embedded fft x1.npy --length 200000 $how -o wide
done
# 2^25 elements, 256 MiB: an impulse becomes ones.
if [ -n "${TRNSCI_FULL:-}" ]; then
	printf '\0\0\200?\0\0\0\0' >ones.raw
	cp ones.raw impulse.raw
	truncate -s 268435456 impulse.raw
	for _ in 1 2 3 4 5; do # 32 times as many each time
		for _ in 1 2 3 4 5 6 7 8; do cat ones.raw ones.raw ones.raw ones.raw; done >more.raw
		mv more.raw ones.raw
	done
	for engine in --embedded "--socket $socket"; do
		fft impulse.raw --dtype c64 --length 33554432 -o spectrum.raw
		code "$engine: 2^25 elements" 0 cmp ones.raw spectrum.raw
	done
	rm impulse.raw ones.raw spectrum.raw
fi
finish
