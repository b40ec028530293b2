/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays among a draw's parameters, sent to a daemon once for all pieces of the draw. */
#ifndef TRNSCI_CLIENT_PARAMETER_TILES_H
#define TRNSCI_CLIENT_PARAMETER_TILES_H

#include <trnsci/trnsci.h>

#include "base/error.h"

enum { PARAMETER_TILES_MOST = 8 };

struct parameter_tiles {
	struct trnsci_param *params; /* a copy of the list in which tiles stand for its arrays; NULL: there are none */
	struct trnsci_tile *tiles[PARAMETER_TILES_MOST];
	size_t n;
	uint64_t connection; /* before the first was written: a draw that ends on another one may have read less than was written */
};

/* Copies the arrays of the list into tiles of the session. On failure nothing is left. */
int parameter_tiles_make(struct trnsci_session *session, const struct trnsci_param *params, struct parameter_tiles *ret,
			 struct error *err);

void parameter_tiles_free(struct parameter_tiles *tiles);

#endif
