/* SPDX-License-Identifier: Apache-2.0 */
/* A public struct trnsci_draw as parameters. */
#ifndef TRNSCI_CLIENT_DRAW_H
#define TRNSCI_CLIENT_DRAW_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* There is a law, and reserved fields are 0. -ERROR_MISSING_PARAMETER, -ERROR_OUT_OF_RANGE */
int draw_check(const struct trnsci_draw *draw, struct error *err);

/* The draw tells neither a place in a stream nor a part of itself, which is the named stream's to say.
 * -ERROR_OUT_OF_RANGE */
int draw_check_placeless(const struct trnsci_draw *draw, const char *what, struct error *err);

/* The law's parameters. */
void draw_set_parameters(struct trnsci_args *args, const struct trnsci_draw *draw);

/* The same under the name of `noise`, with the law and its dtype (0: the law's own); placed: and where it begins. */
void draw_set_noise(struct trnsci_args *args, const struct trnsci_draw *draw, enum trnsci_dtype dtype, bool placed);

#endif
