#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files of a room form no circle, neither by what they include nor by the symbols that their objects define and use. All
# files of a stem (its header, its source, the variants of its kernel) count as one. tsort finds the circles.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
pairs=$(mktemp)
symbols=$(mktemp)
trap 'rm -f "$pairs" "$symbols"' EXIT

stem='s/(_simd)?(_avx2|_avx512|_neon)?\.[cho]$//'

# Lines "file included" for includes between files of the room, as stems; an include is relative to lib/.
include_pairs() {
	find "$1" -name '*.[ch]' -exec grep -H '^#include "' {} + |
		sed -E 's/^([^:]*):#include "([^"]*)".*/\1 lib\/\2/' | while read -r file included; do
		[ -f "$included" ] && echo "$(echo "$file" | sed -E "$stem") $(echo "$included" | sed -E "$stem")"
	done | awk -v room="$1/" 'index($2, room) == 1'
}

# The same for an object that uses a symbol which another one defines.
symbol_pairs() {
	find "$BUILD/obj/$1" -name '*.o' | while read -r object; do
		from=$(echo "${object#"$BUILD"/obj/}" | sed -E "$stem")
		# An object whose source has been moved away is left from an earlier build.
		[ -f "$from.c" ] || continue
		nm "$object" | awk -v from="$from" '$(NF - 1) ~ /^[TDRB]$/ { print from, "defines", $NF } $(NF - 1) == "U" { print from, "uses", $NF }'
	done >"$symbols"
	awk '$2 == "defines" { owner[$3] = $1; next } { user[++n] = $1; used[n] = $3 }
		END { for (i = 1; i <= n; i++) if (used[i] in owner) print user[i], owner[used[i]] }' "$symbols"
}

n=0
failed=0
for room in lib/base lib/dist; do
	n=$((n + 1))
	{
		include_pairs "$room"
		symbol_pairs "$room"
	} | awk '$1 != $2' | sort -u >"$pairs"
	if [ ! -s "$pairs" ]; then
		echo "not ok $n - $room: no includes were found"
		failed=1
	elif circles=$(tsort "$pairs" 2>&1 >/dev/null) && [ -z "$circles" ]; then
		echo "ok $n - $room has no circle"
	else
		echo "not ok $n - $room has no circle"
		echo "$circles" | sed 's/^/#   /'
		failed=1
	fi
done
echo "1..$n"
exit $failed
