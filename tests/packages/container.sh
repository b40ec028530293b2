#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The steps of the container file in bare roots, one for each stage, since no container can be run everywhere: what COPY and RUN do, and
# then what ENTRYPOINT starts as USER, with folders in the place of volumes. Programs outside use its daemon, whose named stream goes on
# in the next container. Part of make check-packages; it needs the network.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${BUILD:-build}" && pwd) || exit 1
cli=$build/bin/trnsci-cli
work=$(mktemp -d)
pid=
trap 'stop; rm -rf --one-file-system "$work"' EXIT
socket=$work/run/trnsci.sock

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

count=0 failed=0
report() {
	count=$((count + 1))
	if [ "$2" = 0 ]; then echo "ok $count - $1"; else
		echo "not ok $count - $1"
		tail -n 20 "$work/log" | sed 's/^/# /'
		failed=1
	fi
}

[ "$(id -u)" = 0 ] || skip "bare roots take root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"

# In the stage's root, with its own processes; /dev and /proc as a container has them.
inside() {
	unshare --mount --pid --fork bash -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && shift 0 &&
		exec chroot "$0" sh -c "$1"' "$root" "$1"
}

# Instructions, each in one line.
follow() {
	while read -r instruction words; do
		case $instruction in
		FROM)
			root=$work/${words##* }
			[ "${words#* AS }" = "$words" ] && root=$work/last
			folder=/ user=
			suite=$(echo "$words" | sed 's/.*debian:\([0-9]*\).*/\1/;s/12/bookworm/;s/13/trixie/')
			mmdebstrap --quiet --variant=minbase "$suite" "$root" || return 1
			cp /etc/resolv.conf "$root/etc/"
			;;
		WORKDIR) folder=$words ;;
		USER) user=$words ;;
		ENTRYPOINT) entry=$(echo "$words" | tr -d '[],"') ;;
		ENV | VOLUME | HEALTHCHECK) ;;
		COPY)
			case $words in
			--from=*)
				from=$work/${words%% *} from=${from/--from=/}
				words=${words#* }
				for file in ${words% *}; do cp -a "$(readlink -f "$from$file")" "$root${words##* }$(basename "$file")" || return 1; done
				;;
			*)
				mkdir -p "$root${words##* }"
				git archive HEAD | tar -x -C "$root${words##* }" || return 1
				;;
			esac
			;;
		RUN) inside "cd $folder && export DEBIAN_FRONTEND=noninteractive && $words" || return 1 ;;
		*) echo "container.sh does not know $instruction" && return 1 ;;
		esac
	done
}

start() {
	unshare --mount --pid --fork --kill-child bash -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" &&
		mount --bind "$1" "$0/run/trnsci" && mount --bind "$2" "$0/var/lib/trnsci" && exec chroot --userspec "$3" "$0" $4' \
		"$root" "$work/run" "$work/state" "$user" "$entry" 2>"$work/log" &
	pid=$!
}

# As a container is stopped: unshare itself ignores the signal.
stop() {
	[ -n "$pid" ] || return 0
	pkill -TERM -P "$pid"
	wait "$pid"
	pid=
}

sed -e :a -e '/\\$/N; s/\\\n *//; ta' systemd/container/Containerfile | grep -v '^#\|^$' >"$work/steps"
follow <"$work/steps" >"$work/log" 2>&1
report "its steps succeed" $?
inside "command -v gcc" >"$work/log" 2>&1
report "no compiler is in the last stage" $((! $?))
mkdir "$work/run" "$work/state"
chown "$(stat -c %u:%g "$root/var/lib/trnsci")" "$work/run" "$work/state"
start
"$cli" --socket "$socket" status --wait 20 >"$work/log" 2>&1
report "a program outside reaches its daemon" $?
"$cli" --socket "$socket" stream create hum --seed 7 >"$work/log" 2>&1 && "$cli" --socket "$socket" -q stream draw hum normal -n 6 -f text >"$work/first" &&
	"$cli" -q --embedded rand normal -n 6 --seed 7 --stream 1 -f text | cmp - "$work/first" >"$work/log" 2>&1
report "and draws from a named stream" $?
stop
start
"$cli" --socket "$socket" status --wait 20 >"$work/log" 2>&1 && "$cli" --socket "$socket" stream show hum >"$work/log" &&
	grep -q '^position *8$' "$work/log"
report "the next container goes on with it" $?
echo "1..$count"
exit $failed
