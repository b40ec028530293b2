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
 *
 * The compiler keeps the first error. Every later call of a function with a compiler then does nothing, and one that
 * returns a buffer or a step returns a placeholder: a buffer of one f32 element, a step of no plan. So a compile
 * function goes on as if nothing had happened, and tests c->error only before it uses what a failed check would have
 * kept out: an index, a divisor, the end of a loop, parameters that were not bound.
 */
#ifndef TRNSCI_ENGINE_COMPILER_H
#define TRNSCI_ENGINE_COMPILER_H

#include <string.h>

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

/* The noise that a named stream is one signal of, as its map, and the stream. */
struct named_signal {
	const struct value *noise;
	const struct stream *stream;
};

/* The state of one compilation, on its caller's stack. A step of a run, and a draw inside a step, are compiled with args
 * replaced. */
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
	const struct named_signal *signal; /* of a producer's named stream; NULL */
	int error; /* the first error, negative, with its text in err; 0: none */
	struct error *err;
	struct args args; /* of the operation being compiled; large, bind_args sets them */
	/* The placeholders, which are set together with the error. */
	struct buffer no_buffer;
	struct step no_step;
};

/* ---- the error, and what is read by all (compiler.c) ---- */

/* Notes an error whose text stands in c->err, unless one stands already. 0 is none. */
void compile_fail(struct compiler *c, int error);

/* Sets the error "context: ..." or "context: parameter: ...", unless one stands already. */
void compile_error(struct compiler *c, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));
void compile_param_error(struct compiler *c, unsigned param, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 4, 5), cold));

/* Sets the error "no memory for the request". */
void compile_no_memory(struct compiler *c) __attribute__((cold));

/* Binds map to c->args, whose operation is set. */
void compile_bind(struct compiler *c, const struct value *map);

/* Reads the named stream that a step's map, or that of a draw inside a step, draws from. */
void compile_read_stream_name(struct compiler *c, const struct value *map);

/* ---- pieces of the plan and members of the reply (compiler.c) ---- */

struct buffer *compile_add_buffer(struct compiler *c, enum buffer_kind kind, const struct shape *shape);

/* Adds a temporary of that shape. */
static inline struct buffer *compile_add_temp(struct compiler *c, const struct shape *shape)
{
	return compile_add_buffer(c, BUFFER_TEMP, shape);
}

/* Adds a step. It is valid until another is added. */
struct step *compile_add_step(struct compiler *c, enum step_kind kind, struct buffer *in, struct buffer *out);

/* Returns the buffer if it has that dtype and is not `out`, else a temporary that a step copies it to. For steps that
 * read an input at other places than they write. */
struct buffer *compile_prepare(struct compiler *c, enum dtype dtype, const struct buffer *out, struct buffer *buffer);

/* Adds a transform, takes its plan for the first run, and returns its number in the plan. */
int compile_add_transform(struct compiler *c, struct plan_key key);

/* Adds a draw's placement, whose stream c->stream_name may name, and returns its index. */
int compile_add_placement(struct compiler *c, const struct placement *placement);

/* Adds a field of the reply that is being made: the next member of its map. */
void compile_add_field(struct compiler *c, enum reply_field_kind kind, int which);

/* Adds a member to the reply that is being made, which has none of that name yet. Borrows the name, a literal. */
void compile_put_sized(struct compiler *c, const char *name, size_t name_size, struct value value);
static inline void compile_put(struct compiler *c, const char *name, struct value value)
{
	compile_put_sized(c, name, strlen(name), value);
}

/* Puts the members that say where a draw lies. They are filled in before each run. */
void compile_put_placement(struct compiler *c, int placement);

/* ---- operations ---- */

/* Compiles the operation whose parameters are bound, by its row. ERROR_NOT_SUPPORTED: none computes it. */
void compile_operation(struct compiler *c);

/* Compiles the steps of a bound `run`. */
void compile_program(struct compiler *c);

/* Compiles the draw inside a bound stream_draw. It has no position until the owner has reserved its samples. */
void compile_stream_draw(struct compiler *c);

