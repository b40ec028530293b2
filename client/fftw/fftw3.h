/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of FFTW 3.3 in double and single precision, as trnsciD's libfftw3 and libfftw3f have it. trnsci-fftw(7) says what
 * differs. A program that was compiled with FFTW's own header runs with these libraries as it is.
 *
 * FFTW_INTERFACE(X, R, C) declares all of it for one precision: X makes a name, R is the real type, C the complex one. */
#ifndef FFTW3_H
#define FFTW3_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C99's complex type where <complex.h> came first, else a pair of reals. */
#if defined(_Complex_I) && defined(complex) && defined(I) && !defined(FFTW_NO_Complex)
#define FFTW_DEFINE_COMPLEX(R, C) typedef R _Complex C
#else
#define FFTW_DEFINE_COMPLEX(R, C) typedef R C[2]
#endif

#define FFTW_CONCAT(prefix, name) prefix##name
#define FFTW_MANGLE_DOUBLE(name) FFTW_CONCAT(fftw_, name)
#define FFTW_MANGLE_FLOAT(name) FFTW_CONCAT(fftwf_, name)

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)
#define FFTW_NO_TIMELIMIT (-1.0)

/* Flags of a plan. */
#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_CONSERVE_MEMORY (1U << 2)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

/* Accepted, without effect. */
#define FFTW_ESTIMATE_PATIENT (1U << 7)
#define FFTW_BELIEVE_PCOST (1U << 8)
#define FFTW_NO_DFT_R2HC (1U << 9)
#define FFTW_NO_NONTHREADED (1U << 10)
#define FFTW_NO_BUFFERING (1U << 11)
#define FFTW_NO_INDIRECT_OP (1U << 12)
#define FFTW_ALLOW_LARGE_GENERIC (1U << 13)
#define FFTW_NO_RANK_SPLITS (1U << 14)
#define FFTW_NO_VRANK_SPLITS (1U << 15)
#define FFTW_NO_VRECURSE (1U << 16)
#define FFTW_NO_SIMD (1U << 17)
#define FFTW_NO_SLOW (1U << 18)
#define FFTW_NO_FIXED_RADIX_LARGE_N (1U << 19)
#define FFTW_ALLOW_PRUNING (1U << 20)

enum fftw_kind_of_reals {
	FFTW_R2HC = 0,
	FFTW_HC2R = 1,
	FFTW_DHT = 2,
	FFTW_REDFT00 = 3,
	FFTW_REDFT01 = 4,
	FFTW_REDFT10 = 5,
	FFTW_REDFT11 = 6,
	FFTW_RODFT00 = 7,
	FFTW_RODFT01 = 8,
	FFTW_RODFT10 = 9,
	FFTW_RODFT11 = 10
};

/* An axis: its length, and its strides in the input and in the output. */
struct fftw_axis {
	int n, is, os;
};

struct fftw_axis64 {
	ptrdiff_t n, is, os;
};

typedef void (*fftw_char_writer)(char c, void *data);
typedef int (*fftw_char_reader)(void *data);
/* Calls work(jobdata + i * elsize) for each i below njobs, on any threads, and returns when all of them have ended. */
typedef void (*fftw_parallel_loop)(void *(*work)(char *), char *jobdata, size_t elsize, int njobs, void *data);

#define FFTW_INTERFACE_TYPES(X, R, C)                                                                                          \
	FFTW_DEFINE_COMPLEX(R, C);                                                                                             \
	typedef struct X(plan_s) *X(plan);                                                                                     \
	typedef struct fftw_axis X(iodim);                                                                                     \
	typedef struct fftw_axis64 X(iodim64);                                                                                 \
	typedef enum fftw_kind_of_reals X(r2r_kind);                                                                           \
	typedef fftw_char_writer X(write_char_func);                                                                           \
	typedef fftw_char_reader X(read_char_func);

#define FFTW_INTERFACE_BASIC(X, R, C)                                                                                          \
	X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags);                                  \
	X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags);                                                \
	X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags);                                       \
	X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags);                               \
	X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags);                                        \
	X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags);                                                      \
	X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags);                                             \
	X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags);                                     \
	X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags);                                        \
	X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags);                                                      \
	X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags);                                             \
	X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags);                                     \
	X(plan) X(plan_r2r)(int rank, const int *n, R *in, R *out, const X(r2r_kind) *kind, unsigned flags);                   \
	X(plan) X(plan_r2r_1d)(int n, R *in, R *out, X(r2r_kind) kind, unsigned flags);                                        \
	X(plan) X(plan_r2r_2d)(int n0, int n1, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, unsigned flags);           \
	X(plan) X(plan_r2r_3d)(int n0, int n1, int n2, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1,                    \
			       X(r2r_kind) kind2, unsigned flags);

#define FFTW_INTERFACE_MANY(X, R, C)                                                                                           \
	X(plan) X(plan_many_dft)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist,       \
				 C *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);                \
	X(plan) X(plan_many_dft_r2c)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist,   \
				     C *out, const int *onembed, int ostride, int odist, unsigned flags);                      \
	X(plan) X(plan_many_dft_c2r)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist,   \
				     R *out, const int *onembed, int ostride, int odist, unsigned flags);                      \
	X(plan) X(plan_many_r2r)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist,       \
				 R *out, const int *onembed, int ostride, int odist, const X(r2r_kind) *kind, unsigned flags);

