/* SPDX-License-Identifier: Apache-2.0 */
/* A ring or a broadcast as its reader has it: the page with the producer's counters, and the samples mapped twice in a
 * row, so that a run of samples that passes the end of the ring is still one piece of memory. */
#ifndef TRNSCI_CLIENT_SESSION_RING_LINK_H
#define TRNSCI_CLIENT_SESSION_RING_LINK_H

#include "engine/producers/ring_layout.h"
#include "session.h"

struct embedded_ring;

struct ring_link {
	const struct ring_page *page; /* written by the producer */
	const char *samples;
	struct ring_index *index; /* written by us; NULL for a broadcast */
	uint64_t capacity;        /* samples; a power of two */
	size_t sample_bytes;
	uint64_t components;       /* elements of a sample */
	uint64_t offset, position; /* of sample 0 in its stream, in samples and words; 0 for a named stream */
	uint64_t range;            /* samples of each reservation of a named stream, a power of two; otherwise 0 */
	uint64_t seed, stream;
	char generator[32];
	enum trnsci_dtype dtype;
	/* What ring_link_close lets go of. */
	void *map;
	size_t map_bytes, index_bytes;
	int wake_fd; /* eventfd; -1: none */
	/* The producer. */
	uint64_t handle;     /* the daemon's; 0: none */
	uint64_t connection; /* on which it was attached */
	struct embedded_ring *embedded;
};

/* Maps page and samples of a memfd; `protection` as for mmap. On an error (-ERROR_SYSTEM) *link is untouched. */
int ring_link_map(struct ring_link *link, int fd, uint64_t data_offset, int protection, struct error *err);
/* Unmaps and closes what there is. */
void ring_link_close(struct ring_link *link);

/* Returns where a sample that is or was in the ring lies in its stream, and how many follow it there without a gap. */
void ring_link_place(const struct ring_link *link, uint64_t sample, uint64_t *ret_offset, uint64_t *ret_run);

/* Sleeps until the page's count of news is no longer `seen`, at most 100 ms and not beyond the deadline. */
void ring_link_sleep(const struct ring_page *page, uint32_t seen, int64_t deadline);
/* Wakes up to `most` readers that sleep so. */
void ring_link_wake(const struct ring_page *page, int most);

#endif
