/* SPDX-License-Identifier: Apache-2.0 */
/* FFTW's functions that run plans, free them and describe them; and its memory. */
#include <stdlib.h>

#include "base/checked.h"
#include "fftw/name.h"

enum { ALIGNMENT = 64, ALIGNMENT_SEEN = 16 };

EXPORT void X(execute)(const X(plan) p)
{
	plan_execute(plan_of(p));
}

EXPORT void X(execute_dft)(const X(plan) p, C *in, C *out)
{
	plan_execute_interleaved(plan_of(p), in, out);
}

EXPORT void X(execute_dft_r2c)(const X(plan) p, R *in, C *out)
{
	plan_execute_interleaved(plan_of(p), in, out);
}

EXPORT void X(execute_dft_c2r)(const X(plan) p, C *in, R *out)
{
	plan_execute_interleaved(plan_of(p), in, out);
}

EXPORT void X(execute_r2r)(const X(plan) p, R *in, R *out)
{
	plan_execute_interleaved(plan_of(p), in, out);
}

EXPORT void X(execute_split_dft)(const X(plan) p, R *ri, R *ii, R *ro, R *io)
{
	plan_execute_arrays(plan_of(p), &(struct arrays){(char *)ri, (char *)ii, (char *)ro, (char *)io});
}

EXPORT void X(execute_split_dft_r2c)(const X(plan) p, R *in, R *ro, R *io)
{
	plan_execute_arrays(plan_of(p), &(struct arrays){(char *)in, NULL, (char *)ro, (char *)io});
}

EXPORT void X(execute_split_dft_c2r)(const X(plan) p, R *ri, R *ii, R *out)
{
	plan_execute_arrays(plan_of(p), &(struct arrays){(char *)ri, (char *)ii, (char *)out, NULL});
}

EXPORT void X(destroy_plan)(X(plan) p)
{
	plan_free(plan_of(p));
}

/* ---- reports ---- */

/* FFTW counts its codelets' operations; these are the usual estimate, two additions to a multiplication. */
EXPORT void X(flops)(const X(plan) p, double *add, double *mul, double *fmas)
{
	const double operations = plan_count_operations(plan_of(p));

	*add = operations * 2 / 3;
	*mul = operations / 3;
	*fmas = 0;
}

EXPORT double X(estimate_cost)(const X(plan) p)
{
	return plan_count_operations(plan_of(p));
}

EXPORT double X(cost)(const X(plan) p)
{
	return plan_cost_ns(plan_of(p)) * 1e-9;
}

EXPORT char *X(sprint_plan)(const X(plan) p)
{
	return plan_describe(plan_of(p));
}

EXPORT void X(fprint_plan)(const X(plan) p, FILE *output_file)
{
	char *text = plan_describe(plan_of(p));

	if (text)
		fputs(text, output_file);
	free(text);
}

EXPORT void X(print_plan)(const X(plan) p)
{
	X(fprint_plan)(p, stdout);
}

/* ---- memory ---- */

static void *allocate(size_t count, size_t size)
{
	uint64_t bytes;

	if (mul_overflows(count, size, &bytes) || round_up_overflows(bytes, ALIGNMENT, &bytes))
		return NULL;
	return aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
}

EXPORT void *X(malloc)(size_t n)
{
	return allocate(n, 1);
}

EXPORT R *X(alloc_real)(size_t n)
{
	return allocate(n, sizeof(R));
}

EXPORT C *X(alloc_complex)(size_t n)
{
	return allocate(n, sizeof(C));
}

EXPORT void X(free)(void *p)
{
	free(p);
}

/* Plans take arrays of any alignment. Programs compare what this returns for two arrays. */
EXPORT int X(alignment_of)(R *p)
{
	return (int)((uintptr_t)p % ALIGNMENT_SEEN);
}
