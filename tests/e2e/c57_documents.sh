#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command of the documents in client/docs succeeds, in its order, and prints what the document shows.
#
# A command stands in a block and begins with `$ `; with <<'EOF' it goes on to EOF. The lines after it are its output, in
# which `...` stands for anything; without such lines its output is not compared. What ends with & has to open its socket.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)

# Lines `N command` and `N= output` of a document, in its order.
list_commands() {
	awk '
	/^```/ { inside = !inside; shown = 0; next }
	!inside { next }
	here { print n " " $0; if ($0 == "EOF") here = 0; next }
	/^\$ / { n++; shown = 1; print n " " substr($0, 3); here = /<<.EOF/; next }
	shown && NF { print n "= " $0 }' "$1"
}

# The output that a document shows, as a shell pattern.
to_pattern() {
	sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g'
}

# Other tests install from the same build folder.
make() {
	flock "$build/install.lock" make -s "$@"
}

# run_document FILE FOLDER : from that folder on, in one shell, since later commands use what earlier ones set.
run_document() {
	document=$1
	name=$(basename "$document")
	mkdir "$work/$name" && cd "$2" || exit 1
	list_commands "$document" >"$work/$name/commands"
	total=$(tail -n 1 "$work/$name/commands" | sed 's/[= ].*//')
	same "$name has commands" 1 "$((${total:-0} > 0))"
	i=0
	while [ "$i" -lt "${total:-0}" ]; do
		i=$((i + 1))
		command=$(sed -n "s/^$i //p" "$work/$name/commands")
		eval "$command" >"$work/$name/out.$i" 2>"$work/$name/err.$i" </dev/null
		got=$?
		case $command in
		*'&') daemon_pid=$! && await test -S "$TRNSCI_SOCKET" ;;
		'kill $!')
			wait "$daemon_pid"
			same "$name: the daemon ends" 0 "$?"
			daemon_pid=
			;;
		esac
		if [ "$got" = 0 ]; then pass "$name: $(echo "$command" | head -n 1)"; else
			fail "$name: $command" "expected exit code 0, got $got" "$(tail -n 3 "$work/$name/err.$i")"
		fi
		expected=$(sed -n "s/^$i= //p" "$work/$name/commands" | to_pattern)
		[ -z "$expected" ] || like "$name: and its output" "$expected" "$(cat "$work/$name/out.$i")"
	done
	cd "$work" || exit 1
}

# The tutorial begins with an installation from the tree, into a home, and starts its own daemon.
export BUILD="$build" HOME="$work/home" DESTDIR=/
mkdir "$HOME" || exit 1
if [ -n "${SAN:-}" ]; then
	echo "# programs of the tutorial and of C++ cannot be linked with a sanitizer's library"
else
	run_document "$root/client/docs/tutorial.md" "$root"
	run_document "$root/client/docs/cpp.md" "$HOME"
fi

start_daemon --state-dir "$work/streams"
export TRNSCI_SOCKET="$socket"
PATH=$build/bin:$PATH
run_document "$root/client/docs/streams.md" "$work"
run_document "$root/client/docs/faq.md" "$work"
finish
