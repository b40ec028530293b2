#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A battery of TestU01 on our words: testu01.sh BATTERY GENERATOR ORDER words|reversed [SEED [FIRST LAST]].
#
# BATTERY is smallcrush (5 s), crush (20 minutes) or bigcrush (3 hours), GENERATOR and ORDER are those of write_words,
# reversed turns each word's bits round, and only the tests FIRST to LAST run if they are given. RESULTS.md has what was
# run. The last lines are all p-values; "All tests were passed" means that each lies within [0.001, 0.999].
#
# TestU01 is not free software (no commercial use), so nothing else depends on it and make does not know it. It comes from
# Debian's section non-free, as packages whose bytes are pinned here, and is linked into one program below build/.
set -eu
cd "$(dirname "$0")/../.."
[ $# -ge 4 ] || {
	sed -n 's/^# A battery.*: \(testu01.sh.*\)\.$/usage: \1/p' "$0" >&2
	exit 2
}
build=${BUILD:-build}
into=$build/testu01
battery=$1 generator=$2 order=$3 bits=$4 seed=${5:-1}
version=1.2.3+ds1-2
packages="libtestu01-0-dev_${version}_amd64.deb libtestu01-0-dev-common_${version}_all.deb"
sums="a620e44c1d5cd104fda57b09a458cdd5c8d3f1697341169b63ae381d29d41fb2
60affa309e099ee3ee3994ce644d74b6fe670e4fef113763afdbe20c81110bde"

# apt with its own sources and state: the system's stay as they are. Its helper user may not read the build folder.
own_apt() {
	apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$PWD/state" \
		-o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$PWD/cache" "$@"
}

fetch() {
	mkdir -p "$into/state/lists/partial" "$into/cache/archives/partial"
	(
		cd "$into"
		echo "deb http://deb.debian.org/debian bookworm non-free" >sources.list
		own_apt update >&2
		own_apt download "libtestu01-0-dev=$version" "libtestu01-0-dev-common=$version" >&2
		# shellcheck disable=SC2086 # lists
		paste -d ' ' <(printf '%s\n' $sums) <(printf ' %s\n' $packages) | sha256sum -c --quiet
		for package in $packages; do
			dpkg-deb -x "$package" files
		done
	)
}

if ! [ -x "$into/testu01" ] || [ tests/statistics/testu01.c -nt "$into/testu01" ]; then
	[ -d "$into/files" ] || fetch
	lib=$into/files/usr/lib/x86_64-linux-gnu include=$into/files/usr/include
	${CC:-gcc} -O2 -Wall -Wextra -isystem "$include" -isystem "$include/x86_64-linux-gnu" tests/statistics/testu01.c \
		"$lib/libtestu01.a" "$lib/libtestu01probdist.a" "$lib/libtestu01mylib.a" -l:libgmp.so.10 -lm \
		-o "$into/testu01"
fi
make --no-print-directory "$build/tests/statistics/write_words" >&2
"$build/tests/statistics/write_words" "$generator" "$order" "$seed" | "$into/testu01" "$battery" "$bits" "${@:6}" || {
	# write_words ends by the closed pipe.
	code=("${PIPESTATUS[@]}")
	exit "${code[1]}"
}
