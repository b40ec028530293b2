/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a request. It stands above program.c, which compiles the operations of steps. */
#include "engine/compile/compile.h"

/* Cuts the compiled plan into segments and binds its first run. */
static void finish_plan(struct compiler *c)
{
	struct run *run = c->first_run;

	if (c->error)
		return;
	if (run_reserve(run, c->plan->n_buffers) || plan_finish(c->plan, &run->bound) || run_bind(run, NULL, c->reply))
		compile_error(c, ERROR_NO_MEMORY, "no memory for its bookkeeping");
}

int compile(struct compiler *c)
{
	if (c->args.operation->class == METHOD_PROGRAM)
		compile_program(c);
	else if (c->args.operation->start == START_STREAM_DRAW)
		compile_stream_draw(c);
	else
		compile_operation(c);
	finish_plan(c);
	return c->error;
}
