/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds a transform beside FFTW's best way and numpy's pocketfft, in one run: the best of many short slices, taken
 * in turns. FFTW's plans for batches are measured (--patient: searched patiently), for 64 MiB and for the longest
 * estimated; its single plans are patient up to 4096 points. Arguments: lengths, to see no others. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "base/cpu.h"
#include "bench/fft_case.h"
#include "fft/fft.h"
#include "fft/plan/real.h"

enum { ROUNDS = 9, L2_BYTES = 512 << 10, BIG_BYTES = 64 << 20, PATIENT_LENGTH = 4096, MOST = 6 };

/* bytes: of input and output together; 0: one transform. */
struct figure {
	enum fft_kind_of_case kind;
	bool wide, in_place;
	size_t n, bytes;
	double goal; /* FFTW's time over ours; 0: none set */
};

static const struct figure figures[] = {
	{FFT_C2C, false, false, 16, L2_BYTES, 1},       {FFT_C2C, false, false, 32, L2_BYTES, 1},
	{FFT_C2C, false, false, 64, L2_BYTES, 1.25},    {FFT_C2C, false, false, 128, L2_BYTES, 1.25},
	{FFT_C2C, false, false, 256, L2_BYTES, 1.25},   {FFT_C2C, false, false, 512, L2_BYTES, 1.25},
	{FFT_C2C, false, false, 1024, L2_BYTES, 1.25},  {FFT_C2C, false, false, 2048, L2_BYTES, 1.25},
	{FFT_C2C, false, false, 4096, L2_BYTES, 1.25},  {FFT_C2C, false, false, 16384, L2_BYTES, 1.15},
	{FFT_C2C, false, false, 65536, L2_BYTES, 1.15}, {FFT_C2C, false, true, 64, L2_BYTES, 0},
	{FFT_C2C, false, true, 256, L2_BYTES, 0},       {FFT_C2C, false, true, 1024, L2_BYTES, 0},
	{FFT_C2C, false, true, 4096, L2_BYTES, 0},      {FFT_C2C, false, false, 16, BIG_BYTES, 1},
	{FFT_C2C, false, false, 64, BIG_BYTES, 1},      {FFT_C2C, false, false, 128, BIG_BYTES, 1},
	{FFT_C2C, false, false, 256, BIG_BYTES, 1.4},   {FFT_C2C, false, false, 512, BIG_BYTES, 1.4},
	{FFT_C2C, false, false, 1024, BIG_BYTES, 1.4},  {FFT_C2C, false, false, 4096, BIG_BYTES, 1.4},
	{FFT_C2C, false, true, 256, BIG_BYTES, 0},      {FFT_C2C, false, true, 1024, BIG_BYTES, 0},
	{FFT_C2C, false, false, 1 << 20, 0, 2},         {FFT_C2C, false, false, 1 << 24, 0, 2},
	{FFT_C2C, false, false, 100, L2_BYTES, 1},      {FFT_C2C, false, false, 360, L2_BYTES, 1},
	{FFT_C2C, false, false, 1000, L2_BYTES, 1},     {FFT_C2C, false, false, 1920, L2_BYTES, 1},
	{FFT_C2C, false, false, 127, L2_BYTES, 1.5},    {FFT_C2C, false, false, 997, L2_BYTES, 1.5},
	{FFT_C2C, false, false, 4097, L2_BYTES, 1.5},   {FFT_R2C, false, false, 256, L2_BYTES, 1.2},
	{FFT_R2C, false, false, 1024, L2_BYTES, 1.4},   {FFT_R2C, false, false, 4096, L2_BYTES, 1.5},
	{FFT_C2C, true, false, 64, L2_BYTES, 1.1},      {FFT_C2C, true, false, 128, L2_BYTES, 1.1},
	{FFT_C2C, true, false, 256, L2_BYTES, 1.1},     {FFT_C2C, true, false, 512, L2_BYTES, 1.1},
	{FFT_C2C, true, false, 1024, L2_BYTES, 1.1},    {FFT_C2C, true, false, 2048, L2_BYTES, 1.1},
	{FFT_C2C, true, false, 4096, L2_BYTES, 1.1},    {FFT_C2C, true, false, 100, L2_BYTES, 0},
	{FFT_C2C, true, false, 360, L2_BYTES, 0},       {FFT_C2C, true, false, 1000, L2_BYTES, 0},
	{FFT_2D, false, false, 1024, 0, 1.2},           {FFT_3D, false, false, 128, 0, 1.2},
	{FFT_2D, true, false, 1024, 0, 0},              {FFT_3D, true, false, 128, 0, 0},
};

