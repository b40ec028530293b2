#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs: every npy dtype and order, audio, csv and text give the array that they hold.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

fft() {
	"$cli" -q --embedded fft "$@"
}

# Files as numpy writes them, by one process: NAME DESCR FORTRAN_ORDER SHAPE FORM VALUES...
cat >npy.py <<'PYTHON'
import struct, sys
for line in sys.stdin:
    name, descr, fortran, shape, form, *values = line.split()
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, fortran, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    number = float if form[-1] in "efd" else int
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("%s%d%s" % (form[0], len(values), form[1]), *map(number, values)))
PYTHON
wide='|b1:<b |i1:<b <i2:<h >i2:>h <i4:<i >i4:>i <i8:<q >i8:>q |u1:<B <u2:<H >u2:>H <u4:<I >u4:>I <u8:<Q >u8:>Q <f8:<d >f8:>d'
narrow='<f4:<f >f4:>f <f2:<e >f2:>e'
{
	for dtype in $wide $narrow; do
		echo "${dtype%:*}.npy ${dtype%:*} False 4, ${dtype#*:} 3 1 0 2"
	done
	cat <<'LINES'
z.npy >c16 False 2, >d 1 2 3 4
c.npy <f8 False 2,3 <d 1 2 3 4 5 6
fortran.npy <f8 True 2,3 <d 1 4 2 5 3 6
deep.npy >i2 True 2,2,2 >h 0 4 2 6 1 5 3 7
flat.npy <f8 False 2,2,2 <d 0 1 2 3 4 5 6 7
dates.npy <M8 False 3, <q 1 2 3
short.npy >f8 True 2,3 >d 1 2 3 4 5
LINES
} | python3 npy.py
wanted=$(fft '<f8.npy' --format text)
for dtype in $wide; do
	same "npy ${dtype%:*} is transformed in float64" "$wanted" "$(fft "${dtype%:*}.npy" --format text)"
done
for dtype in $narrow; do
	same "npy ${dtype%:*} in float32" "<c8" "$(fft "${dtype%:*}.npy" --format npy | head -c 40 | grep -ao '<c[0-9]*')"
	same "npy ${dtype%:*}" "$wanted" "$(fft "${dtype%:*}.npy" --format text)"
done
same "npy >c16" "4 6|-2 -2|" "$(fft z.npy --format text | tr '\n' '|')"
same "npy in Fortran order" "$(fft c.npy --format text)" "$(fft fortran.npy --format text)"
same "big-endian integers in Fortran order" "$(fft flat.npy --format text)" "$(fft deep.npy --format text)"
code "an npy array of dates is refused" 65 "$cli" -q --embedded fft dates.npy
like "and what is allowed named" "*dates.npy*allowed bool, int8 to int64, uint8 to uint64, float16*" "$(cat err)"
{
	cat c.npy
	printf 'more bytes'
} >longer.npy
same "what follows an npy array is not read" "$(fft c.npy --format text)" "$(fft longer.npy --format text)"
same "from a pipe neither" "$(fft c.npy --format text)" "$(fft - --format text <longer.npy)"
code "raw input of an odd size from a pipe" 65 sh -c "printf abcde | '$cli' -q --embedded fft - --dtype f32"
code "an npy array that ends early" 65 "$cli" -q --embedded fft short.npy

printf '3\n1\n0\n2\n' >x.txt
printf 'value\n3\n1\n0\n2\n' >x.csv
printf '# a remark\n 3 \r\n1 # another\n\n0\n2' >odd.txt
printf '3\n1\n0\n2' >open.txt
printf 'value\r\n3\r\n1\r\n0\r\n2' >open.csv
for file in x.txt x.csv odd.txt open.txt open.csv; do
	same "numbers of $file" "$wanted" "$(fft $file --format text)"
done
same "text from a pipe" "$wanted" "$(fft - --format text <x.txt)"
printf 'a,b,c\n1,2,3\n4,5,6\n' >rows.csv
printf '1;2;3\n4;5;6\n' >semicolons.csv
printf '1 2\t3\n4\t5 6\n' >blanks.txt
for file in rows.csv semicolons.csv blanks.txt; do
	same "rows of $file" "$(fft c.npy --format text)" "$(fft $file --format text)"
