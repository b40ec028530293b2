/* SPDX-License-Identifier: Apache-2.0 */
/* How far the work is, on stderr when it is a terminal and the work lasts over a second. */
#ifndef TRNSCI_CLI_PROGRESS_H
#define TRNSCI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

struct progress {
	bool shown, wanted;
	double started, last; /* seconds */
	uint64_t total, done; /* total 0: only the time is known */
	const char *unit;
};

void progress_begin(struct progress *progress, const struct cli *cli, uint64_t total, const char *unit);
void progress_at(struct progress *progress, uint64_t done);
/* Clears the line. */
void progress_end(struct progress *progress);

/* Sends the call, or waits for one that was sent, for as long as it takes: a job has no time limit. The line goes on
 * meanwhile. As trnsci_run. */
int progress_run(struct progress *progress, struct trnsci_call *call);
int progress_wait(struct progress *progress, struct trnsci_call *call);

/* Runs a job of which nothing is known but the time: that is shown. As trnsci_run. */
int job_run(const struct cli *cli, struct trnsci_call *call);

#endif
