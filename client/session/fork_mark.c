/* SPDX-License-Identifier: Apache-2.0 */
/* A mark in a page that the kernel gives to a child as zeros. One page serves all sessions of a process; a child that opens
 * its own gets another one. */
#include "fork_mark.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static int *make_mark(void)
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

const int *fork_mark_get(void)
{
	static _Atomic(int *) own;
	int *mark = atomic_load(&own), *made;

	if (mark && *mark)
		return mark;
	made = make_mark();
	if (!made || atomic_compare_exchange_strong(&own, &mark, made))
		return made;
	munmap(made, sizeof *made);
	return mark; /* another thread was faster */
}
