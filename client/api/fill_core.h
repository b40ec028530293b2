/* SPDX-License-Identifier: Apache-2.0 */
/* What a fill is inside; for the files fill*.c alone. */
#ifndef TRNSCI_CLIENT_API_FILL_CORE_H
#define TRNSCI_CLIENT_API_FILL_CORE_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "draw.h"
#include "cached_call.h"

struct fill {
	struct trnsci_session *session;
	struct drawing drawing;
	struct trnsci_source source; /* of drawing, or a copy at another place */
	enum trnsci_dtype dtype;
	uint64_t elements;   /* of the whole draw, of which this may be a part (rank, size) */
	uint64_t components; /* elements of a sample; 0: not known yet */
	uint64_t begin, end; /* the part to fill, in samples */
	void *out;
	bool wants_span;
	struct trnsci_span span;
};

static inline bool fill_is_part(const struct fill *fill)
{
	return fill->source.size > 1 || fill->source.rank;
}

static inline uint64_t fill_part_elements(const struct fill *fill)
{
	return (fill->end - fill->begin) * fill->components;
}

/* Makes the call of a draw of n samples. *ret_args has the parameters of the draw itself. */
int fill_make_draw(const struct fill *fill, const struct drawing *drawing, uint64_t n, struct trnsci_call **ret_call,
		   struct trnsci_args **ret_args, struct error *err);

/* Copies a daemon's samples to where they are wanted, unless they were received there. Returns false if the reply has no array of
 * that dtype and count. */
bool fill_take_elements(const struct fill *fill, const struct trnsci_value *reply, uint64_t count);

/* Fills by a cached call. Returns 1 if there is none that can. The thread has entered the session (session_enter). */
int fill_cached(struct fill *fill, struct error *err);

/* Fills by an embedded engine. */
int fill_embedded(struct fill *fill, struct error *err);

#endif
