/* SPDX-License-Identifier: Apache-2.0 */
/* The names that Fortran 77 programs call: dfftw_NAME_ and dfftw_NAME__, of single precision sfftw_. All arguments are addresses.
 * Fortran lists the axes of an array the nearest first, so lengths and kinds are reversed. Guru's axes are not, as in FFTW, which reverses
 * their kinds nevertheless. */
#include <limits.h>
#include <stdlib.h>

#include "fftw/name.h"

#define TEXT_OF(text) #text
#define TEXT(name) TEXT_OF(name)

#define F77(name, arguments)                                                                                                   \
	EXPORT void F77_NAME(name##_) arguments;                                                                               \
	EXPORT void F77_NAME(name##__) arguments __attribute__((alias(TEXT(F77_NAME(name##_)))));                              \
	void F77_NAME(name##_) arguments

/* ---- lists ---- */

static int *reverse(int rank, const int *list)
{
	int *reversed = rank > 0 ? malloc((size_t)rank * sizeof *reversed) : NULL;

	for (int i = 0; reversed && i < rank; i++)
		reversed[i] = list[rank - 1 - i];
	return reversed;
}

/* The lists of a call for many transforms, reversed. Those of kinds are ints, as Fortran's. */
struct lists {
	int *n, *in, *out, *kinds;
	bool complete;
};

static struct lists reverse_lists(int rank, const int *n, const int *in, const int *out, const int *kinds)
{
	struct lists lists = {reverse(rank, n), in ? reverse(rank, in) : NULL, out ? reverse(rank, out) : NULL,
			      kinds ? reverse(rank, kinds) : NULL, true};

	if (rank > 0 && (!lists.n || (in && !lists.in) || (out && !lists.out) || (kinds && !lists.kinds)))
		lists.complete = false;
	return lists;
}

static void free_lists(const struct lists *lists)
{
	free(lists->n);
	free(lists->in);
	free(lists->out);
	free(lists->kinds);
}

/* The axes of a guru call, those to transform first. */
static X(iodim) *list_axes(int rank, const int *n, const int *is, const int *os, int n_batch, const int *batch_n, const int *batch_is,
			   const int *batch_os)
{
	X(iodim) *axes = rank < 0 || n_batch < 0 ? NULL : malloc(((size_t)rank + (size_t)n_batch + 1) * sizeof *axes);

	for (int i = 0; axes && i < rank; i++)
		axes[i] = (X(iodim)){n[i], is[i], os[i]};
	for (int i = 0; axes && i < n_batch; i++)
		axes[rank + i] = (X(iodim)){batch_n[i], batch_is[i], batch_os[i]};
	return axes;
}

/* ---- plans ---- */

F77(plan_dft, (X(plan) * p, const int *rank, const int *n, C *in, C *out, const int *sign, const int *flags))
{
	const struct lists lists = reverse_lists(*rank, n, NULL, NULL, NULL);

	*p = lists.complete ? X(plan_dft)(*rank, lists.n, in, out, *sign, (unsigned)*flags) : NULL;
	free_lists(&lists);
}

F77(plan_dft_1d, (X(plan) * p, const int *n, C *in, C *out, const int *sign, const int *flags))
{
	*p = X(plan_dft_1d)(*n, in, out, *sign, (unsigned)*flags);
}

F77(plan_dft_2d, (X(plan) * p, const int *nx, const int *ny, C *in, C *out, const int *sign, const int *flags))
{
	*p = X(plan_dft_2d)(*ny, *nx, in, out, *sign, (unsigned)*flags);
}

F77(plan_dft_3d, (X(plan) * p, const int *nx, const int *ny, const int *nz, C *in, C *out, const int *sign, const int *flags))
{
	*p = X(plan_dft_3d)(*nz, *ny, *nx, in, out, *sign, (unsigned)*flags);
}

F77(plan_many_dft, (X(plan) * p, const int *rank, const int *n, const int *howmany, C *in, const int *inembed, const int *istride,
		    const int *idist, C *out, const int *onembed, const int *ostride, const int *odist, const int *sign,
		    const int *flags))
{
	const struct lists lists = reverse_lists(*rank, n, inembed, onembed, NULL);

	*p = lists.complete ? X(plan_many_dft)(*rank, lists.n, *howmany, in, lists.in, *istride, *idist, out, lists.out, *ostride, *odist,
					       *sign, (unsigned)*flags)
			    : NULL;
	free_lists(&lists);
}

#define GURU_LISTS                                                                                                             \
	const int *rank, const int *n, const int *is, const int *os, const int *howmany_rank, const int *h_n, const int *h_is, \
		const int *h_os

/* Makes a guru plan: `call` has the arguments behind the axes. */
#define GURU_PLAN(name, ...)                                                                                                   \
	X(iodim) *axes = list_axes(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);                                          \
	*p = axes ? X(name)(*rank, axes, *howmany_rank, axes + *rank, __VA_ARGS__) : NULL;                                     \
	free(axes)

F77(plan_guru_dft, (X(plan) * p, GURU_LISTS, C *in, C *out, const int *sign, const int *flags))
{
	GURU_PLAN(plan_guru_dft, in, out, *sign, (unsigned)*flags);
}

F77(plan_guru_split_dft, (X(plan) * p, GURU_LISTS, R *ri, R *ii, R *ro, R *io, const int *flags))
{
	GURU_PLAN(plan_guru_split_dft, ri, ii, ro, io, (unsigned)*flags);
}

/* Those between reals and half spectra: A is the type of the input, B that of the output. */
#define DEFINE_HALF(half, A, B)                                                                                                \
	F77(plan_dft_##half, (X(plan) * p, const int *rank, const int *n, A *in, B *out, const int *flags))                    \
	{                                                                                                                      \
		const struct lists lists = reverse_lists(*rank, n, NULL, NULL, NULL);                                          \
                                                                                                                               \
		*p = lists.complete ? X(plan_dft_##half)(*rank, lists.n, in, out, (unsigned)*flags) : NULL;                    \
		free_lists(&lists);                                                                                            \
	}                                                                                                                      \
	F77(plan_dft_##half##_1d, (X(plan) * p, const int *n, A *in, B *out, const int *flags))                                \
	{                                                                                                                      \
		*p = X(plan_dft_##half##_1d)(*n, in, out, (unsigned)*flags);                                                   \
	}                                                                                                                      \
	F77(plan_dft_##half##_2d, (X(plan) * p, const int *nx, const int *ny, A *in, B *out, const int *flags))                \
	{                                                                                                                      \
		*p = X(plan_dft_##half##_2d)(*ny, *nx, in, out, (unsigned)*flags);                                             \
	}                                                                                                                      \
	F77(plan_dft_##half##_3d,                                                                                              \
	    (X(plan) * p, const int *nx, const int *ny, const int *nz, A *in, B *out, const int *flags))                       \
	{                                                                                                                      \
		*p = X(plan_dft_##half##_3d)(*nz, *ny, *nx, in, out, (unsigned)*flags);                                        \
	}                                                                                                                      \
	F77(plan_many_dft_##half, (X(plan) * p, const int *rank, const int *n, const int *howmany, A *in, const int *inembed,  \
				   const int *istride, const int *idist, B *out, const int *onembed, const int *ostride,       \
				   const int *odist, const int *flags))                                                        \
	{                                                                                                                      \
		const struct lists lists = reverse_lists(*rank, n, inembed, onembed, NULL);                                    \
                                                                                                                               \
		*p = lists.complete ? X(plan_many_dft_##half)(*rank, lists.n, *howmany, in, lists.in, *istride, *idist, out,   \
							      lists.out, *ostride, *odist, (unsigned)*flags)                   \
				    : NULL;                                                                                    \
		free_lists(&lists);                                                                                            \
	}                                                                                                                      \
	F77(plan_guru_dft_##half, (X(plan) * p, GURU_LISTS, A *in, B *out, const int *flags))                                  \
	{                                                                                                                      \
		GURU_PLAN(plan_guru_dft_##half, in, out, (unsigned)*flags);                                                    \
	}

DEFINE_HALF(r2c, R, C)
DEFINE_HALF(c2r, C, R)

F77(plan_guru_split_dft_r2c, (X(plan) * p, GURU_LISTS, R *in, R *ro, R *io, const int *flags))
{
	GURU_PLAN(plan_guru_split_dft_r2c, in, ro, io, (unsigned)*flags);
}

F77(plan_guru_split_dft_c2r, (X(plan) * p, GURU_LISTS, R *ri, R *ii, R *out, const int *flags))
{
	GURU_PLAN(plan_guru_split_dft_c2r, ri, ii, out, (unsigned)*flags);
}

F77(plan_r2r, (X(plan) * p, const int *rank, const int *n, R *in, R *out, const int *kinds, const int *flags))
{
	const struct lists lists = reverse_lists(*rank, n, NULL, NULL, kinds);

	*p = lists.complete ? X(plan_r2r)(*rank, lists.n, in, out, (const X(r2r_kind) *)lists.kinds, (unsigned)*flags) : NULL;
	free_lists(&lists);
}

F77(plan_r2r_1d, (X(plan) * p, const int *n, R *in, R *out, const int *kind, const int *flags))
{
	*p = X(plan_r2r_1d)(*n, in, out, (X(r2r_kind))*kind, (unsigned)*flags);
}

F77(plan_r2r_2d, (X(plan) * p, const int *nx, const int *ny, R *in, R *out, const int *kindx, const int *kindy, const int *flags))
{
	*p = X(plan_r2r_2d)(*ny, *nx, in, out, (X(r2r_kind))*kindy, (X(r2r_kind))*kindx, (unsigned)*flags);
}

F77(plan_r2r_3d, (X(plan) * p, const int *nx, const int *ny, const int *nz, R *in, R *out, const int *kindx, const int *kindy,
		  const int *kindz, const int *flags))
{
	*p = X(plan_r2r_3d)(*nz, *ny, *nx, in, out, (X(r2r_kind))*kindz, (X(r2r_kind))*kindy, (X(r2r_kind))*kindx, (unsigned)*flags);
}

F77(plan_many_r2r, (X(plan) * p, const int *rank, const int *n, const int *howmany, R *in, const int *inembed, const int *istride,
		    const int *idist, R *out, const int *onembed, const int *ostride, const int *odist, const int *kinds,
		    const int *flags))
{
	const struct lists lists = reverse_lists(*rank, n, inembed, onembed, kinds);

	*p = lists.complete ? X(plan_many_r2r)(*rank, lists.n, *howmany, in, lists.in, *istride, *idist, out, lists.out, *ostride, *odist,
					       (const X(r2r_kind) *)lists.kinds, (unsigned)*flags)
			    : NULL;
	free_lists(&lists);
}

F77(plan_guru_r2r, (X(plan) * p, GURU_LISTS, R *in, R *out, const int *kinds, const int *flags))
{
	int *reversed = reverse(*rank, kinds);

	*p = NULL;
	if (*rank <= 0 || reversed) {
		GURU_PLAN(plan_guru_r2r, in, out, (const X(r2r_kind) *)reversed, (unsigned)*flags);
	}
	free(reversed);
}

/* ---- runs ---- */

F77(execute, (X(plan) const *p))
{
	X(execute)(*p);
}

F77(execute_dft, (X(plan) const *p, C *in, C *out))
{
	X(execute_dft)(*p, in, out);
}

F77(execute_dft_r2c, (X(plan) const *p, R *in, C *out))
{
	X(execute_dft_r2c)(*p, in, out);
}

F77(execute_dft_c2r, (X(plan) const *p, C *in, R *out))
{
	X(execute_dft_c2r)(*p, in, out);
}

F77(execute_r2r, (X(plan) const *p, R *in, R *out))
{
	X(execute_r2r)(*p, in, out);
}

F77(execute_split_dft, (X(plan) const *p, R *ri, R *ii, R *ro, R *io))
{
	X(execute_split_dft)(*p, ri, ii, ro, io);
}

F77(execute_split_dft_r2c, (X(plan) const *p, R *in, R *ro, R *io))
{
	X(execute_split_dft_r2c)(*p, in, ro, io);
}

F77(execute_split_dft_c2r, (X(plan) const *p, R *ri, R *ii, R *out))
{
	X(execute_split_dft_c2r)(*p, ri, ii, out);
}

F77(destroy_plan, (X(plan) const *p))
{
	X(destroy_plan)(*p);
}

F77(flops, (X(plan) const *p, double *add, double *mul, double *fmas))
{
	X(flops)(*p, add, mul, fmas);
}

F77(estimate_cost, (double *ret_cost, X(plan) const *p))
{
	*ret_cost = X(estimate_cost)(*p);
}

F77(cost, (double *ret_cost, X(plan) const *p))
{
	*ret_cost = X(cost)(*p);
}

F77(print_plan, (X(plan) const *p))
{
	X(print_plan)(*p);
	fflush(stdout);
}

/* ---- the planner ---- */

F77(cleanup, (void))
{
	X(cleanup)();
}

F77(set_timelimit, (const double *seconds))
{
	X(set_timelimit)(*seconds);
}

F77(init_threads, (int *ret_ok))
{
	*ret_ok = X(init_threads)();
}

F77(cleanup_threads, (void))
{
	X(cleanup_threads)();
}

F77(plan_with_nthreads, (const int *nthreads))
{
	X(plan_with_nthreads)(*nthreads);
}

F77(planner_nthreads, (int *ret_nthreads))
{
	*ret_nthreads = X(planner_nthreads)();
}

/* ---- wisdom ---- */

F77(forget_wisdom, (void))
{
	X(forget_wisdom)();
}

/* A Fortran routine that takes or gives a character by its address. */
struct routine {
	void (*write_char)(char *c, void *data);
	void (*read_char)(int *ret_c, void *data);
	void *data;
};

static void write_by_address(char c, void *data)
{
	const struct routine *routine = data;

	routine->write_char(&c, routine->data);
}

static int read_by_address(void *data)
{
	const struct routine *routine = data;
	int c;

	routine->read_char(&c, routine->data);
	return c < 0 || c > UCHAR_MAX ? EOF : c;
}

F77(export_wisdom, (void (*write_char)(char *c, void *data), void *data))
{
	struct routine routine = {.write_char = write_char, .data = data};

	X(export_wisdom)(write_by_address, &routine);
}

F77(import_wisdom, (int *ret_ok, void (*read_char)(int *ret_c, void *data), void *data))
{
	struct routine routine = {.read_char = read_char, .data = data};

	*ret_ok = X(import_wisdom)(read_by_address, &routine);
}

F77(import_system_wisdom, (int *ret_ok))
{
	*ret_ok = X(import_system_wisdom)();
}
