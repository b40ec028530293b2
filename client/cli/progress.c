/* SPDX-License-Identifier: Apache-2.0 */
/* How far the work is. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "figures.h"

void progress_begin(struct progress *progress, const struct cli *cli, uint64_t total, const char *unit)
{
	*progress = (struct progress){
		.wanted = !cli->quiet && isatty(STDERR_FILENO),
		.started = seconds_now(),
		.total = total,
		.unit = unit,
	};
	progress->last = progress->started;
}

/* Draws the line anew, over the last one. Ten times a second at most, so that the terminal is no part of the work. */
static void show(struct progress *progress)
{
	const uint64_t done = progress->done;

	if (!progress->wanted)
		return;
	double time = seconds_now(), elapsed = time - progress->started;

	if (elapsed < 1 || time - progress->last < 0.1)
		return;
	progress->last = time;
	progress->shown = true;
	if (progress->total == 0) {
		fprintf(stderr, "\r%.0f s\x1b[K", elapsed);
		return;
	}
	fprintf(stderr, "\r%5.1f %%  %.3g %s/s  %.0f s left\x1b[K", 100.0 * (double)done / (double)progress->total,
		(double)done / elapsed, progress->unit,
		done ? elapsed * (double)(progress->total - done) / (double)done : 0);
}

void progress_at(struct progress *progress, uint64_t done)
{
	progress->done = done;
	show(progress);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\x1b[K");
	progress->shown = false;
}

/* Without a terminal one wait lasts for the whole job. With one, the wait ends every 200 ms to draw the line: its timeout is not
 * the call's. */
int progress_wait(struct progress *progress, struct trnsci_call *call)
{
	enum { TICK_MS = 200 };
	int r;

	do {
		r = trnsci_wait(call, progress->wanted ? TICK_MS : -1);
		show(progress);
	} while (r == -TRNSCI_TIMEOUT && !trnsci_call_done(call));
	return r;
}

int progress_run(struct progress *progress, struct trnsci_call *call)
{
	const int r = trnsci_submit(call, NULL, NULL);

	return r < 0 ? r : progress_wait(progress, call);
}

int job_run(const struct cli *cli, struct trnsci_call *call)
{
	struct progress progress;

	progress_begin(&progress, cli, 0, "");
	const int r = progress_run(&progress, call);
	progress_end(&progress);
	return r;
}
