/* SPDX-License-Identifier: Apache-2.0 */
/* Draws and transforms without a call object. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "call.h"
#include "session.h"
#include "tile.h"

#include "base/checked.h"
#include "rng/stream.h"

enum {
	NUMBERS = sizeof((struct trnsci_draw *)0)->numbers / sizeof(struct trnsci_number),
	CHOICES = sizeof((struct trnsci_draw *)0)->choices / sizeof(struct trnsci_choice),
	PIECE_BYTES = 1 << 20,   /* of a draw into the caller's memory: it stays in cache between draw and copy */
	INLINE_BYTES = 64 << 10, /* below this a tile is not worth its round trip */
};

static int check_draw(const struct trnsci_draw *draw, struct error *err)
{
	if (!draw || !draw->law)
		return error_set(err, ERROR_MISSING_PARAMETER, "draw: law: there is none");
	for (size_t i = 0; i < sizeof draw->reserved / sizeof *draw->reserved; i++)
		if (draw->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "draw: a reserved field is not 0");
	return 0;
}

/* Only what differs from the defaults of the table would be needed; the stream is stated in any case. */
static void set_draw(struct trnsci_call *call, const struct trnsci_draw *draw, uint64_t offset)
{
	struct trnsci_args *args = trnsci_args(call);

	if (draw->generator)
		trnsci_set_text(args, "generator", draw->generator);
	trnsci_set_u64(args, "seed", draw->seed);
	trnsci_set_u64(args, "stream", draw->stream);
	trnsci_set_u64(args, "offset", offset);
	for (size_t i = 0; i < NUMBERS && draw->numbers[i].name; i++)
		trnsci_set_f64(args, draw->numbers[i].name, draw->numbers[i].value);
	for (size_t i = 0; i < CHOICES && draw->choices[i].name; i++)
		trnsci_set_text(args, draw->choices[i].name, draw->choices[i].value);
}

static int read_span(const struct trnsci_call *call, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_span span;
	int r = call_reply_u64(call, "position", &span.position, err);

	if (r == 0)
		r = call_reply_u64(call, "next", &span.next, err);
	if (r == 0)
		*ret_span = span;
	return r;
}

/* dtype and, without n_total, the count are the tile's: the engine compares what is stated. */
static int draw_tile(struct trnsci_session *session, const struct trnsci_draw *draw, uint64_t n_total,
		     struct trnsci_tile *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_call *call;
	int r = check_draw(draw, err);

	if (r == 0 && !out)
		r = error_set(err, ERROR_BAD_TILE, "%s: out: there is none", draw->law);
	if (r == 0)
		r = call_make(session, draw->law, &call, err);
	if (r < 0)
		return r;
	set_draw(call, draw, draw->offset);
	trnsci_set_tile(trnsci_args(call), "out", out);
	if (n_total)
		trnsci_set_u64(trnsci_args(call), "n", n_total);
	if (draw->size > 1 || draw->rank) {
		trnsci_set_u64(trnsci_args(call), "rank", draw->rank);
		trnsci_set_u64(trnsci_args(call), "size", draw->size ? draw->size : 1);
	}
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = ret_span ? read_span(call, ret_span, err) : 0;
	trnsci_call_free(call);
	return r;
}

int trnsci_draw(struct trnsci_session *session, const struct trnsci_draw *draw, uint64_t n_total,
		struct trnsci_tile *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct error error = {0};
	int r = draw_tile(session, draw, n_total, out, ret_span, &error);

	return r < 0 ? error_give(err, &error) : 0;
}

/* ---- into the caller's memory ---- */

/* A few samples come with the reply. */
static int draw_inline(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, void *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_call *call;
	struct trnsci_array array;
	int r = call_make(session, draw->law, &call, err);

	if (r < 0)
		return r;
	set_draw(call, draw, draw->offset);
	trnsci_set_u64(trnsci_args(call), "n", n);
	trnsci_set_dtype(trnsci_args(call), "dtype", dtype);
	r = call_run(call, err);
	if (r < 0)
		return r;
	if (trnsci_to_array(trnsci_reply(call), &array) < 0 || array.count != n || array.dtype != dtype)
		r = error_set(err, ERROR_BAD_REPLY, "%s: not the samples that were asked for", draw->law);
	if (r == 0)
		r = read_span(call, ret_span, err);
	if (r == 0 && array.bytes > 0)
		memcpy(out, array.data, array.bytes);
	trnsci_call_free(call);
	return r;
}

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

static int draw_pieces(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, char *out, struct trnsci_span *ret_span, struct error *err)
{
	uint64_t most = PIECE_BYTES / trnsci_dtype_size(dtype);
	struct trnsci_draw piece = *draw;
	struct trnsci_tile *tile = NULL;
	struct trnsci_span span;
	int r = 0;

	for (uint64_t done = 0; done < n && r == 0;) {
		uint64_t size = n - done < most ? n - done : most;

		r = new_piece(session, dtype, size, &tile, err);
		if (r == 0)
			r = draw_tile(session, &piece, 0, tile, &span, err);
		if (r < 0)
			break;
		if (done == 0)
			ret_span->position = span.position;
		ret_span->next = span.next;
		memcpy(out, trnsci_tile_data(tile), trnsci_tile_bytes(tile));
		out += trnsci_tile_bytes(tile);
		done += size;
		piece.offset += size;
	}
	trnsci_tile_free(tile);
	return r;
}

