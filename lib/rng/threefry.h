/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-20: whole groups of four words, and the uniforms made from them without leaving the registers.
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 3.2 (Threefry) and its table of rotation constants; known answers from the same authors. */
#ifndef TRNSCI_RNG_THREEFRY_H
#define TRNSCI_RNG_THREEFRY_H

#include <stddef.h>
#include <stdint.h>

/* What to draw: groups [group, group + n_groups) of the stream with this key, draw number `draw`. */
struct threefry_span {
	uint32_t key[4];
	uint64_t group;
	uint32_t draw;
};

/* One variant. `needs` are cpu_feature bits. Outputs may have any alignment; all variants give the same bytes.
 * bits: 4 n_groups words. uniform_f32: 4 n_groups floats (low 24 bits x 2^-24). uniform_f64: 2 n_groups doubles (53
 * bits of each two words). */
struct threefry_kernel {
	const char *name;
	uint32_t needs;
	void (*bits)(const struct threefry_span *span, size_t n_groups, uint32_t *ret_words);
	void (*uniform_f32)(const struct threefry_span *span, size_t n_groups, float *ret_uniforms);
	void (*uniform_f64)(const struct threefry_span *span, size_t n_groups, double *ret_uniforms);
};

/* All variants built in, best first, scalar last. */
const struct threefry_kernel *threefry_kernels(size_t *ret_count);

/* The first variant that the features allow. */
const struct threefry_kernel *threefry_select(uint32_t features);

/* One block by the reference: counter and key to four words. */
void threefry4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);

#endif
