/* SPDX-License-Identifier: Apache-2.0 */
/* What a fill is inside; for the files fill*.c alone. */
#ifndef TRNSCI_CLIENT_API_FILL_CORE_H
#define TRNSCI_CLIENT_API_FILL_CORE_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "draw.h"
#include "kept_call.h"

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

/* What a kept call of such a fill has that its runs cannot change. */
void fill_make_key(const struct fill *fill, struct call_key *key);

/* Fills by an embedded engine: by a kept call, which returns 1 if there is none that can and is inside the session; or by any. */
int fill_kept(struct fill *fill, struct error *err);
int fill_embedded(struct fill *fill, struct error *err);

#endif
