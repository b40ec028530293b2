/* SPDX-License-Identifier: Apache-2.0 */
/* What the library has of a queue; for the files queue*.c alone.
 *
 *     queue.c         submits, completes, looks and sleeps
 *     queue_attach.c  asks for a queue and maps it, and ends it */
#ifndef TRNSCI_CLIENT_REMOTE_QUEUE_CORE_H
#define TRNSCI_CLIENT_REMOTE_QUEUE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue_layout.h"

struct queue {
	struct queue_page *page;
	size_t bytes;
	unsigned refs;
	uint64_t connection; /* on which it came */
	uint32_t entries;
	uint32_t submitted, consumed; /* our own numbers */
	uint32_t published;               /* submissions that the daemon may see: some are kept back */
	uint32_t sleeps;              /* the number of our last sleep */
	bool armed;                   /* the daemon is to wake us */
	bool asleep;                  /* a thread sleeps at `completed`, and does not look at the socket */
	bool watched;                 /* a thread looks at it without the lock, and seldom at the socket */
	uint32_t kicked;              /* the daemon's sleep from which we have woken it */
};

#endif
