/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run staged work: none before a plan for several runs, or those of the program's own loop. */
#ifndef TRNSCI_FFTW_TEAM_H
#define TRNSCI_FFTW_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/staged_work.h"

enum {
	TEAM_MAX = 128,
	TEAM_SCRATCH_BYTES = 1 << 20, /* of each thread */
};

/* Calls work(jobs + i * bytes) for each i below count, and returns when all of them have ended. */
typedef void team_loop(void *(*work)(char *), char *jobs, size_t bytes, int count, void *data);

/* Sets the loop that runs instead of threads of our own. NULL: none. */
void team_set_loop(team_loop *loop, void *data);

/* Runs work with so many threads, this one among them. Returns false, and nothing has run, where that cannot be: no threads, no
 * memory, more scratch than threads have. */
bool team_run(unsigned threads, const struct staged_work *work, const struct staged_io *io);

/* A plan for so many threads begins and ends. Its pool lives as long. Any thread. */
void team_join(unsigned threads);
void team_leave(unsigned threads);

/* Ends all threads; none runs work. Plans that are left start new ones. */
void team_end(void);

#endif
