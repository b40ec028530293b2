#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are larger than the first memory a session gets, through every command that reads one; by pieces and as a whole.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
start_daemon --state-dir "$work/state"

# 72 MiB: one signal, eight signals, a batch of matrices, a batch of spectra.
cat >npy.py <<'PYTHON'
import struct, sys
name, descr, shape, raw = sys.argv[1:5]
header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (descr, shape)
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(open(raw, "rb").read())
PYTHON
n=18874368
"$cli" -q --embedded rand normal -n $n --seed 1 -o data.raw
python3 npy.py long.npy '<f4' $n data.raw
python3 npy.py rows.npy '<f4' 8,$((n / 8)) data.raw
python3 npy.py matrix.npy '<f4' 4344,4344 data.raw
python3 npy.py batch.npy '<c8' $((n / 32)),4,4 data.raw
python3 npy.py spectra.npy '<c8' 8,257,4590 data.raw
"$cli" -q --embedded rand normal -n 65 --seed 2 -o short.npy
printf '%s' '{"seed": 1, "steps": [{"op": "add", "a": {"file": "long.npy"}, "b": {"file": "long.npy"}, "as": "x"}, {"op": "max", "in": "x", "as": "m"}], "results": ["m"]}' >program.json

# Each command, with the inputs that it takes. A command that reads files and is not here fails the test.
cat >commands <<'LINES'
rand normal --mean @long.npy --seed 3
fft long.npy --real
fft rows.npy --real
dct rows.npy
dst rows.npy
fftshift long.npy
noise long.npy --snr 10 --seed 3
surrogate long.npy --seed 3
gemm batch.npy batch.npy
trace matrix.npy --probes 2
stft long.npy --n-fft 512 --window hann
stft rows.npy --n-fft 512 --window hann
istft spectra.npy --n-fft 512 --window hann
convolve long.npy short.npy
correlate rows.npy short.npy
welch long.npy
welch rows.npy
csd long.npy long.npy
csd rows.npy rows.npy
plot spectrum long.npy
plot spectrogram long.npy
plot waveform long.npy
run program.json
LINES
for command in $("$cli" help | awk '/^  [a-z]/ && $1 != "help" { print $1 }'); do
	case $("$cli" help "$command" | head -1) in
	*INPUT* | *MATRIX* | *PROGRAM* | *" A B "* | *" X Y "*)
		like "$command reads files and is tried" "*|$command *" "|$(tr '\n' '|' <commands)" ;;
	esac
done
while read -r command; do
	# The words of a line are the command's.
	# shellcheck disable=SC2086
	code "$command, embedded" 0 "$cli" -q --embedded $command
	embedded=$(sum <out)
	# shellcheck disable=SC2086
	code "$command, by the daemon" 0 "$cli" -q --socket "$socket" $command
	same "$command: the same result" "$embedded" "$(sum <out)"
	same "$command: there is one" 1 "$(($(wc -c <out) > 0))"
done <commands

# What is computed by pieces has the bytes of each row alone, which is one piece.
head -c $((n / 2)) data.raw >first.raw
tail -c $((n / 2)) data.raw >last.raw
# rows NAME COMMAND... : the first and the last of eight rows
rows() {
	name=$1
	shift
	"$cli" -q --embedded "$@" rows.npy --format raw >whole
	"$cli" -q --embedded "$@" first.raw --dtype f32 --format raw >row
	size=$(wc -c <row)
	same "$name: the result of eight rows" $((8 * size)) "$(wc -c <whole)"
	same "$name: the first row" "$(sum <row)" "$(head -c "$size" whole | sum)"
	"$cli" -q --embedded "$@" last.raw --dtype f32 --format raw >row
	same "$name: the last row" "$(sum <row)" "$(tail -c "$size" whole | sum)"
}
rows fft fft --real
rows dct dct
rows stft stft --n-fft 256 --window hann
rows welch welch --nperseg 1000

