#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Multiply-adds are fused only where they are written so. gcc 12 makes vfmaddsub of a c - b d beside a d + b c in loops
# that it vectorises, whatever -ffp-contract says; no kernel asks for that instruction, so its presence is the fault's.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/rules/objects

objects=$(find "$BUILD/obj/lib" -name '*_avx*.o' -o -name '*_amx.o' -o -name '*_aesni.o' -o -name '*_vaes*.o' | sort)
if [ -z "$objects" ]; then
	echo "1..0 # SKIP no objects of AVX2 or AVX-512 in $BUILD"
	exit 0
fi

wrong() {
	objdump -d --no-show-raw-insn "$1" | grep -oE 'vfm(addsub|subadd)[[:alnum:]]*' | sort | uniq -c
}

each_object "$objects" "fuses by itself"
