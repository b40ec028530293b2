/* SPDX-License-Identifier: Apache-2.0 */
/* FFTW's functions that make plans: all of them describe the axes, and ask for one plan. */
#include <stdlib.h>

#include "base/checked.h"
#include "fftw/name.h"

/* The axes of a call: `rank` to transform, then those of the batch. NULL dims: the call has no plan. */
struct axes {
	unsigned rank, n_batch;
	struct dim *dims;
};

static X(plan) make_plan(enum problem_transform transform, struct axes axes, const X(r2r_kind) *kinds, const struct arrays *arrays,
			 bool is_backward, unsigned flags)
{
	struct problem problem = {.precision = PRECISION,
				  .transform = transform,
				  .rank = axes.rank,
				  .n_batch = axes.n_batch,
				  .dims = axes.dims,
				  .kinds = (const int *)kinds,
				  .arrays = *arrays,
				  .is_backward = is_backward,
				  .preserves_in = flags & FFTW_PRESERVE_INPUT,
				  .threads = X(threads_of_plans)()};
	struct plan *plan;

	if (!axes.dims)
		return NULL;
	plan = plan_create(&problem);
	free(axes.dims);
	return (X(plan))plan;
}

/* ---- arrays ---- */

static struct arrays pairs_to_pairs(C *in, C *out, int sign)
{
	R *x = (R *)in, *y = (R *)out;

	if (sign != FFTW_FORWARD)
		return (struct arrays){(char *)(x + 1), (char *)x, (char *)(y + 1), (char *)y};
	return (struct arrays){(char *)x, (char *)(x + 1), (char *)y, (char *)(y + 1)};
}

static struct arrays reals_to_pairs(R *in, C *out)
{
	return (struct arrays){(char *)in, NULL, (char *)out, (char *)((R *)out + 1)};
}

static struct arrays pairs_to_reals(C *in, R *out)
{
	return (struct arrays){(char *)in, (char *)((R *)in + 1), (char *)out, NULL};
}

static struct arrays reals_to_reals(R *in, R *out)
{
	return (struct arrays){(char *)in, NULL, (char *)out, NULL};
}

/* ---- axes ---- */

static struct axes allocate_axes(int rank, int n_batch)
{
	struct axes axes = {.rank = (unsigned)rank, .n_batch = (unsigned)n_batch};

	if (rank >= 0 && n_batch >= 0)
		axes.dims = malloc(((size_t)rank + (size_t)n_batch + 1) * sizeof *axes.dims);
	return axes;
}

static struct axes no_axes(struct axes axes)
{
	free(axes.dims);
	return (struct axes){0};
}

/* Reads the axes of a guru call: the structures of iodim or iodim64. A unit is the reals of an element. */
#define DEFINE_READ(iodim)                                                                                                     \
	static struct axes read_##iodim(int rank, const X(iodim) *dims, int n_batch, const X(iodim) *batch, int in_unit,      \
					int out_unit)                                                                          \
	{                                                                                                                      \
		struct axes axes = allocate_axes(rank, n_batch);                                                               \
                                                                                                                               \
		for (int i = 0; axes.dims && i < rank + n_batch; i++) {                                                        \
			const X(iodim) *at = i < rank ? &dims[i] : &batch[i - rank];                                           \
			struct dim *dim = &axes.dims[i];                                                                       \
                                                                                                                               \
			if (at->n < (i < rank) || __builtin_mul_overflow((ptrdiff_t)at->is, (ptrdiff_t)in_unit, &dim->in) ||   \
			    __builtin_mul_overflow((ptrdiff_t)at->os, (ptrdiff_t)out_unit, &dim->out))                         \
				return no_axes(axes);                                                                          \
			dim->n = (size_t)at->n;                                                                                \
		}                                                                                                              \
		return axes;                                                                                                   \
	}

DEFINE_READ(iodim)
DEFINE_READ(iodim64)

/* An array of a call for many transforms. */
struct side {
	const int *embed; /* NULL: its axes are without gaps, but that the last one has `last` elements */
	int last, stride, distance, unit;
};

/* Sets the stride of each axis of a side, and of the batch. */
static void set_strides(struct axes *axes, const int *n, const struct side *side, bool out)
{
	ptrdiff_t stride = (ptrdiff_t)side->stride * side->unit;

	for (unsigned i = axes->rank; i-- > 0;) {
		*(out ? &axes->dims[i].out : &axes->dims[i].in) = stride;
		stride *= side->embed ? side->embed[i] : i + 1 == axes->rank ? side->last : n[i];
	}
	*(out ? &axes->dims[axes->rank].out : &axes->dims[axes->rank].in) = (ptrdiff_t)side->distance * side->unit;
}

