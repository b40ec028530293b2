/* SPDX-License-Identifier: Apache-2.0 */
/* Transform kernels on vectors of 512 bits. */
#if defined(__GNUC__) && !defined(__clang__)
/* gcc's generic tuning costs these kernels 15 %. */
#pragma GCC target("tune=icelake-server")
#endif
#define SIMD_AVX512
#include "fft/kernel_bodies.h"
