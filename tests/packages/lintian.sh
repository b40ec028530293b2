#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lintian has no error and no warning to report of the packages of make deb. Part of make check-packages.
set -u
cd "$(dirname "$0")/../.." || exit 1
echo 1..1
said=$(lintian --allow-root --fail-on error,warning "${BUILD:-build}"/deb/trnscid_*.changes 2>&1)
status=$?
# Debian 13's reports each line of a page that groff could not fill to the margin, as earlier ones did not. 2: it failed on
# what it reported.
rest=$(echo "$said" | grep -v 'groff-message .*cannot adjust line')
if [ $status = 0 ] || { [ $status = 2 ] && [ -n "$said" ] && [ -z "$rest" ]; }; then
	echo "ok 1 - lintian"
else
	echo "not ok 1 - lintian"
	echo "$rest" | sed 's/^/#   /'
	exit 1
fi