static struct axes list_many(int rank, const int *n, int howmany, const struct side *in, const struct side *out)
{
	struct axes axes = allocate_axes(rank, 1);

	if (!axes.dims || howmany < 0)
		return no_axes(axes);
	for (int i = 0; i < rank; i++) {
		if (n[i] <= 0)
			return no_axes(axes);
		axes.dims[i].n = (size_t)n[i];
	}
	axes.dims[rank].n = (size_t)howmany;
	set_strides(&axes, n, in, false);
	set_strides(&axes, n, out, true);
	return axes;
}

/* Returns the elements of the last axis of a side whose other one has half a spectrum; reals in place have its room. */
static int half_of(int rank, const int *n)
{
	return rank > 0 ? n[rank - 1] / 2 + 1 : 1;
}

static int room_of(int rank, const int *n, bool in_place)
{
	return in_place ? 2 * half_of(rank, n) : rank > 0 ? n[rank - 1] : 1;
}

/* ---- many ---- */

EXPORT X(plan) X(plan_many_dft)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, C *out,
				const int *onembed, int ostride, int odist, int sign, unsigned flags)
{
	const struct side from = {inembed, rank > 0 ? n[rank - 1] : 1, istride, idist, 2};
	const struct side to = {onembed, rank > 0 ? n[rank - 1] : 1, ostride, odist, 2};
	const struct arrays arrays = pairs_to_pairs(in, out, sign);

	return make_plan(TRANSFORM_C2C, list_many(rank, n, howmany, &from, &to), NULL, &arrays, sign != FFTW_FORWARD, flags);
}

EXPORT X(plan) X(plan_many_dft_r2c)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist, C *out,
				    const int *onembed, int ostride, int odist, unsigned flags)
{
	const struct side from = {inembed, room_of(rank, n, (void *)in == (void *)out), istride, idist, 1};
	const struct side to = {onembed, half_of(rank, n), ostride, odist, 2};
	const struct arrays arrays = reals_to_pairs(in, out);

	return make_plan(TRANSFORM_R2C, list_many(rank, n, howmany, &from, &to), NULL, &arrays, false, flags);
}

EXPORT X(plan) X(plan_many_dft_c2r)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, R *out,
				    const int *onembed, int ostride, int odist, unsigned flags)
{
	const struct side from = {inembed, half_of(rank, n), istride, idist, 2};
	const struct side to = {onembed, room_of(rank, n, (void *)in == (void *)out), ostride, odist, 1};
	const struct arrays arrays = pairs_to_reals(in, out);

	return make_plan(TRANSFORM_C2R, list_many(rank, n, howmany, &from, &to), NULL, &arrays, false, flags);
}

EXPORT X(plan) X(plan_many_r2r)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist, R *out,
				const int *onembed, int ostride, int odist, const X(r2r_kind) *kind, unsigned flags)
{
	const struct side from = {inembed, rank > 0 ? n[rank - 1] : 1, istride, idist, 1};
	const struct side to = {onembed, rank > 0 ? n[rank - 1] : 1, ostride, odist, 1};
	const struct arrays arrays = reals_to_reals(in, out);

	return make_plan(TRANSFORM_R2R, list_many(rank, n, howmany, &from, &to), kind, &arrays, false, flags);
}

/* ---- one transform ---- */

EXPORT X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags)
{
	return X(plan_many_dft)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, sign, flags);
}

EXPORT X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags)
{
	return X(plan_dft)(1, &n, in, out, sign, flags);
}

EXPORT X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags)
{
	return X(plan_dft)(2, (int[]){n0, n1}, in, out, sign, flags);
}

EXPORT X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags)
{
	return X(plan_dft)(3, (int[]){n0, n1, n2}, in, out, sign, flags);
}

EXPORT X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags)
{
	return X(plan_many_dft_r2c)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, flags);
}

EXPORT X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags)
{
	return X(plan_dft_r2c)(1, &n, in, out, flags);
}

EXPORT X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags)
{
	return X(plan_dft_r2c)(2, (int[]){n0, n1}, in, out, flags);
}

EXPORT X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags)
{
	return X(plan_dft_r2c)(3, (int[]){n0, n1, n2}, in, out, flags);
}

EXPORT X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags)
{
	return X(plan_many_dft_c2r)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, flags);
}

EXPORT X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags)
{
	return X(plan_dft_c2r)(1, &n, in, out, flags);
}

