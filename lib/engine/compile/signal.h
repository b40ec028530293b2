/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on signals share when they are compiled.
 *
 * They compute in float32 or float64, as their input is (`wide`), and have no precision modes. Each either runs as one
 * step that keeps a frame in a thread's scratch (signal_fits), or, where frames are too long for that, as several steps
 * over temporaries. All functions return 0 or a negative error with its text, unless they say otherwise. */
#ifndef TRNSCI_ENGINE_COMPILE_SIGNAL_H
#define TRNSCI_ENGINE_COMPILE_SIGNAL_H

#include "engine/compile/compiler.h"
#include "fft/signals/frames.h"

/* Returns the dtype of elements in that arithmetic, and the arithmetic's number in lib/fft. */
enum dtype signal_dtype(bool wide, bool is_complex);
enum fft_precision signal_precision(bool wide);

/* Replaces *buffer by a temporary copy unless it has that dtype and is not `out` (NULL: no output yet). */
int signal_prepare(struct compiler *compiler, enum dtype dtype, const struct buffer *out, struct buffer **buffer);

/* Adds a temporary of shape (count, rows, columns). -ERROR_LIMIT beyond 2^62 bytes. */
int signal_temp(struct compiler *compiler, enum dtype dtype, uint64_t count, uint64_t rows, uint64_t columns,
		struct buffer **ret_buffer);

/* The window that the three parameters from `param` on ask for (WINDOW_NAME ...), n long, in the arithmetic's dtype.
 * given: what signal_given_window found, or NULL where it was not asked. */
int signal_window(struct compiler *compiler, unsigned param, struct buffer *given, uint64_t n, bool wide,
		  const struct buffer *out, struct buffer **ret_buffer);

/* Finds the window that came as values, of whatever length; *ret_buffer is NULL where none did. */
int signal_given_window(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);

/* Copies a description, `size` bytes, to the plan's bump, as its steps need it while they run. NULL: no memory. */
void *signal_keep(struct compiler *compiler, const void *call, size_t size);

/* Adds a step of that kind over a description that signal_keep copied. plan: NULL where it needs none. *ret_step (may
 * be NULL) is valid until another step is added. */
int signal_step(struct compiler *compiler, const struct signal_kind *kind, const void *call, int transform,
		struct buffer *in, struct buffer *second, struct buffer *out, struct step **ret_step);

/* Adds the step that transforms `in` along its last axis into `out`, times factor. */
int signal_transform(struct compiler *compiler, int transform, uint64_t n, bool inverse, double factor,
		     struct buffer *in, struct buffer *out);

/* Takes a plan of fast or double transforms of n elements; real: between reals and half a spectrum. The run holds
 * it. */
int signal_plan(struct compiler *compiler, uint64_t n, bool wide, bool real, int *ret_transform);

/* Finds the axis that a bound PARAM_INT names among ndim dimensions. */
int signal_axis(struct compiler *compiler, unsigned param, unsigned ndim, unsigned *ret_axis);

/* Return the product of the sizes before an axis, and after it. */
uint64_t signal_rows(const struct shape *shape, unsigned axis);
uint64_t signal_stride(const struct shape *shape, unsigned axis);

#endif
