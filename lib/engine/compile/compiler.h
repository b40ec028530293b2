/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: checked parameters become steps of a plan, and the reply that will describe them.
 *
 * All that a request can have wrong is found here, before anything is computed. So the fft of an f64 tile in float32
 * arithmetic, over two axes, becomes:
 *
 *     {in: 3, out: 4, axes: [0, 1], precision: "fast"}
 *
 *     buffers   tile 3 (f64)   max_abs (f64, a temporary)   work (c64, a temporary)   tile 4 (c128)
 *     steps     scaling_find: tile 3 -> max_abs    scaling_down: tile 3, max_abs -> work
 *               fft of axis 1: work -> work     fft of axis 0: work -> work     scaling_up: work, max_abs -> tile 4
 *     reply     {precision: "fast", bound: ..., n: ..., dtype: "c128", shape: ..., tile: 4}
 *
 * A compile function of an operation does it in this order: the inputs' buffers (inputs.c), the checks between
 * parameters, the output's buffer (outputs.c), the steps, the reply. It runs in the thread that got the request, which
 * may be the daemon's loop: what takes longer than some 20 us is left to the run (deferred_build.h) or to a step.
 */
#ifndef TRNSCI_ENGINE_COMPILER_H
#define TRNSCI_ENGINE_COMPILER_H

#include "engine/call/run.h"
#include "engine/operations/bind.h"

/* A name that a step gave to its output, or that `results` promises. In the plan's bump. */
struct name_entry {
	const char *at; /* in the request's own bytes; no NUL */
	size_t size;
	bool wanted;           /* listed in `results` */
	struct buffer *buffer; /* NULL until the step is compiled */
	struct name_entry *after;
};

/* The state of one compilation, on its caller's stack. A step of a run, and a draw inside a step, are compiled by a
 * copy of it or with args replaced. */
struct compiler {
	struct plan *plan; /* what is being made; its bump holds all that must outlive the compilation */
	struct run *first_run;   /* of it: holds the tiles and plans that are taken */
	struct value *reply;     /* map of the operation being compiled */
	struct value *results;   /* of a run: map of wanted results; else NULL */
	struct name_entry *name; /* by which the step is known; NULL: it has none */
	struct name_entry *names; /* all of the run's so far, the latest first */
	const struct args *run; /* the program's own parameters; NULL for a single operation */
	/* Of the step of a run: */
	size_t step;
	const char *step_name;           /* its operation */
	const struct value *stream_name; /* the named stream that it draws from; NULL */
	struct error *err;
	struct args args; /* of the operation being compiled; last, since they are large and bind_args sets them */
};

/* Adds a transform to the plan, and takes its plan for the first run. Returns 0 or a negative error with its text. */
int compile_take_transform(struct compiler *compiler, struct plan_key key, int *ret_transform);

/* Compiles the operation whose parameters are bound, by its row. -ERROR_NOT_SUPPORTED: none computes it. */
int compile_operation(struct compiler *compiler);

/* Room for what begins an error about a step: "run: steps[255] hypergeometric". */
enum { STEP_CONTEXT = 72 };

/* Returns what a run states for those of its draws that state nothing themselves. */
struct stream_choice compile_choice(const struct args *run);

/* Compiles the steps of a bound `run`. */
int compile_program(struct compiler *compiler);

/* For engine/operations/operation_rows.h: each compiles the bound operations whose rows name it. They return 0 or a
 * negative error with its text in compiler->err. */
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

/* Compiles the bound draw of as many numbers as an array of that shape holds, into a new temporary of the shape, whose
 * width they are converted to. Complex elements take two. *ret_placement is the index of its placement. */
int compile_draw_like(struct compiler *compiler, const struct shape *shape, struct buffer **ret_buffer,
		      int *ret_placement);

/* Compiles the draw inside a bound stream_draw. It has no position until the owner has reserved its samples. */
int compile_stream_draw(struct compiler *compiler);

/* Returns the entry of a name in this program, or NULL. */
struct name_entry *compile_find_name(struct compiler *compiler, const struct value *text);

/* Finds the buffer of an input parameter, which is bound: a tile, an earlier step's output or inline data. Inline data
 * that is not aligned is copied by a step. The plan owns the buffer. */
int compile_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);

/* The same for an input that must be of f32, f64, c64 or c128; and the check alone. */
int compile_floating_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);
int compile_check_floating(const struct compiler *compiler, unsigned param, enum dtype dtype);

/* compile_output finds the buffer that takes an output of that shape: the tile of `out` (whose shape must be the same),
 * the reply, or a temporary. Where the tile's shape is needed before the output's own is known, compile_given_output finds
 * its buffer (NULL: `out` names none), and compile_output_to takes that. */
int compile_output(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer);
int compile_given_output(struct compiler *compiler, unsigned param, struct buffer **ret_given);
int compile_output_to(struct compiler *compiler, unsigned param, struct buffer *given, const struct shape *shape,
		      struct buffer **ret_buffer);

/* Binds the draw `map` as a step inside another operation, whose `u64` it takes over, and calls then(inner, arg) with a
 * compiler of its own that writes the same plan. Returns what `then` returned, or an error. */
int compile_inside(struct compiler *compiler, const struct operation *distribution, const struct value *map,
		   unsigned u64_param, struct value *ret_reply, int (*then)(struct compiler *inner, void *arg),
		   void *arg);

/* Describes the samples of such a draw for an operation that draws them itself, chunk by chunk. The reply gets the
 * members that say where they lie in their stream. */
int compile_samples(struct compiler *compiler, const struct operation *distribution, const struct value *map,
		    unsigned u64_param, struct draw *ret_draw, int *ret_placement);

/* Adds a field of the reply that is being made: the next member of its map. Not 0: no memory. */
int compile_field(struct compiler *compiler, enum reply_field_kind kind, int which);

/* Puts n, dtype, shape and place of the output into the reply, and the output into `results` where it is wanted there.
 * Call it after the steps that make the output: it may add one, a copy. */
int compile_reply(struct compiler *compiler, unsigned out_param, struct buffer *out);

/* Sets the error "no memory for the request" and returns -ERROR_NO_MEMORY. */
int compile_no_memory(struct compiler *compiler) __attribute__((cold));

#endif
