/* SPDX-License-Identifier: Apache-2.0 */
/* Draws as calls. */
#ifndef TRNSCI_CLIENT_API_DRAW_H
#define TRNSCI_CLIENT_API_DRAW_H

#include <trnsci/trnsci.h>

#include "base/error.h"

struct drawing {
	const char *distribution;
	const struct trnsci_param *params;
	const struct trnsci_source *source; /* NULL: what the parameters say, or the default */
};

/* There is a distribution, and the source can be. -ERROR_MISSING_PARAMETER, -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM
 */
int draw_check(const struct drawing *drawing, struct error *err);

/* The name of the stream that it draws from; NULL: of none. */
const char *draw_stream_name(const struct drawing *drawing);

/* The call of a draw that was checked, with its parameters and its source; *ret_args: where its n, shape, dtype and out
 * belong. */
int draw_call(struct trnsci_session *session, const struct drawing *drawing, struct trnsci_call **ret_call,
	      struct trnsci_args **ret_args, struct error *err);

/* The same under the name `noise`, as rings and broadcasts take it. what begins the error's text. */
int draw_set_noise(struct trnsci_args *args, const struct drawing *drawing, const char *what, struct error *err);

#endif
