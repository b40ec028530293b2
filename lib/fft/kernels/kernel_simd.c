/* SPDX-License-Identifier: Apache-2.0 */
/* The transform kernels in both precisions, written once over base/simd/simd.h. */
#if (defined(SIMD_AVX512) || defined(SIMD_AVX2)) && defined(__GNUC__) && !defined(__clang__)
/* gcc's generic tuning costs these kernels 15 %, those of AVX2 up to 10 %. */
#pragma GCC target("tune=icelake-server")
#endif
#include <string.h>

#include "base/checked.h"
#include "base/simd/simd.h"
#include "base/simd/simd_interleave.h"
#include "fft/kernels/trig_constants.h"
#include "fft/kernels/kernel.h"

/* Which bodies a variant has beside those of all: WIDE ones are written for the registers of x86-64, and VECTORS ones need
 * lanes. */
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
#define SIMD_WIDE
#define WIDE(function) function
#else
#define WIDE(function) NULL
enum { LANES_DEALT = 0 };
#endif
#if defined(SIMD_WIDE) || defined(SIMD_NEON)
#define SIMD_VECTORS
#define VECTORS(function) function
#else
#define VECTORS(function) NULL
#endif

/* Runs the statement with the constant EXCHANGE, by code for each value. */
#ifdef SIMD_WIDE
#define BY_ORDER(exchange, ...)                                                                                        \
	do {                                                                                                           \
		if (exchange) {                                                                                        \
			const bool EXCHANGE = true;                                                                    \
			__VA_ARGS__;                                                                                   \
		} else {                                                                                               \
			const bool EXCHANGE = false;                                                                   \
			__VA_ARGS__;                                                                                   \
		}                                                                                                      \
	} while (0)
#endif

#include "fft/kernels/lanes_f32.h"
#include "fft/kernels/butterfly_body.h"
#include "fft/kernels/far_body.h"
#include "fft/kernels/pass_body.h"
#include "fft/kernels/block_body.h"
#include "fft/kernels/stage_body.h"
#ifdef SIMD_WIDE
#include "fft/kernels/flat_body.h"
#include "fft/kernels/held_body.h"
#include "fft/kernels/short_body.h"
#endif
#ifdef SIMD_VECTORS
#include "fft/kernels/single_body.h"
#endif
#include "fft/kernels/fold_body.h"
#include "fft/kernels/odd_body.h"
#include "fft/kernels/series_body.h"
#include "fft/kernels/transpose_body.h"
#include "fft/kernels/ops_body.h"

/* Two lanes take as many instructions as plain C. */
#ifdef SIMD_NEON
#define FFT_OPS_F64 fft_ops_f64_scalar
#else
#define FFT_OPS_F64 SIMD_SUFFIX(fft_ops_f64)
#include "fft/kernels/lanes_f64.h"
#include "fft/kernels/butterfly_body.h"
#include "fft/kernels/far_body.h"
#include "fft/kernels/pass_body.h"
#include "fft/kernels/block_body.h"
#include "fft/kernels/stage_body.h"
#ifdef SIMD_WIDE
#include "fft/kernels/flat_body.h"
#include "fft/kernels/held_body.h"
#include "fft/kernels/short_body.h"
#endif
#ifdef SIMD_VECTORS
#include "fft/kernels/single_body.h"
#endif
#include "fft/kernels/fold_body.h"
#include "fft/kernels/odd_body.h"
#include "fft/kernels/series_body.h"
#include "fft/kernels/transpose_body.h"
#include "fft/kernels/ops_body.h"
#endif

#ifdef SIMD_FUSED
#define IS_FUSED true
#else
#define IS_FUSED false
#endif

const struct fft_kernel SIMD_SUFFIX(fft) = {
	SIMD_NAME, SIMD_NEEDS, IS_FUSED, {&SIMD_SUFFIX(fft_ops_f32), &FFT_OPS_F64}};
