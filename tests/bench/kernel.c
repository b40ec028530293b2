/* SPDX-License-Identifier: Apache-2.0 */
/* What the library has inside: the generator, plan or point set itself, for the same work and in one thread, with tables
 * built and work memory at hand. The bench states which share of it a user gets.
 *
 *   method=DISTRIBUTION out=DTYPE:N generator= p.NAME=
 *   kind=c2c|r2c n= batch= wide=0|1 place=in|out    a plan, run on the whole batch at once
 *   kind=matrix mode=MODE n= batch= wide=           the DFT by matrix products
 *   kind=points method=KIND p.scramble= out=f64:NxD */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "bench/worker.h"
#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "distributions/quasi/points.h"
#include "distributions/rows/dist_row.h"
#include "fft/fft.h"
#include "fft/plan/real.h"
#include "fft/precision/dft_gemm.h"

static uint32_t features;
static void (*run)(void);

/* ---- draws ---- */

static struct draw draw;
static struct draw_kernels kernels;
static void *table, *out;
static uint64_t count, begin;

static void run_draw(void)
{
	draw_fill(&kernels, &draw, begin, count, out);
	begin += count;
}

static union dist_value value_of(const struct dist_parameter *parameter, const char *text)
{
	union dist_value value = {.real = strtod(text, NULL)};

	if (parameter->type == DIST_TYPE_INT)
		value.integer = strtoll(text, NULL, 10);
	else if (parameter->type == DIST_TYPE_U64)
		value.natural = strtoull(text, NULL, 10);
	else if (parameter->type == DIST_TYPE_CHOICE)
		value.natural = strcmp(text, "boxmuller64") == 0 ? NORMAL_BOXMULLER64 : NORMAL_BOXMULLER;
	return value;
}

static void open_draw(const struct case_array *array)
{
	const char *const name = case_text("method", "");
	const char *const generator = case_text("generator", "threefry4x32");
	struct dist_fault fault;
	double list[16];
	size_t n_list = 0, n = 0;

	draw = (struct draw){.distribution = dist_find(name, strlen(name)),
			     .dtype = dtype_parse(array->dtype, strlen(array->dtype))};
	if (generator_parse(generator, strlen(generator), &draw.stream.generator) < 0)
		work_decline("no such generator");
	for (const struct dist_parameter *p = dist_row(draw.distribution)->parameters; p->name; p++) {
		char word[40];

		snprintf(word, sizeof word, "p.%s", p->name);
		if (p->type == DIST_TYPE_ANY)
			n_list = numbers_of(case_text(word, ""), list);
		else
			draw.parameters[n++] = value_of(p, case_text(word, p->fallback));
	}
	if (draw_prepare(&draw, list, n_list, &table, &fault) < 0)
		work_fail(fault.text);
	draw_select(features, &kernels);
	count = array->count;
	begin = 0;
	out = work_memory(count * dtype_size(draw.dtype));
	run = run_draw;
}

/* ---- transforms ---- */

static struct fft_plan *plan;
static struct fft_call call;
static void *scratch;

static void run_plan(void)
{
	fft_run(plan, &call, scratch);
}

/* As the engine runs it: a phase over the whole batch. */
static void run_matrix(void)
{
	for (size_t phase = 0; phase < fft_phases(plan); phase++)
		for (size_t chunk = 0; chunk < fft_chunks(plan, phase, call.batch); chunk++)
			fft_run_chunk(plan, &call, phase, chunk, scratch);
}

static int create_matrix(size_t n)
{
	static const struct {
		const char *name;
		enum gemm_precision precision;
		bool refined;
	} modes[] = {
		{"f32", GEMM_F32, false},	  {"bf16", GEMM_BF16, false},	  {"bf16_refined", GEMM_BF16, true},
		{"ozaki", GEMM_OZAKI, false},	  {"ozaki6", GEMM_OZAKI6, false}, {"f64", GEMM_F64, false},
		{"ozaki_hq", GEMM_OZAKI_HQ, false}, {"ozaki_fp64", GEMM_OZAKI_FP64, false},
	};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (case_is("mode", modes[i].name))
			return fft_plan_create_gemm(n, modes[i].precision, modes[i].refined, features, &plan);
	return -1;
}