done
fft c.npy -o spectrum.csv
same "complex csv comes back as it was" "$(fft c.npy --inverse --format text | sum)" \
	"$(fft c.npy --format npy >s.npy; fft spectrum.csv --inverse >b.raw; fft s.npy --inverse | cmp - b.raw && fft c.npy --inverse --format text | sum)"
printf '1,2\n3,4,5\n' >ragged.csv
code "lines of different lengths are refused" 65 "$cli" -q --embedded fft ragged.csv
like "and the line named" "*ragged.csv: line 2: 3 columns, allowed 2*" "$(cat err)"
: >empty.csv
code "a file without numbers is refused" 65 "$cli" -q --embedded fft empty.csv

"$cli" -q --embedded rand uniform -n 96 --seed 3 --high 0.9 -o u.npy
"$cli" -q --embedded rand uniform -n 96 --seed 3 --high 0.9 -o u.wav
same "float wav holds the samples of npy" "$(fft u.npy | sum)" "$(fft u.wav | sum)"
same "wav from a pipe" "$(fft u.npy | sum)" "$(fft - <u.wav | sum)"
same "wav is no raw input, whatever --dtype says" "$(fft u.npy --dtype c128 | sum)" "$(fft u.wav --dtype c128 | sum)"
sox u.wav -b 16 -c 2 -r 12000 pcm.flac remix 1 1v-0.5 2>/dev/null
sox pcm.flac -t raw -e signed -b 16 pcm.raw 2>/dev/null
same "channels of flac are rows" "2 $(soxi -s pcm.flac)" "$(fft pcm.flac --format text | awk 'END {print NR, NF / 2}')"
same "samples of 16 bits are multiples of 2^-15" "$(python3 -c "
import array
a = array.array('h', open('pcm.raw', 'rb').read())
print('%.9g %.9g' % (sum(a[0::2]) / 32768, sum(a[1::2]) / 32768))")" "$(fft pcm.flac --precision double --format text |
	awk '{printf "%s%.9g", (NR > 1 ? " " : ""), $1}')"
same "the rate of audio is that of welch" "frequency,power0,power1 6000" \
	"$("$cli" -q --embedded welch pcm.flac --nperseg 8 --format csv | sed -n '1p; $s/,.*//p' | tr '\n' ' ' | sed 's/ $//')"
same "the same with --fs" 6000 "$("$cli" -q --embedded welch u.npy --fs 12000 --nperseg 8 --format text | awk 'END {print $1}')"
"$cli" -q --embedded convolve u.wav u.wav --mode same -o echo.wav
same "wav out has the rate of wav in" "48000 96" "$(soxi -r echo.wav 2>/dev/null) $(soxi -s echo.wav 2>/dev/null)"
same "stft's lines have time and frequency" "time,frequency,re,im 0.001 24000" \
	"$("$cli" -q --embedded stft u.wav --n-fft 16 --hop-length 48 --format csv | sed -n '1p; 18s/,.*//p; 18q' | tr '\n' ' ')$("$cli" -q \
		--embedded stft u.wav --n-fft 16 --hop-length 48 --format text | awk 'END {print $2}')"
sox -n -r 16000 -b 16 tone.wav synth 2 sine 440 vol 0.5 2>/dev/null
"$cli" -q --embedded noise tone.wav --snr 10 --seed 3 -o noisy.wav
same "noise keeps the encoding of its input" "16 16000 32000" \
	"$(soxi -b noisy.wav) $(soxi -r noisy.wav) $(soxi -s noisy.wav)"
sox -m -v 1 noisy.wav -v -1 tone.wav -e float -b 32 difference.wav 2>/dev/null
rms() {
	sox "$1" -n stat 2>&1 | awk '/RMS +amplitude/ {print $3}'
}
same "sox measures the ratio that was asked for" "10.0" \
	"$(echo "$(rms tone.wav) $(rms difference.wav)" | awk '{printf "%.1f", 20 * log($1 / $2) / log(10)}')"
head -c 60 pcm.flac >cut.flac
code "damaged audio is refused" 65 "$cli" -q --embedded fft cut.flac
code "no wav of complex numbers" 2 "$cli" -q --embedded fft u.wav -o s.wav
like "and what is allowed named" "*wav of c64, allowed f32 and f64*" "$(cat err)"
same "nothing is left of it" "" "$(find . -name 's.wav' -o -name '.trnsci-*')"
finish
