#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example at the end of every command's help runs, as it stands there.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$work" || exit 1
PATH=$build/bin:$PATH
start_daemon --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"

make() {
	trnsci-cli -q --embedded "$@" || fail "trnsci-cli $*"
}
make rand normal -n 4096 --seed 1 -o signal.npy
make rand normal -n 4096 --seed 2 -o other.npy
make rand normal -n 33 --seed 3 -o filter.npy
make fft signal.npy -o spectrum.npy
make stft signal.npy --n-fft 512 --window hann -o spectra.npy
make qmc sobol -n 64 -d 64 -o matrix.npy
cp matrix.npy a.npy
cp matrix.npy b.npy
cat >program.json <<'JSON'
{"seed": 7, "steps": [{"op": "normal", "n": 4096, "as": "noise"}, {"op": "add", "a": {"file": "signal.npy"}, "b": "noise", "as": "noisy"}],
 "results": ["noisy"]}
JSON
make rand uniform -n 16000 --low -0.5 --high 0.5 --rate 16000 -o speech.wav

# The README's demo, of another recording; what it makes, it makes where it was asked to.
code "the demo" 0 env -u TRNSCI_SOCKET -u XDG_STATE_HOME HOME="$work/home" RECORDING=speech.wav "$root/client/examples/speech/demo.sh" "$build" "$work/demo"
like "reports its checks" "*inverse transform gives the signal back*ok*trnscid stopped, exit status 0*" "$(cat out)"
same "has a state of its own" "" "$(grep "state in $work/home" out)"

# example COMMAND... : the line in its help
example() {
	trnsci-cli "$@" --help | sed -n 's/^example: //p'
}

# A lognormal field of mean 1: its least value is above 0.
code "a lognormal field" 0 "$cli" -q --embedded run "$root/client/examples/lognormal.json" --format text -o lognormal.txt
same "is above 0, and around 1" "65536 1 1" "$(tr ' ' '\n' <lognormal.txt | awk 'NR == 1 || $1 < least {least = $1} {sum += $1}
	END {print NR, (least > 0), (sum / NR > 0.8 && sum / NR < 1.2)}')"

# runs COMMAND... : its example ends well
runs() {
	line=$(example "$@")
	if [ -z "$line" ]; then
		fail "help of $*" "no example"
	elif sh -c "$line" >"$work/out" 2>"$work/err" </dev/null; then
		pass "$line"
	else
		fail "$line" "$(cat "$work/err")"
	fi
}

runs stream create
runs stream draw
for command in show list advance delete; do
	runs stream $command
done
line=$(example broadcast send)
# shellcheck disable=SC2086
$line 2>"$work/err" &
sender=$!
until trnsci-cli broadcast list | grep -q hiss || ! kill -0 $sender 2>/dev/null; do :; done
runs broadcast read
runs broadcast list
kill $sender
wait $sender 2>/dev/null
for command in $(trnsci-cli --help | awk '/^  [a-z]/ && $1 !~ /^(stream|broadcast|top|help)$/ {print $1}'); do
	runs "$command"
done
finish
