/* SPDX-License-Identifier: Apache-2.0 */
/* The shared memory of rings and broadcasts. */
#include "ring_link.h"
#include "wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP_NS_MOST = 100 * 1000 * 1000 }; /* a reader looks now and then whether its daemon still lives */

void ring_link_place(const struct ring_link *link, uint64_t sample, uint64_t *ret_offset, uint64_t *ret_run)
{
	uint64_t within;

	*ret_offset = link->offset + sample;
	*ret_run = UINT64_MAX - sample;
	if (link->range == 0)
		return;
	within = sample & (link->range - 1);
	*ret_offset = within + atomic_load_explicit(&link->page->ranges[sample / link->range % RING_RANGES],
						    memory_order_acquire);
	*ret_run = link->range - within;
}

/* Reserves the address space first, then maps the pieces over it. */
int ring_link_map(struct ring_link *link, int fd, uint64_t data_offset, int protection, struct error *err)
{
	const size_t offset = (size_t)data_offset, data = (size_t)link->capacity * link->sample_bytes;
	char *base = mmap(NULL, offset + 2 * data, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "ring: mmap: %s", strerror(errno));
	if (mmap(base, offset + data, protection, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mmap(base + offset + data, data, protection, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
		int saved = errno;

		munmap(base, offset + 2 * data);
		return error_set(err, ERROR_SYSTEM, "ring: mmap: %s", strerror(saved));
	}
	link->map = base;
	link->map_bytes = offset + 2 * data;
	link->page = (const struct ring_page *)(const void *)base;
	link->samples = base + offset;
	return 0;
}

void ring_link_close(struct ring_link *link)
{
	if (link->map)
		munmap(link->map, link->map_bytes);
	if (link->index)
		munmap(link->index, link->index_bytes);
	if (link->wake_fd >= 0)
		close(link->wake_fd);
	link->map = link->index = NULL;
	link->wake_fd = -1;
}

/* FUTEX_WAIT only needs read access to the page. */
void ring_link_sleep(const struct ring_page *page, uint32_t seen, int64_t deadline)
{
	int64_t left = deadline == DEADLINE_NEVER ? SLEEP_NS_MOST : deadline - clock_ns();
	struct timespec nap;

	if (left <= 0)
		return;
	left = left > SLEEP_NS_MOST ? SLEEP_NS_MOST : left;
	nap = (struct timespec){0, (long)left};
	syscall(SYS_futex, &page->news, FUTEX_WAIT, seen, &nap, NULL, 0);
}

void ring_link_wake(const struct ring_page *page, int most)
{
	syscall(SYS_futex, &page->news, FUTEX_WAKE, most, NULL, NULL, 0);
}
