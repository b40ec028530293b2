/* SPDX-License-Identifier: Apache-2.0 */
/* Complex vectors of one element. Included by base/simd/simd_interleave.h. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_SCALAR_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_SCALAR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	bool exchange;
} f32_order_t;
typedef f32_order_t f64_order_t;

static inline f32_order_t f32_order(bool exchange) { return (f32_order_t){exchange}; }
static inline f64_order_t f64_order(bool exchange) { return (f64_order_t){exchange}; }

static inline void f32_split(f32_order_t order, f32v a, f32v b, f32v *re, f32v *im)
{
	*re = order.exchange ? b : a;
	*im = order.exchange ? a : b;
}

static inline void f64_split(f64_order_t order, f64v a, f64v b, f64v *re, f64v *im)
{
	*re = order.exchange ? b : a;
	*im = order.exchange ? a : b;
}

static inline void f32_join(f32_order_t order, f32v re, f32v im, f32v *a, f32v *b) { f32_split(order, re, im, a, b); }
static inline void f64_join(f64_order_t order, f64v re, f64v im, f64v *a, f64v *b) { f64_split(order, re, im, a, b); }
static inline void f32_transpose(f32v rows[F32_LANES]) { (void)rows; }
static inline void f64_transpose(f64v rows[F64_LANES]) { (void)rows; }

static inline void f32_gather_square(const float *pairs, size_t step, f32v *r, f32v *i)
{
	(void)step;
	*r = pairs[0];
	*i = pairs[1];
}

static inline void f64_gather_square(const double *pairs, size_t step, f64v *r, f64v *i)
{
	(void)step;
	*r = pairs[0];
	*i = pairs[1];
}

static inline void f32_scatter_square(float *pairs, size_t step, const f32v *r, const f32v *i)
{
	(void)step;
	pairs[0] = *r;
	pairs[1] = *i;
}

static inline void f64_scatter_square(double *pairs, size_t step, const f64v *r, const f64v *i)
{
	(void)step;
	pairs[0] = *r;
	pairs[1] = *i;
}

static inline f32v f32_reverse(f32v a) { return a; }
static inline f64v f64_reverse(f64v a) { return a; }
static inline f32v f32_load_part(const float *at, size_t n) { return n ? *at : 0; }
static inline f64v f64_load_part(const double *at, size_t n) { return n ? *at : 0; }

static inline void f32_store_part(float *at, size_t n, f32v a)
{
	if (n)
		*at = a;
}

static inline void f64_store_part(double *at, size_t n, f64v a)
{
	if (n)
		*at = a;
}

static inline f32v f32_nmuladd(f32v a, f32v b, f32v c) { return f32_muladd(-a, b, c); }
static inline f64v f64_nmuladd(f64v a, f64v b, f64v c) { return f64_muladd(-a, b, c); }

#endif
