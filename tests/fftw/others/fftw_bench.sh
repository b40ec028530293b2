#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FFTW's own test program on our libraries: Debian's source package, pinned by its hash, its list of problems (tests/check.pl -a),
# with one thread, two, and the program's own loop. It needs the network, root's apt and perl, so no other check depends on it.
#
#   tests/fftw/others/fftw_bench.sh [double|single] ...        TRNSCI_FFTW_LIST="-r -c=30": another list
#
# The program's hook.c is left out: it reads FFTW's internal plans, and checks these one by one.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
work=${TRNSCI_WORK:-$top/build/others}
hash=56c932549852cddcfafdab3820b0200c7742675be92179e59e6215b340e26467
archive=fftw3_3.3.10.orig.tar.gz
list=${TRNSCI_FFTW_LIST:--a}

fetch() {
	mkdir -p "$work/lists/partial" && cd "$work" || exit
	[ -f $archive ] || {
		echo 'deb-src http://deb.debian.org/debian bookworm main' >sources.list
		set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists"
		apt-get "$@" update >/dev/null && apt-get "$@" source --download-only fftw3 >/dev/null || exit
	}
	echo "$hash  $archive" | sha256sum -c - || exit
	[ -d fftw-3.3.10 ] || tar xf $archive
	[ -f fftw-3.3.10/config.h ] || (cd fftw-3.3.10 && ./configure --disable-fortran --enable-threads >configure.out) || exit
}

# compile PRECISION FLAG LIBRARY : the program as bench-PRECISION
compile() {
	rm -rf "$work/libraries" && cp -a "$top/build/lib/fftw" "$work/libraries" || exit
	cd "$work/fftw-3.3.10" || exit
	printf '%s\n' 'void install_hook(void);' 'void install_hook(void) {}' 'void uninstall_hook(void);' \
		'void uninstall_hook(void) {}' >no_hook.c
	# shellcheck disable=SC2046,SC2086 # lists
	gcc -O2 -w -I. -Ilibbench2 $2 -o "bench-$1" tests/bench.c tests/fftw-bench.c no_hook.c $(ls libbench2/*.c | grep -v useropt) \
		-L"$top/build/lib/fftw" "-l${3}_threads" "-l$3" -lpthread -lm
}

# run PRECISION OPTIONS : the whole list; counts what was verified, and what failed
run() {
	name=$1
	shift
	out=$work/$name$(printf %s "$*" | tr -c 'a-z0-9\n' _).out
	LD_LIBRARY_PATH=$work/libraries perl -w tests/check.pl --keepgoing -v $list "$@" "$PWD/bench-$name" >"$out" 2>&1
	echo "$name ${*:-one thread}: $(grep -cE "^\S+( [0-9.e+-]+){3}\s*$" "$out") verified, $(grep -cE '^FAILED|^Found relative error' "$out") failed ($out)"
}

fetch
for precision in ${*:-double single}; do
	case $precision in
	double) compile double '' fftw3 ;;
	single) compile single '-DFFTW_SINGLE -DBENCHFFT_SINGLE' fftw3f ;;
	esac || exit
	run "$precision"
	run "$precision" --nthreads=2
	run "$precision" --threads_callback --nthreads=2
done
