/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a request: a program of several steps, or a single operation. */
#ifndef TRNSCI_ENGINE_COMPILE_H
#define TRNSCI_ENGINE_COMPILE_H

#include "engine/compile/compiler.h"

/* Compiles c->args, which are bound: a single operation, `run` or `stream_draw`. Then cuts the plan into segments and
 * binds its first run. The caller sets plan, first_run, reply, err and args, and all else before `args` to 0. Returns 0
 * or a negative error with its text in err; tiles and plans that were taken by then belong to the run, for run_end. */
int compile(struct compiler *c);

#endif
