/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise arithmetic on blocks that lie in first-level cache. */
#include "engine/elementwise.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "dist/box_muller.h"
#include "dist/uniform.h"

static bool is_double(enum dtype dtype)
{
	return dtype == DTYPE_F64 || dtype == DTYPE_C128;
}

/* Real numbers in n elements. */
static size_t reals(enum dtype dtype, size_t n)
{
	return dtype_is_complex(dtype) ? 2 * n : n;
}

/* The real part gets plus, the imaginary part is scaled alone: each in one rounding, as the affine kernels do. */
static void scale_complex(enum dtype dtype, size_t n, double by, double plus, void *out)
{
	float *f = out;
	double *d = out;

	for (size_t i = 0; i < 2 * n; i++) {
		const double shift = i % 2 ? 0 : plus;

		if (is_double(dtype))
			d[i] = fma(d[i], by, shift);
		else
			f[i] = (float)fma(f[i], by, shift);
	}
}

static void scale(const struct uniform_kernel *kernel, const struct step *step, size_t n, const void *in, void *out)
{
	const enum dtype dtype = step->out->shape.dtype;

	if (in != out)
		memcpy(out, in, n * dtype_size(dtype));
	if (dtype_is_complex(dtype) && step->scale.plus != 0)
		scale_complex(dtype, n, step->scale.by, step->scale.plus, out);
	else if (is_double(dtype))
		kernel->affine_f64(out, reals(dtype, n), step->scale.by, step->scale.plus);
	else
		kernel->affine_f32(out, reals(dtype, n), step->scale.by, step->scale.plus);
}

static void add_f32(size_t n, const float *a, const float *b, float *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = a[i] + b[i];
}

static void add_f64(size_t n, const double *a, const double *b, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = a[i] + b[i];
}

#define CAST(name, from, to)                                                                                           \
	static void name(size_t n, const from *in, to *out)                                                            \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++)                                                                         \
			out[i] = (to)in[i];                                                                            \
	}
#define WIDEN(name, from, to)                                                                                          \
	static void name(size_t n, const from *in, to *out)                                                            \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++) {                                                                       \
			out[2 * i] = (to)in[i];                                                                        \
			out[2 * i + 1] = 0;                                                                            \
		}                                                                                                      \
	}
#define REAL_PART(name, from, to)                                                                                      \
	static void name(size_t n, const from *in, to *out)                                                            \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++)                                                                         \
			out[i] = (to)in[2 * i];                                                                        \
	}

CAST(f32_to_f64, float, double)
CAST(f64_to_f32, double, float)
WIDEN(f32_to_c64, float, float)
WIDEN(f32_to_c128, float, double)
WIDEN(f64_to_c64, double, float)
WIDEN(f64_to_c128, double, double)
REAL_PART(c64_to_f32, float, float)
REAL_PART(c64_to_f64, float, double)
REAL_PART(c128_to_f32, double, float)
REAL_PART(c128_to_f64, double, double)

void elementwise_cast(enum dtype from, enum dtype to, size_t n, const void *in, void *out)
{
	if (from == to) {
		memmove(out, in, n * dtype_size(from));
		return;
	}
	switch (from * 16 + to) {
	case DTYPE_F32 * 16 + DTYPE_F64:
		f32_to_f64(n, in, out);
		return;
	case DTYPE_F64 * 16 + DTYPE_F32:
		f64_to_f32(n, in, out);
		return;
	case DTYPE_C64 * 16 + DTYPE_C128:
		f32_to_f64(2 * n, in, out);
		return;
	case DTYPE_C128 * 16 + DTYPE_C64:
		f64_to_f32(2 * n, in, out);
		return;
	case DTYPE_F32 * 16 + DTYPE_C64:
		f32_to_c64(n, in, out);
		return;
	case DTYPE_F32 * 16 + DTYPE_C128:
		f32_to_c128(n, in, out);
		return;
	case DTYPE_F64 * 16 + DTYPE_C64:
		f64_to_c64(n, in, out);
		return;
	case DTYPE_F64 * 16 + DTYPE_C128:
		f64_to_c128(n, in, out);
		return;
	case DTYPE_C64 * 16 + DTYPE_F32:
		c64_to_f32(n, in, out);
		return;
	case DTYPE_C64 * 16 + DTYPE_F64:
		c64_to_f64(n, in, out);
		return;
	case DTYPE_C128 * 16 + DTYPE_F32:
		c128_to_f32(n, in, out);
		return;
	case DTYPE_C128 * 16 + DTYPE_F64:
		c128_to_f64(n, in, out);
		return;
	}
	assert(false && "a cast that the compiler of programs should not have made");
}

