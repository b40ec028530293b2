#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trnsci.hpp by each C++ compiler and standard that there is; its checks and the example, embedded and by a daemon. With
# TRNSCI_FULL=1 under sanitizers.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
warnings="-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wpedantic -Wnon-virtual-dtor -Werror"

start_daemon --threads 2 --state-dir "$work/state"

# builds COMPILER STANDARD FLAGS... : compiles both programs
builds() {
	compiler=$1
	standard=$2
	shift 2
	for program in tests/client/cpp_interface client/examples/cpp; do
		# shellcheck disable=SC2086
		code "$compiler -std=$standard $*: $program" 0 "$compiler" "-std=$standard" $warnings "$@" -I"$root/client/include" \
			-o "$work/$(basename $program)" "$root/$program.cpp" -L"$build/lib" -ltrnsci -Wl,-rpath,"$build/lib"
	done
}

# runs NAME : what was built last
runs() {
	for address in embedded: "$socket"; do
		code "$1: the checks, $address" 0 "$work/cpp_interface" "$address"
		sed -n 's/^not ok/#&/p' "$work/out"
		like "$1: all of them ran" "*1..[34][0-9]" "$(cat "$work/out")"
		code "$1: the example, $address" 0 "$work/cpp" "$address"
		like "$1: and what it prints" "noise 0.10341 0.165191*a hand *the tone is in bin 440*trnsci: a parameter is outside its range" \
			"$(cat "$work/out")"
	done
}

# A program and the library must have the sanitizer of one compiler.
case ${SAN:+${CC:-gcc}} in
'') compilers="g++ clang++" ;;
*clang*) compilers=clang++ ;;
*) compilers=g++ ;;
esac
standards="c++17 c++20"
[ -z "${SAN:-}" ] || standards=c++17 # slow to build
for compiler in $compilers; do
	if ! command -v "$compiler" >/dev/null; then
		echo "# $compiler is not installed"
		continue
	fi
	for standard in $standards; do
		builds "$compiler" "$standard" ${SAN:+-fsanitize=$SAN}
		runs "$compiler, $standard"
	done
	if [ -n "${TRNSCI_FULL:-}" ] && [ -z "${SAN:-}" ]; then
		builds "$compiler" c++20 -g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS
		runs "$compiler, sanitized"
	fi
done
# While other tests install from the same build folder, under other prefixes.
make -s -C "$root" BUILD="$build" install DESTDIR="$work/tree" PREFIX=/usr >"$work/out" 2>&1
# That of MPI is there where MPI is.
same "the header is installed" "trnsci.h trnsci.hpp" "$(cd "$work/tree/usr/include/trnsci" && find . -type f ! -name trnsci-mpi.h -printf "%f\n" | sort | xargs)"
finish
