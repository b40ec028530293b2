/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that estimate the trace of a matrix from products with random probes, which are drawn where they are used.
 *
 * Hutchinson: the mean of x' A x over probes x with independent entries of mean 0 and variance 1.
 * Source: M. F. Hutchinson, Communications in Statistics 18 (1989) 1059.
 * Hutch++: exact on the range of A S for a few probes S, by an orthonormal basis Q of it, and Hutchinson's estimate on
 * what is orthogonal to Q. Source: R. A. Meyer, C. Musco, C. Musco, D. P. Woodruff, "Hutch++", SOSA 2021, algorithm 1.
 * Component c of probe i is sample i n + c of the law, in the matrix's dtype; Hutch++ takes S first. All arithmetic is
 * float64 in a fixed order: the bytes are the same for any threads and instruction set. */
#ifndef TRNSCI_ENGINE_TRACE_H
#define TRNSCI_ENGINE_TRACE_H

#include "engine/program.h"

struct trace;

/* As those of engine/transform.h, which calls them. */
int trace_begin(struct engine *engine, const struct step *step, struct trace **ret_trace);
int trace_advance(struct trace *trace, size_t *ret_units);
uint64_t trace_run(struct trace *trace, size_t unit, void *scratch);
void trace_end(struct trace *trace);

uint64_t trace_work_bytes(const struct engine *engine, const struct step *step);
uint64_t trace_cost(const struct engine *engine, const struct step *step);

#endif