# Of +1 and -1 any part has the power 1, so that noise is as strong in a part as in the whole.
python3 -c "
import struct, sys
sys.stdout.buffer.write(struct.pack('<2f', 1, -1) * 500000)" >square.raw
"$cli" -q --embedded noise square.raw --dtype f32 --snr 3 --seed 5 --offset 7 --format raw >whole
head -c 2000000 square.raw >half.raw
"$cli" -q --embedded noise half.raw --dtype f32 --snr 3 --seed 5 --offset 7 --format raw >halves
"$cli" -q --embedded noise half.raw --dtype f32 --snr 3 --seed 5 --offset 500007 --format raw >>halves
same "noise takes the samples of its place" "$(sum <whole)" "$(sum <halves)"

# Coloured noise is one signal, in pieces and in parts. What was added, divided by what --snr makes its strength, is the draw.
"$cli" -q --embedded noise square.raw --dtype f32 --snr 3 --color brown --seed 5 --offset 7 --format raw >brown
"$cli" -q --embedded noise half.raw --dtype f32 --snr 3 --exponent 2 --seed 5 --offset 7 --format raw >browns
"$cli" -q --embedded noise half.raw --dtype f32 --snr 3 --color brown --seed 5 --offset 500007 --format raw >>browns
same "coloured noise, too" "$(sum <brown)" "$(sum <browns)"
"$cli" -q --embedded rand colored --color brown -n 1e6 --seed 5 --offset 7 --format raw >drawn
same "which is that of the draw" yes "$(python3 - <<'PYTHON'
import array
read = lambda name: array.array("f", open(name, "rb").read())
y, x, n = read("brown"), read("square.raw"), read("drawn")
print("yes" if max(abs(a - b - 10**-0.15 * c) for a, b, c in zip(y, x, n)) < 1e-6 else "no")
PYTHON
)"
for rank in 0 1 2; do
	"$cli" -q --socket "$socket" rand colored --color brown -n 1e6 --seed 5 --offset 7 --rank "$rank" --size 3 --format raw
done >ranks
same "and ranks draw parts of it" "$(sum <drawn)" "$(sum <ranks)"
"$cli" -q --embedded rand colored -n 1e5 --fs 1000 --density 0.5 --color white --format text >numbers.txt
same "its density is one per hertz" yes "$(awk '{s += $1 * $1} END {print (s / NR > 245 && s / NR < 255) ? "yes" : s / NR}' numbers.txt)"
"$cli" -q --embedded rand normal -n 1000000 --std "$(python3 -c 'print(10 ** (-3 / 20))')" --seed 5 --offset 7 --dtype f32 --format raw >noise.raw
python3 - <<'PYTHON' >difference
import array
read = lambda name: array.array("f", open(name, "rb").read())
print(max(abs(a - b - c) for a, b, c in zip(read("whole"), read("square.raw"), read("noise.raw"))) < 1e-6)
PYTHON
same "and is the signal plus these" True "$(cat difference)"
same "from a pipe as from a file" "$(sum <whole)" \
	"$("$cli" -q --embedded noise - --dtype f32 --snr 3 --seed 5 --offset 7 --format raw <square.raw | sum)"

