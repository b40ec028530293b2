#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The generators' words through dieharder, in every order of write_words: one test each, as many at a time as there are
# CPUs. The seed changes from run to run; TRNSCI_TEST_SEED repeats one. A generator that is known to be bad comes first
# and has to be refused. A right generator fails in about 1 of 600 runs; battery.sh says by which rule.
set -u
cd "$(dirname "$0")/../.." || exit 1
seed=${TRNSCI_TEST_SEED:-$(date +%s)}
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
battery=tests/statistics/battery.sh
n=1
failed=0

echo "# seed $seed"
if $battery threefry4x32_2 whole "$seed" 3 100 >"$results/control" 2>&1 || ! grep -q FAILED "$results/control"; then
	echo "not ok 1 - two rounds of Threefry are refused"
	sed 's/^/#   /' "$results/control"
	failed=1
else
	echo "ok 1 - two rounds of Threefry are refused"
fi

for generator in threefry4x32 philox4x32 ars4x32_7 threefry4x32_trn; do
	for order in whole partition seeds streams draws positions; do
		echo "$generator $order"
	done
done >"$results/feeds"
# shellcheck disable=SC2016 # for the shell that xargs starts
xargs -P "$(nproc)" -L 1 sh -c '"$0" "$3" "$4" "$1" >"$2/$3.$4" 2>&1 || touch "$2/$3.$4.failed"' \
	$battery "$seed" "$results" <"$results/feeds"

while read -r generator order; do
	n=$((n + 1))
	at=$results/$generator.$order
	summary="$generator, $order: $(grep -vc again "$at") p-values, $(grep -c weak "$at") tested again"
	if [ -s "$at" ] && [ ! -e "$at.failed" ]; then
		echo "ok $n - $summary"
	else
		echo "not ok $n - $summary; $battery $generator $order $seed"
		failed=1
	fi
	grep -E 'FAILED|weak|again' "$at" | sed 's/^/#   /'
done <"$results/feeds"
echo "1..$n"
exit $failed
