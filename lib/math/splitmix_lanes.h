/* SPDX-License-Identifier: Apache-2.0 */
/* splitmix_hash over the lanes of base/simd/simd.h. */
#ifndef TRNSCI_MATH_SPLITMIX_LANES_H
#define TRNSCI_MATH_SPLITMIX_LANES_H

#include "base/simd/simd_u64.h"
#include "math/splitmix.h"

static inline u64v splitmix_hash_lanes(u64v x)
{
	x = u64_mul(u64_xor(x, U64_SHR(x, 30)), u64_set(0xBF58476D1CE4E5B9));
	x = u64_mul(u64_xor(x, U64_SHR(x, 27)), u64_set(0x94D049BB133111EB));
	return u64_xor(x, U64_SHR(x, 31));
}

#endif
