/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of parameters share. A row is one struct param:
 *
 *     [INDEX] = {name, type, unit, default, min, max, above_min, choices, help}
 *
 * in designated initialisers, so that its place is that of engine/operations/params.h however the rows are ordered. The
 * files param_rows_*.h hold the arrays PARAMETERS_params that engine/operations/operation_rows.h names. Only
 * engine/operations/operation_table.c includes them. A default is text: NULL makes the parameter required, "" means
 * that it may be missing and that the operation itself decides. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_H
#define TRNSCI_ENGINE_PARAM_ROWS_H

#include "engine/operations/operations.h"
#include "engine/operations/params.h"

/* min, max, above_min and choices of a parameter without bounds of its own. */
#define ANY_U64 0, 0, false, NULL
#define ANY_F64 0, 0, false, NULL
#define NONE    0, 0, false, NULL

/* clang-format off */
/* JavaScript and Neovim hold numbers as float64, which rounds integers above 2^53: they ask for text. */
#define U64_STYLE {"u64", PARAM_CHOICE, "", "uint", 0, 0, false, "uint|str", \
	"how the reply writes seeds, stream ids and positions: as integers or as decimal text"}
/* Of every method that makes a job: u64, and right behind it timeout_ms, of at most 2^32 - 1 ms (49 days). */
#define JOB_PARAMS(u64) [u64] = U64_STYLE, \
	[(u64) + 1] = {"timeout_ms", PARAM_U64, "ms", "0", 0, 4294967295.0, false, NULL, \
		"the request fails with 'timeout' if it is not done by then; 0: no timeout"}
#define OUT {"out", PARAM_TILE, "", "", NONE, "tile for the result, or {new: true} for a new tile; default: the reply carries the result"}

#define LAYOUT_HELP "trn24: 24 bits of the seed to each half of the key; with threefry4x32_trn it replays what trnrand drew on " \
	"Trainium, with threefry4x32 it does not; these two and stream 0 only"
#define REPLAY_HELP "plain: the stream's words; another framework: the numbers of its call of n elements, see trnsci-streams(7); " LAYOUT_HELP
/* clang-format on */

#endif
