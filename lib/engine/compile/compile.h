/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a request: a program of several steps, or a single operation. */
#ifndef TRNSCI_ENGINE_COMPILE_H
#define TRNSCI_ENGINE_COMPILE_H

#include "engine/compile/compiler.h"

/* Binds params to compiler->args.operation, a single operation or `run`, compiles it and finishes the plan. The
 * caller sets plan, first_run, reply, err and args.operation and .context. Returns 0 or a negative error with its text
 * in err; tiles and plans that were taken by then belong to the run, for run_end. */
int compile(struct compiler *compiler, const struct value *params);

/* Cuts the compiled plan into segments and binds its first run. context begins an error's text. */
int compile_finish(struct compiler *compiler, const char *context);

#endif
