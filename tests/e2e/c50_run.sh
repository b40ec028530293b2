#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run: programs in JSON, with arrays in files.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1

start_daemon --threads 2
for where in "--embedded" "--socket $socket"; do
	engine=${where%% *}
	run() {
		# shellcheck disable=SC2086
		"$cli" -q $where run "$@" || echo "failed: $*" >&2
	}
	draw() {
		# shellcheck disable=SC2086
		"$cli" -q $where rand "$@"
	}

	cat >chain.json <<'JSON'
{"seed": 18446744073709551615, "stream": "0xffffffffffffffff",
 "steps": [{"op": "uniform", "n": 1001, "as": "odd"},
           {"op": "uniform", "n": 1000, "as": "u"},
           {"op": "box_muller", "in": "u", "as": "z"}],
 "results": ["z"]}
JSON
	same "$engine: uniform then box_muller is normal, where the words before it end" \
		"$(draw normal -n 1000 --seed 0xffffffffffffffff --stream 18446744073709551615 --offset 1004 | sum)" \
		"$(run chain.json --format raw | sum)"
	same "$engine: from stdin" "$(run chain.json --format raw | sum)" "$(run - --format raw <chain.json | sum)"

	sed 's/"seed"/"generator": "ars4x32_7", "seed"/' chain.json >ars.json
	same "$engine: the same by ARS" \
		"$(draw normal -n 1000 --generator ars4x32_7 --seed 0xffffffffffffffff --stream 18446744073709551615 --offset 1004 | sum)" \
		"$(run ars.json --format raw | sum)"

	draw normal -n 4096 --seed 1 -o signal.npy
	cat >files.json <<'JSON'
{"seed": 2,
 "steps": [{"op": "normal", "n": 4096, "as": "noise"},
           {"op": "scale", "in": "noise", "by": 0.5, "as": "quiet"},
           {"op": "add", "a": {"file": "signal.npy"}, "b": "quiet", "as": "noisy"},
           {"op": "fft", "in": "noisy", "as": "spectrum"},
           {"op": "scale", "in": "noisy", "by": 1, "out": {"file": "copy.npy", "dtype": "f32", "shape": [4096]}}],
 "results": ["noisy", "spectrum"]}
JSON
	rm -f noisy.npy spectrum.npy copy.npy
	run files.json
	same "$engine: results go to files of their names" "noisy.npy spectrum.npy " "$(find . -name noisy.npy -o -name spectrum.npy | sort | sed "s,./,," | tr "\n" " ")"
	same "$engine: an output in a file is the result of that name" "$(sum <noisy.npy)" "$(sum <copy.npy)"
	"$cli" -q --embedded fft noisy.npy -o alone.npy
	same "$engine: a step's bytes are those of the command" "$(sum <alone.npy)" "$(sum <spectrum.npy)"

	cat >numbers.json <<'JSON'
{"steps": [{"op": "add", "a": {"dtype": "f32", "shape": [2, 2], "data": [1, 2, 3, 4]},
            "b": {"dtype": "f32", "shape": [2, 2], "data": [0.5, -2, 1e3, 0]}, "as": "sum"},
           {"op": "scale", "in": {"dtype": "c128", "shape": [1], "data": [1.25, -1]}, "by": 2, "as": "c"}],
 "results": ["sum"]}
JSON
	same "$engine: numbers in the program" "1.5 0 1003 4 " "$(run numbers.json --format text | tr '\n' ' ')"
done
code "several results and one output" 2 "$cli" -q --embedded run files.json -o x.npy
echo '[1]' >list.json
code "a program is a map" 65 "$cli" -q --embedded run list.json
echo '{"steps": [{"op": "scale", "in": {"file": "missing.npy"}}]}' >missing.json
code "a file that is missing" 65 "$cli" -q --embedded run missing.json
like "is named" "*missing.npy*" "$(cat err)"
echo '{"steps": [{"op": "normal", "n": 4, "as": "../x"}], "results": ["../x"]}' >path.json
"$cli" -q --embedded run path.json >/dev/null 2>&1
same "a name cannot lead out of the folder" "" "$(ls "$work/../x.npy" 2>/dev/null)"

# A tone in noise, cleaned by spectral subtraction in one program of resident tiles.
sox -n -r 16000 -b 16 tone.wav synth 2 sine 440 vol 0.3 2>/dev/null
"$cli" -q --embedded noise tone.wav --snr 10 --seed 3 -o noisy.wav
sox -m -v 1 noisy.wav -v -1 tone.wav -b 32 -e float difference.wav 2>/dev/null
sox difference.wav noise.wav trim 0 0.5 2>/dev/null
code "denoise.json" 0 "$cli" -q --embedded run "$root/client/examples/denoise.json" -o clean.wav
same "wav has the rate and the encoding of its input" "16000 16" "$(soxi -r clean.wav) $(soxi -b clean.wav)"
sox -m -v 1 clean.wav -v -1 tone.wav -b 32 -e float left.wav trim 0 1.9 2>/dev/null
rms() {
	sox "$1" -n stat 2>&1 | awk '/RMS +amplitude/ {print $3}'
}
same "the noise is at least halved" yes "$(echo "$(rms difference.wav) $(rms left.wav)" | awk '{print ($2 > 0 && $2 < $1 / 2) ? "yes" : $0}')"
finish
