#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The wheel of make wheel in a bare root of this release: numpy and pip, no compiler, no network. What it draws and transforms is what
# the build's package does. And the source distribution, by pip, in this system. Part of make check-packages; it needs the network.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${BUILD:-build}" && pwd) || exit 1
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
export root=$work/root

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

count=0
report() {
	count=$((count + 1))
	if [ "$2" = 0 ]; then echo "ok $count - $1"; else
		echo "not ok $count - $1"
		sed 's/^/# /' "$work/log" | tail -n 20
		failed=1
	fi
}
failed=0

[ "$(id -u)" = 0 ] || skip "a bare root takes root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
make -s wheel >"$work/log" 2>&1
report "make wheel" $?
wheel=$(ls "$build"/wheel/*.whl)
case $wheel in
*-manylinux_2_[0-9]*_*.whl) [ "$(echo "$wheel" | sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/')" -le 36 ] ;;
*) false ;;
esac
report "its tag is that of glibc 2.36 or an older one: $(basename "$wheel")" $?

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=minbase --include=python3-numpy,python3-pip "$suite" "$root" 2>"$work/log" ||
	skip "no bare root: $(tail -n 1 "$work/log")"
cp "$wheel" "$root/tmp/"
cat >"$root/tmp/try.py" <<'EOF'
import hashlib

import numpy as np
import trnsci
import trnsci.replay.jax

rng = trnsci.Generator(1)
x = rng.normal(size=100000)
spectrum = trnsci.fft.fft(x[:4096])
windows = trnsci.signal.get_window('hann', 64)
print(trnsci.__version__, hashlib.sha256(x.tobytes() + spectrum.tobytes() + np.asarray(windows).tobytes()).hexdigest())
EOF
# Nothing but the loopback device is there, and no compiler.
unshare --net chroot "$root" sh -c '! command -v cc && ! command -v gcc' >"$work/log" 2>&1
report "a root without a compiler" $?
unshare --net chroot "$root" sh -c 'pip install --quiet --no-index --break-system-packages /tmp/*.whl' >"$work/log" 2>&1
report "pip installs it offline" $?
unshare --net chroot "$root" env TRNSCI_SOCKET=embedded: python3 /tmp/try.py >"$work/inside" 2>"$work/log"
report "it draws and transforms" $?
python3 tests/e2e/c81_html.py "$root/usr/local/share/doc/trnsci/html" >"$work/log" 2>&1 && [ ! -s "$work/log" ]
report "and has the manual, without a dead link" $?
PYTHONPATH=$build/python TRNSCI_SOCKET=embedded: /usr/bin/python3 "$root/tmp/try.py" >"$work/outside" 2>"$work/log" &&
	cmp "$work/inside" "$work/outside" >>"$work/log" 2>&1
report "with the bytes of the build's package" $?

/usr/bin/python3 -m pip install --quiet --no-index --no-build-isolation --no-deps --target "$work/source" "$build"/wheel/*.tar.gz \
	>"$work/log" 2>&1
report "pip builds the source distribution" $?
(cd "$work" && PYTHONPATH=$work/source TRNSCI_SOCKET=embedded: /usr/bin/python3 "$root/tmp/try.py") >"$work/built" 2>"$work/log" &&
	cmp "$work/built" "$work/outside" >>"$work/log" 2>&1
report "which draws and transforms the same" $?
echo "1..$count"
exit $failed