int trnsci_draw_copy(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		     uint64_t n, void *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_span span = {0};
	uint64_t bytes, end;
	int r = check_draw(draw, &error);

	if (r == 0 && (trnsci_dtype_size(dtype) == 0 || draw->rank || draw->size > 1))
		r = error_set(&error, ERROR_OUT_OF_RANGE,
			      "draw: dtype none or a rank, allowed a dtype and the whole draw");
	if (r == 0 && (mul_overflows(n, trnsci_dtype_size(dtype), &bytes) || bytes > SIZE_MAX / 2 ||
		       add_overflows(draw->offset, n, &end)))
		r = error_set(&error, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be", draw->law);
	if (r == 0)
		r = bytes <= INLINE_BYTES ? draw_inline(session, draw, dtype, n, out, &span, &error)
					  : draw_pieces(session, draw, dtype, n, out, &span, &error);
	if (r < 0)
		return error_give(err, &error);
	if (ret_span)
		*ret_span = span;
	return 0;
}

/* ---- a place in a stream ---- */

/* A sample of 64 bits takes two words: the position, a multiple of 4, is a whole number of samples of either kind. */
static int draw_next(struct trnsci_session *session, struct trnsci_generator *generator, const struct trnsci_draw *draw,
		     struct trnsci_tile *out, struct error *err)
{
	unsigned words = trnsci_dtype_size(trnsci_tile_dtype(out)) > 4 ? 2 : 1;
	struct trnsci_draw whole = {
		.law = draw ? draw->law : NULL,
		.generator = generator->generator,
		.seed = generator->seed,
		.stream = generator->stream,
		.offset = generator->position / words,
	};
	struct trnsci_span span;

	if (generator->position % STREAM_GROUP_WORDS)
		return error_set(err, ERROR_OUT_OF_RANGE, "generator: position: %llu, allowed multiples of 4",
				 (unsigned long long)generator->position);
	if (draw) {
		memcpy(whole.numbers, draw->numbers, sizeof whole.numbers);
		memcpy(whole.choices, draw->choices, sizeof whole.choices);
	}
	int r = draw_tile(session, &whole, 0, out, &span, err);

	if (r == 0 && (span.next % STREAM_GROUP_WORDS || span.next < generator->position))
		r = error_set(err, ERROR_BAD_REPLY, "%s: next: %llu is no place after the draw", whole.law,
			      (unsigned long long)span.next);
	if (r == 0)
		generator->position = span.next;
	return r;
}

int trnsci_generator_draw(struct trnsci_session *session, struct trnsci_generator *generator,
			  const struct trnsci_draw *draw, struct trnsci_tile *out, struct trnsci_error *err)
{
	struct error error = {0};
	int r = draw_next(session, generator, draw, out, &error);

	return r < 0 ? error_give(err, &error) : 0;
}

bool trnsci_partition(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end)
{
	if (rank >= size)
		return false;
	stream_partition(n, rank, size, ret_begin, ret_end);
	return true;
}

/* ---- transforms ---- */

/* What is not set keeps the default that the table has, of this release or the daemon's. */
static void set_fft(struct trnsci_args *args, const struct trnsci_fft *options)
{
	if (options->inverse)
		trnsci_set_bool(args, "inverse", true);
	if (options->real)
		trnsci_set_bool(args, "real", true);
	if (options->length)
		trnsci_set_u64(args, "length", options->length);
	if (options->n_axes)
		trnsci_set_axes(args, "axes", options->n_axes, options->axes);
	if (options->norm)
		trnsci_set_text(args, "norm", options->norm);
	if (options->precision)
		trnsci_set_text(args, "precision", options->precision);
	if (options->target_error != 0)
		trnsci_set_f64(args, "target_error", options->target_error);
}

int trnsci_fft(struct trnsci_session *session, const struct trnsci_fft *options, const struct trnsci_tile *in,
	       struct trnsci_tile *out, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call;
	int r = 0;

	if (!in || !out)
		r = error_set(&error, ERROR_BAD_TILE, "fft: %s: there is none", in ? "out" : "in");
	else if (options && options->n_axes > TRNSCI_MAX_DIMS)
		r = error_set(&error, ERROR_OUT_OF_RANGE, "fft: axes: %zu, allowed at most %d", options->n_axes,
			      TRNSCI_MAX_DIMS);
	if (r == 0)
		r = call_make(session, "fft", &call, &error);
	if (r < 0)
		return error_give(err, &error);
	trnsci_set_tile(trnsci_args(call), "in", in);
	trnsci_set_tile(trnsci_args(call), "out", out);
	if (options)
		set_fft(trnsci_args(call), options);
	r = call_run(call, &error);
	if (r < 0)
		return error_give(err, &error);
	trnsci_call_free(call);
	return 0;
}
