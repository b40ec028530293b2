/* SPDX-License-Identifier: Apache-2.0 */
/* Which function compiles which operation. */
#include "engine/compile/compiler.h"
#include "engine/operations/operation_rows.h"

/* By the operation's number; NULL where no step computes it. */
static int (*const functions[])(struct compiler *compiler) = {
#define METHOD_ROW(name, class, start, effect, parameters, help) NULL,
#define ROW(name, class, parameters, compile, help) compile,
#define DRAW(id, name, shape, dtypes, fallback, help) compile_draw,
	OPERATION_ROWS(METHOD_ROW, ROW, DRAW)
#undef DRAW
#undef ROW
#undef METHOD_ROW
};

int compile_operation(struct compiler *compiler)
{
	size_t count;
	const size_t row = (size_t)(compiler->args.operation - operations(&count));

	if (functions[row])
		return functions[row](compiler);
	return error_set(compiler->err, ERROR_NOT_SUPPORTED, "%s: cannot be computed here", compiler->args.context);
}
