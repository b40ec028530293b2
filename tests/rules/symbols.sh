#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What random numbers are made from: sqrt, fma, fabs, floor, rint and ldexp are the only functions of libm that the
# objects of lib/rng, lib/math, lib/distributions and lib/colored may ask for, since others differ by version and CPU.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/rules/objects

objects=$(find "$BUILD/obj/lib/rng" "$BUILD/obj/lib/math" "$BUILD/obj/lib/distributions" "$BUILD/obj/lib/colored" -name '*.o' | sort)
libm=$(find /lib /usr/lib -name 'libm.so.6' 2>/dev/null | head -n 1)
if [ -z "$objects" ] || [ -z "$libm" ]; then
	echo "1..0 # SKIP no objects in $BUILD, or no libm.so.6 to take names from"
	exit 0
fi
names=$(mktemp)
trap 'rm -f "$names"' EXIT
nm -D --defined-only "$libm" | awk '{sub(/@.*/, "", $3); print $3}' |
	grep -vxE '(sqrt|fma|fabs|floor|rint|ldexp)f?' | sort -u >"$names"

# _ZGV: a function of libmvec, which a compiler may put in place of a call.
wrong() {
	nm -u "$1" | awk 'NR == FNR {libm[$1]; next} $2 in libm || $2 ~ /^_ZGV/ {print $2}' "$names" -
}

each_object "$objects" "asks libm for"