static double number_at(enum dtype dtype, const void *numbers, size_t i)
{
	switch (dtype) {
	case DTYPE_I8:
		return ((const int8_t *)numbers)[i];
	case DTYPE_I32:
		return ((const int32_t *)numbers)[i];
	case DTYPE_U32:
		return ((const uint32_t *)numbers)[i];
	case DTYPE_U64:
		return (double)((const uint64_t *)numbers)[i];
	default:
		return (double)((const int64_t *)numbers)[i];
	}
}

/* Integers of a law become reals, rounded to float64 and then to the width of out. */
static void draw_converted(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   bool wide, void *out)
{
	int64_t numbers[512];

	for (size_t at = 0, count; at < n; at += count) {
		count = n - at < 512 ? n - at : 512;
		draw_fill(kernels, draw, begin + at, count, numbers);
		for (size_t i = 0; i < count; i++)
			if (wide)
				((double *)out)[at + i] = number_at(draw->dtype, numbers, i);
			else
				((float *)out)[at + i] = (float)number_at(draw->dtype, numbers, i);
	}
}

/* Of complex elements, two samples each. */
static void draw_numbers(const struct draw_kernels *kernels, const struct step *step, uint64_t begin, size_t n,
			 void *out)
{
	const struct draw *draw = &step->draw.law;
	const enum dtype dtype = step->out->shape.dtype;
	const uint64_t first = step->draw.begin + reals(dtype, begin);

	if (dtype == draw->dtype || draw->dtype == DTYPE_F32 || draw->dtype == DTYPE_F64)
		draw_fill(kernels, draw, first, reals(dtype, n), out);
	else
		draw_converted(kernels, draw, first, reals(dtype, n), is_double(dtype), out);
}

void elementwise_run(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		     const void *const in[2], void *out)
{
	const struct draw_kernels *kernels = &engine->kernels;
	const enum dtype dtype = step->out->shape.dtype;

	switch (step->kind) {
	case STEP_DRAW:
		draw_numbers(kernels, step, begin, n, out);
		return;
	case STEP_POINTS:
		points_fill(step->points.set, step->points.begin + begin, n, out);
		return;
	case STEP_BOX_MULLER:
		if (is_double(dtype))
			kernels->box_muller->f64(in[0], n / 2, out);
		else
			kernels->box_muller->f32(in[0], n / 2, out);
		return;
	case STEP_SCALE:
		scale(kernels->uniform, step, n, in[0], out);
		return;
	case STEP_ADD:
		if (is_double(dtype))
			add_f64(reals(dtype, n), in[0], in[1], out);
		else
			add_f32(reals(dtype, n), in[0], in[1], out);
		return;
	case STEP_NOISE_ADD:
		if (is_double(dtype))
			kernels->uniform->add_f64(in[0], in[1], reals(dtype, n), step->scale.by, out);
		else
			kernels->uniform->add_f32(in[0], in[1], reals(dtype, n), step->scale.by, out);
		return;
	case STEP_CAST:
		elementwise_cast(step->in[0]->shape.dtype, dtype, n, in[0], out);
		return;
	case STEP_RESIZE:
	case STEP_FFT:
	case STEP_GEMM:
	case STEP_TRACE:
	case STEP_SIGNAL:
		break;
	}
	assert(false && "not an element-wise step");
}

/* Rounded up from measurements on one core at 3.7 GHz; they steer only where work is done, never what it gives. */
uint64_t elementwise_cost(const struct engine *engine, const struct step *step)
{
	const uint64_t words = dtype_size(step->out->shape.dtype) / 4;
	const unsigned level = engine->features & CPU_AVX512 ? 0 : engine->features & CPU_AVX2 ? 1 : 2;
	static const uint16_t draws[][3] = {
		[LAW_BITS] = {500, 900, 5000}, [LAW_UNIFORM] = {600, 1000, 6000}, [LAW_NORMAL] = {1200, 2400, 25000}};
	/* Of one coordinate: Owen's scrambling and few dimensions. */
	static const uint32_t points[POINTS_KINDS] = {
		[POINTS_SOBOL] = 4000, [POINTS_HALTON] = 400000, [POINTS_LATTICE] = 6000, [POINTS_LHS] = 60000};

	switch (step->kind) {
	case STEP_DRAW:
		return draws[step->draw.law.law <= LAW_NORMAL ? step->draw.law.law : LAW_BITS][level] * words +
		       (step->draw.law.law > LAW_NORMAL ? 8000 * words : 0);
	case STEP_POINTS:
		return points[step->points.settings.kind];
	case STEP_BOX_MULLER:
		return (draws[LAW_NORMAL][level] - draws[LAW_UNIFORM][level]) * words;
	case STEP_SCALE:
		return dtype_is_complex(step->out->shape.dtype) && step->scale.plus != 0 ? 3000 * words : 300 * words;
	default:
		return 300 * words;
	}
}
