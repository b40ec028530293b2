#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: abi.sh [update]
# The binary interface of libtrnsci.so is the one described in libtrnsci.abi, so that programs that were linked go on to run.
# update writes that description (make abi).
set -u
cd "$(dirname "$0")/../.." || exit 1
library=${BUILD:-build}/lib/libtrnsci.so
stored=tests/packages/libtrnsci.abi
now=$(mktemp)
trap 'rm -f "$now"' EXIT
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the description is that of x86-64"
	exit 0
fi
# What the installed header declares: types inside the library may change.
abidw --exported-interfaces-only --headers-dir client/include --drop-private-types --type-id-style hash --no-parameter-names \
	--no-architecture --no-comp-dir-path --no-corpus-path --no-elf-needed --no-show-locs --out-file "$now" "$library" || exit 1
if [ "${1:-}" = update ]; then
	abidiff "$stored" "$now"
	[ $(($? & 8)) = 0 ] || echo "programs that were linked no longer run: raise SOVERSION, unless that was done since the last release"
	cp "$now" "$stored"
	exit
fi
echo 1..2
functions=$(grep -c "elf-symbol name='trnsci_[^']*' version='LIBTRNSCI_[0-9]*'.*type='func-type'" "$now")
others=$(grep '<elf-symbol ' "$now" | grep -vc "name='trnsci_[^']*' version='LIBTRNSCI_")
if [ "$functions" -gt 0 ] && [ "$others" = 0 ]; then
	echo "ok 1 - every symbol begins with trnsci_ and has a version"
else
	echo "not ok 1 - every symbol begins with trnsci_ and has a version"
	echo "# expected some and no others, got $functions and $others"
fi
said=$(abidiff "$stored" "$now")
status=$?
if [ $status = 0 ]; then
	echo "ok 2 - the interface is the one described"
else
	echo "not ok 2 - the interface is the one described"
	[ $((status & 8)) = 0 ] || echo "# programs that were linked no longer run: raise SOVERSION, unless that was done since the last release, or keep the interface"
	echo "# where the change is wanted: make abi"
	head -n 100 <<<"$said" | sed 's/^/# /'
fi
[ $status = 0 ] && [ "$others" = 0 ] && [ "$functions" -gt 0 ]
