#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command of the README's part "From a shell" succeeds, in its order, with a daemon; and its program does what its steps do.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1

start_daemon --state-dir "$work/streams"
export TRNSCI_SOCKET="$socket"
mkdir build client
ln -s "$build/bin" build/bin
ln -s "$root/client/examples" client/examples
sed -n '/^## From a shell$/,/^## /p' "$root/README.md" | sed -n '/^```$/,/^```$/p' | grep '^build/bin/trnsci-cli' >commands
same "the README has commands" 1 "$(($(wc -l <commands) > 5))"
while IFS= read -r command; do
	code "$command" 0 sh -c "$command"
	[ -s out ] || [ -s err ] || case $command in *" -o "*) ;; *) fail "$command" "expected output" ;; esac
done <commands

program=$root/client/examples/program.json
sed 's/"results": .*/"results": ["noisy"]/' "$program" >noisy.json
"$cli" -q run noisy.json -o noisy.npy
"$cli" -q run "$program" -o spectrum.npy
"$cli" -q welch noisy.npy --nperseg 256 --fs 48000 -o alone.npy
same "its spectrum is that of the signal and the noise" "$(sum <alone.npy)" "$(sum <spectrum.npy)"
same "which has both" "4096" "$("$cli" -q run noisy.json --format text | awk '$1 != 0' | wc -l)"
finish
