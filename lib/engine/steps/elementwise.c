/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise arithmetic on blocks that lie in first-level cache. The picoseconds are first values, rounded up from
 * measurements; they decide where work is done, never what it gives. */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "dist/math/box_muller.h"
#include "dist/math/uniform.h"
#include "engine/steps/step.h"

/* Real numbers in n elements. */
static size_t reals(enum dtype dtype, size_t n)
{
	return dtype_is_complex(dtype) ? 2 * n : n;
}

static uint64_t words_of(const struct step *step)
{
	return dtype_size(step->out->shape.dtype) / 4;
}

/* The real part gets plus, the imaginary part is scaled alone: each in one rounding, as the affine kernels do. */
static void scale_complex(enum dtype dtype, size_t n, double by, double plus, void *out)
{
	float *f = out;
	double *d = out;

	for (size_t i = 0; i < 2 * n; i++) {
		const double shift = i % 2 ? 0 : plus;

		if (dtype_is_wide(dtype))
			d[i] = fma(d[i], by, shift);
		else
			f[i] = (float)fma(f[i], by, shift);
	}
}

static void scale(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		  const void *const in[2], void *out)
{
	const struct uniform_kernel *kernel = engine->kernels.uniform;
	const enum dtype dtype = step->out->shape.dtype;

	(void)begin;
	if (in[0] != out)
		memcpy(out, in[0], n * dtype_size(dtype));
	if (dtype_is_complex(dtype) && step->scale.plus != 0)
		scale_complex(dtype, n, step->scale.by, step->scale.plus, out);
	else if (dtype_is_wide(dtype))
		kernel->affine_f64(out, reals(dtype, n), step->scale.by, step->scale.plus);
	else
		kernel->affine_f32(out, reals(dtype, n), step->scale.by, step->scale.plus);
}

static uint64_t scale_ps(const struct engine *engine, const struct step *step)
{
	const bool alone = dtype_is_complex(step->out->shape.dtype) && step->scale.plus != 0;

	(void)engine;
	return (alone ? 3000u : 300u) * words_of(step);
}

const struct step_ops step_scale = {.fill = scale, .element_ps = scale_ps};

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

static void add_block(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		      const void *const in[2], void *out)
{
	const enum dtype dtype = step->out->shape.dtype;

	(void)engine;
	(void)begin;
	if (dtype_is_wide(dtype))
		add_f64(reals(dtype, n), in[0], in[1], out);
	else
		add_f32(reals(dtype, n), in[0], in[1], out);
}

static uint64_t add_ps(const struct engine *engine, const struct step *step)
{
	(void)engine;
	return 300 * words_of(step);
}

const struct step_ops step_add = {.fill = add_block, .element_ps = add_ps};

static void add_noise(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		      const void *const in[2], void *out)
{
	const struct uniform_kernel *kernel = engine->kernels.uniform;
	const enum dtype dtype = step->out->shape.dtype;

	(void)begin;
	if (dtype_is_wide(dtype))
		kernel->add_f64(in[0], in[1], reals(dtype, n), step->scale.by, out);
	else
		kernel->add_f32(in[0], in[1], reals(dtype, n), step->scale.by, out);
}

const struct step_ops step_noise_add = {.fill = add_noise, .element_ps = add_ps};

static void box_muller(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		       const void *const in[2], void *out)
{
	const struct box_muller_kernel *kernel = engine->kernels.box_muller;

	(void)begin;
	if (dtype_is_wide(step->out->shape.dtype))
		kernel->f64(in[0], n / 2, out);
	else
		kernel->f32(in[0], n / 2, out);
}

/* What a normal costs beside its uniforms. */
static uint64_t box_muller_ps(const struct engine *engine, const struct step *step)
{
	const uint64_t cost = engine->features & CPU_AVX512 ? 600 : engine->features & CPU_AVX2 ? 1400 : 19000;

	return cost * words_of(step);
}

const struct step_ops step_box_muller = {.fill = box_muller, .element_ps = box_muller_ps};
