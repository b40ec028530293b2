/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: checked parameters become steps of a program, and the reply that will describe them.
 *
 * All that a request can have wrong is found here, before anything is computed. */
#ifndef TRNSCI_ENGINE_COMPILE_H
#define TRNSCI_ENGINE_COMPILE_H

#include "engine/operations/bind.h"
#include "engine/program/program.h"

/* A name that a step gave to its output. */
struct name_entry {
	const char *at;
	size_t size;
	bool wanted;           /* listed in `results` */
	struct buffer *buffer; /* NULL until the step is compiled */
	struct name_entry *after;
};

struct compiler {
	struct program *program;
	struct value *reply;     /* map of the operation being compiled */
	struct value *results;   /* of a run: map of wanted results; else NULL */
	struct name_entry *name; /* by which the step is known; NULL */
	struct name_entry *names;
	const struct args *run; /* the program's own parameters; NULL for a single operation */
	/* Of the step of a run: */
	size_t step;
	const char *step_name;           /* its operation */
	const struct value *stream_name; /* the named stream that it draws from; NULL */
	struct error *err;
	struct args args; /* of the operation being compiled; last, since they are large and bind_args sets them */
};

/* Compiles a bound single operation or run (compiler->args). Steps of a run bind their own. */
int compile(struct compiler *compiler, const struct value *params);

/* Compiles the operation whose parameters are bound. */
int compile_operation(struct compiler *compiler);

/* What begins an error about a step. */
enum { STEP_CONTEXT = 72 };

/* What a program states for draws that state none. */
struct stream_choice compile_choice(const struct args *run);

int compile_program(struct compiler *compiler);

/* For engine/operations/operation_rows.h: each compiles the operations whose rows name it. */
int compile_draw(struct compiler *compiler);
int compile_sobol(struct compiler *compiler);
int compile_halton(struct compiler *compiler);
int compile_lattice(struct compiler *compiler);
int compile_lhs(struct compiler *compiler);
int compile_box_muller(struct compiler *compiler);
int compile_unary(struct compiler *compiler);
int compile_binary(struct compiler *compiler);
int compile_clip(struct compiler *compiler);
int compile_where(struct compiler *compiler);
int compile_reduce(struct compiler *compiler);
int compile_scale(struct compiler *compiler);
int compile_add(struct compiler *compiler);
int compile_noise_add(struct compiler *compiler);
int compile_fft(struct compiler *compiler);
int compile_dct(struct compiler *compiler);
int compile_dst(struct compiler *compiler);
int compile_shift(struct compiler *compiler);
int compile_gemm(struct compiler *compiler);
int compile_trace(struct compiler *compiler);
int compile_stft(struct compiler *compiler);
int compile_istft(struct compiler *compiler);
int compile_convolve(struct compiler *compiler);
int compile_correlate(struct compiler *compiler);
int compile_welch(struct compiler *compiler);
int compile_csd(struct compiler *compiler);
int compile_window(struct compiler *compiler);

/* A draw of as many numbers as a temporary of that shape holds, which become numbers of its width; and its placement.
 */
int compile_draw_like(struct compiler *compiler, const struct shape *shape, struct buffer **ret_buffer,
		      int *ret_placement);

/* Of a bound stream_draw: its draw, which waits for its range. */
int compile_stream_draw(struct compiler *compiler);

/* The entry of a name in this program; NULL when there is none. */
struct name_entry *compile_find_name(struct compiler *compiler, const struct value *text);

/* The buffer of an input parameter; inline data that is not aligned is copied by a step. */
int compile_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);

/* An input of f32, f64, c64 or c128; and the check alone. */
int compile_floating_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);
int compile_check_floating(const struct compiler *compiler, unsigned param, enum dtype dtype);

/* The buffer that takes an output of that shape: the tile of `out` (whose shape must be the same), the reply, or a
 * temporary. compile_out_shape returns the shape of the tile, if there is one, before the output's own is known. */
int compile_out_shape(struct compiler *compiler, unsigned param, bool *ret_given, struct shape *ret_shape);
int compile_output(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer);

/* Binds the draw `map` as a step inside another operation, whose `u64` it takes over, and calls then(inner, arg). */
int compile_inside(struct compiler *compiler, const struct operation *distribution, const struct value *map,
		   unsigned u64_param, struct value *ret_reply, int (*then)(struct compiler *inner, void *arg),
		   void *arg);

/* The samples of such a draw, which the operation draws itself, at its placement; the reply says where they lie. */
int compile_samples(struct compiler *compiler, const struct operation *distribution, const struct value *map,
		    unsigned u64_param, struct draw *ret_draw, int *ret_placement);

/* What the reply says of the output; after the steps that make it. */
int compile_reply(struct compiler *compiler, unsigned out_param, struct buffer *out);

int compile_no_memory(struct compiler *compiler) __attribute__((cold));

#endif
