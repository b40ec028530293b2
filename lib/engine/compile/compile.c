/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a request. It stands above program.c, which compiles the operations of steps. */
#include "engine/compile/compile.h"

int compile_finish(struct compiler *compiler, const char *context)
{
	struct run *run = compiler->first_run;
	int error = run_reserve(run, compiler->plan->n_buffers);

	if (!error)
		error = plan_finish(compiler->plan, &run->bound);
	if (!error)
		error = run_bind(run, NULL, compiler->reply);
	return error ? error_set(compiler->err, ERROR_NO_MEMORY, "%s: no memory for its bookkeeping", context) : 0;
}

int compile(struct compiler *compiler, const struct value *params)
{
	const struct operation *operation = compiler->args.operation;
	const char *context = compiler->args.context;
	int error = bind_args(&compiler->args, params, compiler->err);

	if (!error)
		error = operation->class == METHOD_PROGRAM ? compile_program(compiler) : compile_operation(compiler);
	return error ? error : compile_finish(compiler, context);
}
