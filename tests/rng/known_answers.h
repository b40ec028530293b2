/* SPDX-License-Identifier: Apache-2.0 */
/* The known answers that the authors of a generator publish: for each line, the reference must map the counter and key
 * to the same words. */
#ifndef TRNSCI_TESTS_RNG_KNOWN_ANSWERS_H
#define TRNSCI_TESTS_RNG_KNOWN_ANSWERS_H

#include "rng/support.h"

static struct {
	const char *name;
	int inputs; /* words of counter and key together, at most 8 */
	void (*block)(const uint32_t counter[4], const uint32_t *key, unsigned rounds, uint32_t ret_words[4]);
	int lines;
} known;

static void check_known_answer(char *line)
{
	uint32_t x[12], words[4];
	unsigned rounds;
	char name[32];
	int at;

	if (sscanf(line, "%31s %u %n", name, &rounds, &at) != 2 || strcmp(name, known.name) != 0)
		return;
	for (int i = 0; i < known.inputs + 4; i++) {
		x[i] = (uint32_t)strtoul(line + at, &line, 16);
		at = 0;
	}
	known.block(x, x + 4, rounds, words);
	for (int i = 0; i < 4; i++)
		if (words[i] != x[known.inputs + i])
			fail_msg("known answer %d, word %d: expected %08x, got %08x", known.lines, i,
				 x[known.inputs + i], words[i]);
	known.lines++;
}

#endif
