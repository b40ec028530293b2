/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions over Random123 and libmvec as their users write them; one table for each compiler that the machine has.
 */
#ifndef TRNSCI_TESTS_PEER_DISTRIBUTIONS_H
#define TRNSCI_TESTS_PEER_DISTRIBUTIONS_H

#include <stddef.h>

struct peer_distributions {
	void (*exponential)(void *out, size_t n);
	void (*lognormal)(void *out, size_t n);
	void (*laplace)(void *out, size_t n);
	void (*bernoulli)(void *out, size_t n);
	void (*randint)(void *out, size_t n);
};

extern const struct peer_distributions peer_distributions_gcc __attribute__((weak));
extern const struct peer_distributions peer_distributions_clang __attribute__((weak));
extern const struct peer_distributions peer_distributions_gcc512 __attribute__((weak));
extern const struct peer_distributions peer_distributions_clang512 __attribute__((weak));

#endif
