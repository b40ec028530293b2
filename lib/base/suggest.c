/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest word by edit distance, where two neighbouring letters that changed places count once.
 *
 * Source: Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964; the restricted
 * form. */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 47 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], size = strlen(b);

	for (size_t j = 0; j <= size; j++)
		rows[0][j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= size; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[strlen(a) % 3][size];
}

struct suggestion suggestion_of(const char *wrong)
{
	return (struct suggestion){.wrong = wrong, .distance = LONGEST};
}

void suggestion_try(struct suggestion *suggestion, const char *word)
{
	if (strlen(word) > LONGEST || strlen(suggestion->wrong) > LONGEST)
		return;
	const size_t steps = distance(suggestion->wrong, word);

	if (steps < suggestion->distance) {
		suggestion->distance = steps;
		snprintf(suggestion->best, sizeof suggestion->best, "%s", word);
	}
}

/* At most one letter in three may be wrong. */
const char *suggestion_text(struct suggestion *suggestion)
{
	const size_t size = strlen(suggestion->wrong);

	suggestion->text[0] = '\0';
	if (suggestion->distance > 0 && suggestion->distance <= (size + 1) / 3)
		snprintf(suggestion->text, sizeof suggestion->text, " (did you mean '%s'?)", suggestion->best);
	return suggestion->text;
}
