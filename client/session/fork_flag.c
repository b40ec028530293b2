/* SPDX-License-Identifier: Apache-2.0 */
/* A flag in a page that the kernel gives to a child as zeros. One page serves all sessions of a process; a child that opens
 * its own gets another one. */
#include "fork_flag.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static int *make_mark(void)
{
	int *flag = mmap(NULL, sizeof *flag, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (flag == MAP_FAILED)
		return NULL;
	if (madvise(flag, sizeof *flag, MADV_WIPEONFORK) < 0) {
		munmap(flag, sizeof *flag);
		return NULL;
	}
	*flag = 1;
	return flag;
}

const int *fork_flag_get(void)
{
	static _Atomic(int *) own;
	int *flag = atomic_load(&own), *made;

	if (flag && *flag)
		return flag;
	made = make_mark();
	if (!made || atomic_compare_exchange_strong(&own, &flag, made))
		return made;
	munmap(made, sizeof *made);
	return flag; /* another thread was faster */
}
