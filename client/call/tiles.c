/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that a call reads and writes. What an earlier step of a program writes is not an input of the program. */
#include "tiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/dtype.h"
#include "session/tile.h"

/* ---- whose they are ---- */

struct foreign_search {
	const struct trnsci_call *call;
	struct error *err;
};

static bool report_foreign(void *arg, const struct args_tile *at)
{
	const struct foreign_search *search = arg;
	const struct trnsci_call *call = search->call;
	const struct value *op = value_get(at->step, "op");
	const bool named = op && op->kind == VALUE_STRING;
	char step[100] = "";

	if (at->tile->session == call->session)
		return false;
	if (at->step != &call->args.map)
		snprintf(step, sizeof step, "steps[%zu] %.*s: ", at->step_number, named ? (int)op->bytes.size : 0,
			 named ? op->bytes.at : "");
	error_set(search->err, ERROR_BAD_TILE, "%s: %s%s: the tile is of another session, allowed are those of this one",
		  call->method, step, at->name);
	return true;
}

int call_check_args(const struct trnsci_call *call, struct error *err)
{
	struct foreign_search search = {call, err};

	if (call->args.missing[0])
		return error_set(err, ERROR_MISSING_PARAMETER, "%s: %s: missing", call->method, call->args.missing);
	if (call->args.failed)
		return error_set(err, ERROR_NO_MEMORY, "%s: a parameter could not be stored", call->method);
	if (call->args.n_foreign && args_visit_tiles(&call->args, NULL, report_foreign, &search))
		return -ERROR_BAD_TILE;
	return 0;
}

/* ---- one tile among those of a call ---- */

/* Looks for steps that write the tile of an input. */
struct search {
	const struct args_tile *input;
	bool reached;        /* the input's step */
	bool written_before; /* by an earlier step */
	bool written;        /* by any step */
};

static bool search_writer(void *arg, const struct args_tile *at)
{
	struct search *search = arg;

	search->reached |= at->step == search->input->step;
	if (at->output && at->tile == search->input->tile) {
		search->written = true;
		search->written_before |= !search->reached;
	}
	return false;
}

static struct search search_writers(const struct trnsci_call *call, const struct args_tile *input)
{
	struct search search = {.input = input};

	args_visit_tiles(&call->args, &call->changes, search_writer, &search);
	return search;
}

/* ---- inputs ---- */

struct check {
	const struct trnsci_call *call;
	struct error *err;
};

static bool find_lost_input(void *arg, const struct args_tile *at)
{
	const struct check *check = arg;
	char shape[100];

	if (at->output || !tile_handle(at->tile) || !tile_is_lost(at->tile) ||
	    search_writers(check->call, at).written_before)
		return false;
	tile_write_shape(at->tile, shape, sizeof shape);
	error_set(check->err, ERROR_LOST,
		  "%s: %s: the content of tile %s was lost with the daemon; allowed once a call or the program has "
		  "filled it",
		  check->call->method, at->name, shape);
	return true;
}

int call_check_inputs(const struct trnsci_call *call, struct error *err)
{
	struct check check = {call, err};

	if (call->session->n_lost == 0)
		return 0;
	return args_visit_tiles(&call->args, &call->changes, find_lost_input, &check) ? -ERROR_LOST : 0;
}

/* ---- outputs ---- */

static bool set_output_lost(void *arg, const struct args_tile *at)
{
	const bool *lost = arg;

	if (at->output)
		tile_set_lost(at->tile, *lost);
	return false;
}

void call_set_outputs_lost(const struct trnsci_call *call, bool lost)
{
	if (lost || call->session->n_lost > 0)
		args_visit_tiles(&call->args, &call->changes, set_output_lost, &lost);
}

static bool is_in_place(void *arg, const struct args_tile *at)
{
	if (at->output)
		return false;
	const struct search search = search_writers(arg, at);

	return search.written && !search.written_before;
}

bool call_works_in_place(const struct trnsci_call *call)
{
	return args_visit_tiles(&call->args, &call->changes, is_in_place, (void *)call);
}
