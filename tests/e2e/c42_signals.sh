#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Signal processing on the command line: the same bytes by daemon and embedded; there and back; what is refused.
# tests/python/test_signal.py compares with scipy.signal.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon
"$cli" --embedded rand normal -n 20000 --dtype f32 --seed 7 -o x.npy
"$cli" --embedded rand normal -n 20000 --dtype f32 --seed 8 -o y.npy
"$cli" --embedded rand normal -n 333 --dtype f32 --seed 9 -o taps.npy
"$cli" --embedded stft x.npy --n-fft 512 --hop-length 128 --window hann -o spectra.npy

# both NAME COMMAND... : by the daemon and embedded
both() {
	name=$1
	shift
	code "$name" 0 "$cli" --embedded "$@" -o embedded.npy
	code "$name by the daemon" 0 "$cli" --socket "$socket" "$@" -o daemon.npy
	same "$name: the same by both" "$(sum <embedded.npy)" "$(sum <daemon.npy)"
}
both "stft" stft x.npy --n-fft 400 --hop-length 160 --window hann --pad-mode circular
both "istft" istft spectra.npy --n-fft 512 --hop-length 128 --window hann --length 20000
both "convolve" convolve x.npy taps.npy --mode same
both "correlate" correlate x.npy y.npy
both "welch" welch x.npy --fs 100 --average median
both "spectra of segments" welch x.npy --fs 100 --average none
both "csd" csd x.npy y.npy --detrend linear --nperseg 100
both "window" window --n 100 --window kaiser --window-parameter 8

same "spectra of segments as text, a column for each" "frequency,power0,power1,power2" \
	"$("$cli" --embedded welch x.npy --nperseg 2 --noverlap 0 --average none --format csv | sed -n 1p | cut -d, -f1-4)"
same "a window as text" "0 0.5 1 0.5" "$("$cli" --embedded window --n 4 --format text | xargs)"
code "istft of a window with gaps" 2 "$cli" --embedded istft spectra.npy --n-fft 512 --hop-length 513
like "istft of a window with gaps is refused by name" "*istft: window: the squared windows over a sample*" "$(cat "$work/err")"
code "stft without n_fft" 2 "$cli" --embedded stft x.npy
code "stft of more than there is" 2 "$cli" --embedded stft taps.npy --n-fft 512 --center=false
like "stft of more than there is says how much there is" "*stft: n_fft: got 512*333*" "$(cat "$work/err")"
code "istft of reals" 65 "$cli" --embedded istft x.npy --n-fft 512
code "convolve of one input" 2 "$cli" --embedded convolve x.npy
code "welch of a wrong window" 2 "$cli" --embedded welch x.npy --window tukey --window-parameter 2
code "window without its parameter" 2 "$cli" --embedded window --n 10 --window gaussian

finish
