/* SPDX-License-Identifier: Apache-2.0 */
/* Laws over Random123 and libmvec as their users write them; one table for each compiler that the machine has. */
#ifndef TRNSCI_TESTS_PEER_LAWS_H
#define TRNSCI_TESTS_PEER_LAWS_H

#include <stddef.h>

struct peer_laws {
	void (*exponential)(void *out, size_t n);
	void (*lognormal)(void *out, size_t n);
	void (*laplace)(void *out, size_t n);
	void (*bernoulli)(void *out, size_t n);
	void (*randint)(void *out, size_t n);
};

extern const struct peer_laws peer_laws_gcc __attribute__((weak));
extern const struct peer_laws peer_laws_clang __attribute__((weak));
extern const struct peer_laws peer_laws_gcc512 __attribute__((weak));
extern const struct peer_laws peer_laws_clang512 __attribute__((weak));

#endif
