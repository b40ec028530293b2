/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along axes that a rank holds whole, chunk by chunk.
 *
 * A chunk is a box that fits the second-level cache: it is gathered into a tile, transformed there by a prepared call of the
 * engine, and scattered to where it goes, which may be the messages of an exchange. So the array passes through memory
 * once. A transform's bytes do not depend on its chunk. */
#ifndef TRNSCI_MPI_SWEEP_H
#define TRNSCI_MPI_SWEEP_H

#include "box.h"
#include "group.h"

enum { SWEEP_KERNELS = 8 };

struct kernel {
	uint64_t shape[TRNSCI_MAX_DIMS]; /* of the input */
	struct trnsci_call *call;
	struct trnsci_tile *in, *out;
};

struct sweep {
	struct trnsci_session *session;
	size_t ndim, n_axes;
	size_t axes[TRNSCI_MAX_DIMS]; /* in the order in which they are transformed */
	bool is_axis[TRNSCI_MAX_DIMS];
	bool inverse, real;
	bool direct;	/* one call of the engine on both arrays as they lie, without chunks */
	bool sparse;	/* parts of the input are missing: they are zero */
	size_t real_axis;
	uint64_t real_length; /* of the real side */
	const char *norm;
	enum trnsci_dtype in, out;
	size_t chunk_bytes;
	/* Called with each transformed chunk. */
	void (*after)(const void *arg, const struct box *box, void *data);
	const void *after_arg;
	struct kernel kernels[SWEEP_KERNELS];
	size_t n_kernels, next_kernel;
};

/* Bytes of a chunk for an engine of so many threads; 0: a daemon's. */
size_t sweep_chunk_bytes(unsigned threads);
/* Transforms a box, given in the indices of the input. What both sides hold of it is read and written. */
int sweep_run(struct sweep *sweep, const struct box *box, const struct part *from, size_t n_from, const struct part *to,
	      size_t n_to, struct trnsci_error *err);
void sweep_clear(struct sweep *sweep);

#endif
