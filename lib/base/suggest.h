/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the word of a list that is nearest to a misspelt one. */
#ifndef TRNSCI_BASE_SUGGEST_H
#define TRNSCI_BASE_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *wrong;
	char best[48];
	size_t distance; /* of best */
	char text[80];
};

/* wrong is not copied. */
struct suggestion suggestion_of(const char *wrong);

/* Takes one word of the list into account. */
void suggestion_try(struct suggestion *suggestion, const char *word);

/* " (did you mean 'normal'?)", or "" when no word is near. */
const char *suggestion_text(struct suggestion *suggestion);

#endif
