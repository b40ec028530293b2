#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The packages of make deb under a really booted systemd: install, use, upgrade with a client attached, remove, install
# again, purge. The higher version is the same files under a higher number. Part of make check-packages.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/booted
. tests/e2e/booted
debs=${BUILD:-build}/deb
mkdir "$stage/debs" "$stage/debs/first" "$stage/debs/second"
for name in libtrnsci1 libtrnsci-dev trnscid trnsci-cli python3-trnsci trnsci-fftw; do
	cp "$debs/${name}"_[0-9]*.deb "$stage/debs/first/" || exit 1
	dpkg-deb -R "$stage/debs/first/${name}"_*.deb "$stage/debs/tree" || exit 1
	sed -i -E '/^(Version|Depends):/s/^(Version: .*)$/\1+1/; s/^(Depends:.*libtrnsci1 \(= [^)]*)\)/\1+1)/' "$stage/debs/tree/DEBIAN/control"
	dpkg-deb --root-owner-group -Znone -b "$stage/debs/tree" "$stage/debs/second/$name.deb" >/dev/null || exit 1
	rm -r "$stage/debs/tree"
done
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;/^```$/,$d' >"$stage/debs/readme.c"
run_inside tests/packages/inside
