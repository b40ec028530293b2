#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The symbols of libfftw3, libfftw3f and the libraries for threads: all that FFTW documents, nothing else. Debian's libraries and
# header say what there is; their other symbols are FFTW's inside.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/rules/report
debian=$(dirname "$(find /usr/lib /lib -name libfftw3.so.3 2>/dev/null | head -n 1)")
if [ ! -f "$debian/libfftw3_threads.so.3" ] || [ ! -f /usr/include/fftw3.h ] || [ ! -f "$BUILD/lib/fftw/libfftw3.so.3" ]; then
	echo "1..0 # SKIP no libfftw3-dev, or no libraries in $BUILD"
	exit 0
fi
names=$(mktemp -d)
trap 'rm -rf "$list" "$names"' EXIT

# symbols FILE ... : the names that they define for others
symbols() {
	nm -D --defined-only "$@" | awk 'NF == 3 {print $3}' | sort -u
}

# documented PREFIX FORTRAN : the functions and data of Debian's header, and the Fortran names of Debian's libraries
documented() {
	sed -n 's/.*[* ]X(\([a-z0-9_]*\))[[(].*/\1/p' /usr/include/fftw3.h | sort -u | sed "s/^/$1_/"
	grep "^$2_" "$names/debian"
}

for name in fftw3:fftw:dfftw fftw3f:fftwf:sfftw; do
	library=lib${name%%:*}
	prefixes=${name#*:}
	symbols "$debian/$library.so.3" "$debian/${library}_threads.so.3" >"$names/debian"
	documented "${prefixes%:*}" "${prefixes#*:}" | sort -u >"$names/documented"
	symbols "$BUILD/lib/fftw/$library.so.3" >"$names/ours"
	{ [ "$(wc -l <"$names/documented")" -gt 150 ] || echo "the documented names were not found"
	  comm -23 "$names/documented" "$names/ours"; } >"$list"
	report "$library has every documented symbol"
	comm -13 "$names/documented" "$names/ours" >"$list"
	report "$library exports nothing else"
	comm -23 "$names/ours" "$names/debian" >"$list"
	report "$library exports no symbol that Debian's has not"
	for threads in threads omp; do
		symbols "$debian/${library}_$threads.so.3" | comm -12 - "$names/documented" >"$names/needed"
		symbols "$BUILD/lib/fftw/${library}_$threads.so.3" | comm -3 "$names/needed" - >"$list"
		report "${library}_$threads has the documented symbols, and no others"
		readelf -d "$BUILD/lib/fftw/${library}_$threads.so.3" | grep -q "soname: \[${library}_$threads.so.3\]" && : >"$list" || echo soname >"$list"
		report "${library}_$threads has its name"
	done
done

finish
