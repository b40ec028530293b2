#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of status --html: what clients choose becomes text, tags are closed, nothing comes from elsewhere. With
# TRNSCI_FULL=1 in headless Chromium, light and dark, at the widths of a screen and of a phone.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
# shellcheck source=tests/e2e/chromium
. "$(dirname "$0")/chromium"
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

if has_chromium "the page"; then
	picture light 1160
	picture dark 1160 --blink-settings=preferredColorScheme=0
	same "dark is another picture" 1 "$(cmp -s "$work/light.png" "$work/dark.png" || echo 1)"
	picture phone 500
	for width in 500 800 1160; do
		fits "$page" "the page" "$width"
	done
fi
finish
