/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where parameters of distributions are checked: each against the range that its row states, then against
 * the dtype and the other parameters. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_CHECK_H
#define TRNSCI_DISTRIBUTIONS_DIST_CHECK_H

#include "base/error.h"
#include "distributions/rows/distribution.h"

/* Why a parameter was refused: its index in the distribution's row, and a text such as "got -1, allowed is above 0". */
struct dist_fault {
	enum error_code code;
	unsigned parameter;
	char text[160];
};

/* Checks the parameters of a draw of that dtype. `list` holds the weights of categorical or the alpha of dirichlet.
 * Returns 0, or -ERROR_OUT_OF_RANGE and the reason in *ret_fault, which must not be NULL. */
int dist_check(enum distribution distribution, enum dtype dtype, const union dist_value parameters[],
	       const double *list, size_t n_list, struct dist_fault *ret_fault);

/* What the means of negative_binomial's Poisson numbers stay below: 2^63 less more than 9.6 standard deviations. */
#define NEGATIVE_BINOMIAL_END (0x1p63 - 0x1p36)

struct dist_kernel;

/* Checks n samples' parameters that are arrays, n a multiple of DIST_PAD: rows[j][i] is parameter j of sample i, a float64, of randint a 64-bit
 * integer. Errors are those of dist_check; *ret_sample is then the first sample that is refused. */
int dist_check_samples(const struct dist_kernel *kernels, enum distribution distribution, enum dtype dtype,
		       const uint64_t *const rows[DIST_PARAMETERS], size_t n, size_t *ret_sample,
		       struct dist_fault *ret_fault);

/* Check categorical's weights in parts, since there may be millions of them; all three together are what dist_check
 * does. Errors are those of dist_check. */

/* Checks the number of weights. */
int dist_check_weight_count(size_t n, struct dist_fault *ret_fault);

/* Checks weights [begin, end), float64 of any alignment, and raises *greatest to the greatest of them. */
int dist_check_weights(const void *weights, size_t begin, size_t end, double *greatest, struct dist_fault *ret_fault);

/* Checks the greatest of all weights. */
int dist_check_greatest_weight(double greatest, struct dist_fault *ret_fault);

#endif
