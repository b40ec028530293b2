/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one side writes and the other reads: a memfd, sized once, mapped here and then sealed.
 *
 * Ours to write: nobody else can map it writable, write, punch or resize it, we ourselves not either but through this
 * mapping. Theirs to write: one page for an index, mapped here to be read only. */
#ifndef TRNSCI_DAEMON_SHARED_H
#define TRNSCI_DAEMON_SHARED_H

#include <stdint.h>

#include "base/error.h"

struct sealed_memfd {
	void *base; /* NULL: there is none */
	uint64_t size;
	int fd; /* -1: closed */
};

enum sealed_memfd_writer { SEALED_MEMFD_DAEMON_WRITES, SEALED_MEMFD_CLIENT_WRITES };

/* size is rounded up to pages; the memory is 0. -ERROR_NO_MEMORY, -ERROR_SYSTEM. */
int sealed_memfd_create(const char *name, uint64_t size, enum sealed_memfd_writer writer, struct sealed_memfd *ret_shared,
		  struct error *err);
/* Of what shared_create made, and of one that is all 0. */
void sealed_memfd_free(struct sealed_memfd *memfd);

#endif
