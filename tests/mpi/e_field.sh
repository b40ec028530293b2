#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example that draws, colours and solves: the same field and potential by any number of ranks, and a picture.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1

for n in 1 3 4; do
	code "the field by $n ranks" 0 ranks $n "$build/examples/random_field" 40 "field.$n.npy" "potential.$n.npy"
	mv out "out.$n"
	for what in field potential; do
		same "$what: the bytes of one rank" "$(sum <$what.1.npy)" "$(sum <$what.$n.npy)"
	done
	same "its moments, too" "$(cat out.1)" "$(cat "out.$n")"
done
same "the equation is met: the residual's rms by the field's is below 1e-12" 1 \
	"$(awk '{for (i = 1; i < NF; i++) if ($i == "rms") rms[$1] = $(i + 1)} END {print (rms["residual"] < 1e-12 * rms["field"])}' out.1)"
if command -v gnuplot >/dev/null; then
	for n in 1 4; do
		code "its picture" 0 gnuplot -c "$root/client/mpi/examples/random_field.gp" 40 "field.$n.npy" "potential.$n.npy" "picture.$n.png"
	done
	same "is the same of 1 and 4 ranks" "$(sum <picture.1.png)" "$(sum <picture.4.png)"
	same "and is one" PNG "$(head -c 4 picture.1.png | tail -c 3)"
fi
finish
