#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The main job, end to end: one daemon on a private socket, two clients that draw at once, a recording that gets noise
# and is transformed in resident tiles. Usage: demo.sh BUILD_FOLDER [OUTPUT_FOLDER]
set -eu
bin=$1/bin
out=${2:-$1/demo}
recording=${RECORDING:-/usr/share/sounds/alsa/Front_Center.wav}
seed=2026
samples=8000000
snr_db=10

mkdir -p "$out"
private=$(mktemp -d)
socket=$private/trnsci.sock
daemon=
trap '[ -z "$daemon" ] || kill "$daemon" 2>/dev/null; rm -rf "$private"' EXIT

title() {
	printf '\n%s\n' "$*"
}

milliseconds() {
	echo $(($(date +%s%N) / 1000000))
}

# The socket appears by rename once the daemon listens, so its being there is the readiness.
start_daemon() {
	"$bin/trnscid" --socket "$socket" --state-dir "$private/state" 2>"$private/log" &
	daemon=$!
	for _ in $(seq 500); do
		[ -S "$socket" ] && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.01
	done
	cat "$private/log" >&2
	exit 1
}

draw_part() {
	"$bin/trnsci-cli" --socket "$socket" rand normal -n $samples --seed $seed --rank "$1" --size 2 -o "$private/part$1"
}

two_clients() {
	start=$(milliseconds)
	draw_part 0 &
	first=$!
	draw_part 1 &
	second=$!
	wait $first
	wait $second
	took=$(($(milliseconds) - start))
	echo "  two processes drew half of $samples normals each at the same time, and wrote them to files: $took ms"
	"$bin/trnsci-cli" --embedded rand normal -n $samples --seed $seed -o "$private/whole"
	cat "$private/part0" "$private/part1" | cmp - "$private/whole"
	echo "  both halves joined equal one run without a daemon, byte for byte: sha256 $(sha256sum <"$private/whole" | cut -c1-16)..."
}

plot_png() {
	if ! command -v gnuplot >/dev/null; then
		echo "  (no gnuplot here, so no picture)"
		return
	fi
	gnuplot <<-PLOT
		set terminal pngcairo size 1000,500
		set output "$out/spectra.png"
		set title "$(basename "$recording"), noise added at $snr_db dB" noenhanced
		set xrange [60:24000]
		set logscale x
		set xlabel "Hz"
		set ylabel "dB"
		set grid
		plot "$out/spectra.dat" using 1:3 with lines lc rgb "#c06020" title "with noise", \
			"" using 1:2 with lines lc rgb "#205090" title "recording"
	PLOT
	echo "  picture: $out/spectra.png"
}

stop_daemon() {
	kill -TERM "$daemon"
	rc=0
	wait "$daemon" || rc=$?
	daemon=
	echo "  trnscid stopped, exit status $rc"
	[ $rc = 0 ] && [ ! -e "$socket" ]
}

begin=$(milliseconds)
title "1. One daemon on a private socket"
start_daemon
"$bin/trnsci-cli" --socket "$socket" status | sed 's/^/  /'
title "2. Two clients draw from one stream"
two_clients
title "3. Noise at $snr_db dB joins a recording, and both are transformed where they lie"
"$1/examples/noisy_speech" -a "$socket" -r $snr_db -s $seed -o "$out/spectra.dat" "$recording"
plot_png
title "4. The end"
stop_daemon
echo "  all of it took $(($(milliseconds) - begin)) ms"
printf '\nTry next:\n'
while IFS='|' read -r command meaning; do
	printf '  %-62s %s\n' "$command" "$meaning"
done <<NEXT
$bin/trnscid --socket /tmp/trnsci.sock &|a daemon of your own
export TRNSCI_SOCKET=/tmp/trnsci.sock|
$bin/trnsci-cli status --wait 10|until it answers
$bin/trnsci-cli rand normal -n 5 --seed 1 --format text|five normals; the same five on every machine
$bin/trnsci-cli rand uniform -n 1000000 -o u.npy|a file for numpy
$bin/trnsci-cli fft u.npy -o U.npy|its transform
$bin/trnsci-cli selftest|every kernel against known answers
make check|the tests
NEXT
