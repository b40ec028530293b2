#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rows of `bench --against` can be read where none of the peers is there, each goal has a row, and a row that needs no peer runs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/rules/report

rows=$(BUILD=/nonexistent tests/bench/bench --against --list 2>&1) || echo "$rows" | tail -n 5 >"$list"
echo "$rows" | grep -q '^best-cached/c2c f32 1024 .*peer / ours >= 1.05$' || echo 'no goal for best-cached/c2c f32 1024' >>"$list"
report "expected rows without peers, and a row for each goal"

: >"$list"
row=$(tests/bench/bench --against first/1024 2>&1)
echo "$row" | grep -Eq '(met|MISSED) ours <= 2e4' || echo "$row" >"$list"
report "expected a row with its goal, met or MISSED"
finish