EXPORT X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags)
{
	return X(plan_dft_c2r)(2, (int[]){n0, n1}, in, out, flags);
}

EXPORT X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags)
{
	return X(plan_dft_c2r)(3, (int[]){n0, n1, n2}, in, out, flags);
}

EXPORT X(plan) X(plan_r2r)(int rank, const int *n, R *in, R *out, const X(r2r_kind) *kind, unsigned flags)
{
	return X(plan_many_r2r)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, kind, flags);
}

EXPORT X(plan) X(plan_r2r_1d)(int n, R *in, R *out, X(r2r_kind) kind, unsigned flags)
{
	return X(plan_r2r)(1, &n, in, out, &kind, flags);
}

EXPORT X(plan) X(plan_r2r_2d)(int n0, int n1, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, unsigned flags)
{
	return X(plan_r2r)(2, (int[]){n0, n1}, in, out, (X(r2r_kind)[]){kind0, kind1}, flags);
}

EXPORT X(plan) X(plan_r2r_3d)(int n0, int n1, int n2, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, X(r2r_kind) kind2,
			      unsigned flags)
{
	return X(plan_r2r)(3, (int[]){n0, n1, n2}, in, out, (X(r2r_kind)[]){kind0, kind1, kind2}, flags);
}

/* ---- guru ---- */

#define GURU_ARGUMENTS(iodim) int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims
#define READ(iodim, in_unit, out_unit) read_##iodim(rank, dims, howmany_rank, howmany_dims, in_unit, out_unit)

#define DEFINE_GURU(guru, iodim)                                                                                               \
	EXPORT X(plan) X(plan_##guru##_dft)(GURU_ARGUMENTS(iodim), C *in, C *out, int sign, unsigned flags)                    \
	{                                                                                                                      \
		const struct arrays arrays = pairs_to_pairs(in, out, sign);                                                    \
                                                                                                                               \
		return make_plan(TRANSFORM_C2C, READ(iodim, 2, 2), NULL, &arrays, sign != FFTW_FORWARD, flags);                      \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_split_dft)(GURU_ARGUMENTS(iodim), R *ri, R *ii, R *ro, R *io, unsigned flags)           \
	{                                                                                                                      \
		const struct arrays arrays = {(char *)ri, (char *)ii, (char *)ro, (char *)io};                                 \
                                                                                                                               \
		return make_plan(TRANSFORM_C2C, READ(iodim, 1, 1), NULL, &arrays, false, flags);                                      \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_dft_r2c)(GURU_ARGUMENTS(iodim), R *in, C *out, unsigned flags)                          \
	{                                                                                                                      \
		const struct arrays arrays = reals_to_pairs(in, out);                                                          \
                                                                                                                               \
		return make_plan(TRANSFORM_R2C, READ(iodim, 1, 2), NULL, &arrays, false, flags);                                      \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_split_dft_r2c)(GURU_ARGUMENTS(iodim), R *in, R *ro, R *io, unsigned flags)              \
	{                                                                                                                      \
		const struct arrays arrays = {(char *)in, NULL, (char *)ro, (char *)io};                                       \
                                                                                                                               \
		return make_plan(TRANSFORM_R2C, READ(iodim, 1, 1), NULL, &arrays, false, flags);                                      \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_dft_c2r)(GURU_ARGUMENTS(iodim), C *in, R *out, unsigned flags)                          \
	{                                                                                                                      \
		const struct arrays arrays = pairs_to_reals(in, out);                                                          \
                                                                                                                               \
		return make_plan(TRANSFORM_C2R, READ(iodim, 2, 1), NULL, &arrays, false, flags);                                                   \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_split_dft_c2r)(GURU_ARGUMENTS(iodim), R *ri, R *ii, R *out, unsigned flags)             \
	{                                                                                                                      \
		const struct arrays arrays = {(char *)ri, (char *)ii, (char *)out, NULL};                                      \
                                                                                                                               \
		return make_plan(TRANSFORM_C2R, READ(iodim, 1, 1), NULL, &arrays, false, flags);                                                   \
	}                                                                                                                      \
	EXPORT X(plan) X(plan_##guru##_r2r)(GURU_ARGUMENTS(iodim), R *in, R *out, const X(r2r_kind) *kind, unsigned flags)     \
	{                                                                                                                      \
		const struct arrays arrays = reals_to_reals(in, out);                                                          \
                                                                                                                               \
		return make_plan(TRANSFORM_R2R, READ(iodim, 1, 1), kind, &arrays, false, flags);                                      \
	}

DEFINE_GURU(guru, iodim)
DEFINE_GURU(guru64, iodim64)