static int create_plan(size_t n, bool wide)
{
	const enum fft_precision precision = wide ? FFT_F64 : FFT_F32;

	if (case_is("kind", "matrix"))
		return create_matrix(n);
	return case_is("kind", "r2c") ? fft_plan_create_real(n, precision, features, &plan)
				      : fft_plan_create(n, precision, features, &plan);
}

static void open_transform(void)
{
	const size_t n = (size_t)case_number("n", 1), batch = (size_t)case_number("batch", 1);
	const bool wide = case_is("wide", "1"), real = case_is("kind", "r2c"), in_place = case_is("place", "in");
	const size_t pair = wide ? 16 : 8, in_bytes = batch * n * (real ? pair / 2 : pair);
	const size_t n_out = real ? n / 2 + 1 : n;
	int rc = create_plan(n, wide);

	while (rc >= 0 && (rc = fft_plan_step(plan)) > 0)
		;
	if (rc < 0)
		work_fail("a plan");
	call = (struct fft_call){.in = work_memory(in_bytes), .in_stride = 1, .in_distance = n, .out_stride = 1,
				 .out_distance = n_out, .batch = batch, .scale = 1};
	work_noise((void *)(uintptr_t)call.in, wide, in_bytes / (wide ? 8 : 4));
	call.out = in_place ? (void *)(uintptr_t)call.in : work_memory(batch * n_out * pair);
	call.work = work_memory(fft_work_bytes(plan, batch) + 64);
	scratch = work_memory(fft_scratch_bytes(plan) + 64);
	run = case_is("kind", "matrix") ? run_matrix : run_plan;
}

/* ---- points ---- */

static struct points *points;

static void run_points(void)
{
	points_fill(points, 0, count, out);
}

static void open_points(const struct case_array *array)
{
	static const char *const kinds[] = {"sobol", "halton", "lattice", "lhs"};
	static const char *const scrambles[] = {"none", "owen", "shift", "permutation", "jitter"};
	struct points_settings settings = {.dtype = DTYPE_F64, .dims = (uint32_t)array->shape[1], .bits = 53};

	for (int i = 0; i < 4; i++)
		settings.kind = case_is("method", kinds[i]) ? (enum points_kind)i : settings.kind;
	for (int i = 0; i < 5; i++)
		settings.scramble = case_is("p.scramble", scrambles[i]) ? (enum points_scramble)i : settings.scramble;
	settings.n = settings.kind == POINTS_LHS ? array->shape[0] : 0;
	if (points_create(&settings, features, &points) < 0)
		work_fail("points");
	count = array->count;
	out = work_memory(count * sizeof(double));
	run = run_points;
}

/* ---- the worker ---- */

void work_open(void)
{
	struct case_array array;

	fpenv_enter();
	if (cpu_allowed(getenv("TRNSCI_CPU"), &features) < 0)
		work_fail("TRNSCI_CPU");
	if (case_is("kind", "points") && case_has_array("out", &array))
		open_points(&array);
	else if (case_text("kind", NULL))
		open_transform();
	else if (!case_text("in", NULL) && case_has_array("out", &array) && array.ndim == 1)
		open_draw(&array);
	else
		work_decline("the engine computes this in steps");
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	points_free(points);
	fft_plan_free(plan);
	if (call.in != call.out)
		free((void *)(uintptr_t)call.in);
	free(call.out);
	free(call.work);
	free(scratch);
	free(table);
	free(out);
	points = NULL;
	plan = NULL;
	call = (struct fft_call){0};
	scratch = table = out = NULL;
}
