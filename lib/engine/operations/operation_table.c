/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations: operation_rows.h names the methods, param_rows_*.h describe their parameters.
 *
 * Methods with the same parameters, as multiply and divide, share one array of them. */
#include "engine/operations/operations.h"

#include "engine/operations/operation_details.h"
#include "engine/operations/operation_rows.h"
#include "engine/operations/param_rows_draws.h"
#include "engine/operations/param_rows_elementwise.h"
#include "engine/operations/param_rows_session.h"
#include "engine/operations/param_rows_signals.h"
#include "engine/operations/param_rows_transforms.h"

/* clang-format off */
static const struct operation rows[] = {
#define METHOD_ROW(name, class, start, effect, parameters, help) \
	{#name, sizeof #name - 1, METHOD_##class, START_##start, EFFECT_##effect, help, DETAILS_##name, parameters##_params, \
	 sizeof parameters##_params / sizeof *parameters##_params, false},
#define ROW(name, class, parameters, compile, help) METHOD_ROW(name, class, COMPILED, NONE, parameters, help)
#define SAMPLING(narrow, wide, acceptance, text, numpy, details) text numpy details
#define DRAW(id, name, shape, dtypes, fallback, help) \
	{#name, sizeof #name - 1, METHOD_DRAW, START_COMPILED, EFFECT_NONE, help, id##_SAMPLING(SAMPLING), \
	 name##_params, sizeof name##_params / sizeof *name##_params, true},
	OPERATION_ROWS(METHOD_ROW, ROW, DRAW)
#undef DRAW
#undef SAMPLING
#undef ROW
#undef METHOD_ROW
};
/* clang-format on */

enum { N_ROWS = sizeof rows / sizeof *rows };

const struct operation *operations(size_t *ret_count)
{
	*ret_count = N_ROWS;
	return rows;
}
