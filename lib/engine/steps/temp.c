/* SPDX-License-Identifier: Apache-2.0 */
/* Large temporaries are mappings of their own. */
#include "engine/steps/temp.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/checked.h"

enum { LARGE = 1 << 20, PIECE = 256 << 10, ALIGN = 64, PAGE = 4096 };

/* Unmaps from the end to the beginning. */
struct unmapping {
	struct job job; /* first */
	struct fair_entry fair_entry;
	char *base;
	size_t left;
};

static int reap_piece(struct job *job)
{
	struct unmapping *unmapping = (struct unmapping *)job;
	const size_t piece = size_min(unmapping->left, PIECE);

	unmapping->left -= piece;
	munmap(unmapping->base + unmapping->left, piece);
	return unmapping->left ? JOB_AGAIN : JOB_END;
}

static void reaped(struct job *job, int error)
{
	(void)error;
	free(job);
}

static const struct job_ops unmapping_ops = {reap_piece, NULL, reaped};

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
	struct unmapping *unmapping;
	uint64_t rounded = bytes;

	if (!temp)
		return;
	if (bytes < LARGE) {
		free(temp);
		return;
	}
	round_up_overflows(bytes, PAGE, &rounded);
	unmapping = calloc(1, sizeof *unmapping);
	if (!unmapping) {
		munmap(temp, rounded);
		return;
	}
	unmapping->job.ops = &unmapping_ops;
	unmapping->job.fair_entry = &unmapping->fair_entry;
	unmapping->base = temp;
	unmapping->left = rounded;
	pool_submit(engine->pool, &unmapping->job);
}
