/* SPDX-License-Identifier: Apache-2.0 */
/* Short transforms by prepared calls. */
#ifndef TRNSCI_PYTHON_PREPARED_H
#define TRNSCI_PYTHON_PREPARED_H

#include "extension.h"

enum { KEY_DIMS = 4 };

/* What distinguishes one transform from another; all zero but for what is set, since keys are compared as bytes. */
struct transform_key {
	int64_t shape[KEY_DIMS], lengths[KEY_DIMS];
	int32_t axes[KEY_DIMS];
	int32_t kind, type, ndim, n_axes;
	char has_lengths, norm, series, ends; /* first letters of texts; 0: the default */
	char unused[4];
};

/* Transforms `in` to `out` by the call that is kept for the key. False: nothing was done, the caller has to. */
bool prepared_run(struct module_state *state, struct session_object *session, const struct transform_key *key,
		  const void *in, void *out);
/* Says that a transform was done otherwise; from its second time on a call is kept for it. */
void prepared_offer(struct module_state *state, struct session_object *session, const struct transform_key *key,
		    const char *operation, const struct trnsci_param *params, const struct trnsci_array *in,
		    const struct trnsci_array *out);
/* Frees all of them. */
void prepared_free(struct prepared_calls *calls);

#endif
