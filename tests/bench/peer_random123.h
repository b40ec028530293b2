/* SPDX-License-Identifier: Apache-2.0 */
/* Random123 as its users write it; one such table for each compiler that the machine has (the others stay away). */
#ifndef TRNSCI_TESTS_PEER_RANDOM123_H
#define TRNSCI_TESTS_PEER_RANDOM123_H

#include <stddef.h>

struct peer_random123 {
	void (*threefry_uniform)(float *out, size_t n);
	void (*philox_uniform)(float *out, size_t n);
	void (*threefry_normal)(float *out, size_t n);
	void (*philox_normal)(float *out, size_t n);
};

extern const struct peer_random123 peer_random123_gcc __attribute__((weak));
extern const struct peer_random123 peer_random123_clang __attribute__((weak));
/* Compiled for 512-bit vectors, which -march=native does not choose on every CPU that has them. */
extern const struct peer_random123 peer_random123_gcc512 __attribute__((weak));
extern const struct peer_random123 peer_random123_clang512 __attribute__((weak));

#endif
