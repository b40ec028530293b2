/* SPDX-License-Identifier: Apache-2.0 */
/* Public sources and spans, as parameters and replies. */
#ifndef TRNSCI_CLIENT_API_SOURCE_H
#define TRNSCI_CLIENT_API_SOURCE_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* What a NULL source stands for. */
extern const struct trnsci_source source_default;

/* Reserved fields are 0; a named stream has no numbers beside its name; a position is not past the end of the stream.
 * what begins the error's text. -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM */
int source_check(const struct trnsci_source *source, const char *what, struct error *err);

/* The source is whole: neither rank nor size is set. -ERROR_OUT_OF_RANGE */
int source_check_whole(const struct trnsci_source *source, const char *what, struct error *err);

/* Where an unnamed source begins; and which part of the draw it is, if it is one. */
void source_set_place(struct trnsci_args *args, const struct trnsci_source *source);
void source_set_part(struct trnsci_args *args, const struct trnsci_source *source);

/* What a reply says of where its draw lies. -ERROR_BAD_REPLY */
int span_read(const struct trnsci_call *call, struct trnsci_span *ret_span, struct error *err);

#endif
