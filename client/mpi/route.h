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
	size_t axes[TRNSCI_MAX_DIMS], n_axes; /* transformed here, in this order; n_axes 0: the array only passes through */
	void (*after)(const void *arg, const struct box *box, void *data); /* of the only sweep */
	bool sparse; /* parts of the input are missing: they are zero */
	struct sweep sweeps[MAX_SWEEPS];
	size_t n_sweeps;
	size_t cut; /* axis that is cut into pieces for the exchange; NO_CUT: none */
	int pieces; /* of it, 1 or more */
	struct exchange next; /* unless it is the last */
};

struct route {
	struct trnsci_mpi *mpi;
	struct transform transform;
	enum trnsci_dtype in, out;
	struct stage stages[MAX_STAGES];
	size_t n_stages;
	const void *after_arg; /* of the stages' `after` */
	size_t message_bytes;  /* most of one MPI message */
	bool rewrites; /* every stage's elements are the rank's own: input and output share the only stage */
	char *memory[4]; /* sends, two that receive in turn, intermediate results; owned, allocated by route_plan */
	size_t bytes[4]; /* of each; 0: not needed */
	double exchange_s; /* seconds that the last run spent in MPI */
};

/* Adds a stage. Sets of axes are transformed where they stand. */
void route_add(struct route *route, const struct placement *at);
void route_add_axis(struct route *route, size_t axis);
/* Plans sweeps and exchanges behind the last stage, and allocates. What it has planned is freed by route_clear. */
int route_plan(struct route *route, struct trnsci_error *err);
int route_run(struct route *route, const void *in, void *out, struct trnsci_error *err);
void route_clear(struct route *route);

#endif
