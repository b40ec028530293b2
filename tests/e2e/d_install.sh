#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an administrator does with a tree on a running system: make install, the README's service, make uninstall.
# Part of make check-full (TRNSCI_FULL=1); needs root and the package systemd-container.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/booted
. tests/e2e/booted
[[ ${BUILD:-build} = /* ]] && skip "the build folder is outside the tree"
echo "BUILD=${BUILD:-build}" >"$stage/build_folder"
run_inside tests/e2e/inside_install .