/* guru is guru or guru64, iodim the type of its axes. */
#define FFTW_INTERFACE_GURU(X, R, C, guru, iodim)                                                                              \
	X(plan) X(plan_##guru##_dft)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, C *in,    \
				     C *out, int sign, unsigned flags);                                                        \
	X(plan) X(plan_##guru##_split_dft)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,     \
					   R *ri, R *ii, R *ro, R *io, unsigned flags);                                        \
	X(plan) X(plan_##guru##_dft_r2c)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,       \
					 R *in, C *out, unsigned flags);                                                       \
	X(plan) X(plan_##guru##_split_dft_r2c)(int rank, const X(iodim) *dims, int howmany_rank,                               \
					       const X(iodim) *howmany_dims, R *in, R *ro, R *io, unsigned flags);             \
	X(plan) X(plan_##guru##_dft_c2r)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,       \
					 C *in, R *out, unsigned flags);                                                       \
	X(plan) X(plan_##guru##_split_dft_c2r)(int rank, const X(iodim) *dims, int howmany_rank,                               \
					       const X(iodim) *howmany_dims, R *ri, R *ii, R *out, unsigned flags);            \
	X(plan) X(plan_##guru##_r2r)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, R *in,    \
				     R *out, const X(r2r_kind) *kind, unsigned flags);

#define FFTW_INTERFACE_EXECUTE(X, R, C)                                                                                        \
	void X(execute)(const X(plan) p);                                                                                      \
	void X(execute_dft)(const X(plan) p, C *in, C *out);                                                                   \
	void X(execute_split_dft)(const X(plan) p, R *ri, R *ii, R *ro, R *io);                                                \
	void X(execute_dft_r2c)(const X(plan) p, R *in, C *out);                                                               \
	void X(execute_split_dft_r2c)(const X(plan) p, R *in, R *ro, R *io);                                                   \
	void X(execute_dft_c2r)(const X(plan) p, C *in, R *out);                                                               \
	void X(execute_split_dft_c2r)(const X(plan) p, R *ri, R *ii, R *out);                                                  \
	void X(execute_r2r)(const X(plan) p, R *in, R *out);                                                                   \
	void X(destroy_plan)(X(plan) p);

#define FFTW_INTERFACE_REPORT(X, R, C)                                                                                         \
	void X(flops)(const X(plan) p, double *add, double *mul, double *fmas);                                                \
	double X(estimate_cost)(const X(plan) p);                                                                              \
	double X(cost)(const X(plan) p);                                                                                       \
	void X(print_plan)(const X(plan) p);                                                                                   \
	void X(fprint_plan)(const X(plan) p, FILE *output_file);                                                               \
	char *X(sprint_plan)(const X(plan) p);                                                                                 \
	extern const char X(version)[], X(cc)[], X(codelet_optim)[];

#define FFTW_INTERFACE_PLANNER(X, R, C)                                                                                        \
	void X(cleanup)(void);                                                                                                 \
	void X(set_timelimit)(double seconds);                                                                                 \
	int X(init_threads)(void);                                                                                             \
	void X(plan_with_nthreads)(int nthreads);                                                                              \
	int X(planner_nthreads)(void);                                                                                         \
	void X(cleanup_threads)(void);                                                                                         \
	void X(make_planner_thread_safe)(void);                                                                                \
	void X(threads_set_callback)(fftw_parallel_loop loop, void *data);

#define FFTW_INTERFACE_WISDOM(X, R, C)                                                                                         \
	void X(forget_wisdom)(void);                                                                                           \
	int X(export_wisdom_to_filename)(const char *filename);                                                                \
	void X(export_wisdom_to_file)(FILE *output_file);                                                                      \
	char *X(export_wisdom_to_string)(void);                                                                                \
	void X(export_wisdom)(X(write_char_func) write_char, void *data);                                                      \
	int X(import_system_wisdom)(void);                                                                                     \
	int X(import_wisdom_from_filename)(const char *filename);                                                              \
	int X(import_wisdom_from_file)(FILE *input_file);                                                                      \
	int X(import_wisdom_from_string)(const char *input_string);                                                            \
	int X(import_wisdom)(X(read_char_func) read_char, void *data);

#define FFTW_INTERFACE_MEMORY(X, R, C)                                                                                         \
	void *X(malloc)(size_t n);                                                                                             \
	R *X(alloc_real)(size_t n);                                                                                            \
	C *X(alloc_complex)(size_t n);                                                                                         \
	void X(free)(void *p);                                                                                                 \
	int X(alignment_of)(R *p);

#define FFTW_INTERFACE(X, R, C)                                                                                                \
	FFTW_INTERFACE_TYPES(X, R, C)                                                                                          \
	FFTW_INTERFACE_BASIC(X, R, C)                                                                                          \
	FFTW_INTERFACE_MANY(X, R, C)                                                                                           \
	FFTW_INTERFACE_GURU(X, R, C, guru, iodim)                                                                              \
	FFTW_INTERFACE_GURU(X, R, C, guru64, iodim64)                                                                          \
	FFTW_INTERFACE_EXECUTE(X, R, C)                                                                                        \
	FFTW_INTERFACE_REPORT(X, R, C)                                                                                         \
	FFTW_INTERFACE_PLANNER(X, R, C)                                                                                        \
	FFTW_INTERFACE_WISDOM(X, R, C)                                                                                         \
	FFTW_INTERFACE_MEMORY(X, R, C)

FFTW_INTERFACE(FFTW_MANGLE_DOUBLE, double, fftw_complex)
FFTW_INTERFACE(FFTW_MANGLE_FLOAT, float, fftwf_complex)

#ifdef __cplusplus
}
#endif

#endif
