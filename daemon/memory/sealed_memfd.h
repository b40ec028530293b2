/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one side writes and the other reads: a memfd that is sized once, mapped here and then sealed.
 *
 * One that the daemon writes can be written only through its mapping here: nobody can map it writable again, write,
 * punch or resize it. One that the client writes, for the index of a ring, is mapped read-only here. */
#ifndef TRNSCI_DAEMON_SEALED_MEMFD_H
#define TRNSCI_DAEMON_SEALED_MEMFD_H

#include <stdint.h>

#include "base/error.h"

struct sealed_memfd {
	void *base; /* NULL: not mapped */
	uint64_t size;
	int fd; /* -1: closed */
};

enum sealed_memfd_writer { SEALED_MEMFD_DAEMON_WRITES, SEALED_MEMFD_CLIENT_WRITES };

/* Makes zeroed memory of size bytes, rounded up to pages. name appears in /proc and in errors. Returns 0,
 * -ERROR_NO_MEMORY or -ERROR_SYSTEM. */
int sealed_memfd_create(const char *name, uint64_t size, enum sealed_memfd_writer writer, struct sealed_memfd *ret_memfd,
		  struct error *err);
/* Unmaps and closes. Accepts a struct that is all 0. */
void sealed_memfd_free(struct sealed_memfd *memfd);

#endif
