#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command of the documents in client/docs succeeds, in its order, and prints what the document shows.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
# shellcheck source=tests/e2e/documents
. "$(dirname "$0")/documents"
root=$(cd "$(dirname "$0")/../.." && pwd)

# The tutorial, with its installation from the tree into a home, starts its own daemon. tests/packages/tutorial.sh follows it
# from the packages.
export BUILD="$build" HOME="$work/home" DESTDIR=/
mkdir "$HOME" || exit 1
run_document "$root/client/docs/tutorial.md" "$root"
run_document "$root/client/docs/cpp.md" "$HOME"

# The one that has numpy.
python3() {
	"${PYTHON:-/usr/bin/python3}" "$@"
}

start_daemon --state-dir "$work/streams"
export TRNSCI_SOCKET="$socket"
PATH=$build/bin:$PATH
run_document "$root/client/docs/streams.md" "$work"
run_document "$root/client/docs/spectra.md" "$work"
run_document "$root/client/docs/faq.md" "$work"
finish
