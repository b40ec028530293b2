#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A new user's first ten minutes: the tutorial as it stands, from the packages of make deb, in a bare root of this release. Root
# installs by the tutorial's own command, a user does the rest. build/packages/tutorial.txt is what it printed. Part of make
# check-packages; it needs the network.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${BUILD:-build}" && pwd) || exit 1
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
export root=$work/root transcript=$build/packages/tutorial.txt
mkdir -p "$build/packages"
rm -f "$transcript"

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(id -u)" = 0 ] || skip "a bare root takes root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=minbase "$suite" "$root" 2>"$work/log" || skip "no bare root: $(tail -n 1 "$work/log")"
mkdir -p "$root/src/build/deb" "$root/tests/e2e" "$root/tests/harness"
cp "$build"/deb/*.deb "$root/src/build/deb/"
cp tests/e2e/tap tests/e2e/documents tests/packages/inside_tutorial "$root/tests/e2e/"
cp tests/harness/daemon.sh "$root/tests/harness/"
# The other way to install is followed by c57_documents.
awk '/^## / {other = /from the tree/} !other' client/docs/tutorial.md >"$root/tests/tutorial.md"
printf 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n' >"$root/etc/apt/apt.conf.d/90tests"
cp /etc/resolv.conf "$root/etc/"

# shellcheck disable=SC2016 # the inner shell expands them
unshare --mount --pid --fork bash -euc '
	mount --make-rprivate /
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	chroot "$root" useradd -m -s /bin/sh newcomer
	install_command=$(sed -n "s/^# \(apt install .*\)/\1/p" "$root/tests/tutorial.md")
	[ -n "$install_command" ]
	{
		echo "# $install_command"
		chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -c "apt-get -qq update && cd /src && $install_command" 2>&1
	} >"$transcript" || { echo "1..1"; echo "not ok 1 - the installation"; tail -n 20 "$transcript" | sed "s/^/# /"; exit 1; }
	chroot "$root" su newcomer -c "BUILD=/usr TRANSCRIPT=/home/newcomer/transcript sh /tests/e2e/inside_tutorial"
'
status=$?
cat "$root/home/newcomer/transcript" >>"$transcript" 2>/dev/null
sed 's/^/# /' "$transcript" | grep -v '^# \(Get:\|Selecting\|Preparing\|Unpacking\|(Reading\|Setting up\|Processing\)'
exit $status
