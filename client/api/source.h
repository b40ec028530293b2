/* SPDX-License-Identifier: Apache-2.0 */
/* Sources (where samples come from) as parameters. */
#ifndef TRNSCI_CLIENT_API_SOURCE_H
#define TRNSCI_CLIENT_API_SOURCE_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* What a NULL source means: all fields 0. */
extern const struct trnsci_source source_default;

/* Checks that reserved fields are 0, that a name stands without numbers, and that the position is not past the end of
 * the stream. `what` begins the error's text. -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM */
int source_check(const struct trnsci_source *source, const char *what, struct error *err);

/* Checks that the source is no part of a draw: neither rank nor size is set. -ERROR_OUT_OF_RANGE */
int source_check_whole(const struct trnsci_source *source, const char *what, struct error *err);

/* Set where an unnamed source begins, and which part of the draw it is. */
void source_set_place(struct trnsci_args *args, const struct trnsci_source *source);
void source_set_part(struct trnsci_args *args, const struct trnsci_source *source);

#endif
