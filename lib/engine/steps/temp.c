/* SPDX-License-Identifier: Apache-2.0 */
/* Large temporaries are mappings of their own. */
#include "engine/steps/temp.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/checked.h"

enum { LARGE = 1 << 20, PIECE = 256 << 10, ALIGN = 64, PAGE = 4096 };

/* Unmaps from the end to the beginning. */
struct reaper {
	struct job job; /* first */
	struct fair_entry fair_entry;
	char *base;
	size_t left;
};

static int reap_piece(struct job *job)
{
	struct reaper *reaper = (struct reaper *)job;
	const size_t piece = size_min(reaper->left, PIECE);

	reaper->left -= piece;
	munmap(reaper->base + reaper->left, piece);
	return reaper->left ? JOB_AGAIN : JOB_END;
}

static void reaped(struct job *job, int error)
{
	(void)error;
	free(job);
}

static const struct job_ops reaping = {reap_piece, NULL, reaped};

void *temp_alloc(uint64_t bytes)
{
	uint64_t rounded;
	void *at;

	if (bytes > SIZE_MAX / 2 || round_up_overflows(bytes ? bytes : 1, bytes < LARGE ? ALIGN : PAGE, &rounded))
		return NULL;
	if (bytes < LARGE)
		return aligned_alloc(ALIGN, rounded);
	/* Not MAP_NORESERVE: the kernel refuses at once what exceeds all its memory. */
	at = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

void temp_free(struct engine *engine, void *temp, uint64_t bytes)
{
	struct reaper *reaper;
	uint64_t rounded = bytes;

	if (!temp)
		return;
	if (bytes < LARGE) {
		free(temp);
		return;
	}
	round_up_overflows(bytes, PAGE, &rounded);
	reaper = calloc(1, sizeof *reaper);
	if (!reaper) {
		munmap(temp, rounded);
		return;
	}
	reaper->job.ops = &reaping;
	reaper->job.fair_entry = &reaper->fair_entry;
	reaper->base = temp;
	reaper->left = rounded;
	pool_submit(engine->pool, &reaper->job);
}