static unsigned effort_l2 = FFTW_MEASURE;

/* Of the process, so that what else the machine runs counts as little as may be; of the wall for several threads. */
static clockid_t clock_of_races = CLOCK_PROCESS_CPUTIME_ID;

static double now(void)
{
	struct timespec t;

	clock_gettime(clock_of_races, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t bytes)
{
	void *at = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);

	if (!at) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	memset(at, 0, bytes);
	return at;
}

struct contender {
	const char *name;
	void (*run)(void *arg);
	void *arg;
	double best;
};

/* The contenders in turn, so that all see the same weather; each keeps its best. */
static void race(struct contender *contenders, size_t count)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++) {
			struct contender *c = &contenders[i];
			double took = 0, begin;
			size_t times = 0;

			c->run(c->arg);
			begin = now();
			do {
				c->run(c->arg);
				took = now() - begin;
				times++;
			} while (took < 4e-3);
			if (round == 0 || took / (double)times < c->best)
				c->best = took / (double)times;
		}
}

/* --- ours: the plans themselves, and for several axes and threads a session of an engine in this process --- */

struct ours {
	struct fft_plan *plan;
	struct fft_call call;
	void *scratch;
};

static void run_ours(void *arg)
{
	struct ours *ours = arg;

	fft_run(ours->plan, &ours->call, ours->scratch);
}

static struct ours ours_new(const struct fft_case *c)
{
	const enum fft_precision precision = c->wide ? FFT_F64 : FFT_F32;
	const size_t out = c->kind == FFT_R2C ? c->n / 2 + 1 : c->n;
	struct ours ours = {.call = {c->x, c->y, 1, c->n, 1, out, c->batch, false, 1.0, NULL}};
	int rc = c->kind == FFT_R2C ? fft_plan_create_real(c->n, precision, cpu_detect(), &ours.plan)
				    : fft_plan_create(c->n, precision, cpu_detect(), &ours.plan);

	while (rc >= 0 && (rc = fft_plan_step(ours.plan)) > 0)
		;
	if (rc < 0)
		exit(1);
	ours.call.work = memory(fft_work_bytes(ours.plan, c->batch) + 64);
	ours.scratch = memory(fft_scratch_bytes(ours.plan) + 64);
	return ours;
}

static void ours_free(struct ours *ours)
{
	fft_plan_free(ours->plan);
	free(ours->call.work);
	free(ours->scratch);
}

struct public_call {
	struct trnsci_session *session;
	struct trnsci_tile *in, *out;
	int64_t axes[2];
	size_t n_axes;
};

static void expect(int rc, const struct trnsci_error *err)
{
	if (rc < 0) {
		fprintf(stderr, "%s\n", err->text);
		exit(1);
	}
}

static void run_public_call(void *arg)
{
	const struct public_call *call = arg;
	const struct trnsci_param params[] = {trnsci_with_tile("in", call->in),
					      trnsci_i64s("axes", call->axes, call->n_axes), trnsci_end()};
	struct trnsci_tile *out = call->out;
	struct trnsci_error err;

	expect(trnsci_apply(call->session, "fft", params, &out, &err), &err);
}

static struct public_call public_call_new(unsigned threads, bool wide, size_t ndim, const uint64_t *shape,
					  size_t n_axes)
{
	const struct trnsci_options options = {.threads = threads};
	struct public_call call = {.n_axes = n_axes};
	struct trnsci_error err;

	for (size_t i = 0; i < n_axes; i++)
		call.axes[i] = (int64_t)(ndim - n_axes + i);
	expect(trnsci_open("embedded:", &options, &call.session, &err), &err);
	expect(trnsci_tile_new(call.session, 0, wide ? TRNSCI_C128 : TRNSCI_C64, ndim, shape, &call.in, &err), &err);
	expect(trnsci_tile_new(call.session, 0, wide ? TRNSCI_C128 : TRNSCI_C64, ndim, shape, &call.out, &err), &err);
	memset(trnsci_tile_data(call.in), 0, tile_info(call.in).bytes);
	return call;
}

