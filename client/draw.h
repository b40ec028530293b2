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

/* And where it lies, stated in any case: generator, seed, stream, offset. */
void draw_set(struct trnsci_args *args, const struct trnsci_draw *draw);

/* The same under the name of `noise`, with the law and its dtype (0: the law's own); placed: and where it begins. */
void draw_set_noise(struct trnsci_args *args, const struct trnsci_draw *draw, enum trnsci_dtype dtype, bool placed);

/* As trnsci_draw. */
int draw_tile(struct trnsci_session *session, const struct trnsci_draw *draw, uint64_t n_total, struct trnsci_tile *out,
	      struct trnsci_span *ret_span, struct error *err);

/* Where it lay. -ERROR_BAD_REPLY */
int draw_read_span(const struct trnsci_call *call, struct trnsci_span *ret_span, struct error *err);

/* ---- into memory of the caller's (draw_copy.c) ---- */

/* Up to so many bytes come with the reply: below, a tile is not worth its round trips. */
enum { DRAW_INLINE_BYTES = 64 << 10 };

/* n elements of dtype are how many samples? One is one, unless the law is of vectors: then the engine is asked what its
 * parameters come to. -ERROR_OUT_OF_RANGE (dtype; more than there can be), -ERROR_BAD_SHAPE (part of a sample), and what a
 * draw may return. */
int draw_count_samples(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, uint64_t *ret_samples, struct error *err);

/* Copies the n elements of dtype that came with a reply. -ERROR_BAD_REPLY when it has others. */
int draw_take_elements(const struct trnsci_call *call, enum trnsci_dtype dtype, uint64_t n, void *out,
		       struct error *err);

/* n elements, `samples` samples of them, placed by draw. */
int draw_copy(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype, uint64_t n,
	      uint64_t samples, void *out, struct trnsci_span *ret_span, struct error *err);

#endif
