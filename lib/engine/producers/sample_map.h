/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the samples of a ring or a broadcast to samples of its stream.
 *
 * On a plain stream they are consecutive. On a named stream they lie in reservations of equal size, each taken when its
 * first sample is to be drawn; other clients' draws may lie between two of them. A reservation is never given back: its
 * samples go to nobody else, drawn or not. */
#ifndef TRNSCI_ENGINE_SAMPLE_MAP_H
#define TRNSCI_ENGINE_SAMPLE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/producers/ring_layout.h"

enum { RESERVATION_LATER = 1 };

/* Callbacks from the producer's job, one thread at a time. Neither may block. */
struct reservation_source {
	/* Takes the next reservation. Returns 0 with its first sample, RESERVATION_LATER, or an error with *err. After
	 * RESERVATION_LATER it is called again once ring_go_on or broadcast_go_on was called. */
	int (*take)(void *arg, uint64_t *ret_first, struct error *err);
	/* Abandons a reservation that was to come later. After it returns no go_on may be called. */
	void (*forget)(void *arg);
	void *arg;
};

struct sample_map {
	struct reservation_source source;
	uint64_t samples; /* of one reservation: a power of two, at least a capacity; 0: a plain stream */
	uint64_t current; /* 1 + the number of the reservation that begins at `first`; 0: none yet */
	uint64_t first;
};

/* Finds where `sample` lies in the stream, and lowers *n to the samples that follow it in the same reservation. Takes a
 * new reservation where one begins, and publishes it in the page. Returns 0, RESERVATION_LATER, or the source's error.
 */
int sample_map_locate(struct sample_map *map, struct ring_page *page, uint64_t sample, size_t *n, uint64_t *ret_at,
		      struct error *err);
void sample_map_forget(struct sample_map *map);

#endif
