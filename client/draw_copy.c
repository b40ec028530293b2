/* SPDX-License-Identifier: Apache-2.0 */
/* Draws into memory of the caller's: few samples come with the reply of one request, many through a tile, piece by piece. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/checked.h"
#include "call.h"
#include "dist/laws.h"
#include "draw.h"
#include "session.h"

enum {
	NUMBERS = sizeof((struct trnsci_draw *)0)->numbers / sizeof(struct trnsci_number),
	PIECE_BYTES = 1 << 20, /* of a draw through a tile: it stays in cache between draw and copy */
};

/* ---- samples and elements ---- */

static bool is_vector(const char *name)
{
	const enum law law = law_find(name, strlen(name));

	return law == LAW_COUNT || law_is_vector(law); /* one that only the daemon knows: it is asked */
}

/* Elements of a sample, by an empty draw. */
static int ask_components(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
			  uint64_t *ret_components, struct error *err)
{
	struct trnsci_array array;
	struct trnsci_call *call;
	int r = call_make(session, draw->law, &call, err);

	if (r < 0)
		return r;
	trnsci_set_u64(trnsci_args(call), "n", 0);
	trnsci_set_dtype(trnsci_args(call), "dtype", dtype);
	draw_set_parameters(trnsci_args(call), draw);
	r = call_run(call, err);
	if (r < 0)
		return r;
	if (trnsci_to_array(trnsci_reply(call), &array) < 0 || array.ndim == 0 || (array.ndim > 1 && array.shape[1] == 0))
		r = error_set(err, ERROR_BAD_REPLY, "%s: not an empty draw", draw->law);
	else
		*ret_components = array.ndim > 1 ? array.shape[1] : 1;
	trnsci_call_free(call);
	return r;
}

