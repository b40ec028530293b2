#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as others see it: its names, its examples, and a program built against the installed tree.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
lib=$build/lib/libtrnsci.so

number=$(sed -n 's/^SOVERSION := //p' "$root/Makefile")
same "SONAME" "libtrnsci.so.$number" "$(objdump -p "$lib" | awk '$1 == "SONAME" {print $2}')"
same "only the interface is exported" "" \
	"$(nm -D --defined-only "$lib" | awk '{print $3}' | sed 's/@.*//' | grep -v "^trnsci_\|^LIBTRNSCI_$number\$")"
same "the package bears its number" "libtrnsci$number" "$(sed -n 's/^Package: \(libtrnsci[0-9].*\)/\1/p' "$root/systemd/debian/control")"
same "of the static library, too" "" \
	"$(nm -g --defined-only "$build/lib/libtrnsci.a" | awk 'NF == 3 {print $3}' | grep -v '^trnsci_\|^__')"
grep -o 'TRNSCI_API.*' "$root/client/include/trnsci/trnsci.h" | grep -o 'trnsci_[a-z0-9_]*(' | tr -d '(' | sort >"$work/declared"
nm -D --defined-only "$lib" | awk '{print $3}' | sed 's/@.*//' | grep '^trnsci_' | sort >"$work/exported"
same "every function that is declared is there, and no other" "" "$(diff "$work/declared" "$work/exported")"
same "the library does not print or exit" "" \
	"$(nm -D --undefined-only "$lib" | awk '{print $2}' | sed 's/@.*//' | grep -x 'printf\|puts\|putchar\|perror\|exit\|_exit\|abort\|fprintf\|syslog\|stderr\|stdout')"
for language in "c -std=c99" "c -std=c17" "c++ -std=c++17"; do
	compiler=${CC:-gcc}
	command -v g++ >/dev/null || command -v clang++ >/dev/null || [ "${language%% *}" = c ] || continue
	# shellcheck disable=SC2086
	same "the header is valid ${language##*=}" "" \
		"$(echo '#include <trnsci/trnsci.h>' | $compiler -x $language -Wall -Wextra -pedantic -I"$root/client/include" -fsyntax-only - 2>&1)"
done

