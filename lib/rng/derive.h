/* SPDX-License-Identifier: Apache-2.0 */
/* New streams from old: a label, a number or a place in a split gives another (seed, stream) of the same generator.
 *
 * The 128 bits of (seed, stream) are a block that Threefry4x32-20 permutes under a reserved key; what is folded in is
 * joined block by block and permuted again (CBC, its length first). So children of one parent under different numbers
 * never meet, being permuted from different blocks; n streams derived in any other way meet with a probability of at
 * most n^2 / 2^129. A Philox stream keeps 96 of the bits (its ids have 32): n^2 / 2^97, siblings included. With 2^32
 * streams that is 2^-65, and 2^-33. Not a cryptographic derivation. */
#ifndef TRNSCI_RNG_DERIVE_H
#define TRNSCI_RNG_DERIVE_H

#include <stddef.h>
#include <stdint.h>

#include "rng/stream.h"

/* The reserved key, as bytes of its four words, low byte first. */
#define DERIVE_KEY "trnsciD derive 1"

/* The parent exists; *ret may be the parent. Labels are bytes, any number of them; an empty one is a label as well. */
void derive_label(const struct stream *parent, const void *label, size_t size, struct stream *ret);
void derive_fold_in(const struct stream *parent, uint64_t number, struct stream *ret);
/* Child `index` of a split, whatever the number of children: a wider split has the same first ones. */
void derive_split(const struct stream *parent, uint64_t index, struct stream *ret);

#endif
