/* SPDX-License-Identifier: Apache-2.0 */
/* What a fill is inside; for the files fill*.c alone:
 *
 *     fill.c         the public function, cached calls, and an embedded engine
 *     fill_core.c    which samples to fill, and where they lie in the stream
 *     fill_daemon.c  from a daemon */
#ifndef TRNSCI_CLIENT_API_FILL_CORE_H
#define TRNSCI_CLIENT_API_FILL_CORE_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "draw.h"

struct fill {
	struct trnsci_session *session;
	struct drawing drawing;
	struct trnsci_source source; /* of drawing, or a copy at another place */
	enum trnsci_dtype dtype;
	size_t element_bytes;
	uint64_t elements;   /* of the whole draw, of which this may be a part (rank, size) */
	uint64_t components; /* elements of a sample; 0: not known yet */
	uint64_t begin, end; /* the part to fill, in samples */
	void *out;
	bool may_be_vectors; /* samples of several elements; set for a daemon and for parts */
	bool has_large_arrays; /* among the parameters, for a daemon: a message cannot hold any size, and should not hold large ones */
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

/* Returns whether a sample of the distribution may be a vector. */
bool fill_may_be_vectors(const char *distribution);

/* Finds which samples of the whole draw to fill: components, begin and end. May ask the engine. */
int fill_find_part(struct fill *fill, struct error *err);

/* Learns where the draw lies, and draws nothing: asks for an empty part of the draw, or reserves samples of the named stream. The
 * caller frees *ret_call, whose reply says more. */
int fill_find_place(struct fill *fill, struct trnsci_call **ret_call, struct error *err);

/* Returns whether a daemon sends so many elements with its reply; or else through one tile by one draw. */
bool fill_is_inline(const struct fill *fill, uint64_t elements);
bool fill_is_piece(const struct fill *fill, uint64_t elements);

/* Runs a fill with tiles in the place of its parameters' arrays. */
int fill_with_tiles(struct fill *fill, int (*run)(struct fill *fill, struct error *err), struct error *err);

/* Fills from a daemon. The part is known. */
int fill_by_daemon(struct fill *fill, struct error *err);

#endif
