/* SPDX-License-Identifier: Apache-2.0 */
/* Spans: where the samples of a draw lay in their stream, from its reply. */
#ifndef TRNSCI_CLIENT_CALL_SPAN_H
#define TRNSCI_CLIENT_CALL_SPAN_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* `method` begins the error's text. -ERROR_BAD_REPLY */
int span_read(const struct trnsci_value *reply, const char *method, struct trnsci_span *ret_span, struct error *err);

#endif
