/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a ring or a broadcast, as this side has it: the page, and the samples twice in a row, so that a run of
 * them that passes the end needs no second look. */
#ifndef TRNSCI_CLIENT_SESSION_RING_LINK_H
#define TRNSCI_CLIENT_SESSION_RING_LINK_H

#include "engine/producers/ring_layout.h"
#include "call.h"

struct embedded_ring;

struct ring_link {
	const struct ring_page *page;
	const char *samples;
	struct ring_index *index; /* NULL: of a broadcast */
	uint64_t capacity;        /* samples, a power of two */
	size_t sample_bytes;
	uint64_t components;
	uint64_t offset, position; /* of sample 0; of a named stream 0 */
	uint64_t range;            /* of a named stream: samples of a range, a power of two; otherwise 0 */
	uint64_t seed, stream;
	char generator[32];
	enum trnsci_dtype dtype;
	/* What has to be let go of. */
	void *map;
	size_t map_bytes, index_bytes;
	int wake_fd;         /* -1: none */
	uint64_t handle;     /* of the daemon */
	uint64_t connection; /* on which it was attached */
	struct embedded_ring *embedded;
};

/* What the reply says of the memory; the sizes fit together and are no more than memory can have. -ERROR_BAD_REPLY */
int ring_link_read(const struct trnsci_call *call, struct ring_link *link, uint64_t *ret_data_offset,
		   uint64_t *ret_bytes, struct error *err);

/* Maps page and samples of a memfd: protection as of mmap. *link is untouched on error. -ERROR_SYSTEM */
int ring_link_map(struct ring_link *link, int fd, uint64_t data_offset, int protection, struct error *err);
/* Unmaps and closes whatever there is. */
void ring_link_drop(struct ring_link *link);

/* Where sample k, which is or was there, lies in the stream, and how many from it on follow one another there. */
void ring_link_place(const struct ring_link *link, uint64_t sample, uint64_t *ret_at, uint64_t *ret_run);
void ring_link_describe(const struct ring_link *link, struct trnsci_ring_info *info);

/* Sleeps until the page has other news than `seen`, for a tenth of a second at most, or until the deadline. */
void ring_link_sleep(const struct ring_page *page, uint32_t seen, int64_t deadline);
/* Wakes who sleeps so. */
void ring_link_wake(const struct ring_page *page, int most);

/* Why no more will come: the error in state, or that the daemon that filled it is gone. 0 when all is well. */
int ring_link_trouble(struct trnsci_session *session, const struct ring_link *link, const char *what, uint32_t state,
		      struct error *err);

#endif
