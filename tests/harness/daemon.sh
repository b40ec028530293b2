# SPDX-License-Identifier: Apache-2.0
# Sourced: a daemon on the private socket $socket. The sourcing script sets $build and its own folder $work, and calls
# stop_daemon before it removes that.
# shellcheck shell=sh disable=SC2034,SC2154

socket=$work/d.sock
daemon_pid=

# The daemon's own line says when it listens: no sleep.
start_daemon() {
	mkfifo "$work/log" || exit 1
	"$build/bin/trnscid" --socket "$socket" "$@" 2>"$work/log" </dev/null >/dev/null &
	daemon_pid=$!
	exec 9<"$work/log"
	while read -r line <&9; do
		case $line in
		*"listens on"*) break ;;
		esac
	done
	cat <&9 >/dev/null &
	exec 9<&-
	rm -f "$work/log"
	[ -S "$socket" ] || {
		echo "Bail out! the daemon does not listen at $socket: $line"
		exit 1
	}
}

stop_daemon() {
	[ -n "$daemon_pid" ] || return 0
	kill "$daemon_pid" 2>/dev/null
	wait "$daemon_pid"
	daemon_status=$?
	daemon_pid=
}

# await COMMAND... : runs it until it succeeds; ends the test after half a minute.
await() {
	await_looks=0
	until "$@"; do
		await_looks=$((await_looks + 1))
		[ "$await_looks" -lt 600 ] || {
			echo "Bail out! expected within 30 s: $*"
			exit 1
		}
		sleep 0.05
	done
}
