/* SPDX-License-Identifier: Apache-2.0 */
/* Which function compiles which operation. */
#include "engine/compile/compiler.h"
#include "engine/operations/operation_rows.h"

/* By the operation's number; NULL where no step computes it. */
static void (*const functions[])(struct compiler *c) = {
#define METHOD_ROW(name, class, start, effect, parameters, help) NULL,
#define ROW(name, class, parameters, compile, help) compile,
#define DRAW(id, name, shape, dtypes, fallback, help) compile_draw,
	OPERATION_ROWS(METHOD_ROW, ROW, DRAW)
#undef DRAW
#undef ROW
#undef METHOD_ROW
};

void compile_operation(struct compiler *c)
{
	size_t count;
	const size_t row = (size_t)(c->args.operation - operations(&count));

	if (functions[row])
		functions[row](c);
	else
		compile_error(c, ERROR_NOT_SUPPORTED, "cannot be computed here");
}