/* For engine/operations/operation_rows.h: each compiles the bound operations whose rows name it. */
void compile_draw(struct compiler *c);
void compile_colored(struct compiler *c);
void compile_sobol(struct compiler *c);
void compile_halton(struct compiler *c);
void compile_lattice(struct compiler *c);
void compile_lhs(struct compiler *c);
void compile_box_muller(struct compiler *c);
void compile_unary(struct compiler *c);
void compile_binary(struct compiler *c);
void compile_clip(struct compiler *c);
void compile_where(struct compiler *c);
void compile_reduce(struct compiler *c);
void compile_scale(struct compiler *c);
void compile_noise_add(struct compiler *c);
void compile_fft(struct compiler *c);
void compile_dct(struct compiler *c);
void compile_dst(struct compiler *c);
void compile_shift(struct compiler *c);
void compile_gemm(struct compiler *c);
void compile_trace(struct compiler *c);
void compile_stft(struct compiler *c);
void compile_istft(struct compiler *c);
void compile_convolve(struct compiler *c);
void compile_correlate(struct compiler *c);
void compile_welch(struct compiler *c);
void compile_csd(struct compiler *c);
void compile_window(struct compiler *c);
void compile_field(struct compiler *c);
void compile_fgn(struct compiler *c);
void compile_fbm(struct compiler *c);
void compile_surrogate(struct compiler *c);

/* ---- draws inside other operations ---- */

/* What compile_enter_draw puts aside. */
struct outer_operation {
	struct args args;
	struct value *reply;
	struct name_entry *name;
	const struct value *stream_name;
};

/* Binds the draw `map` as a step inside another operation, whose `u64` it takes over, until compile_leave_draw: the
 * compiler is then the draw's, and writes its reply to `reply`. */
void compile_enter_draw(struct compiler *c, const struct operation *distribution, const struct value *map,
			unsigned u64_param, struct value *reply, struct outer_operation *ret_outer);
void compile_leave_draw(struct compiler *c, const struct outer_operation *outer);

/* Compiles the bound draw of as many numbers as an array of that shape holds, into a new temporary of the shape, whose
 * width they are converted to. Complex elements take two. */
struct buffer *compile_draw_like(struct compiler *c, const struct shape *shape);

/* The same for bound coloured noise. The shape is of f32 or f64, and its elements are one signal. */
struct buffer *compile_colored_like(struct compiler *c, const struct shape *shape);

/* Describes the samples of the bound draw for an operation that draws them itself, chunk by chunk. The reply gets the
 * members that say where they lie in their stream. Returns the index of their placement. */
int compile_samples(struct compiler *c, struct draw *ret_draw);

/* ---- inputs (inputs.c) ---- */

/* Returns the entry of a name in this program, or NULL. */
struct name_entry *compile_find_name(struct compiler *c, const struct value *text);

/* Returns the buffer of an input parameter, which is bound: a tile, an earlier step's output or inline data. Inline data
 * that is not aligned is copied by a step. The plan owns the buffer. */
struct buffer *compile_input(struct compiler *c, unsigned param);

/* The same for an input that must be of f32, f64, c64 or c128; and the check alone. */
struct buffer *compile_floating_input(struct compiler *c, unsigned param);
void compile_check_floating(struct compiler *c, unsigned param, enum dtype dtype);

/* ---- outputs and replies (outputs.c) ---- */

/* compile_output returns the buffer that takes an output of that shape: the tile of `out` (whose shape must be the same),
 * the reply, or a temporary. Where the tile's shape is needed before the output's own is known, compile_given_output
 * returns its buffer (NULL: `out` names none), and compile_output_to takes that. */
struct buffer *compile_output(struct compiler *c, unsigned param, const struct shape *shape);
struct buffer *compile_given_output(struct compiler *c, unsigned param);
struct buffer *compile_output_to(struct compiler *c, unsigned param, struct buffer *given, const struct shape *shape);

/* Puts n, dtype and shape into the reply. */
void compile_put_shape(struct compiler *c, const struct shape *shape);

/* Puts n, dtype, shape and place of the output into the reply, and the output into `results` where it is wanted there.
 * Call it after the steps that make the output: it may add one, a copy. */
void compile_reply(struct compiler *c, unsigned out_param, struct buffer *out);

#endif
