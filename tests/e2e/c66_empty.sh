#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that hold arrays without elements: every command that reads one ends by itself, embedded and by a daemon, with the
# array that numpy would give, or 2 or 65 and a line that says why.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
python=/usr/bin/python3

"$python" - <<'END'
import numpy as np
for name, shape, dtype in [("rows", (0, 8), "f4"), ("columns", (8, 0), "f4"), ("none", (0,), "f4"), ("wide", (0, 8), "f8"),
                           ("complex", (0, 8), "c8"), ("integers", (0, 8), "i2"), ("square", (0, 0), "f4"),
                           ("spectra", (0, 9, 17), "c8"), ("full", (8,), "f4")]:
    np.save(name, np.zeros(shape, dtype))
END

# walk OPTION... : each command, each file, each way round; counts what ended in another way.
walk() {
	others=0
	walked=0
	for file in rows columns none wide complex integers square spectra; do
		for command in "fft" "fft --real" "fft --inverse" "fft --real --inverse" "fft --axes 0" "fft --length 4" \
			"fft --precision fast" "dct" "dst --type 1" "fftshift" "noise --snr 3" "trace --probes 3" "stft --n-fft 4" \
			"istft --n-fft 16" "welch" "plot histogram" "plot spectrum" "plot spectrogram" "plot waveform" \
			"convolve full.npy" "correlate full.npy" "gemm full.npy" "csd full.npy" "convolve $file.npy" "csd $file.npy" \
			"gemm $file.npy" "rand normal --mean @$file.npy -n 0" "rand normal --mean @$file.npy -n 5"; do
			case $command in rand*) operand= ;; *) operand=$file.npy ;; esac
			# shellcheck disable=SC2086
			"$cli" "$@" $command $operand >out 2>err </dev/null
			result=$?
			walked=$((walked + 1))
			case $result in
			0) [ ! -s err ] || grep -q "precision" err || others=$((others + 1)) ;;
			2 | 65) [ "$(wc -l <err)" = 1 ] || others=$((others + 1)) ;;
			*) others=$((others + 1)) && echo "# $command $file: $result $(cat err)" ;;
			esac
		done
	done
	same "$*: commands that ended otherwise" 0 $others
	same "$*: commands" 224 $walked
}

# gives NAME SHAPE COMMAND... : the shape of the npy file that comes.
gives() {
	name=$1
	expected=$2
	shift 2
	"$cli" "$@" -o made.npy 2>err || cat err
	same "$name" "$expected" "$("$python" -c 'import numpy; print(numpy.load("made.npy").shape)')"
}

shapes() {
	gives "$*: fft of no rows" "(0, 8)" "$@" fft rows.npy
	gives "$*: half a spectrum" "(0, 5)" "$@" fft --real rows.npy
	gives "$*: no columns" "(8, 0)" "$@" fft --axes 0 columns.npy
	gives "$*: padded from nothing" "(8, 4)" "$@" fft --length 4 columns.npy
	gives "$*: dct" "(0, 8)" "$@" dct rows.npy
	gives "$*: stft" "(0, 3, 9)" "$@" stft --n-fft 4 rows.npy
	gives "$*: istft" "(0, 64)" "$@" istft --n-fft 16 spectra.npy
	gives "$*: welch" "(0, 5)" "$@" welch rows.npy
	gives "$*: convolve" "(0, 15)" "$@" convolve rows.npy full.npy
	gives "$*: an empty inner axis" "(8, 8)" "$@" gemm columns.npy rows.npy
	gives "$*: no samples" "(0,)" "$@" rand normal -n 0
	gives "$*: no points" "(0, 2)" "$@" qmc sobol -n 0 -d 2
	code "$*: a ring read to sample 0" 0 "$cli" "$@" ring normal -n 0
	printf '{"steps":[{"op":"normal","n":0.0,"as":"a"},{"op":"scale","in":"a","by":2,"as":"b"}],"results":["b"]}' >none.json
	code "$*: a program" 0 "$cli" "$@" run none.json
}

walk --embedded
shapes --embedded
start_daemon --state-dir "$work/state"
walk --socket "$socket"
shapes --socket "$socket"
finish
