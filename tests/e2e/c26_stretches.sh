#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Long signals slide through welch, csd, stft and istft in stretches. The bytes are those of the signal at once, as `run` computes it.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
start_daemon --state-dir "$work/state"

# A stretch has some 262,144 elements.
n=900000
"$cli" -q --embedded rand normal -n $n --seed 1 --format raw >x.raw
"$cli" -q --embedded rand normal -n $n --seed 2 --format raw >y.raw
"$cli" -q --embedded rand normal -n $n --seed 3 --dtype f64 --format raw >wide.raw
"$cli" -q --embedded rand normal -n $((2 * 257 * 4000)) --seed 4 --format raw >spectra.raw
"$cli" -q --embedded rand normal -n $((2 * 20001 * 300)) --seed 4 --format raw >few.raw
cat >npy.py <<'PYTHON'
import array, struct, sys
name, descr, shape, raw = sys.argv[1:5]
data = open(raw, "rb").read()
if "integers" in sys.argv:
    data = array.array({"<i2": "h", "<f8": "d"}[descr], (int(x * 1000) for x in array.array("f", data))).tobytes()
header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }" % (descr, "fortran" in sys.argv, shape)
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
PYTHON
python3 npy.py x.npy '<f4' $n x.raw
python3 npy.py y.npy '<f4' $n y.raw
python3 npy.py wide.npy '<f8' $n wide.raw
python3 npy.py complex.npy '<c8' $((n / 2)) x.raw
python3 npy.py integers.npy '<i2' $n x.raw integers
python3 npy.py integers_once.npy '<f8' $n x.raw integers
python3 npy.py rows.npy '<f4' 2,$((n / 2)) x.raw
python3 npy.py columns.npy '<f4' $((n / 2)),2 x.raw
python3 npy.py middle.npy '<f4' 2,$((n / 6)),3 x.raw
python3 npy.py turned.npy '<f4' $((n / 2)),2 x.raw fortran
python3 npy.py bins.npy '<c8' 257,4000 spectra.raw
python3 npy.py frames.npy '<c8' 4000,257 spectra.raw
python3 npy.py many.npy '<c8' 2,257,2000 spectra.raw
python3 npy.py few.npy '<c8' 20001,300 few.raw

# A command, "x" being the signal's file and "y" the other's; what JSON says of its parameters.
cat >cases <<'LINES'
welch x.npy|
welch wide.npy --nperseg 1000 --noverlap 300 --detrend linear --scaling spectrum|"nperseg": 1000, "noverlap": 300, "detrend": "linear", "scaling": "spectrum"
welch x.npy --nperseg 100000 --nfft 100003|"nperseg": 100000, "nfft": 100003
welch x.npy --nperseg 7 --onesided=false --fs 48000|"nperseg": 7, "onesided": false, "fs": 48000
welch complex.npy --nperseg 2|"nperseg": 2
welch integers.npy|
welch rows.npy --nperseg 4000|"nperseg": 4000
welch columns.npy --axis 0|"axis": 0
welch middle.npy --axis=-2 --nperseg 2000|"axis": -2, "nperseg": 2000
welch turned.npy --axis=-2|"axis": -2
csd x.npy y.npy --nperseg 600|"nperseg": 600
csd x.npy wide.npy --nperseg 40000 --noverlap 39000|"nperseg": 40000, "noverlap": 39000
csd columns.npy columns.npy --axis 0|"axis": 0
stft x.npy --n-fft 512 --window hann|"n_fft": 512, "window": "hann"
stft x.npy --n-fft 512 --layout frames_bins|"n_fft": 512, "layout": "frames_bins"
stft x.npy --n-fft 512 --center=false --normalized|"n_fft": 512, "center": false, "normalized": true
stft x.npy --n-fft 512 --pad-mode circular|"n_fft": 512, "pad_mode": "circular"
stft wide.npy --n-fft 1001 --hop-length 777 --pad-mode replicate|"n_fft": 1001, "hop_length": 777, "pad_mode": "replicate"
stft x.npy --n-fft 8192 --hop-length 5000 --pad-mode constant --onesided=false|"n_fft": 8192, "hop_length": 5000, "pad_mode": "constant", "onesided": false
stft x.npy --n-fft 100 --hop-length 900|"n_fft": 100, "hop_length": 900
stft x.npy --n-fft 64 --hop-length 64|"n_fft": 64, "hop_length": 64
stft rows.npy --n-fft 512|"n_fft": 512
stft complex.npy --n-fft 256 --win-length 200 --window hann|"n_fft": 256, "win_length": 200, "window": "hann"
istft bins.npy --n-fft 512 --window hann|"n_fft": 512, "window": "hann"
istft bins.npy --n-fft 513 --hop-length 100|"n_fft": 513, "hop_length": 100
istft frames.npy --n-fft 512 --window hann --layout frames_bins|"n_fft": 512, "window": "hann", "layout": "frames_bins"
istft bins.npy --n-fft 512 --window hann --length 511800|"n_fft": 512, "window": "hann", "length": 511800
istft bins.npy --n-fft 512 --window hann --length 600000|"n_fft": 512, "window": "hann", "length": 600000
istft bins.npy --n-fft 512 --window hann --length 4000|"n_fft": 512, "window": "hann", "length": 4000
istft bins.npy --n-fft 512 --window hamming --no-center|"n_fft": 512, "window": "hamming", "center": false
istft bins.npy --n-fft 512 --hop-length 512|"n_fft": 512, "hop_length": 512
istft many.npy --n-fft 512 --window hann|"n_fft": 512, "window": "hann"
istft few.npy --n-fft 20001 --hop-length 3000 --window hann --return-complex|"n_fft": 20001, "hop_length": 3000, "window": "hann", "return_complex": true
LINES
while IFS='|' read -r command parameters; do
	# shellcheck disable=SC2086
	set -- $command
	case $1 in
	csd) inputs='"in": {"file": "'$2'"}, "y": {"file": "'$3'"}' ;;
	*) inputs='"in": {"file": "'$2'"}' ;;
	esac
	case $2 in # the engine has no integers of 16 bits
	integers.npy) inputs='"in": {"file": "integers_once.npy"}' ;;
	esac
	printf '{"steps": [{"op": "%s", %s%s, "as": "x"}], "results": ["x"]}' "$1" "$inputs" "${parameters:+, $parameters}" >program.json
	code "$command, at once" 0 "$cli" -q --embedded run program.json -o once.npy
	code "$command, embedded" 0 "$cli" -q --embedded "$@" -o embedded.npy
	same "$command: the same bytes" "$(sum <once.npy)" "$(sum <embedded.npy)"
	code "$command, by the daemon" 0 "$cli" -q --socket "$socket" "$@" -o daemon.npy
	same "$command: the same bytes by the daemon" "$(sum <once.npy)" "$(sum <daemon.npy)"
