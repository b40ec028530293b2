/* SPDX-License-Identifier: Apache-2.0 */
/* Where the samples of a ring or a broadcast lie in their stream.
 *
 * Of a plain stream they follow one another. Of a named one they lie in ranges, one for each `samples` of them, which
 * are taken from the stream when the first sample of one is to be drawn: other draws lie between them, and no sample of
 * a range that was taken is given to anyone else, whether it is ever drawn or not. */
#ifndef TRNSCI_ENGINE_RESERVATIONS_H
#define TRNSCI_ENGINE_RESERVATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/producers/ring_layout.h"

enum { RANGES_LATER = 1 };

/* By the filler's job, one thread at a time; neither may block. */
struct ranges_source {
	/* 0 with the sample at which the next range begins, or a negative error with *err. RANGES_LATER: it is to be
	 * asked again after the filler's ring_go_on or broadcast_go_on. */
	int (*take)(void *arg, uint64_t *ret_first, struct error *err);
	/* What was to come later is not wanted any more; no go_on follows. */
	void (*forget)(void *arg);
	void *arg;
};

struct ranges {
	struct ranges_source source;
	uint64_t samples; /* of a range, a power of two and at least a capacity; 0: there are none */
	uint64_t current; /* which range `first` is of, plus 1; 0: none yet */
	uint64_t first;
};

/* Where samples [sample, sample + *n) lie: from *ret_at on, after *n was lowered to what is of one range. 0,
 * RANGES_LATER, or the source's error. A range that begins is told in the page. */
int ranges_find(struct ranges *ranges, struct ring_page *page, uint64_t sample, size_t *n, uint64_t *ret_at,
		struct error *err);
void ranges_forget(struct ranges *ranges);

#endif
