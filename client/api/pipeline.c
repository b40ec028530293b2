/* SPDX-License-Identifier: Apache-2.0 */
/* Calls take turns: the piece of one is copied while the other's is computed. */
#include "pipeline.h"

#include "call/run.h"
#include "session/public_error.h"
#include "session/tile.h"
#include "session/wait.h"

enum {
	CALLS = 2,
	AROUND_BYTES = 16 << 20, /* of the caller's arrays, which caches do not hold beside the tiles */
};

uint64_t pipeline_even(uint64_t units, size_t unit_bytes, uint64_t multiple)
{
	const uint64_t fits = unit_bytes ? PIECE_BYTES / unit_bytes : units, most = fits ? fits : 1;
	const uint64_t n = (units + most - 1) / most;
	const uint64_t even = ((units + n - 1) / n + multiple - 1) / multiple * multiple;
	const uint64_t each = even < most ? even : most;

	return each < units ? each : units;
}

/* A piece, and the call that computes it. */
struct piece {
	struct trnsci_call *call; /* NULL: none was made */
	uint64_t from;            /* its first unit */
	uint64_t connection;      /* on which its input was written */
};

/* The input is written again for each run: a daemon that empties the output empties it, too. */
static int run_piece(const struct pipeline *pipeline, struct piece *piece, struct error *err)
{
	const uint64_t skipped = piece->from - pipeline->begin;
	struct trnsci_call *call = piece->call;
	int r = 0;

	if (pipeline->in)
		r = tile_write(call_input_tile(call), (const char *)pipeline->in + skipped * pipeline->in_bytes, &piece->connection,
			       err);
	if (r == 0 && call_start(call, false) < 0)
		r = error_import(err, &call->answer.error);
	return r;
}

/* The last piece ends with the arrays, and computes units of the one before again: equally long pieces need no other tiles. A piece
 * that was computed while another was copied is not waited for, so the deadline is looked at here. */
static int start_piece(const struct pipeline *pipeline, struct piece *piece, uint64_t at, int64_t deadline, struct error *err)
{
	if (clock_ns() >= deadline)
		return error_set(err, ERROR_TIMEOUT, "%s: no answer within %d ms", pipeline->what, pipeline->session->timeout_ms);
	piece->from = pipeline->end - at < pipeline->each ? pipeline->end - pipeline->each : at;
	if (pipeline->states_offset)
		args_set_u64(trnsci_call_args(piece->call), "offset", pipeline->offset + piece->from);
	return run_piece(pipeline, piece, err);
}

static bool goes_around(const struct pipeline *pipeline)
{
	const size_t unit_bytes = (pipeline->in ? pipeline->in_bytes : 0) + pipeline->out_bytes;

	return unit_bytes > 0 && pipeline->end - pipeline->begin >= AROUND_BYTES / unit_bytes;
}

/* Waits for a piece and copies it. One that was answered by another daemon than the one that has its input is run again. */
static int end_piece(const struct pipeline *pipeline, struct piece *piece, int64_t deadline, struct error *err)
{
	char *out = (char *)pipeline->out + (piece->from - pipeline->begin) * pipeline->out_bytes;
	struct trnsci_call *call = piece->call;
	int r;

	do {
		if (call_await(call, deadline) < 0)
			return error_import(err, &call->answer.error);
		r = 1;
		if (!pipeline->in || call->connection == piece->connection)
			r = tile_read_answer(call->lent[0], call->connection, out, goes_around(pipeline), err);
		if (r > 0 && run_piece(pipeline, piece, err) < 0)
			return -err->code;
	} while (r > 0);
	return r;
}

static int run_all(const struct pipeline *pipeline, struct piece *piece, size_t n, int64_t deadline, struct error *err)
{
	int64_t ask_ns = 0;
	size_t i = 0;
	int r = 0;

	for (uint64_t at = pipeline->begin; at < pipeline->end && r == 0; at += pipeline->each, i++) {
		if (i >= n)
			r = end_piece(pipeline, &piece[i % n], deadline, err);
		if (r == 0)
			r = start_piece(pipeline, &piece[i % n], at, deadline, err);
		if (r == 0 && session_is_interrupted(pipeline->session, &ask_ns))
			r = error_set(err, ERROR_CANCELLED, "%s: interrupted", pipeline->what);
	}
	for (size_t k = i < n ? 0 : i - n; k < i && r == 0; k++)
		r = end_piece(pipeline, &piece[k % n], deadline, err);
	return r;
}

/* By several calls, where there are as many pieces and room for their tiles. */
int pipeline_run(const struct pipeline *pipeline, int64_t deadline, struct error *err)
{
	struct piece piece[CALLS] = {{.call = NULL}};
	struct error ignored;
	size_t n = 1;
	int r = pipeline->make(pipeline->arg, pipeline->each, &piece[0].call, err);

	while (r == 0 && n < CALLS && pipeline->end - pipeline->begin > n * pipeline->each &&
	       pipeline->make(pipeline->arg, pipeline->each, &piece[n].call, &ignored) == 0)
		n++;
	if (r == 0)
		r = run_all(pipeline, piece, n, deadline, err);
	for (size_t i = 0; i < CALLS; i++)
		trnsci_call_free(piece[i].call);
	return r;
}