static void public_call_free(struct public_call *call)
{
	trnsci_tile_free(call->in);
	trnsci_tile_free(call->out);
	trnsci_close(call->session);
}

/* --- one figure --- */

static size_t points_of(const struct figure *figure)
{
	const size_t n = figure->n;

	return figure->kind == FFT_2D ? n * n : figure->kind == FFT_3D ? n * n * n : n;
}

static struct fft_case case_of(const struct figure *figure)
{
	const size_t pair = figure->wide ? 16 : 8, points = points_of(figure);
	const size_t row = figure->kind == FFT_R2C ? points * pair / 2 : points * pair;
	struct fft_case c = {.kind = figure->kind, .wide = figure->wide, .n = figure->n, .in_place = figure->in_place};

	c.batch = figure->bytes / 2 / row;
	c.batch = c.batch ? c.batch : 1;
	c.x = memory(c.batch * row);
	c.y = figure->in_place ? c.x : memory(c.batch * (row + 2 * pair));
	return c;
}

/* Zeros in place, which stay what they are; else noise. */
static void fill(const struct fft_case *c, size_t count)
{
	for (size_t i = 0; i < count && !c->in_place; i++)
		if (c->wide)
			((double *)c->x)[i] = drand48() - 0.5;
		else
			((float *)c->x)[i] = (float)drand48() - 0.5f;
	if (c->in_place)
		memset(c->x, 0, count * (c->wide ? 8 : 4));
}

static void print(const struct figure *figure, const struct fft_case *c, const struct contender *contenders, size_t count)
{
	static const char *const kinds[] = {"c2c", "r2c", "2-D", "3-D"};
	const double points = (double)points_of(figure), ours = contenders[0].best / (double)c->batch * 1e9;
	const double flops = (figure->kind == FFT_R2C ? 2.5 : 5) * points * log2(points);
	const struct contender *best = &contenders[1];

	for (size_t i = 2; i < count; i++)
		best = contenders[i].best < best->best ? &contenders[i] : best;
	printf("%s %s %8zu %-6s %-3s %11.1f ns %6.1f GFlop/s   FFTW (%s) %11.1f ns   %5.2fx", kinds[figure->kind],
	       figure->wide ? "f64" : "f32", figure->n,
	       figure->bytes == L2_BYTES    ? "L2"
	       : figure->bytes == BIG_BYTES ? "64MiB"
					    : "one",
	       figure->in_place ? "in" : "out", ours, flops / ours, best->name, best->best / (double)c->batch * 1e9,
	       best->best / contenders[0].best);
	if (figure->goal > 0)
		printf("   goal %.2f%s", figure->goal, best->best < figure->goal * contenders[0].best ? " missed" : "");
	printf("\n");
	fflush(stdout);
}

static void bench(const struct figure *figure)
{
	const bool far = figure->bytes == BIG_BYTES || points_of(figure) > 1 << 21;
	struct fft_case c = case_of(figure);
	struct fftw_way ways[FFTW_WAYS];
	const size_t n_ways = fftw_ways_new(&c, far ? FFTW_ESTIMATE : effort_l2,
					    figure->n <= PATIENT_LENGTH ? FFTW_PATIENT : FFTW_MEASURE, ways);
	const size_t n_axes = figure->kind == FFT_3D ? 3 : 2;
	const uint64_t shape[3] = {figure->n, figure->n, figure->n};
	struct contender contenders[1 + FFTW_WAYS];
	struct public_call call;
	struct ours ours;

	fill(&c, c.batch * points_of(figure) * (figure->kind == FFT_R2C ? 1 : 2));
	if (figure->kind >= FFT_2D) {
		call = public_call_new(1, figure->wide, n_axes, shape, n_axes);
		contenders[0] = (struct contender){"ours", run_public_call, &call, 0};
	} else {
		ours = ours_new(&c);
		contenders[0] = (struct contender){"ours", run_ours, &ours, 0};
	}
	for (size_t i = 0; i < n_ways; i++)
		contenders[1 + i] = (struct contender){ways[i].name, ways[i].run, &ways[i], 0};
	clock_of_races = figure->kind >= FFT_2D ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
	race(contenders, 1 + n_ways);
	print(figure, &c, contenders, 1 + n_ways);
	if (figure->kind >= FFT_2D)
		public_call_free(&call);
	else
		ours_free(&ours);
	fftw_ways_free(ways, n_ways);
	free(c.x);
	if (!c.in_place)
		free(c.y);
}

