/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms by matrix in every precision mode, a batch of 4096, beside OpenBLAS' cgemm and zgemm in the same run, one
 * thread; and which share of the measured peaks of FMA and VDPBF16PS they reach. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cpu.h"
#include "fft/precision/dft_gemm.h"

enum { BATCH = 4096, ROUNDS = 7, MOST_N = 256, MODES = 8 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GFlop/s of float32: FMA, VDPBF16PS; 0 where the CPU has none. */
struct peaks {
	double fma, dot;
};

#if defined(__x86_64__)
#define ALL(X)                                                                                                         \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
#define DECLARE(i) __m512 a##i = _mm512_set1_ps(i);
#define FMA(i)     __asm__ volatile("vfmadd231ps %1, %2, %0" : "+v"(a##i) : "v"(x), "v"(y));
#define DOT(i)     __asm__ volatile("vdpbf16ps %1, %2, %0" : "+v"(a##i) : "v"(x), "v"(y));
enum { CHAINS = 20, PASSES = 200000 };

__attribute__((target("avx512f"))) static double time_fma(void)
{
	__m512 x = _mm512_set1_ps(0.5f), y = _mm512_set1_ps(1e-9f);
	const double begin = now();
	ALL(DECLARE)

	for (long i = 0; i < PASSES; i++) {
		ALL(FMA)
	}
	return now() - begin;
}

__attribute__((target("avx512f"))) static double time_dot(void)
{
	__m512 x = _mm512_set1_ps(0.5f), y = _mm512_set1_ps(1e-9f);
	const double begin = now();
	ALL(DECLARE)

	for (long i = 0; i < PASSES; i++) {
		ALL(DOT)
	}
	return now() - begin;
}

static void raise_peaks(struct peaks *peaks)
{
	const uint32_t features = cpu_detect();
	double rate;

	if (features & CPU_AVX512) {
		rate = 32e-9 * CHAINS * PASSES / time_fma();
		peaks->fma = rate > peaks->fma ? rate : peaks->fma;
	}
	if (features & CPU_AVX512_BF16) {
		rate = 64e-9 * CHAINS * PASSES / time_dot();
		peaks->dot = rate > peaks->dot ? rate : peaks->dot;
	}
}
#else
static void raise_peaks(struct peaks *peaks)
{
	(void)peaks;
}
#endif

static const struct {
	const char *name;
	enum gemm_precision precision;
	bool refined, wide;
	unsigned products; /* of bfloat16; 0: of reals */
} modes[MODES] = {
	{"float32", GEMM_F32, false, false, 0},       {"bf16", GEMM_BF16, false, false, 1},
	{"bf16_refined", GEMM_BF16, true, false, 0},  {"ozaki", GEMM_OZAKI, false, false, 3},
	{"ozaki6", GEMM_OZAKI6, false, false, 6},     {"float64", GEMM_F64, false, true, 0},
	{"ozaki_hq", GEMM_OZAKI_HQ, false, true, 15}, {"ozaki_fp64", GEMM_OZAKI_FP64, false, true, 28},
};

static double *x, *y, *w; /* also as floats */

static struct fft_plan *plan_of(size_t n, unsigned mode)
{
	struct fft_plan *plan;

	if (fft_plan_create_gemm(n, modes[mode].precision, modes[mode].refined, cpu_detect(), &plan) < 0)
		exit(1);
	while (fft_plan_step(plan) > 0)
		;
	return plan;
}

/* Nanoseconds a transform. */
static double time_ours(const struct fft_plan *plan, size_t n, size_t batch, void *scratch)
{
	struct fft_call call = {.in = x,
				.out = y,
				.in_stride = 1,
				.in_distance = n,
				.out_stride = 1,
				.out_distance = n,
				.batch = batch,
				.scale = 1};
	double begin;

	/* As the engine runs it: a phase over the whole batch. */
	call.work = aligned_alloc(64, (fft_work_bytes(plan, batch) + 127) & ~(size_t)63);
	begin = now();
	for (size_t phase = 0; phase < fft_phases(plan); phase++)
		for (size_t chunk = 0; chunk < fft_chunks(plan, phase, batch); chunk++)
			fft_run_chunk(plan, &call, phase, chunk, scratch);
	begin = now() - begin;
	free(call.work);
	return begin / (double)batch * 1e9;
}

static double time_peer(size_t n, size_t batch, bool wide)
{
	const double one[2] = {1, 0}, zero[2] = {0, 0};
	const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
	const double begin = now();

	if (wide)
		cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)batch, (int)n, (int)n, one, x, (int)n, w,
			    (int)n, zero, y, (int)n);
	else
		cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)batch, (int)n, (int)n, one_f, x, (int)n, w,
			    (int)n, zero_f, y, (int)n);
	return (now() - begin) / (double)batch * 1e9;
}

