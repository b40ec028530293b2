/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests: draws, point sets, and programs that draw, scale and transform. */
#include "deed_calls.h"

#include <string.h>

enum { MOST = 1 << 14 }; /* samples of one request */

uint32_t deed_random_state;

uint32_t deed_below(uint32_t n)
{
	deed_random_state = deed_random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(deed_random_state >> 8) * n >> 24);
}

struct trnsci_call *deed_call(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call = NULL;

	trnsci_call_new(session, method, &call); /* without a call, running it fails */
	return call;
}

struct sample {
	const char *distribution, *dtype, *parameter;
	double value;
};

static const struct sample samples[] = {
	{"bits", "u32", NULL, 0},	   {"bits", "u64", NULL, 0},	     {"uniform", "f32", "high", 3},
	{"uniform", "f64", NULL, 0},	   {"uniform", "bf16", NULL, 0},     {"normal", "f32", NULL, 0},
	{"normal", "f64", "std", 0.5},	   {"exponential", "f32", "rate", 2}, {"gamma", "f32", "shape", 2.5},
	{"gamma", "f64", "shape", 0.3},	   {"beta", "f32", "beta", 3},	     {"poisson", "i64", "lam", 2.5},
	{"poisson", "i64", "lam", 1e4},	   {"randint", "i64", "high", 1000}, {"bernoulli", "i8", "p", 0.3},
	{"permutation", "i64", NULL, 0},   {"rademacher", "i8", NULL, 0},    {"truncated_normal", "f32", NULL, 0},
	{"chi_squared", "f32", "df", 4.5}, {"cauchy", "f64", NULL, 0},
};

struct trnsci_call *deed_draw_call(struct trnsci_session *session)
{
	const struct sample *sample = &samples[deed_below(sizeof samples / sizeof *samples)];
	struct trnsci_call *call = deed_call(session, sample->distribution);
	struct trnsci_args *args = trnsci_call_args(call);

	trnsci_set(args, trnsci_param_u64("n", deed_below(MOST) + 1));
	trnsci_set(args, trnsci_param_text("dtype", sample->dtype));
	trnsci_set(args, trnsci_param_u64("seed", deed_below(1000)));
	trnsci_set(args, trnsci_param_u64("stream", deed_below(3)));
	if (strcmp(sample->distribution, "permutation") != 0)
		trnsci_set(args, trnsci_param_u64("offset", (uint64_t)deed_below(1 << 20) << deed_below(20)));
	if (sample->parameter)
		trnsci_set(args, trnsci_param_f64(sample->parameter, sample->value));
	if (strcmp(sample->distribution, "beta") == 0)
		trnsci_set(args, trnsci_param_f64("alpha", 0.7));
	if (deed_below(4) == 0) {
		trnsci_set(args, trnsci_param_text("generator", "philox4x32"));
	} else if (deed_below(4) == 0) {
		trnsci_set(args, trnsci_param_u64("size", 7));
		trnsci_set(args, trnsci_param_u64("rank", deed_below(7)));
	}
	return call;
}

struct trnsci_call *deed_points_call(struct trnsci_session *session)
{
	static const char *const sets[] = {"sobol", "halton", "lhs"};
	const uint32_t set = deed_below(3);
	struct trnsci_call *call = deed_call(session, sets[set]);
	struct trnsci_args *args = trnsci_call_args(call);

	trnsci_set(args, trnsci_param_u64("n", deed_below(300) + 1));
	trnsci_set(args, trnsci_param_u64("d", deed_below(12) + 1));
	trnsci_set(args, trnsci_param_u64("seed", deed_below(1000)));
	if (set < 2 && deed_below(2))
		trnsci_set(args, trnsci_param_text("scramble", "owen"));
	return call;
}

/* A step of a program whose input is x, of an even number of rows, and square. */
static void transform_step(struct trnsci_call *program)
{
	static const char *const operations[] = {"fft", "fft", "fft", "dct", "dst", "stft", "welch", "convolve", "gemm", "fftshift"};
	const char *operation = operations[deed_below(sizeof operations / sizeof *operations)];
	struct trnsci_args *step = trnsci_program_step(program, operation);

	trnsci_set(step, trnsci_param_text("as", "y"));
	if (strcmp(operation, "convolve") == 0 || strcmp(operation, "gemm") == 0) {
		trnsci_set(step, trnsci_param_text("a", "x"));
		trnsci_set(step, trnsci_param_text("b", "x"));
	} else {
		trnsci_set(step, trnsci_param_text("in", "x"));
	}
	if (strcmp(operation, "stft") == 0)
		trnsci_set(step, trnsci_param_u64("n_fft", 16));
	if (strcmp(operation, "fft") == 0) {
		trnsci_set(step, trnsci_param_bool("inverse", deed_below(2)));
		trnsci_set(step, trnsci_param_text("precision", deed_below(2) ? "fast" : "double"));
		if (deed_below(2))
			trnsci_set_params(step,
					  (const struct trnsci_param[]){trnsci_param_i64s("axes", (const int64_t[]){0, 1}, 2),
									trnsci_param_end()});
	}
}

/* Draws, scales and transforms; wants the noise, the transform, or both. */
struct trnsci_call *deed_program_call(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call = deed_call(session, method);
	const uint64_t rows = deed_below(60) + 16;
	const uint32_t wants = deed_below(3);
	struct trnsci_args *step = trnsci_program_step(call, "normal");

	trnsci_set_params(step, (const struct trnsci_param[]){trnsci_param_u64s("shape", (const uint64_t[]){rows, rows}, 2),
							      trnsci_param_end()});
	trnsci_set(step, trnsci_param_text("as", "noise"));
	step = trnsci_program_step(call, "scale");
	trnsci_set(step, trnsci_param_text("in", "noise"));
	trnsci_set(step, trnsci_param_f64("by", 0.25 + deed_below(100)));
	trnsci_set(step, trnsci_param_f64("plus", 1));
	trnsci_set(step, trnsci_param_text("as", "x"));
	transform_step(call);
	if (wants != 0)
		trnsci_program_result(call, "x");
	if (wants != 1)
		trnsci_program_result(call, "y");
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", deed_below(1000)));
	return call;
}

struct trnsci_call *deed_run_call(struct trnsci_session *session)
{
	return deed_program_call(session, "run");
}

struct trnsci_call *deed_any_call(struct trnsci_session *session)
{
	switch (deed_below(3)) {
	case 0:
		return deed_draw_call(session);
	case 1:
		return deed_points_call(session);
	default:
		return deed_run_call(session);
	}
}