/* --- what bounds it, and all threads --- */

#if defined(__x86_64__)
struct copy {
	const char *from;
	char *to;
	size_t bytes;
};

static void run_copy(void *arg)
{
	const struct copy *copy = arg;

	for (size_t i = 0; i < copy->bytes; i += 16)
		_mm_stream_si128((__m128i *)(void *)(copy->to + i),
				 _mm_load_si128((const __m128i *)(const void *)(copy->from + i)));
	_mm_sfence();
}

static void bench_copy(void)
{
	enum { N = 256, BYTES = BIG_BYTES / 2 };
	const struct figure figure = {FFT_C2C, false, false, N, BIG_BYTES, 0};
	struct fft_case c = case_of(&figure);
	struct copy copy = {c.x, c.y, BYTES};
	struct ours ours = ours_new(&c);
	struct contender contenders[2] = {{"ours", run_ours, &ours, 0}, {"copy", run_copy, &copy, 0}};

	race(contenders, 2);
	printf("c2c f32 %8d 64MiB: one non-temporal copy pass %.1f ns a transform, %.2f of ours   goal 0.75\n", N,
	       contenders[1].best / (double)c.batch * 1e9, contenders[1].best / contenders[0].best);
	ours_free(&ours);
	free(c.x);
	free(c.y);
}
#endif

static void bench_threads(size_t n, bool wide)
{
	const uint64_t shape[2] = {n == 1 << 20 ? 4 : (BIG_BYTES / 2) / (n * (wide ? 16 : 8)), n};
	struct public_call one = public_call_new(1, wide, 2, shape, 1), all = public_call_new(0, wide, 2, shape, 1);
	struct contender contenders[2] = {{"one", run_public_call, &one, 0}, {"all", run_public_call, &all, 0}};

	clock_of_races = CLOCK_MONOTONIC;
	race(contenders, 2);
	clock_of_races = CLOCK_PROCESS_CPUTIME_ID;
	printf("c2c %s %8zu all threads: %.1f ns a transform, own one thread %.1f   %.2fx   goal 1.90 on two real cores\n",
	       wide ? "f64" : "f32", n, contenders[1].best / (double)shape[0] * 1e9,
	       contenders[0].best / (double)shape[0] * 1e9, contenders[0].best / contenders[1].best);
	public_call_free(&one);
	public_call_free(&all);
}

static void bench_numpy(void)
{
	FILE *pipe = popen("/usr/bin/python3 tests/bench/peer_numpy_fft.py 2>/dev/null", "r");
	size_t n;
	double ns;

	while (pipe && fscanf(pipe, "%zu %lf", &n, &ns) == 2) {
		const struct figure figure = {FFT_C2C, true, false, n, L2_BYTES, 0};
		struct fft_case c = case_of(&figure);
		struct ours ours = ours_new(&c);
		struct contender contender = {"ours", run_ours, &ours, 0};

			race(&contender, 1);
		contender.best *= 1e9 / (double)c.batch;
		printf("c2c f64 %8zu L2: %.1f ns, pocketfft by numpy %.1f ns   %.2fx\n", n, contender.best, ns,
		       ns / contender.best);
		ours_free(&ours);
		free(c.x);
		free(c.y);
	}
	if (pipe)
		pclose(pipe);
}

static bool is_wanted(size_t n, int argc, char **argv)
{
	bool any = false;

	for (int i = 1; i < argc; i++) {
		any |= strtoul(argv[i], NULL, 10) > 0;
		if (strtoul(argv[i], NULL, 10) == n)
			return true;
	}
	return !any;
}

int main(int argc, char **argv)
{
	static const size_t threaded[] = {256, 1024, 16384, 1 << 20};

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--patient") == 0)
			effort_l2 = FFTW_PATIENT;
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (is_wanted(figures[i].n, argc, argv))
			bench(&figures[i]);
#if defined(__x86_64__)
	if (is_wanted(256, argc, argv))
		bench_copy();
#endif
	for (size_t i = 0; i < sizeof threaded / sizeof *threaded; i++)
		if (is_wanted(threaded[i], argc, argv))
			bench_threads(threaded[i], false);
	if (is_wanted(0, argc, argv))
		bench_numpy();
	return 0;
}
