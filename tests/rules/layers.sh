#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrows point down only: a file includes what its layer may, and each outside library is known in its rooms alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/rules/report
pairs=$(mktemp)
trap 'rm -f "$list" "$pairs"' EXIT

sources() {
	find "$@" \( -name '*.c' -o -name '*.h' \) | sort
}

# Lines "file included", for the includes in quotes of the files on standard input.
includes() {
	xargs -r grep -H '^#include "' | sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/'
}

# may ROOM ALLOWED... : an include with a folder in it names one of ALLOWED (folders or files), or a file of ROOM; a bare one, only outside
# lib/, names a file that stands beside the includer, in ROOM itself, or in proto/ (for those above it).
may() {
	room=$1
	shift
	sources "$room" | includes | while read -r file name; do
		case $file in client/cli/*) [ "$room" = client/cli ] || continue ;; esac
		case " $* " in
		*" ${name%%/*} "* | *" $name "*) continue ;;
		esac
		case $room:$name in
		lib/*) ;;
		*:*/*) [ -f "$room/$name" ] && continue ;;
		*) [ -f "$room/$name" ] && continue
		   { [ -f "$(dirname "$file")/$name" ] || { [ "$room" != client/cli ] && [ -f "proto/$name" ]; }; } && continue ;;
		esac
		echo "$file includes $name"
	done >"$list"
	report "$room includes its own${*:+, and $*}"
}

# The files of a room; client/python is an extension of its own, whose names may be those of the library's objects.
own_sources() {
	sources "$1" | if [ "$1" = client ]; then grep -v '^client/python/'; else cat; fi
}

# What the files of a stem have in common: NAME.c, NAME.h, NAME_simd.c, NAME_aes.c, NAME_amx.c and the objects for each
# instruction set are one.
stem='s/(_simd|_aes)?(_avx2|_avx512|_avx512bf16|_amx|_neon|_aesni|_vaes256|_vaes512|_armaes)?$//'

# Lines "file file": which of a room's files includes which.
include_edges() {
	room=$1
	own_sources "$room" | includes | while read -r file name; do
		for path in "$(dirname "$file")/$name" "$room/$name" "lib/$name"; do
			[ -f "$path" ] || continue
			case $path in "$room"/*) echo "${file%.*} ${path%.*}" ;; esac
			break
		done
	done
}

# Lines "file file": which of a room's files calls which, by the symbols of the objects that were built.
call_edges() {
	room=$1
	own_sources "$room" | sed -n "s,\(.*\)\.c$,$BUILD/obj/\1,p" | while read -r object; do
		for isa in '' _avx2 _avx512 _neon _aesni _vaes256 _vaes512 _armaes; do
			if [ -f "$object$isa.o" ]; then echo "$object$isa.o"; fi
		done
	done | xargs -r nm -Ag | sed "s,^$BUILD/obj/,,; s,\.o:[0-9a-f]*, ," | awk '
		$2 == "U" { users[$3] = users[$3] " " $1; next }
		{ definer[$3] = $1 }
		END {
			for (symbol in users) {
				if (!(symbol in definer))
					continue
				count = split(users[symbol], user, " ")
				for (i = 1; i <= count; i++)
					print user[i], definer[symbol]
			}
		}'
}

# Lines "stem stem", each once, without a stem's edges to itself.
stem_edges() {
	awk -v OFS='\n' '{ print $1, $2 }' | sed -E "$stem" | paste -d ' ' - - | sort -u | awk '$1 != $2'
}

# What tsort says of circles in the edges on standard input.
loops() {
	tsort 2>&1 >/dev/null | sed 's/^tsort: [^:]*: *//; s/^tsort: //'
}