# The examples and the README's first one, by each language that there is.
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;/^```$/,$d' >"$work/readme.c"
for language in "c -std=c17" "c++ -std=c++17"; do
	compiler=${CC:-gcc}
	command -v g++ >/dev/null || command -v clang++ >/dev/null || [ "${language%% *}" = c ] || continue
	for example in "$root"/client/examples/*.c "$work/readme.c"; do
		# shellcheck disable=SC2086
		same "$(basename "$example") is valid ${language##*=}" "" \
			"$($compiler -x $language -Wall -Wextra -pedantic -D_GNU_SOURCE -I"$root/client/include" -fsyntax-only "$example" 2>&1)"
	done
done
# shellcheck disable=SC2086 # no word where there is no sanitizer
code "the README's example is built" 0 ${CC:-gcc} ${SAN:+-fsanitize=$SAN} -I"$root/client/include" -o "$work/readme" "$work/readme.c" -L"$build/lib" \
	-ltrnsci -Wl,-rpath,"$build/lib"
code "the README's example, embedded" 0 env TRNSCI_SOCKET=embedded: "$work/readme"
readme=$(cat "$work/out")
for example in one_line program run_again event_loop ring ring_loop noise_spectrum; do
	code "example $example, embedded" 0 "$build/examples/$example" embedded:
	cp "$work/out" "$work/$example.out"
done
like "the tone is found" "*300 of 4096, a tone at 300*" "$(cat "$work/program.out")"
start_daemon --threads 2 --state-dir "$work/state"
for example in one_line program run_again event_loop ring ring_loop noise_spectrum named_stream broadcast; do
	code "example $example, by the daemon" 0 "$build/examples/$example" "$socket"
	[ $example = event_loop ] || [ ! -e "$work/$example.out" ] ||
		same "example $example gives the same by both" "$(cat "$work/$example.out")" "$(cat "$work/out")"
done
code "the README's example, by the daemon" 0 env TRNSCI_SOCKET="$socket" "$work/readme"
same "gives the same by both" "$readme" "$(cat "$work/out")"

# What a user does after make install.
if nm -D "$lib" | grep -q '__asan_init\|__tsan_init\|__ubsan'; then
	echo "# a sanitizer's library is not installed"
elif make -C "$root" -n install DESTDIR=/nonexistent >/dev/null 2>&1; then
	if make -C "$root" -s install BUILD="$build" DESTDIR="$work/tree" PREFIX=/usr >"$work/log" 2>&1; then
		pass "make install"
		PKG_CONFIG_PATH=$(find "$work/tree" -name pkgconfig -type d)
		export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR="$work/tree"
		libdir=$(dirname "$(find "$work/tree" -name libtrnsci.so | head -1)")
		# shellcheck disable=SC2046,SC2086
		code "an example by pkg-config" 0 ${CC:-gcc} -o "$work/example" "$root/client/examples/one_line.c" \
			$(pkg-config --cflags --libs trnsci) -lm
		code "it runs" 0 env LD_LIBRARY_PATH="$libdir" "$work/example" "$socket"
		same "the examples are installed" "$(cd "$root/client/examples" && find . -maxdepth 1 -type f ! -name '*.mk' | sort)" \
			"$(cd "$work/tree/usr/share/doc/trnsci/examples" && find . -type f | sort)"
		same "pkg-config's version is the command's" "$("$cli" version | awk 'NR == 1 {print $2}')" \
			"$(pkg-config --modversion trnsci)"
		code "the installed command runs" 0 env LD_LIBRARY_PATH="$libdir" "$(find "$work/tree" -path '*/bin/trnsci-cli')" version
		same "libraries have no debug symbols, which are in a file beside them" "0 1" \
			"$(objdump -h "$libdir/libtrnsci.so.$number" | grep -c '\.debug_info') $(objdump -h "$libdir"/.debug/libtrnsci.so.*.debug | grep -c '\.debug_info')"
		same "nor has the static one" "" "$(objdump -h "$libdir/libtrnsci.a" 2>/dev/null | grep '\.debug_info')"
		# shellcheck disable=SC2046,SC2086
		code "an example with the static library" 0 ${CC:-gcc} -o "$work/static" "$root/client/examples/one_line.c" \
			$(pkg-config --cflags trnsci) "$libdir/libtrnsci.a" $(pkg-config --static --libs-only-l trnsci | sed 's/-ltrnsci//')
		code "it runs" 0 "$work/static" "$socket"
		code "make uninstall" 0 make -C "$root" -s uninstall BUILD="$build" DESTDIR="$work/tree" PREFIX=/usr
		same "leaves no file, and no folder of ours" "" "$(find "$work/tree" ! -type d -o -name '*trnsci*' -o -name .debug)"
		code "make install LIBDIR" 0 make -C "$root" -s install BUILD="$build" DESTDIR="$work/multi" PREFIX=/usr LIBDIR=/usr/lib/some-arch
		code "after that, make has nothing to do" 0 make -C "$root" -q BUILD="$build"
		code "nor has an installation anywhere else" 0 make -C "$root" -q BUILD="$build" PREFIX=/opt all
		PKG_CONFIG_PATH=$work/multi/usr/lib/some-arch/pkgconfig PKG_CONFIG_SYSROOT_DIR=
		same "pkg-config follows" "/usr/lib/some-arch" "$(pkg-config --variable=libdir trnsci)"
		code "the command finds that library" 0 "$work/multi/usr/bin/trnsci-cli" version
	else
		fail "make install" "$(tail -3 "$work/log")"
	fi
else
	echo "# no make install yet"
fi
finish
