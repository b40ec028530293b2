/* SPDX-License-Identifier: Apache-2.0 */
/* The names that libfftw3_threads and libfftw3_omp offer to linkers. When a program runs, each is found in libfftw3 instead, for
 * which these libraries are filters (ld's --filter): a name is never called here. */

#ifdef FFTW_SINGLE
#define X(name) fftwf_##name
#define F77_NAME(name) sfftw_##name
#else
#define X(name) fftw_##name
#define F77_NAME(name) dfftw_##name
#endif

#define NAME(name)                                                                                                             \
	void name(void);                                                                                                       \
	__attribute__((visibility("default"))) void name(void)                                                                 \
	{                                                                                                                      \
		__builtin_trap();                                                                                              \
	}

#define NAMES(name) NAME(X(name)) NAME(F77_NAME(name##_)) NAME(F77_NAME(name##__))

NAMES(init_threads)
NAMES(cleanup_threads)
NAMES(plan_with_nthreads)
NAMES(planner_nthreads)
NAME(X(make_planner_thread_safe))
NAME(X(threads_set_callback))
