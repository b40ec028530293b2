/* SPDX-License-Identifier: Apache-2.0 */
/* A route: the placements that an array passes through, with the axes that are transformed at each, and its memory.
 *
 * Stage 0 is where the caller's input lies, the last stage where the output does. What every rank computes is decided by the
 * stages' axes alone, in their order. */
#ifndef TRNSCI_MPI_ROUTE_H
#define TRNSCI_MPI_ROUTE_H

#include "exchange.h"
#include "sweep.h"

enum { MAX_STAGES = TRNSCI_MAX_DIMS + 2, MAX_SWEEPS = TRNSCI_MAX_DIMS };

/* Transforms of the whole array's axes, in the order in which they are done. */
struct transform {
	size_t ndim;
	bool inverse, real, wide;
	size_t real_axis;
	uint64_t real_length;
	const char *norm;
};

struct stage {
	struct placement at; /* shape: as the array comes in */
	struct placement leaves; /* shape: as it goes out */
	size_t axes[TRNSCI_MAX_DIMS], n_axes;
	void (*after)(const void *arg, const struct box *box, void *data); /* of the only sweep */
	bool sparse;
	struct sweep sweeps[MAX_SWEEPS];
	size_t n_sweeps;
	size_t cut;
	int pieces;
	struct exchange next; /* unless it is the last */
};

struct route {
	struct trnsci_mpi *mpi;
	struct transform transform;
	enum trnsci_dtype in, out;
	struct stage stages[MAX_STAGES];
	size_t n_stages;
	const void *after_arg;
	size_t message_bytes;
	bool rewrites; /* every stage's elements are the rank's own: input and output share the only stage */
	char *memory[4]; /* sends, two that receive in turn, intermediate results */
	size_t bytes[4];
	double exchange_s;
};

/* Adds a stage. Sets of axes are transformed where they stand. */
void route_add(struct route *route, const struct placement *at);
void route_add_axis(struct route *route, size_t axis);
/* After the last stage: plans sweeps and exchanges, and allocates. What it has planned is freed by route_clear. */
int route_plan(struct route *route, struct trnsci_error *err);
int route_run(struct route *route, const void *in, void *out, struct trnsci_error *err);
void route_clear(struct route *route);

#endif
