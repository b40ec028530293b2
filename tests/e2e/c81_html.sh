#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML manual: every page of every section, no dead link, nothing from elsewhere. With TRNSCI_FULL=1 its search and its look in
# headless Chromium, light and dark, at the widths of a screen and of a phone.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
# shellcheck source=tests/e2e/chromium
. "$(dirname "$0")/chromium"
root=$(cd "$(dirname "$0")/../.." && pwd)
site=$build/html
if [ ! -e "$site" ]; then
	echo "1..0 # SKIP no site: it is made where mandoc and cmark-gfm are"
	exit 0
fi

cd "$root" || exit 1
checked() {
	python3 "$root/tests/e2e/c81_html.py" "$@"
}
# shellcheck disable=SC2046 # a list of arguments
code "the site" 0 checked "$site" README.md=index proto/PROTOCOL.md=trnsci-protocol.7 \
	$(for document in client/docs/*.md; do echo "$document=trnsci-$(basename "$document" .md).7"; done)
same "links, tags, the index and the words of documents" "" "$(cat "$work/out")"
missing=
for page in "$root"/*/man/*.[1-9] "$root"/client/*/man/*.[1-9] "$build"/man/pages/*.[1-9] "$build"/man/mpi/*.[1-9]; do
	[ ! -e "$page" ] || [ -e "$site/$(basename "$page").html" ] || missing="$missing $(basename "$page")"
done
same "every manual page is there" "" "$missing"
like "a page names its function's example" "*EXAMPLES*trnsci_ring_attach*" "$(cat "$site/trnsci_ring_attach.3.html")"
if [ -e "$build/python/trnsci" ]; then
	like "the reference of Python has docstrings" "*id=\"trnsci.Generator.normal\"*Mean and standard deviation.*" "$(cat "$site/python-reference.html")"
	missing=
	for module in $(cd "$root/client/python" && find trnsci -name '[!_]*.py' -o -path '*/*/__init__.py' | sed 's|/__init__||; s|\.py$||; s|/|.|g'); do
		grep -q "id=\"$module\"" "$site/python-reference.html" || missing="$missing $module"
	done
	same "and has every module" "" "$missing"
fi

# The checker itself: what it would find.
cp -r "$site" "$work/broken"
sed -i 's|href="functions.html"|href="funktions.html"|; s|</main>|<a href="trnscid.8.html#nowhere">x</a><img src="http://a/b.png"></main>|' "$work/broken/index.html"
rm "$work/broken/trnsci_open.3.html"
found=$(checked "$work/broken")
like "a dead link is found" "*index.html: a dead link: funktions.html*" "$found"
like "a place that is not there" "*index.html: a link to a place that is not there: trnscid.8.html#nowhere*" "$found"
like "what comes from elsewhere" "*index.html: loads http://a/b.png*" "$found"
like "a page that is missing" "*trnsci-faq.7.html: a dead link: trnsci_open.3.html*" "$found"

# search WORDS : what the page shows of it
search() {
	look --virtual-time-budget=5000 --dump-dom "file://$site/index.html?q=$1" | grep 'id="found"'
}

printf '# A\n\n[b](nothing.md)\n' >"$work/dead.md"
code "a document with a dead link" 1 "$root/client/html/make_pages" "$work/none" "$work" "$work/dead.md=index"
like "is an error that names both" "*dead.md: a dead link: nothing.md*" "$(cat "$work/err")"

if has_chromium "the manual"; then
	page=$site/trnsci_apply_array.3.html
	picture light 1160
	picture dark 1160 --blink-settings=preferredColorScheme=0
	same "dark is another picture" 1 "$(cmp -s "$work/light.png" "$work/dark.png" || echo 1)"
	picture phone 500
	for name in index figures trnsci-cli.1 trnsci-protocol.7 trnsci-which-call.7 python-reference functions trnsci_open.3; do
		for width in 500 800 1160; do
			fits "$site/$name.html" "$name" "$width"
		done
	done
	like "the search finds a function by its summary" '*<div id="found"><a href="trnsci_reader_borrow.3.html">*' "$(search lends%20ring)"
	like "and by its name" '*<div id="found"><a href="trnsci_open.3.html">*' "$(search trnsci_open)"
	like "and a setting" '*href="trnscid.conf.5.html"*' "$(search arena_total_bytes)"
	like "and says when there is none" '*<div id="found">No page has all of these words.</div>*' "$(search xyzzyx)"
fi
finish
