/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are arrays: sample k of a draw takes element k mod n.
 *
 * The elements may lie in memory that other processes write. So each is read once, into a block on the stack, and
 * checked there. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_ARRAYS_H
#define TRNSCI_DISTRIBUTIONS_DRAW_ARRAYS_H

#include <pthread.h>

#include "distributions/draw/draw.h"
#include "distributions/rows/dist_check.h"
#include "distributions/rows/dist_constants.h"

/* The first element that was refused, shared by the threads that make a draw. */
struct draw_array_fault {
	pthread_mutex_t lock;
	bool is_set;
	uint64_t sample; /* of the draw */
	struct dist_fault fault;
};

struct draw_arrays {
	struct {
		const void *at; /* aligned to its elements; NULL: the parameter is a number */
		uint64_t n;     /* elements, at least 1 */
		enum dtype dtype;
	} of[DIST_PARAMETERS];
	uint64_t origin; /* sample of the stream to which elements 0 belong */
	struct draw_array_fault *fault;
};

/* The parameters of a block of samples: float64, of randint 64-bit integers. */
struct draw_parameters {
	uint64_t values[DIST_PARAMETERS][DIST_BLOCK_REJECTING];
};

/* Returns the dtypes that the elements of a parameter may have, as a text for errors: numbers, for randint the integers
 * that do not wrap round in its dtype. */
const char *draw_array_dtypes(const struct draw *draw);

/* Returns whether the elements of a parameter may have that dtype. */
bool draw_array_has_dtype(const struct draw *draw, enum dtype dtype);

/* Fills the first n places, at most DIST_BLOCK_REJECTING, in the rows of the parameters that are numbers. */
void draw_parameters_init(const struct draw *draw, size_t n, struct draw_parameters *ret_parameters);

/* Fills the rows of the arrays at [skip, skip + n) for the samples from `first` on, and the places around them, up to
 * `padded`, with the same elements again. Returns false, and notes the fault, if a sample's parameters are not allowed. */
bool draw_parameters_load(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, size_t skip, size_t n, size_t padded,
			  struct draw_parameters *parameters);

/* Makes a fault that no draw has noted yet. */
void draw_array_fault_init(struct draw_array_fault *fault);

#endif
