/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan's kernel: attempt 0 for blocks of samples, then further attempts for the few that it rejects.
 *
 * Attempt a of a plan with m inputs reads the stream's draws a m .. a m + m - 1. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_REJECTION_H
#define TRNSCI_DISTRIBUTIONS_DRAW_REJECTION_H

#include "distributions/draw/draw_arrays.h"
#include "distributions/draw/draw_plan.h"

/* After so many attempts a rejected sample is kept. Every kernel accepts more than half of its attempts (dist_rows.h), so that is
 * less likely than 2^-64. */
enum { DRAW_MAX_ATTEMPTS = 64 };

/* Writes samples [begin, begin + n) to out, at any alignment: elements of the draw's dtype, or float64 for a plan with
 * components. */
void draw_rejection_fill(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			uint64_t begin, size_t n, void *out);

/* Writes the samples base + list[i] of a plan whose parameters are `parameters`: list is ascending and below
 * DIST_BLOCK_REJECTING, n at most DRAW_SCATTERED. parameters[i] belongs to sample list[i]; out is packed. */
enum { DRAW_SCATTERED = 128 };
void draw_rejection_scattered(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			     uint64_t base, const uint16_t list[], size_t n, const struct draw_parameters *parameters,
			     void *out);

/* Writes samples [begin, begin + n) of a stage, n + (begin modulo the samples of a group) at most DIST_BLOCK_REJECTING.
 * parameters[i] belongs to sample i of the first sample's group. */
void draw_rejection_stage(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			 uint64_t begin, size_t n, struct draw_parameters *parameters, void *out);

#endif
