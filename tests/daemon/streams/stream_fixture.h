/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams in the test's own process, over a folder of its own: random requests, and what must hold of all that
 * was ever answered, through as many lives as the folder has. Everything asserts, and prints the seed that repeats it.
 */
#ifndef TRNSCI_TESTS_DAEMON_STREAM_FIXTURE_H
#define TRNSCI_TESTS_DAEMON_STREAM_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/streams/store.h"
#include "daemon/streams/streams.h"
#include "engine/engine.h"
#include "engine/memory/engine_session.h"

enum {
	FIXTURE_NAMES = 4,
	FIXTURE_RANGES_MOST = 4096,
	FIXTURE_BLOCK = 4096, /* words */
};

struct reservation {
	uint64_t seed, stream, first, end;
};

struct fixture {
	struct settings settings;
	struct engine *engine;
	struct engine_session *memory;
	struct streams *streams;
	struct peer peer;
	char dir[64];
	/* What has been answered, in all lives of the folder. */
	struct reservation ranges[FIXTURE_RANGES_MOST];
	size_t n_ranges;
	uint64_t last_id;           /* of seed 1 */
	bool there[FIXTURE_NAMES];  /* created, and not deleted */
	bool unsure[FIXTURE_NAMES]; /* a create or delete failed: either may be */
	uint64_t seed, random;
};

/* A folder in memory, and no streams yet; the disk is torn_vfs.h's. */
void fixture_open(struct fixture *fixture, uint64_t seed);
/* Once the streams are closed; removes the folder. */
void fixture_close(struct fixture *fixture);

/* Opens the streams of a sound state. */
void fixture_power_on(struct fixture *fixture);
/* What was created is there, what was deleted is not; what a crash skipped is at most a block, or one long draw. */
void fixture_check_names(struct fixture *fixture);

uint64_t fixture_random(struct fixture *fixture, uint64_t below);

/* Requests about one of the names; an error's code, or 0, whose answer has then been checked: no word of a range that
 * was issued before, no id below one that was given. */
int fixture_draw(struct fixture *fixture, int which);
int fixture_create(struct fixture *fixture, int which);
int fixture_delete(struct fixture *fixture, int which);
int fixture_advance(struct fixture *fixture, int which);
/* One of them, most often a draw. */
int fixture_do_something(struct fixture *fixture);

/* That it was never issued; from now on it has been. */
void fixture_check_range(struct fixture *fixture, const struct reservation *range);
/* The parameters of a request about one of the names. */
struct value fixture_params(struct bump *bump, int which);
/* The answer: an error's code, or 0 with the members named (NULL at the end) in numbers. */
int fixture_call(struct fixture *fixture, const char *method, const struct value *params, struct bump *bump,
		 const char *const *names, uint64_t *numbers);

#endif
