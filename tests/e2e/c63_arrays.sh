#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of draws from files, --mean @means.csv: embedded and by a daemon, in ranks, from named streams.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

printf '1\n20\n300\n' >means.txt
means() {
	"$cli" "$@" --mean @means.txt --std 0 --format text | tr '\n' ' '
}

same "an element for each sample" "1 20 300 1 20 " "$(means --embedded rand normal -n 5)"
same "as many samples as elements" "1 20 300 " "$(means --embedded rand normal)"
same "elements are counted from the draw's start" "300 1 20 " "$(means --embedded rand normal -n 3 --offset 5)"
same "ranks join" "1 20 300 1 20 300 1 " \
	"$(for rank in 0 1 2; do means --embedded rand normal -n 7 --rank $rank --size 3; done)"
"$cli" --embedded rand uniform -n 6 --seed 1 -o means.npy
code "a file of npy" 0 "$cli" --embedded rand poisson --lam @means.npy -o counts.npy
code "a file that is not there" 65 "$cli" --embedded rand poisson --lam @none.npy
code "only numbers may be files" 2 "$cli" --embedded rand normal -n 5 --generator @means.txt
printf '1\n-2\n' >wrong.txt
code "an element that is out of range" 2 "$cli" --embedded rand poisson --lam @wrong.txt
grep -q 'poisson: lam: element 1: got -2' "$work/err"
same "is named" 0 $?

start_daemon --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"
same "by a daemon" "1 20 300 1 20 " "$(means rand normal -n 5)"
"$cli" stream create noise --seed 3 >/dev/null
"$cli" stream draw noise uniform -n 5 -o skipped.raw
same "a named stream's draw begins with the first element" "1 20 300 1 " "$(means stream draw noise normal -n 4)"
"$cli" rand poisson --lam @means.txt -n 400000 --seed 9 -o daemon.raw
"$cli" --embedded rand poisson --lam @means.txt -n 400000 --seed 9 -o embedded.raw
code "many samples are the same by a daemon and embedded" 0 cmp daemon.raw embedded.raw
stop_daemon
finish
