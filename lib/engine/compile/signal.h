/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on signals share when they are compiled. */
#ifndef TRNSCI_ENGINE_COMPILE_SIGNAL_H
#define TRNSCI_ENGINE_COMPILE_SIGNAL_H

#include "engine/compile/compile.h"
#include "fft/signals/frames.h"

enum dtype signal_dtype(bool wide, bool is_complex);
enum fft_precision signal_precision(bool wide);

/* The buffer as that dtype, and not in the memory of out (NULL: nowhere): itself, or a temporary copy. */
int signal_prepare(struct compiler *compiler, enum dtype dtype, const struct buffer *out, struct buffer **buffer);

/* A temporary of count x rows x columns elements (1: that dimension is left out). */
int signal_temp(struct compiler *compiler, enum dtype dtype, uint64_t count, uint64_t rows, uint64_t columns,
		struct buffer **ret_buffer);

/* The window that the three parameters from `param` on ask for (WINDOW_NAME ...), n long, in the arithmetic's dtype.
 * given: what signal_given_window found, or NULL where it was not asked. */
int signal_window(struct compiler *compiler, unsigned param, struct buffer *given, uint64_t n, bool wide,
		  const struct buffer *out, struct buffer **ret_buffer);

/* The window that came as values, of whatever length; NULL when none did. */
int signal_given_window(struct compiler *compiler, unsigned param, struct buffer **ret_buffer);

/* A copy of a description, in the bump allocator; NULL when there is no memory. */
void *signal_keep(struct compiler *compiler, const void *call, size_t size);

/* A step of that kind. plan: NULL when it needs none. *ret_step (may be NULL) to add what else it has. */
int signal_step(struct compiler *compiler, const struct signal_kind *kind, const void *call, struct plan_entry *plan,
		struct buffer *in, struct buffer *second, struct buffer *out, struct step **ret_step);

/* Transforms along the last axis, from in to out. */
int signal_transform(struct compiler *compiler, struct plan_entry *plan, uint64_t n, bool inverse, double factor,
		     struct buffer *in, struct buffer *out);

/* A plan of fast or double transforms. */
int signal_plan(struct compiler *compiler, uint64_t n, bool wide, bool real, struct plan_entry **ret_plan);

/* The axis that a parameter of type i64 names in so many dimensions. */
int signal_axis(struct compiler *compiler, unsigned param, unsigned ndim, unsigned *ret_axis);

/* Elements before axis `axis`, and after it. */
uint64_t signal_rows(const struct shape *shape, unsigned axis);
uint64_t signal_stride(const struct shape *shape, unsigned axis);

#endif
