#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats of results: raw, npy, text and csv say the same numbers.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

draw() {
	"$cli" -q --embedded rand "$@"
}

draw normal -n 5 --seed 1 -o a.npy
draw normal -n 5 --seed 1 --format raw -o a.raw
same "npy by the file's name" "93 4e 55 4d 50 59 01 00" "$(head -c 8 a.npy | od -An -tx1 | sed 's/^ //')"
same "the data of npy is that of raw" "$(sum <a.raw)" "$(tail -c 20 a.npy | sum)"
same "npy's header" "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }" \
	"$(head -c 128 a.npy | tail -c 118 | tr -d '\n' | sed 's/ *$//')"
same "a header's size is a multiple of 64" 128 "$(($(wc -c <a.npy) - 20))"
same "text of float32" "0.206820324 0.330382586 -0.881507099 -0.902066469 -0.291441649" \
	"$(draw normal -n 5 --seed 1 --format text | tr '\n' ' ' | sed 's/ $//')"
same "text of float64 has 17 digits" \
	"$(draw uniform -n 3 --dtype f64 --format raw | python3 -c "
import struct, sys
for x in struct.unpack('<3d', sys.stdin.buffer.read()): print('%.17g' % x)")" \
	"$(draw uniform -n 3 --dtype f64 --format text)"
same "text of u64" "$(draw bits -n 3 --dtype u64 --format raw | od -An -v -tu8 -w8 | tr -d ' ')" \
	"$(draw bits -n 3 --dtype u64 --format text)"
same "csv has a header" "value" "$(draw bits -n 3 --format csv 2>/dev/null | head -1)"
same "csv has the lines of text" "$(draw bits -n 3 --format text | sum)" "$(draw bits -n 3 --format csv | tail -3 | sum)"
same "raw to a pipe by default" "$(sum <a.raw)" "$(draw normal -n 5 --seed 1 | sum)"
same "nothing is drawn for -n 0" 0 "$(draw normal -n 0 --format raw | wc -c)"
same "npy of nothing" 128 "$(draw normal -n 0 --format npy | wc -c)"
draw normal -n 5 --seed 1 --format npy -o - >b.npy
same "-o - is stdout" "$(sum <a.npy)" "$(sum <b.npy)"
same "many lines of text" 300000 "$(draw uniform -n 300000 --format text | wc -l)"

printf '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100' >c.raw # 1, 2, 3, 4
same "complex text is two columns" "10 0|-2 2|-2 0|-2 -2" \
	"$("$cli" -q --embedded fft c.raw --dtype f32 --format text | sed 's/ -0$/ 0/' | tr '\n' '|' | sed 's/|$//')"
same "complex csv is two columns with names" "re,im" "$("$cli" -q --embedded fft c.raw --dtype f32 --format csv 2>/dev/null | head -1)"

"$cli" -q --embedded qmc sobol -n 3 -d 2 --format text >points.txt
same "rows of an array are lines of text" "0 0|0.5 0.5|0.75 0.25|" "$(tr '\n' '|' <points.txt)"
same "csv names the columns" "x0,x1" "$("$cli" -q --embedded qmc sobol -n 3 -d 2 --format csv 2>/dev/null | head -1)"
draw uniform -n 7 -o u.csv
same "csv by the file's name" "value 8" "$(head -1 u.csv) $(wc -l <u.csv)"
draw uniform -n 7 -o u.txt
same "text by the file's name" "$(tail -n 7 u.csv)" "$(cat u.txt)"
draw uniform -n 480 --rate 8000 -o u.wav
same "wav by the file's name" "1 8000 480 32" "$(soxi -c u.wav 2>/dev/null) $(soxi -r u.wav 2>/dev/null) $(soxi -s u.wav 2>/dev/null) $(soxi -b u.wav 2>/dev/null)"
same "wav has no time of its writing, which the chunk PEAK has" 0 "$(grep -c PEAK u.wav)"
same "wav to a pipe is the same file" "$(sum <u.wav)" "$(draw uniform -n 480 --rate 8000 --format wav | sum)"
draw exponential -n 3 --rate 0.5 -o e.wav
same "a distribution's own --rate stays its own" 48000 "$(soxi -r e.wav 2>/dev/null)"

cat >terminal.py <<'PYTHON'
# Runs a command with stdout, or stderr, on a terminal; prints its exit code and what it said there.
import os, pty, subprocess, sys
master, slave = pty.openpty()
where = sys.argv[1]
streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, where: slave}
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, **streams)
os.close(slave)
said = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    said += piece
print(process.wait(), said.decode().replace("\r\n", "|"))
PYTHON
on() {
	where=$1
	shift
	python3 terminal.py "$where" "$cli" "$@"
}
same "text on a terminal" "0 0.206820324|0.330382586|" "$(on stdout -q --embedded rand normal -n 2 --seed 1)"
same "raw to a terminal is refused" "2 " "$(on stdout -q --embedded rand normal -n 2 --format raw)"
same "npy to a terminal is refused" "2 " "$(on stdout -q --embedded rand normal -n 2 --format npy)"
like "progress on a terminal, when it takes over a second" "0 *%*samples/s*" \
	"$(on stderr --embedded rand normal -n 12000000 --format text -o /dev/null)"
same "no progress for short work" "0 " "$(on stderr --embedded rand normal -n 10 --seed 1 --format text -o /dev/null)"
like "the default seed is named once on a terminal" "0 trnsci-cli: --seed 0, which gives the same numbers every time*--seed random*" \
	"$(on stderr --embedded rand normal -n 10 --format text -o /dev/null)"
finish