# Long audio is decoded as it is read; what comes from a pipe is decoded as a whole. Two channels are two rows.
python3 - <<'PYTHON'
import array, wave
data = array.array("f", open("data.raw", "rb").read())[:5000000]
pcm = array.array("h", (max(-32768, min(32767, int(x * 3000))) for x in data)).tobytes()
for name, channels in (("one.wav", 1), ("two.wav", 2)):
    with wave.open(name, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(pcm * 2 * channels)
PYTHON
"$cli" -q --embedded rand normal -n 10000000 --std 0.1 --seed 6 -o one.flac
for command in "welch one.wav" "welch two.wav" "welch one.flac" "stft two.wav --n-fft 512 --hop-length 512 --layout frames_bins" \
	"noise two.wav --snr 10 --seed 3 --format raw" "fft two.wav --real"; do
	file=$(echo "$command" | cut -d' ' -f2)
	# shellcheck disable=SC2086
	code "$command" 0 "$cli" -q --embedded $command
	# shellcheck disable=SC2086
	same "$command: as from a pipe" "$(tail -c +1 "$file" | "$cli" -q --embedded ${command%%"$file"*} - ${command#*"$file"} | sum)" "$(sum <out)"
done
head -c 20000000 one.flac >half.flac
code "flac that is cut" 65 "$cli" -q --embedded welch half.flac
like "ends before its last sample" "*half.flac: the audio ends before its last sample*" "$(cat err)"

# peak COMMAND... : the most memory that it holds, in MiB
peak() {
	python3 -c "
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)" "$@"
}
if [ -z "${SAN:-}" ]; then # a sanitizer holds memory of its own
	same "rows are not held all at once" 1 "$(($(peak "$cli" -q --socket "$socket" welch rows.npy) < 40))"
	same "noise holds no signal" 1 "$(($(peak "$cli" -q --socket "$socket" noise long.npy --snr 3 --format raw) < 40))"
	same "one signal is held once" 1 "$(($(peak "$cli" -q --socket "$socket" convolve long.npy short.npy -o x.npy) < 240))"
	# Signals that slide (c26_stretches).
	for command in "welch long.npy" "csd long.npy long.npy" "stft long.npy --n-fft 512" "stft long.npy --n-fft 512 --layout frames_bins" \
		"istft spectra.npy --n-fft 512"; do
		# shellcheck disable=SC2086
		same "$command: a long signal is not held" 1 "$(($(peak "$cli" -q --socket "$socket" $command -o x.npy) < 40))"
	done
	for command in "welch one.wav" "welch two.wav" "welch one.flac" "noise two.wav --snr 10 --seed 3"; do
		# shellcheck disable=SC2086
		same "$command: long audio is not held" 1 "$(($(peak "$cli" -q --embedded $command -o x.npy) < 40))"
	done
	same "nor is one that comes from a pipe" 1 "$(($(peak sh -c "'$cli' -q --socket '$socket' welch - <long.npy") < 40))"
fi

# Under a limit of address space an embedded engine takes a part of it.
if [ -z "${SAN:-}" ]; then
	for limit in 600000000 3000000000; do
		"$cli" -q --embedded welch rows.npy --format raw >whole
		code "an embedded engine within $limit bytes of addresses" 0 prlimit --as=$limit "$cli" -q --embedded --threads 2 welch rows.npy --format raw
		same "has the same result" "$(sum <whole)" "$(sum <out)"
	done
fi

# What cannot be computed is refused before its input is read: these 4 TiB are a hole.
python3 - <<'PYTHON'
import struct
for name, shape, size in (("huge.npy", "1099511627776", 1 << 42), ("short_file.npy", "1000", 3999)):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % shape
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.truncate(128 + size)
PYTHON
for command in "fft huge.npy" "dct huge.npy" "welch huge.npy --average median --nperseg 134217728" \
	"stft huge.npy --n-fft 512 --pad-mode circular" "convolve huge.npy short.npy"; do
	for engine in "--embedded" "--socket $socket"; do
		# shellcheck disable=SC2086
		timeout 20 "$cli" -q $engine $command -o x.npy 2>err
		same "$command ${engine%% *}: refused at once, for lack of memory" "75 1" "$? $(wc -l <err)"
	done
done
code "stft huge.npy: its result does not fit the disk" 74 timeout 20 "$cli" -q --embedded stft huge.npy --n-fft 512 -o x.npy
# Of these only the header comes: whoever reads on waits for ever.
stop_daemon
start_daemon --state-dir "$work/state" --arena-bytes=100M
for command in "fft -" "convolve - short.npy" "stft - --n-fft 512 --pad-mode circular"; do
	mkfifo header_only
	exec 8<>header_only
	head -c 128 long.npy >&8
	# shellcheck disable=SC2086
	timeout 20 "$cli" -q --socket "$socket" $command -o x.npy <header_only 8>&- 2>err
	same "$command: refused for lack of a daemon's memory" "75 1" "$? $(wc -l <err)"
	exec 8>&-
	rm header_only
done
code "an array that its file does not hold" 65 "$cli" -q --embedded fft short_file.npy
like "is refused by its header" "*1000 elements of 4 bytes, 3999 bytes follow the header*" "$(cat err)"
finish
