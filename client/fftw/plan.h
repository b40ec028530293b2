/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a problem that was cut once, with its tables and the memory of a run.
 *
 * What lib/fft/axes takes runs where it lies. Before and after stand copies for the rest: split complex numbers, negative strides,
 * elements that overlap, arrays in place whose two sides differ.
 *
 *     IN -> OUT                 both sides as axes takes them
 *     IN => OUT -> OUT          the input is copied into the output, and transformed there
 *     IN => A -> OUT            the same, where input and output overlap or differ in their elements
 *     IN -> B => OUT            the output is copied from a buffer
 *     IN => A -> B => OUT       both; A is B where elements are the same                    => copies, -> transforms
 *
 * A plan is constant: any threads may run it at once. One of them has the memory that was allocated with it, others allocate. */
#ifndef TRNSCI_FFTW_PLAN_H
#define TRNSCI_FFTW_PLAN_H

#include "fftw/problem.h"

struct plan;

/* Creates a plan; NULL where there can be none: a length out of range, arrays too large, no memory. */
struct plan *plan_create(const struct problem *problem);
void plan_free(struct plan *plan); /* accepts NULL */

/* Runs a plan with the arrays it was created for, and with others that lie alike. */
void plan_execute(const struct plan *plan);
void plan_execute_arrays(const struct plan *plan, const struct arrays *arrays);

/* The same with arrays of interleaved complex numbers, or of reals. */
void plan_execute_interleaved(const struct plan *plan, void *in, void *out);

/* Returns about how long a run takes on one core, in nanoseconds; and about how many operations it has. */
double plan_cost_ns(const struct plan *plan);
double plan_count_operations(const struct plan *plan);

/* Returns the plan in words, to be freed; NULL: no memory. */
char *plan_describe(const struct plan *plan);

#endif
