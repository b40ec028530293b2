#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What make install lays down, under a really booted systemd: socket activation, start, stop, who may draw, the watchdog.
# Part of make check-full (TRNSCI_FULL=1); needs root and the package systemd-container.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
[ -n "${TRNSCI_FULL:-}" ] || skip "a booted systemd is part of make check-full"
[ "$(id -u)" = 0 ] || skip "only root can boot a container"
command -v systemd-nspawn >/dev/null || skip "systemd-container is not installed"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
make -s install DESTDIR="$stage" PREFIX=/usr BUILD="${BUILD:-build}" >&2 || exit 1
install -m 755 "${BUILD:-build}/tests/daemon/check_sandbox" "$stage/usr/lib/check_sandbox" || exit 1
chmod 755 "$stage" # it becomes the container's /
systemd-analyze security --offline=true --threshold=5 "$stage/usr/lib/systemd/system/trnscid.service" >"$stage/security" ||
	{ sed 's/^/# /' "$stage/security"; exit 1; }
sed -n 's/.*Overall/# Overall/p' "$stage/security"
rm "$stage/security"
echo exit >"$stage/probe.sh"
said=$(tests/e2e/boot "$stage" "$stage/probe.sh" 2>&1) || skip "no container can be booted here: $(tail -n 1 <<<"$said" | tr -d '\r')"
rm "$stage/probe.sh"
tests/e2e/boot "$stage" tests/e2e/inside_systemd | tr -d '\r' | sed -n 's/.*\(bash\[[0-9]*\]: \)//; /^\(ok\|not ok\|#\|1\.\.\)/p'
exit "${PIPESTATUS[0]}"
