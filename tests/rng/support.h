/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of generators and distributions: seeded random cases, files of vectors, guarded buffers. */
#ifndef TRNSCI_TESTS_RNG_SUPPORT_H
#define TRNSCI_TESTS_RNG_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"

enum { GUARD_BYTES = 64, GUARD = 0xA5 };

/* SplitMix64 (Steele, Lea, Flood 2014): independent of the code under test. */
static inline uint64_t next_case(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static inline uint64_t below(uint64_t *state, uint64_t n)
{
	return next_case(state) % n;
}

/* Returns the seed of the random cases: TRNSCI_TEST_SEED, to repeat a failure; default: a fixed seed. */
static inline uint64_t case_seed(void)
{
	const char *text = getenv("TRNSCI_TEST_SEED");

	return text ? strtoull(text, NULL, 0) : 20261120;
}

static inline bool full_check(void)
{
	const char *text = getenv("TRNSCI_FULL");

	return text && *text;
}

/* Returns whether this CPU can run a variant. Prints the name of one that it cannot, so that no skip is silent. */
static inline bool can_run(const char *family, const char *name, uint32_t needs)
{
	if ((needs & ~cpu_detect()) == 0)
		return true;
	printf("# %s %s: not run, this CPU lacks it\n", family, name);
	return false;
}

/* Calls handle for each line of a file that is neither empty nor a comment. handle may fail the test. */
static inline void for_each_line(const char *path, void (*handle)(char *line))
{
	char line[512];
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s: cannot be opened (tests run from the top folder)", path);
	while (fgets(line, sizeof line, file))
		if (line[0] != '#' && line[0] != '\n')
			handle(line);
	fclose(file);
}

/* A buffer of size bytes between guards, `shift` bytes past a 64-byte boundary. Buffer and guards are filled with
 * GUARD. */
struct guarded {
	unsigned char *memory, *at;
	size_t size;
};

static inline struct guarded guarded_new(size_t size, size_t shift)
{
	const size_t whole = (GUARD_BYTES + shift + size + GUARD_BYTES + 63) & ~(size_t)63;
	struct guarded guarded = {.memory = aligned_alloc(64, whole), .size = size};

	assert_non_null(guarded.memory);
	memset(guarded.memory, GUARD, whole);
	guarded.at = guarded.memory + GUARD_BYTES + shift;
	return guarded;
}

/* Frees the buffer. Returns false if a guard was overwritten. */
static inline bool guarded_free(struct guarded guarded)
{
	bool intact = true;

	for (unsigned char *at = guarded.memory; at < guarded.at; at++)
		intact &= *at == GUARD;
	for (size_t i = 0; i < GUARD_BYTES; i++)
		intact &= guarded.at[guarded.size + i] == GUARD;
	free(guarded.memory);
	return intact;
}

#endif
