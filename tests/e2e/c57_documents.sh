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

# run_document FILE : in a folder and a home of its own, and in one shell, since later commands use what earlier ones set.
run_document() {
	document=$1
	name=$(basename "$document")
	mkdir "$work/$name" && cd "$work/$name" || exit 1
	list_commands "$document" >commands
	total=$(tail -n 1 commands | sed 's/[= ].*//')
	same "$name has commands" 1 "$((${total:-0} > 0))"
	i=0
	while [ "$i" -lt "${total:-0}" ]; do
		i=$((i + 1))
		command=$(sed -n "s/^$i //p" "$work/$name/commands")
		eval "$command" >"$work/$name/out.$i" 2>"$work/$name/err.$i" </dev/null
		got=$?
		case $command in *'&') await test -S "$TRNSCI_SOCKET" && daemon_pid=$! ;; esac
		if [ "$got" = 0 ]; then pass "$name: $(echo "$command" | head -n 1)"; else
			fail "$name: $command" "expected exit code 0, got $got" "$(tail -n 3 "$work/$name/err.$i")"
		fi
		expected=$(sed -n "s/^$i= //p" "$work/$name/commands" | to_pattern)
		[ -z "$expected" ] || like "$name: and its output" "$expected" "$(cat "$work/$name/out.$i")"
	done
	cd "$work" || exit 1
}

start_daemon --state-dir "$work/streams"
export TRNSCI_SOCKET="$socket"
PATH=$build/bin:$PATH
run_document "$root/client/docs/streams.md"
finish
