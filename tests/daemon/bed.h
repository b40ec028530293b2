/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams in the test's own process, over a folder of its own: random requests, and what must hold of all that
 * was ever answered, through as many lives as the folder has. Everything asserts, and tells the seed that repeats it. */
#ifndef TRNSCI_TESTS_DAEMON_BED_H
#define TRNSCI_TESTS_DAEMON_BED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/streams/store.h"
#include "daemon/streams/streams.h"
#include "engine/engine.h"
#include "engine/memory/session_memory.h"

enum {
	BED_NAMES = 4,
	BED_RANGES_MOST = 4096,
	BED_BLOCK = 4096, /* words */
};

struct range {
	uint64_t seed, stream, first, end;
};

struct bed {
	struct settings settings;
	struct engine *engine;
	struct session_memory *memory;
	struct streams *streams;
	struct peer peer;
	char dir[64];
	/* What has been answered, in all lives of the folder. */
	struct range ranges[BED_RANGES_MOST];
	size_t n_ranges;
	uint64_t last_id; /* of seed 1 */
	bool there[BED_NAMES]; /* created, and not deleted */
	bool unsure[BED_NAMES]; /* a create or delete failed: either may be */
	uint64_t seed, random;
};

/* A folder in memory, and no streams yet; the disk is torn_vfs.h's. */
void bed_open(struct bed *bed, uint64_t seed);
/* Once the streams are closed; removes the folder. */
void bed_close(struct bed *bed);

/* Opens the streams of a sound state. */
void bed_power_on(struct bed *bed);
/* What was created is there, what was deleted is not; what a crash skipped is at most a block, or one long draw. */
void bed_check_names(struct bed *bed);

uint64_t bed_random(struct bed *bed, uint64_t below);

/* Requests about one of the names; an error's code, or 0, whose answer has then been checked: no word of a range that
 * was issued before, no id below one that was given. */
int bed_draw(struct bed *bed, int which);
int bed_create(struct bed *bed, int which);
int bed_delete(struct bed *bed, int which);
int bed_advance(struct bed *bed, int which);
/* One of them, most often a draw. */
int bed_do_something(struct bed *bed);

/* That it was never issued; from now on it has been. */
void bed_check_range(struct bed *bed, const struct range *range);
/* The parameters of a request about one of the names. */
struct value bed_params(struct bump *bump, int which);
/* The answer: an error's code, or 0 with the members named (NULL at the end) in numbers. */
int bed_call(struct bed *bed, const char *method, const struct value *params, struct bump *bump,
	     const char *const *names, uint64_t *numbers);

#endif