int draw_count_samples(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, uint64_t *ret_samples, struct error *err)
{
	uint64_t bytes, components = 1;
	int r = 0;

	if (trnsci_dtype_size(dtype) == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: dtype: %d is none", draw->law, (int)dtype);
	if (mul_overflows(n, trnsci_dtype_size(dtype), &bytes) || bytes > SIZE_MAX / 2)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be", draw->law);
	if (is_vector(draw->law))
		r = ask_components(session, draw, dtype, &components, err);
	if (r == 0 && n % components)
		r = error_set(err, ERROR_BAD_SHAPE, "%s: n: %llu elements, allowed multiples of %llu", draw->law,
			      (unsigned long long)n, (unsigned long long)components);
	if (r == 0)
		*ret_samples = n / components;
	return r;
}

int draw_take_elements(const struct trnsci_call *call, enum trnsci_dtype dtype, uint64_t n, void *out,
		       struct error *err)
{
	struct trnsci_array array;

	if (trnsci_to_array(trnsci_reply(call), &array) < 0 || array.dtype != dtype || array.count != n)
		return error_set(err, ERROR_BAD_REPLY, "%s: not the samples that were asked for", call->method);
	if (array.bytes > 0)
		memcpy(out, array.data, array.bytes);
	return 0;
}

/* ---- few ---- */

static int copy_few(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		    uint64_t n, uint64_t samples, void *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_call *call;
	int r = call_make(session, draw->law, &call, err);

	if (r < 0)
		return r;
	draw_set(trnsci_args(call), draw);
	trnsci_set_u64(trnsci_args(call), "n", samples);
	trnsci_set_dtype(trnsci_args(call), "dtype", dtype);
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = draw_read_span(call, ret_span, err);
	if (r == 0)
		r = draw_take_elements(call, dtype, n, out, err);
	trnsci_call_free(call);
	return r;
}

/* ---- many ---- */

/* The tile of the last piece, when it has the right size; the engine wants out and n to agree. */
static int new_piece(struct trnsci_session *session, enum trnsci_dtype dtype, uint64_t n, struct trnsci_tile **tile,
		     struct error *err)
{
	struct trnsci_error error;

	if (*tile && trnsci_tile_count(*tile) == n)
		return 0;
	trnsci_tile_free(*tile);
	*tile = NULL;
	int r = trnsci_tile_new(session, 0, dtype, 1, &n, tile, &error);

	return r < 0 ? error_take(err, &error) : 0;
}

/* What a permutation permutes is the whole draw unless told: a piece of it must be told. */
static void state_items(struct trnsci_draw *piece, uint64_t n)
{
	struct trnsci_parameter_info parameter;
	size_t free = 0;

	for (; free < NUMBERS && piece->numbers[free].name; free++)
		if (strcmp(piece->numbers[free].name, "items") == 0)
			return;
	for (size_t i = 0; free < NUMBERS && trnsci_parameter(piece->law, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, "items") == 0)
			piece->numbers[free] = (struct trnsci_number){"items", (double)n};
}

/* The daemon may have ended the session since it answered, and emptied the tile: then what was copied is no sample, and the
 * piece is drawn again. It closes the connection first. */
static int copy_piece(struct trnsci_session *session, const struct trnsci_draw *piece, struct trnsci_tile *tile,
		      void *out, struct trnsci_span *ret_span, struct error *err)
{
	uint64_t before = 0, after = 0;
	int r = session_look(session, &after, err);

	if (r == 0)
		do {
			before = after;
			r = draw_tile(session, piece, 0, tile, ret_span, err);
			if (r == 0) {
				memcpy(out, trnsci_tile_data(tile), trnsci_tile_bytes(tile));
				r = session_look(session, &after, err);
			}
		} while (r == 0 && before != after);
	return r;
}

static int copy_many(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		     uint64_t n, uint64_t samples, char *out, struct trnsci_span *ret_span, struct error *err)
{
	const uint64_t components = n / samples, whole = PIECE_BYTES / trnsci_dtype_size(dtype) / components * components;
	const uint64_t most = whole ? whole : components;
	struct trnsci_draw piece = *draw;
	struct trnsci_tile *tile = NULL;
	struct trnsci_span span;
	int r = 0;

	state_items(&piece, samples);
	for (uint64_t done = 0; done < n && r == 0;) {
		uint64_t size = n - done < most ? n - done : most;

		r = new_piece(session, dtype, size, &tile, err);
		if (r == 0)
			r = copy_piece(session, &piece, tile, out, &span, err);
		if (r < 0)
			break;
		if (done == 0)
			ret_span->position = span.position;
		ret_span->next = span.next;
		ret_span->ended = span.ended;
		out += trnsci_tile_bytes(tile);
		done += size;
		piece.offset += size / components;
	}
	trnsci_tile_free(tile);
	return r;
}

int draw_copy(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype, uint64_t n,
	      uint64_t samples, void *out, struct trnsci_span *ret_span, struct error *err)
{
	const bool few = n * trnsci_dtype_size(dtype) <= DRAW_INLINE_BYTES;

	return (few ? copy_few(session, draw, dtype, n, samples, out, ret_span, err)
		    : copy_many(session, draw, dtype, n, samples, out, ret_span, err));
}

int trnsci_draw_copy(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		     uint64_t n, void *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_span span = {0};
	uint64_t samples = 0, end;
	int r = draw_check(draw, &error);

	if (r == 0 && (draw->rank || draw->size > 1))
		r = error_set(&error, ERROR_OUT_OF_RANGE, "%s: rank: given, allowed is the whole draw", draw->law);
	if (r == 0)
		r = draw_count_samples(session, draw, dtype, n, &samples, &error);
	if (r == 0 && add_overflows(draw->offset, samples ? samples - 1 : 0, &end))
		r = error_set(&error, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be", draw->law);
	if (r == 0)
		r = draw_copy(session, draw, dtype, n, samples, out, &span, &error);
	if (r < 0)
		return error_give(err, &error);
	if (ret_span)
		*ret_span = span;
	return 0;
}
