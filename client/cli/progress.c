/* SPDX-License-Identifier: Apache-2.0 */
/* How far the work is. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, const struct cli *cli, uint64_t total, const char *unit)
{
	*progress = (struct progress){
		.wanted = !cli->quiet && total > 0 && isatty(STDERR_FILENO),
		.started = now(),
		.total = total,
		.unit = unit,
	};
	progress->last = progress->started;
}

/* Ten times a second at most, so that the terminal is no part of the work. */
void progress_at(struct progress *progress, uint64_t done)
{
	if (!progress->wanted)
		return;
	double time = now(), elapsed = time - progress->started;

	if (elapsed < 1 || time - progress->last < 0.1)
		return;
	progress->last = time;
	progress->shown = true;
	fprintf(stderr, "\r%5.1f %%  %.3g %s/s  %.0f s left\x1b[K", 100.0 * (double)done / (double)progress->total,
		(double)done / elapsed, progress->unit,
		done ? elapsed * (double)(progress->total - done) / (double)done : 0);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\x1b[K");
	progress->shown = false;
}
