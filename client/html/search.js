// SPDX-License-Identifier: Apache-2.0
// Searches all pages for the words in the box. The texts are in index.js, which is loaded with the first search.
'use strict';

const box = document.getElementById('search'), found = document.getElementById('found');
const MOST = 30;

function load(then) {
	if (typeof PAGES !== 'undefined')
		return then();
	const script = document.createElement('script');
	script.src = 'index.js';
	script.onload = then;
	document.head.append(script);
}

// How well a page answers: names before summaries before texts; 0 if a word is missing.
function score(page, words) {
	const [, title, line, text] = page.lower;
	let sum = words.every(word => title.includes(word) || line.includes(word)) ? 200 : 0;

	for (const word of words) {
		const at = title.indexOf(word);
		const points = (title.replace(/\(\d\)$/, '') === word ? 1000 : 0) + (at >= 0 ? 100 - Math.min(at, 50) : 0) +
			(line.includes(word) ? 20 : 0) + Math.min(text.split(word).length - 1, 10);
		if (!points)
			return 0;
		sum += points;
	}
	return sum;
}

// A piece of the text around the first word, with all words marked.
function excerpt(page, words) {
	const at = page[3].lastIndexOf(' ', Math.max(0, page.lower[3].indexOf(words[0]) - 60)) + 1, p = document.createElement('p');
	const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

	for (const [i, part] of page[3].slice(at, at + 200).split(new RegExp(`(${escaped.join('|')})`, 'i')).entries()) {
		const piece = document.createElement(i % 2 ? 'mark' : 'span');
		piece.textContent = part;
		p.append(piece);
	}
	return p;
}

function show() {
	const words = box.value.toLowerCase().split(/\s+/).filter(word => word);
	found.hidden = !words.length;
	found.replaceChildren();
	if (!words.length)
		return;
	for (const page of PAGES)
		page.lower ??= page.map(text => text.toLowerCase());
	const best = PAGES.map(page => [score(page, words), page]).filter(([points]) => points).sort((a, b) => b[0] - a[0]);
	for (const [, page] of best.slice(0, MOST)) {
		const a = document.createElement('a'), line = document.createElement('span');
		a.href = page[0] + '.html';
		a.textContent = page[1];
		line.textContent = ' ' + page[2].slice(0, 90);
		a.append(line, excerpt(page, words));
		found.append(a);
	}
	if (!best.length)
		found.textContent = 'No page has all of these words.';
}

box.addEventListener('input', () => load(show));
box.addEventListener('keydown', event => {
	if (event.key === 'Enter' && found.firstElementChild)
		location.href = found.firstElementChild.href;
	if (event.key === 'Escape') {
		box.value = '';
		found.hidden = true;
		box.blur();
	}
});
document.addEventListener('keydown', event => {
	if (event.key === '/' && document.activeElement !== box) {
		event.preventDefault();
		box.focus();
	}
});
// Wide windows show the contents beside the page; ?q=WORDS searches at once.
document.querySelector('nav details').open = matchMedia('(min-width: 60rem)').matches;
box.value = new URLSearchParams(location.search).get('q') ?? '';
if (box.value)
	load(show);