# acyclic ROOM [folders] : no file of ROOM includes or calls itself by way of others; with `folders`, no folder below ROOM
# either. Files that stand in ROOM itself are nodes of their own: some are below its folders, others above.
acyclic() {
	room=$1
	folders=${2:-}
	{ include_edges "$room"; call_edges "$room"; } | stem_edges >"$pairs"
	if [ -s "$pairs" ]; then loops <"$pairs" >"$list"; else echo "no includes were found" >"$list"; fi
	report "no circle of includes and calls inside $room"
	if [ -n "$folders" ]; then
		sed -E "s,($room/[^/ ]+)/[^ ]+,\1,g" "$pairs" | awk '$1 != $2' | sort -u | loops >"$list"
		report "no circle between the folders of $room"
	fi
}

# only PATTERN FILES : angle-bracket includes that match PATTERN stand in files that match FILES.
only() {
	sources lib proto daemon client | xargs grep -HE "^#include <($1)" | grep -vE "^($2)" >"$list"
	report "<$1> is known to $2"
}

# Rooms whose files are free of circles: a room is added when its last one is broken.
for room in client/cli client/python/src proto lib/base lib/colored lib/gemm lib/math lib/rng; do
	acyclic "$room"
done
for room in client daemon lib/distributions lib/engine lib/fft; do
	acyclic "$room" folders
done
if [ -n "$(call_edges lib | stem_edges)" ]; then : >"$list"; else echo "no object of lib/ calls another" >"$list"; fi
report "calls between files are seen"

may lib/base base
may lib/rng base rng
may lib/math base math
may lib/distributions base math rng distributions
may lib/gemm base gemm
may lib/fft base gemm fft
may lib/colored base math distributions fft colored
may lib/engine base math rng distributions gemm fft colored engine
may proto base engine
may daemon base engine
may client/session base engine session
may client/call base engine session call
may client/remote base session call remote
may client/embedded base engine session call embedded
may client/api base rng distributions fft engine session call remote embedded api
may client/selftest base rng gemm fft selftest
may client/npy npy
may client/cli npy base/suggest.h
may client/examples
may client/man
may client/python
may client/mpi npy
may client/fftw base fft engine fftw

sources client/fftw | includes | grep -E ' engine/' | grep -vE ' engine/scheduler/' >"$list"
report "client/fftw knows no more of the engine than its scheduler"

only 'event2?/|event\.h' 'daemon/net/(listener|connection|loop)'
only 'msgpack' 'proto/codec'
only 'sqlite3' 'daemon/streams/store'
only 'systemd/' 'daemon/(notify|log)'
only 'trnsci/' 'client/'
only 'Python\.h|numpy/' 'client/python/'

# What differs between kinds of steps stands in their rows (engine/steps).
sources lib/engine | xargs grep -nE '(kind|ops) *([=!<>]=|[<>]) *(STEP_|&?step_)|case STEP_' >"$list"
report "no code tests a step's kind"

# Libraries do no I/O, never log and never end the program. engine/scheduler/cpus.c alone asks the system for its CPUs.
sources lib | grep -v '^lib/engine/scheduler/cpus\.c$' |
	xargs grep -nE '(^|[^_[:alnum:]])(f?printf|puts|perror|f?open|syslog|exit|abort|getenv)\(' | grep -v '__attribute__' >"$list"
report "lib/ does no I/O, never logs, never exits"
sources client | grep -vE '^client/(cli|examples|man|mpi/command|mpi/examples|mpi/man)/' | xargs grep -nE '(^|[^_[:alnum:]])(f?printf|puts|perror|exit|abort)\(' >"$list"
report "the client library never prints and never exits"

find . -mindepth 1 -maxdepth 1 ! -name '.*' | sed 's,^\./,,' | grep -vxE \
	'Makefile|daemon|client|proto|lib|systemd|tests|README.md|LICENSE|CHANGELOG.md|CONTRIBUTING.md|build|build-.*' >"$list"
report "the top level holds the named rooms only"

find Makefile daemon client proto lib systemd tests \( -name '*.[ch]' -o -name '*.sh' -o -name '*.mk' -o -name Makefile \) \
	-exec grep -LE 'SPDX-License-Identifier: Apache-2.0' {} + >"$list"
report "every source file names its licence"

finish
