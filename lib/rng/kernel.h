/* SPDX-License-Identifier: Apache-2.0 */
/* What every generator's kernels are: words and uniforms of whole groups, made without leaving the registers. */
#ifndef TRNSCI_RNG_KERNEL_H
#define TRNSCI_RNG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* What to draw: groups [group, group + n_groups) of the stream with this key (stream_key), draw number `draw`. The
 * groups lie within the stream: group + n_groups <= 2^62. */
struct rng_span {
	uint32_t key[4];
	uint64_t group;
	uint32_t draw;
};

/* One variant. `needs` are cpu_feature bits. Outputs need their element's alignment only; all variants give the same
 * bytes. bits: 4 n_groups words. uniform_f32: 4 n_groups floats (low 24 bits x 2^-24). uniform_f64: 2 n_groups
 * doubles (high 53 bits of each two words, low word first, x 2^-53). scatter: 4 n_groups words, those of the given
 * partitions of the batch that the span's group lies in, in any order. */
struct rng_kernel {
	const char *name;
	uint32_t needs;
	void (*bits)(const struct rng_span *span, size_t n_groups, uint32_t *ret_words);
	void (*uniform_f32)(const struct rng_span *span, size_t n_groups, float *ret_uniforms);
	void (*uniform_f64)(const struct rng_span *span, size_t n_groups, double *ret_uniforms);
	void (*scatter)(const struct rng_span *span, const uint8_t partitions[], size_t n_groups, uint32_t *ret_words);
};

#endif
