#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each test that tests/faults/FAULTS.md names is one that its check runs.
set -u
cd "$(dirname "$0")/../.." || exit 1

missing=$(grep -o '`[a-z]*/[a-z_/]*: [a-z_ ]*`' tests/faults/FAULTS.md | tr -d '`' | while IFS=: read -r check names; do
	file=tests/${check%/*}/check_${check##*/}.c
	for name in $names; do
		grep -q "[a-z_]*(${name}\(_by_both\)\{0,1\})" "$file" 2>/dev/null || echo "$file: $name"
	done
done)
echo 1..1
if [ -n "$missing" ]; then
	echo "not ok 1 - expected tests of these names"
	echo "$missing" | sed 's/^/# /'
	exit 1
fi
echo "ok 1 - each fault of tests/faults/FAULTS.md has its tests"
