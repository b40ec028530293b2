#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Multiply-adds are fused only where they are written so. gcc 12 makes vfmaddsub of a c - b d beside a d + b c in loops
# that it vectorises, whatever -ffp-contract says; no kernel asks for that instruction, so its presence is the fault's.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}

objects=$(find "$BUILD/obj/lib" -name '*_avx*.o' -o -name '*_amx.o' | sort)
if [ -z "$objects" ]; then
	echo "1..0 # SKIP no objects of AVX2 or AVX-512 in $BUILD"
	exit 0
fi
n=0
failed=0
for object in $objects; do
	n=$((n + 1))
	found=$(objdump -d --no-show-raw-insn "$object" | grep -cE 'vfm(addsub|subadd)')
	if [ "$found" != 0 ]; then
		echo "not ok $n - ${object#"$BUILD"/obj/} has $found of vfmaddsub or vfmsubadd, expected 0"
		failed=1
	else
		echo "ok $n - ${object#"$BUILD"/obj/}"
	fi
done
echo "1..$n"
exit $failed
