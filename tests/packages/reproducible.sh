#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two builds of this tree, in folders of different names and lengths, under another locale, time zone, umask and number of
# jobs, give the same programs and libraries, byte for byte. Nothing comes from a compiler's cache.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$work/one there=$work/a/longer/name
targets="bin/trnscid bin/trnsci-cli lib/libtrnsci.a"
files="$targets lib/libtrnsci.so"

# build FOLDER [VARIABLE=VALUE ...]
build() {
	local folder=$1
	shift
	mkdir -p "$folder"
	tar --exclude=__pycache__ --exclude=build -c Makefile client daemon lib proto systemd tests | tar -x -C "$folder"
	# shellcheck disable=SC2046,SC2086 # a list of names
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u BUILD CCACHE_DISABLE=1 "$@" make -s -C "$folder" $(printf 'build/%s ' $targets) >&2
}

half=$((($(nproc) + 1) / 2))
build "$here" MAKEFLAGS=-j$half &
(umask 077 && build "$there" MAKEFLAGS=-j$((half + 1)) LC_ALL=C.UTF-8 TZ=Pacific/Kiritimati)
second=$?
wait $! && [ $second = 0 ] || { echo "Bail out! the tree could not be built"; exit 1; }
n=0
failed=0
for file in $files; do
	n=$((n + 1))
	if said=$(cmp "$here/build/$file" "$there/build/$file" 2>&1); then
		echo "ok $n - $file is the same in both"
	else
		echo "not ok $n - $file is the same in both"
		echo "# $said"
		failed=1
	fi
done
echo "1..$n"
exit $failed