done <cases

# To a file and from one, or through pipes: where the result's order does not allow stretches, all is taken at once.
for command in "welch - --dtype f32" "stft - --dtype f32 --n-fft 512" "stft - --dtype f32 --n-fft 512 --layout frames_bins"; do
	# shellcheck disable=SC2086
	"$cli" -q --embedded $command <x.raw >file
	# shellcheck disable=SC2086
	same "$command: a pipe on both sides" "$(sum <file)" "$(tail -c +1 x.raw | "$cli" -q --embedded $command | cat | sum)"
	rm -f appended.raw
	# shellcheck disable=SC2086
	"$cli" -q --embedded $command <x.raw >>appended.raw
	same "$command: appended" "$(sum <file)" "$(sum <appended.raw)"
done
"$cli" -q --embedded welch columns.npy --axis 0 -f csv >file.csv
same "a table has a line for each bin, and the header" "130 frequency,power0,power1" "$(wc -l <file.csv) $(head -1 file.csv)"

# The daemon is started again in the midst: a stretch that was not answered is computed once more.
mkfifo pipe
for command in "welch -" "stft - --n-fft 512"; do
	# shellcheck disable=SC2086
	"$cli" -q --embedded $command <x.npy -o file.npy
	# shellcheck disable=SC2086
	"$cli" -q --socket "$socket" $command -o again.npy <pipe &
	pid=$!
	exec 8>pipe
	head -c 2000000 x.npy >&8
	stop_daemon
	start_daemon --state-dir "$work/state"
	tail -c +2000001 x.npy >&8
	exec 8>&-
	wait "$pid"
	same "$command: over a restart of the daemon" "0 $(sum <file.npy)" "$? $(sum <again.npy)"
done

# Sums are an array as any other.
"$cli" -q --embedded welch x.npy --average sums -o sums.npy
same "sums of one signal: eight levels of 129 bins, float64" $((128 + 8 * 129 * 8)) "$(wc -c <sums.npy)"

# A file that ends within a stretch, and parameters that the engine refuses.
head -c 2000000 x.npy >short.npy
code "a file that ends too soon" 65 "$cli" -q --embedded welch short.npy
code "an overlap of a whole segment" 2 "$cli" -q --embedded welch x.npy --noverlap 256
code "windows that leave samples bare" 2 "$cli" -q --embedded istft bins.npy --n-fft 512 --window hann --center=false -o bare.npy
same "and nothing is written" "" "$(find . -name 'bare*')"
finish
