#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lintian has no error and no warning to report of the packages of make deb. Part of make check-packages.
set -u
cd "$(dirname "$0")/../.." || exit 1
echo 1..1
if said=$(lintian --allow-root --fail-on error,warning "${BUILD:-build}"/deb/trnscid_*.changes 2>&1); then
	echo "ok 1 - lintian"
else
	echo "not ok 1 - lintian"
	echo "$said" | sed 's/^/#   /'
	exit 1
fi
