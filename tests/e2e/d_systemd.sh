#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What make install lays down, under a really booted systemd: socket activation, start, stop, who may draw, the watchdog.
# Part of make check-full (TRNSCI_FULL=1); needs root and the package systemd-container.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/booted
. tests/e2e/booted
make -s install DESTDIR="$stage" PREFIX=/usr BUILD="${BUILD:-build}" >&2 || exit 1
install -m 755 "${BUILD:-build}/tests/daemon/check_sandbox" "$stage/usr/lib/check_sandbox" || exit 1
chmod 755 "$stage" # it becomes the container's /
systemd-analyze security --offline=true --threshold=5 "$stage/usr/lib/systemd/system/trnscid.service" >"$stage/security" ||
	{ sed 's/^/# /' "$stage/security"; exit 1; }
sed -n 's/.*Overall/# Overall/p' "$stage/security"
rm "$stage/security"
run_inside tests/e2e/inside_systemd
