/* SPDX-License-Identifier: Apache-2.0 */
/* The request of a call, as an engine gets it. */
#ifndef TRNSCI_CLIENT_CALL_REQUEST_H
#define TRNSCI_CLIENT_CALL_REQUEST_H

#include "call.h"

/* Builds the request: the whole call, or a run of the prepared call. Its parameters are the call's own, with the present handles
 * of tiles, or in a new bump allocator, which is the caller's. With or without the lock. -ERROR_NO_MEMORY */
int call_build_request(struct trnsci_call *call, struct bump **ret_bump, const char **ret_method,
		       struct value *ret_params, struct error *err);

#endif
