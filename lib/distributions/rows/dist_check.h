/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where parameters of distributions are checked: each against the range that its row states, then against
 * the dtype and the other parameters. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_CHECK_H
#define TRNSCI_DISTRIBUTIONS_DIST_CHECK_H

#include "distributions/rows/dist_fault.h"
#include "distributions/rows/distribution.h"

/* Checks the parameters of a draw of that dtype. `list` holds the alpha of dirichlet or the shares of multinomial.
 * Returns 0, or -ERROR_OUT_OF_RANGE and the reason in *ret_fault, which must not be NULL. */
int dist_check(enum distribution distribution, enum dtype dtype, const union dist_value parameters[],
	       const double *list, size_t n_list, struct dist_fault *ret_fault);

struct dist_kernel;

/* Checks n samples' parameters that are arrays, n a multiple of DIST_PAD: rows[j][i] is parameter j of sample i, a float64, of randint a 64-bit
 * integer. Errors are those of dist_check; *ret_sample is then the first sample that is refused. */
int dist_check_samples(const struct dist_kernel *kernels, enum distribution distribution, enum dtype dtype,
		       const uint64_t *const rows[DIST_PARAMETERS], size_t n, size_t *ret_sample,
		       struct dist_fault *ret_fault);

/* Check categorical's weights in parts, since there may be millions of them. Errors are those of dist_check. */

/* Checks the number of weights. */
int dist_check_weight_count(size_t n, struct dist_fault *ret_fault);

/* Checks weights [begin, end), float64 of any alignment, and raises *greatest to the greatest of them. */
int dist_check_weights(const void *weights, size_t begin, size_t end, double *greatest, struct dist_fault *ret_fault);

/* Checks the greatest of all weights. */
int dist_check_greatest_weight(double greatest, struct dist_fault *ret_fault);

#endif
