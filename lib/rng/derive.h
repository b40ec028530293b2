/* SPDX-License-Identifier: Apache-2.0 */
/* New streams from old: a label, a number or an index in a split maps a stream to another of the same generator.
 *
 * Threefry4x32-20 permutes the 128 bits of (seed, stream) under a reserved key. The label or number is added by
 * exclusive or, block by block, with a permutation after each (CBC, the length first). A permutation maps different
 * blocks to different blocks, so children of one parent under different numbers never collide. Any other n derived
 * streams collide with a probability of at most n^2 / 2^129. Philox4x32 has ids of 32 bits and keeps 96 of the 128: its
 * bound is n^2 / 2^97, siblings included. For 2^32 streams these are 2^-65 and 2^-33. The generators of 2x32 have shorter
 * keys (threefry2x32_key): n^2 / 2^65, and n^2 / 2^33 for Philox2x32. Not a cryptographic derivation.
 */
#ifndef TRNSCI_RNG_DERIVE_H
#define TRNSCI_RNG_DERIVE_H

#include <stddef.h>
#include <stdint.h>

#include "rng/stream.h"

/* The bytes of the four words of the reserved key, low byte first. */
#define DERIVE_KEY "trnsciD derive 1"

/* In all three, *ret may be the parent. */

/* Derives by a label of size bytes; an empty label is valid and differs from the parent. */
void derive_label(const struct stream *parent, const void *label, size_t size, struct stream *ret);

/* Derives by a number. */
void derive_fold_in(const struct stream *parent, uint64_t number, struct stream *ret);

/* Derives child `index` of a split. It does not depend on the number of children. */
void derive_split(const struct stream *parent, uint64_t index, struct stream *ret);

#endif
