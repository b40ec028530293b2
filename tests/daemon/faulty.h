/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon, or a client of it, that is started with tests/faults/inject.so and reads from a page what shall fail. */
#ifndef TRNSCI_TESTS_DAEMON_FAULTY_H
#define TRNSCI_TESTS_DAEMON_FAULTY_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults/inject.h"
#include "harness.h"

/* Two of its environment variables. */
struct faulty {
	char preload[4200], page[200];
};

/* Where the page of a daemon that is prepared lies. */
static inline void faulty_name(const struct daemon *daemon, struct faulty *ret)
{
	snprintf(ret->preload, sizeof ret->preload, "LD_PRELOAD=%s", daemon_binary());
	strcpy(strstr(ret->preload, "/bin/trnscid"), "/tests/faults/inject.so");
	snprintf(ret->page, sizeof ret->page, FAULT_PAGE "=%s/page", daemon->dir);
}

/* Makes it there; the caller's to unmap. */
static inline struct fault_page *faulty_page(const struct faulty *faulty)
{
	int fd = open(faulty->page + sizeof FAULT_PAGE, O_RDWR | O_CREAT, 0600);
	void *page;

	assert_int_equal(ftruncate(fd, sizeof(struct fault_page)), 0);
	page = mmap(NULL, sizeof(struct fault_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(page != MAP_FAILED);
	close(fd);
	return page;
}

#endif
