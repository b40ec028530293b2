# SPDX-License-Identifier: Apache-2.0
"""c81_html.py FOLDER SOURCE ... : prints what is wrong in a site: links that lead nowhere, pages that nothing leads to, what comes
from elsewhere, tags that are not closed, words of Markdown sources that their page lacks."""
import html.parser
import json
import os
import re
import sys
import urllib.parse

VOID = {'meta', 'link', 'input', 'img', 'br', 'hr', 'col'}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.open, self.wrong, self.text = set(), [], [], [], []
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())
        self.close()
        if self.open:
            self.wrong.append(f'not closed: {self.open}')

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if 'id' in attributes:
            if attributes['id'] in self.ids:
                self.wrong.append(f'twice the id {attributes["id"]}')
            self.ids.add(attributes['id'])
        if 'href' in attributes and tag == 'a':
            self.links.append(attributes['href'])
        self.text.append(attributes.get('alt') or '')
        loaded = attributes.get('src') or (attributes.get('href') if tag == 'link' else None)
        if loaded and re.match(r'\w+:|//', loaded):
            self.wrong.append(f'loads {loaded}')
        elif loaded:
            self.links.append(loaded)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f'line {self.getpos()[0]}: </{tag}>')

    def handle_data(self, data):
        self.text.append(data)


folder = sys.argv[1]
pages = {name: Page(f'{folder}/{name}') for name in sorted(os.listdir(folder)) if name.endswith('.html')}
led_to = {'index.html'}
for name, page in pages.items():
    for link in page.links:
        path, _, fragment = link.partition('#')
        path = urllib.parse.unquote(path)
        if re.match(r'https?:|mailto:', link):
            continue
        if path and not os.path.exists(f'{folder}/{path}'):
            page.wrong.append(f'a dead link: {link}')
        elif fragment and fragment not in pages[path or name].ids:
            page.wrong.append(f'a link to a place that is not there: {link}')
        if path != name:
            led_to.add(path)
    for wrong in page.wrong:
        print(f'{name}: {wrong}')
print(''.join(f'{name}: nothing leads to it\n' for name in pages if name not in led_to), end='')

with open(f'{folder}/index.js', encoding='utf-8') as file:
    index = {entry[0] for entry in json.loads(re.fullmatch(r'const PAGES = (.*);\n', file.read(), re.S)[1])}
for name in index ^ {name[:-5] for name in pages}:
    print(f'{name}: in the index or a page, not both')


def words(text):
    return set(re.findall(r'\w+', text.lower()))


for source in sys.argv[2:]:
    path, _, name = source.partition('=')
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'\]\([^)]*\)|<!--.*?-->|^```\w*|<br>', ' ', file.read(), flags=re.S | re.M)
    shown = words(' '.join(pages[f'{name}.html'].text))
    missing = {word for word in words(text) if word not in shown and word.strip('_') not in shown}
    if missing:
        print(f'{name}: lacks {sorted(missing)[:5]}')
