/* SPDX-License-Identifier: Apache-2.0 */
/* Draws: a distribution, its parameters and its source, as the parameters of a call. */
#ifndef TRNSCI_CLIENT_API_DRAW_H
#define TRNSCI_CLIENT_API_DRAW_H

#include <trnsci/trnsci.h>

#include "base/error.h"

struct drawing {
	const char *distribution;
	const struct trnsci_param *params;
	const struct trnsci_source
		*source; /* NULL: the place that the parameters state, or the start of the default stream */
};

/* Checks that there is a distribution, and the source (source_check). -ERROR_MISSING_PARAMETER, -ERROR_OUT_OF_RANGE,
 * -ERROR_END_OF_STREAM */
int draw_check(const struct drawing *drawing, struct error *err);

/* Returns the name of the stream to draw from, or NULL. */
const char *draw_stream_name(const struct drawing *drawing);

/* Makes the call of a draw that was checked. The caller adds n, shape, dtype and out to *ret_args. */
int draw_call(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_call **ret_call,
	      struct trnsci_args **ret_args, struct error *err);

/* Checks the draw and sets it as the parameter `noise` of a ring or a broadcast. `what` begins the error's text. */
int draw_set_noise(struct trnsci_args *args, const struct drawing *drawing, const char *what, struct error *err);

/* Lets the noise of such a call begin at a sample of its stream. */
void draw_set_noise_offset(struct trnsci_args *args, uint64_t offset);

#endif
