/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, one thread: a batch of DFTs as one product with the matrix, cgemm or zgemm: n= batch= wide=. */
#include <cblas.h>
#include <stdlib.h>

#include "bench/worker.h"

static void *x, *y, *w;
static int n, batch;
static bool wide;

void work_open(void)
{
	n = (int)case_number("n", 1);
	batch = (int)case_number("batch", 1);
	wide = case_is("wide", "1");
	openblas_set_num_threads(1);
	x = work_memory((size_t)batch * (size_t)n * 16);
	y = work_memory((size_t)batch * (size_t)n * 16);
	w = work_memory((size_t)n * (size_t)n * 16);
	work_noise(x, wide, (size_t)batch * (size_t)n * 2);
	work_noise(w, wide, (size_t)n * (size_t)n * 2);
}

void work_run(void)
{
	const double one[2] = {1, 0}, zero[2] = {0, 0};
	const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};

	if (wide)
		cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, batch, n, n, one, x, n, w, n, zero, y, n);
	else
		cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, batch, n, n, one_f, x, n, w, n, zero_f, y, n);
}

void work_close(void)
{
	free(x);
	free(y);
	free(w);
}
