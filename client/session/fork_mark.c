/* SPDX-License-Identifier: Apache-2.0 */
/* A mark in a page that the kernel gives to a child as zeros. */
#include "fork_mark.h"

#include <stddef.h>
#include <sys/mman.h>

const int *fork_mark_new(void)
{
	int *mark = mmap(NULL, sizeof *mark, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return NULL;
	if (madvise(mark, sizeof *mark, MADV_WIPEONFORK) < 0) {
		munmap(mark, sizeof *mark);
		return NULL;
	}
	*mark = 1;
	return mark;
}

void fork_mark_free(const int *mark)
{
	if (mark)
		munmap((void *)mark, sizeof *mark);
}
