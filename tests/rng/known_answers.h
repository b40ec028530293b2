/* SPDX-License-Identifier: Apache-2.0 */
/* The known answers that the authors of a generator publish: for each line, the reference must map the counter and key
 * to the same words. */
#ifndef TRNSCI_TESTS_RNG_KNOWN_ANSWERS_H
#define TRNSCI_TESTS_RNG_KNOWN_ANSWERS_H

#include "rng/support.h"

struct known_generator {
	const char *name;
	int words, inputs; /* of the counter; of counter and key together, at most 8 */
	void (*block)(const uint64_t x[8], unsigned rounds, uint64_t ret_words[4]);
};

/* Defines known_FUNCTION, the member `block`: `in` are the words of counter and key as the function takes them. */
#define KNOWN_BLOCK(function, type, words, key)                                                                        \
	static void known_##function(const uint64_t x[8], unsigned rounds, uint64_t ret_words[4])                      \
	{                                                                                                              \
		type in[8], out[words];                                                                                \
                                                                                                                       \
		for (int i = 0; i < 8; i++)                                                                            \
			in[i] = (type)x[i];                                                                            \
		function(in, key, rounds, out);                                                                        \
		for (int i = 0; i < (words); i++)                                                                      \
			ret_words[i] = out[i];                                                                         \
	}

static struct {
	struct known_generator generator;
	int lines;
} known;

static void check_known_answer(char *line)
{
	uint64_t x[12] = {0}, words[4];
	unsigned rounds;
	char name[32];
	int at;

	if (sscanf(line, "%31s %u %n", name, &rounds, &at) != 2 || strcmp(name, known.generator.name) != 0)
		return;
	line += at;
	for (int i = 0; i < known.generator.inputs + known.generator.words; i++)
		x[i] = strtoull(line, &line, 16);
	known.generator.block(x, rounds, words);
	for (int i = 0; i < known.generator.words; i++)
		if (words[i] != x[known.generator.inputs + i])
			fail_msg("%s, known answer %d, word %d: expected %016llx, got %016llx", name, known.lines, i,
				 (unsigned long long)x[known.generator.inputs + i], (unsigned long long)words[i]);
	known.lines++;
}

/* Checks that the file has so many lines of the generator, and that it computes each. */
static void check_known_answers(struct known_generator generator, int lines)
{
	known.generator = generator;
	known.lines = 0;
	for_each_line("tests/vectors/known_answers.txt", check_known_answer);
	assert_int_equal(known.lines, lines);
}

#endif
