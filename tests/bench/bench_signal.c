/* SPDX-License-Identifier: Apache-2.0 */
/* Signal processing over 10^7 float32 samples beside scipy.signal, and short-time transforms beside FFTW over frames,
 * in one run; each figure is the median of several. */
#include "engine/harness.h"

#include <fftw3.h>
#include <math.h>
#include <time.h>

enum {
	LENGTH = 10000000,
	N_FFT = 512,
	HOP = 128,
	BINS = N_FFT / 2 + 1,
	FRAMES = 1 + LENGTH / HOP,
	TAPS = 1001,
	ROUNDS = 7
};
enum { TOGETHER = 64 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *seconds)
{
	qsort(seconds, ROUNDS, sizeof *seconds, by_size);
	return seconds[ROUNDS / 2] * 1e3;
}

/* ---- ours ---- */

struct fixtures {
	struct fixture fixture;
	uint64_t x, taps, spectra[2], back, convolved, power;
	float *signal;
};

static uint64_t shaped(struct fixtures *b, const char *dtype, int64_t rows, int64_t columns)
{
	struct call *call = call_new();
	uint64_t handle;

	put(call, "dtype", value_string(dtype));
	put(call, "shape", LIST(call, rows, columns));
	handle = value_get(call_run(call, b->fixture.memory, "tile"), "tile")->u;
	call_free(call);
	return handle;
}

static struct fixtures open_fixture(unsigned threads)
{
	struct fixtures b = {.fixture = fixture_open_with(threads, cpu_detect(), (size_t)1 << 29, NULL)};
	void *at, *taps;

	b.x = tile_of(&b.fixture, "f32", LENGTH, &at);
	b.taps = tile_of(&b.fixture, "f32", TAPS, &taps);
	b.spectra[0] = shaped(&b, "c64", BINS, FRAMES);
	b.spectra[1] = shaped(&b, "c64", FRAMES, BINS);
	b.back = tile_of(&b.fixture, "f32", LENGTH, NULL);
	b.convolved = tile_of(&b.fixture, "f32", LENGTH + TAPS - 1, NULL);
	b.power = tile_of(&b.fixture, "f32", 129, NULL);
	b.signal = at;
	for (size_t i = 0; i < LENGTH; i++)
		b.signal[i] = (float)(drand48() - 0.5);
	for (size_t i = 0; i < TAPS; i++)
		((float *)taps)[i] = (float)(drand48() - 0.5);
	return b;
}

enum work { STFT, STFT_FRAMES_FIRST, ISTFT, CONVOLVE, WELCH, WORKS };

static const char *const names[WORKS] = {"stft", "stft frames_bins", "istft", "convolve", "welch"};

static double ours(struct fixtures *b, enum work work)
{
	static const char *const methods[WORKS] = {"stft", "stft", "istft", "convolve", "welch"};
	struct call *call = call_new();
	double begin;

	if (work <= ISTFT) {
		put(call, "in", value_uint(work == ISTFT ? b->spectra[0] : b->x));
		put(call, "out", value_uint(work == ISTFT ? b->back : b->spectra[work]));
		put(call, "n_fft", value_uint(N_FFT));
		put(call, "hop_length", value_uint(HOP));
		put(call, "window", value_string("hann"));
		if (work == STFT_FRAMES_FIRST)
			put(call, "layout", value_string("frames_bins"));
	} else if (work == CONVOLVE) {
		put(call, "a", value_uint(b->x));
		put(call, "b", value_uint(b->taps));
		put(call, "out", value_uint(b->convolved));
	} else {
		put(call, "in", value_uint(b->x));
		put(call, "out", value_uint(b->power));
	}
	begin = now();
	call_run(call, b->fixture.memory, methods[work]);
	begin = now() - begin;
	call_free(call);
	return begin;
}

/* ---- FFTW: frames windowed into a buffer, as many at once as stay in the cache ---- */

struct frames {
	fftwf_plan plan;
	float *window, *buffer;
	fftwf_complex *out;
};

static struct frames make_frames(void)
{
	struct frames f = {.window = fftwf_malloc(N_FFT * sizeof(float)),
			   .buffer = fftwf_malloc(TOGETHER * N_FFT * sizeof(float)),
			   .out = fftwf_malloc((size_t)(FRAMES + TOGETHER) * BINS * sizeof(fftwf_complex))};
	const int n = N_FFT;

	for (size_t i = 0; i < N_FFT; i++)
		f.window[i] = (float)(0.5 - 0.5 * cos(2 * M_PI * (double)i / N_FFT));
	f.plan = fftwf_plan_many_dft_r2c(1, &n, TOGETHER, f.buffer, NULL, 1, N_FFT, f.out, NULL, 1, BINS, FFTW_PATIENT);
	return f;
}

/* The frames inside the signal, (frames, bins). */
static double fftw(const struct frames *f, const float *x)
{
	const double begin = now();

	for (size_t first = 0; first + TOGETHER <= (LENGTH - N_FFT) / HOP + 1; first += TOGETHER) {
		for (size_t i = 0; i < TOGETHER; i++)
			for (size_t j = 0; j < N_FFT; j++)
				f->buffer[i * N_FFT + j] = x[(first + i) * HOP + j] * f->window[j];
		fftwf_execute_dft_r2c(f->plan, f->buffer, f->out + first * BINS);
	}
	return now() - begin;
}

/* ---- scipy by its own process: ms, by name ---- */

static void ask_scipy(double ret_ms[WORKS])
{
	FILE *pipe = popen("/usr/bin/python3 tests/bench/peer_signal.py 2>/dev/null", "r");
	char name[64];
	double ms;

	while (pipe && fscanf(pipe, "%63s %lf", name, &ms) == 2)
		for (int work = 0; work < WORKS; work++)
			if (strncmp(name, names[work], strlen(name)) == 0)
				ret_ms[work] = ms;
	if (pipe)
		pclose(pipe);
}

int main(void)
{
	double seconds[WORKS + 1][ROUNDS], all[WORKS][ROUNDS], scipy[WORKS] = {0};
	struct fixtures one = open_fixture(1), many = open_fixture(0);
	struct frames frames = make_frames();

	ask_scipy(scipy);
	for (int round = -1; round < ROUNDS; round++) {
		for (int work = 0; work < WORKS; work++) {
			seconds[work][round < 0 ? 0 : round] = ours(&one, (enum work)work);
			all[work][round < 0 ? 0 : round] = ours(&many, (enum work)work);
		}
		seconds[WORKS][round < 0 ? 0 : round] = fftw(&frames, one.signal);
	}
	const double peer = median(seconds[WORKS]);

	printf("%d float32 samples; n_fft %d, hop %d; %d taps; ms\n", LENGTH, N_FFT, HOP, TAPS);
	printf("%-18s %10s %12s %10s %8s %10s %8s\n", "", "one thread", "all threads", "scipy", "times", "FFTW",
	       "times");
	for (int work = 0; work < WORKS; work++) {
		const double ms = median(seconds[work]);

		printf("%-18s %10.1f %12.1f", names[work], ms, median(all[work]));
		if (scipy[work] > 0)
			printf(" %10.1f %7.2fx", scipy[work], scipy[work] / ms);
		if (work == STFT || work == STFT_FRAMES_FIRST)
			printf(" %10.1f %7.2fx", peer, peer / ms);
		printf("\n");
	}
	fixture_close(&one.fixture);
	fixture_close(&many.fixture);
	return 0;
}
