#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of status --html: what clients choose becomes text, tags are closed, nothing comes from elsewhere. With
# TRNSCI_FULL=1 in headless Chromium, light and dark, at the widths of a screen and of a phone.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
page=$work/page.html

start_daemon --threads 2 --slow-us 1 --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"
"$cli" -q rand normal -n 3000000 -o "$work/x.npy"
"$cli" -q stream create lab/noise:1 --seed 18446744073709551615 >"$work/out"
# The name of a command is up to its user.
hostile="<b>&\"'<i x=1>"
ln -s "$cli" "$work/$hostile"
"$work/$hostile" -q ring normal -f raw >/dev/null &
reader=$!
until "$cli" status --clients | grep -q " $reader "; do kill -0 $reader || break; done
code "the page" 0 "$cli" status --html "$page"
kill $reader
wait $reader 2>/dev/null

like "a command's name is text" "*<code>&lt;b&gt;&amp;&quot;&#39;&lt;i x=1&gt;</code>*" "$(cat "$page")"
same "and never a tag" "" "$(grep -o '<b>&\|<i x' "$page")"
like "a stream and its seed of 64 bits" "*lab/noise:1*18446744073709551615*" "$(cat "$page")"
like "the draw is among the slow requests" "*<code>normal</code>*MiB*" "$(cat "$page")"
same "128 lanes" 128 "$(grep -o '<title>lane [0-9]*:' "$page" | sort -u | wc -l)"
same "nothing is loaded or executed" "" "$(grep -oiE '<script|https?:|src=|href=|url\(|@import|<link|<iframe|[ "]on[a-z]+=' "$page")"
same "every tag is closed, in order" "" "$(python3 - "$page" <<'PY'
import sys
from html.parser import HTMLParser

class Tags(HTMLParser):
    void = {'meta', 'br', 'th'}  # th is closed by the next one
    stack = []
    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.stack.append(tag)
    def handle_endtag(self, tag):
        if tag in self.void:
            return
        if not self.stack or self.stack.pop() != tag:
            print('line', self.getpos()[0], tag, self.stack[-3:])

tags = Tags()
tags.feed(open(sys.argv[1], encoding='ascii').read())
tags.close()
print(*tags.stack)
PY
)"
code "the page on stdout" 0 "$cli" status --html -
like "is the same kind of page" "<!DOCTYPE html>*</html>" "$(cat "$work/out")"

# chromium OPTIONS...
look() {
	timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/chromium" "$@" 2>"$work/err"
}

# picture NAME WIDTH OPTIONS... : it has the width, and many colours
picture() {
	name=$1
	width=$2
	shift 2
	look --window-size="$width,1100" --screenshot="$work/$name.png" "$@" "file://$page" >"$work/out"
	like "$name: a picture that is not empty" "$width many colours" "$(python3 - "$work/$name.png" <<'PY'
import struct, sys, zlib

data = open(sys.argv[1], 'rb').read()
width, height, depth, kind = struct.unpack('>IIBB', data[16:26])
at, packed = 8, b''
while at < len(data):
    size, name = struct.unpack('>I4s', data[at:at + 8])
    packed += data[at + 8:at + 8 + size] if name == b'IDAT' else b''
    at += 12 + size
rows, step = zlib.decompress(packed), {2: 3, 6: 4}[kind]
colours = {rows[i:i + step] for i in range(1, len(rows) - step, 997)}
print(width, 'many colours' if len(colours) > 20 else f'{len(colours)} colours')
PY
)"
}

if [ -z "${TRNSCI_FULL:-}" ]; then
	echo "# the page in Chromium is part of make check-full"
elif ! command -v chromium >/dev/null; then
	echo "# skipped: the page in Chromium, which is not installed"
else
	picture light 1160
	picture dark 1160 --blink-settings=preferredColorScheme=0
	same "dark is another picture" 1 "$(cmp -s "$work/light.png" "$work/dark.png" || echo 1)"
	picture phone 500
	# A script of the test's own, in a copy, measures what does not fit.
	sed 's|</body>|<script>document.title = [innerWidth, document.documentElement.scrollWidth].join(" ")</script></body>|' \
		"$page" >"$work/measured.html"
	for width in 500 800 1160; do
		same "nothing is cut off at $width points" "$width $width" "$(look --window-size="$width,900" --dump-dom \
			"file://$work/measured.html" | sed -n 's/.*<title>\([0-9]* [0-9]*\)<.title>.*/\1/p' | head -n 1)"
	done
fi
finish