static void fill(size_t n, bool wide)
{
	for (size_t i = 0; i < (size_t)BATCH * n * 2; i++)
		if (wide)
			x[i] = drand48() - 0.5;
		else
			((float *)x)[i] = (float)drand48() - 0.5f;
	for (size_t i = 0; i < n * n * 2; i++)
		if (wide)
			w[i] = drand48() - 0.5;
		else
			((float *)w)[i] = (float)drand48() - 0.5f;
}

/* The contenders in turn, so that all see the same weather; each keeps its best. */
static void race(size_t n, struct peaks *peaks, double best[MODES], double peer[2])
{
	struct fft_plan *plans[MODES];
	void *scratch = aligned_alloc(64, 1 << 20);

	peer[0] = peer[1] = 1e300;
	for (unsigned mode = 0; mode < MODES; mode++) {
		plans[mode] = plan_of(n, mode);
		best[mode] = 1e300;
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned wide = 0; wide < 2; wide++) {
			double took;

			fill(n, wide);
			raise_peaks(peaks);
			for (unsigned mode = 0; mode < MODES; mode++) {
				const size_t batch = modes[mode].products > 6 ? BATCH / 8 : BATCH;

				if (modes[mode].wide != wide)
					continue;
				took = time_ours(plans[mode], n, batch, scratch);
				best[mode] = took < best[mode] ? took : best[mode];
			}
			took = time_peer(n, BATCH, wide);
			peer[wide] = took < peer[wide] ? took : peer[wide];
		}
	for (unsigned mode = 0; mode < MODES; mode++)
		fft_plan_free(plans[mode]);
	free(scratch);
}

static void print(size_t n, const struct peaks *peaks, const double best[MODES], const double peer[2])
{
	const double flops = 8.0 * (double)n * (double)n;

	printf("n = %zu: OpenBLAS cgemm %.0f ns a transform, zgemm %.0f; peaks of FMA %.1f GFlop/s, VDPBF16PS %.1f\n",
	       n, peer[0], peer[1], peaks->fma, peaks->dot);
	for (unsigned mode = 0; mode < MODES; mode++) {
		const double rate = flops * (modes[mode].products ? modes[mode].products : 1) / best[mode];
		const double peak = modes[mode].products ? peaks->dot : modes[mode].wide ? peaks->fma / 2 : peaks->fma;

		printf("  %-12s %8.0f ns  %5.2f of float32's time  %5.2fx %s", modes[mode].name, best[mode],
		       best[mode] / best[0], peer[modes[mode].wide] / best[mode], modes[mode].wide ? "zgemm" : "cgemm");
		if (!modes[mode].refined && peak > 0)
			printf("  %.2f of the peak", rate / peak);
		printf("\n");
	}
}

int main(void)
{
	struct peaks peaks = {0, 0};

	openblas_set_num_threads(1);
	x = aligned_alloc(64, (size_t)BATCH * MOST_N * 16);
	y = aligned_alloc(64, (size_t)BATCH * MOST_N * 16);
	w = aligned_alloc(64, MOST_N * MOST_N * 16);
	if (!x || !y || !w)
		return 1;
	memset(y, 0, (size_t)BATCH * MOST_N * 16);
	for (size_t n = 64; n <= MOST_N; n *= 2) {
		double best[MODES], peer[2];

		race(n, &peaks, best, peer);
		print(n, &peaks, best, peer);
	}
	free(x);
	free(y);
	free(w);
	return 0;
}
