/* SPDX-License-Identifier: Apache-2.0 */
/* Draws without a call object. */
#include <math.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "call.h"
#include "draw.h"
#include "session.h"
#include "tile.h"

#include "base/checked.h"
#include "rng/stream.h"

enum {
	SEVERAL = 1, /* a sample has several elements */
	NUMBERS = sizeof((struct trnsci_draw *)0)->numbers / sizeof(struct trnsci_number),
	CHOICES = sizeof((struct trnsci_draw *)0)->choices / sizeof(struct trnsci_choice),
	PIECE_BYTES = 1 << 20,   /* of a draw into the caller's memory: it stays in cache between draw and copy */
	INLINE_BYTES = 64 << 10, /* below this a tile is not worth its round trip */
};

int draw_check(const struct trnsci_draw *draw, struct error *err)
{
	if (!draw || !draw->law)
		return error_set(err, ERROR_MISSING_PARAMETER, "draw: law: there is none");
	for (size_t i = 0; i < sizeof draw->reserved / sizeof *draw->reserved; i++)
		if (draw->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "draw: a reserved field is not 0");
	return 0;
}

int draw_check_placeless(const struct trnsci_draw *draw, const char *what, struct error *err)
{
	int r = draw_check(draw, err);

	if (r == 0 && (draw->generator || draw->seed || draw->stream || draw->offset || draw->rank || draw->size > 1))
		r = error_set(err, ERROR_OUT_OF_RANGE,
			      "%s: generator, seed, stream, offset, rank or size is set, allowed: the stream's own", what);
	return r;
}

/* Integers of the law's (trials, items ...) are taken as integers, which a real parameter takes as well; -0 stays. */
static void set_number(struct trnsci_args *args, const struct trnsci_number *number)
{
	double value = number->value;

	if (rint(value) == value && fabs(value) < 0x1p53 && !(value == 0 && signbit(value)))
		trnsci_set_i64(args, number->name, (int64_t)value);
	else
		trnsci_set_f64(args, number->name, value);
}

void draw_set_parameters(struct trnsci_args *args, const struct trnsci_draw *draw)
{
	for (size_t i = 0; i < NUMBERS && draw->numbers[i].name; i++)
		set_number(args, &draw->numbers[i]);
	for (size_t i = 0; i < CHOICES && draw->choices[i].name; i++)
		trnsci_set_text(args, draw->choices[i].name, draw->choices[i].value);
	if (draw->list.name)
		trnsci_set_bytes(args, draw->list.name, draw->list.values, draw->list.count * sizeof(double));
}

/* The law's parameters, and where the draw lies, which is stated in any case. */
static void set_draw(struct trnsci_args *args, const struct trnsci_draw *draw)
{
	if (draw->generator)
		trnsci_set_text(args, "generator", draw->generator);
	trnsci_set_u64(args, "seed", draw->seed);
	trnsci_set_u64(args, "stream", draw->stream);
	trnsci_set_u64(args, "offset", draw->offset);
	draw_set_parameters(args, draw);
}

void draw_set_noise(struct trnsci_args *args, const struct trnsci_draw *draw, enum trnsci_dtype dtype, bool placed)
{
	struct trnsci_args *noise = trnsci_set_map(args, "noise");

	trnsci_set_text(noise, "op", draw->law);
	if (dtype)
		trnsci_set_dtype(noise, "dtype", dtype);
	if (placed)
		set_draw(noise, draw);
	else
		draw_set_parameters(noise, draw);
}

/* nil: the end of the stream, word 2^64. */
static int read_next(const struct trnsci_call *call, uint64_t *ret_next, bool *ret_ended, struct error *err)
{
	const struct trnsci_value *next = trnsci_get(trnsci_reply(call), "next");

	*ret_ended = next && trnsci_kind(next) == TRNSCI_NIL;
	*ret_next = 0;
	return *ret_ended ? 0 : call_reply_u64(call, "next", ret_next, err);
}

static int read_span(const struct trnsci_call *call, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_span span;
	int r = call_reply_u64(call, "position", &span.position, err);

	if (r == 0)
		r = read_next(call, &span.next, &span.ended, err);
	if (r == 0)
		*ret_span = span;
	return r;
}

/* dtype and, without n_total, the count are the tile's: the engine compares what is stated. */
static int draw_tile(struct trnsci_session *session, const struct trnsci_draw *draw, uint64_t n_total,
		     struct trnsci_tile *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_call *call;
	int r = draw_check(draw, err);

	if (r == 0 && !out)
		r = error_set(err, ERROR_BAD_TILE, "%s: out: there is none", draw->law);
	if (r == 0)
		r = call_make(session, draw->law, &call, err);
	if (r < 0)
		return r;
	set_draw(trnsci_args(call), draw);
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

/* n samples with the reply; *ret_array belongs to *ret_call, which the caller frees. */
static int draw_inline(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, struct trnsci_call **ret_call, struct trnsci_array *ret_array, struct error *err)
{
	struct trnsci_call *call;
	int r = call_make(session, draw->law, &call, err);

	if (r < 0)
		return r;
	set_draw(trnsci_args(call), draw);
	trnsci_set_u64(trnsci_args(call), "n", n);
	trnsci_set_dtype(trnsci_args(call), "dtype", dtype);
	r = call_run(call, err);
	if (r < 0)
		return r;
	if (trnsci_to_array(trnsci_reply(call), ret_array) < 0 || ret_array->dtype != dtype) {
		trnsci_call_free(call);
		return error_set(err, ERROR_BAD_REPLY, "%s: not the samples that were asked for", draw->law);
	}
	*ret_call = call;
	return 0;
}

/* A law of vectors has several elements a sample: a draw of one sample tells. */
static int count_components(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
			    uint64_t *ret_components, struct error *err)
{
	struct trnsci_array array;
	struct trnsci_call *call;
	int r = draw_inline(session, draw, dtype, 1, &call, &array, err);

	if (r < 0)
		return r;
	trnsci_call_free(call);
	if (array.count == 0)
		return error_set(err, ERROR_BAD_REPLY, "%s: a sample of no elements", draw->law);
	*ret_components = array.count;
	return 0;
}

/* n elements that come with the reply; SEVERAL when n samples would be more than that. */
static int draw_few(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype, uint64_t n,
		    void *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_array array;
	struct trnsci_call *call;
	int r = draw_inline(session, draw, dtype, n, &call, &array, err);

	if (r < 0)
		return r;
	r = array.count == n ? read_span(call, ret_span, err) : SEVERAL;
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

/* What a permutation permutes is the whole draw unless told: a piece of it must be told. */
static void state_items(struct trnsci_draw *piece, uint64_t n)
{
	struct trnsci_parameter parameter;
	size_t free = 0;

	for (; free < NUMBERS && piece->numbers[free].name; free++)
		if (strcmp(piece->numbers[free].name, "items") == 0)
			return;
	for (size_t i = 0; free < NUMBERS && trnsci_parameter(piece->law, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, "items") == 0)
			piece->numbers[free] = (struct trnsci_number){"items", (double)n};
}

static int draw_pieces(struct trnsci_session *session, const struct trnsci_draw *draw, enum trnsci_dtype dtype,
		       uint64_t n, char *out, struct trnsci_span *ret_span, struct error *err)
{
	struct trnsci_draw piece = *draw;
	struct trnsci_tile *tile = NULL;
	struct trnsci_span span;
	uint64_t components = 1;
	int r = count_components(session, draw, dtype, &components, err);
	uint64_t most = PIECE_BYTES / trnsci_dtype_size(dtype) / components * components;

	most = most ? most : components;
	state_items(&piece, n / components);

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
		ret_span->ended = span.ended;
		memcpy(out, trnsci_tile_data(tile), trnsci_tile_bytes(tile));
		out += trnsci_tile_bytes(tile);
		done += size;
		piece.offset += size / components;
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
	int r = draw_check(draw, &error);

	if (r == 0 && (trnsci_dtype_size(dtype) == 0 || draw->rank || draw->size > 1))
		r = error_set(&error, ERROR_OUT_OF_RANGE,
			      "draw: dtype none or a rank, allowed a dtype and the whole draw");
	if (r == 0 && (mul_overflows(n, trnsci_dtype_size(dtype), &bytes) || bytes > SIZE_MAX / 2 ||
		       add_overflows(draw->offset, n ? n - 1 : 0, &end)))
		r = error_set(&error, ERROR_OUT_OF_RANGE, "%s: n: more samples than there can be", draw->law);
	if (r == 0)
		r = bytes <= INLINE_BYTES ? draw_few(session, draw, dtype, n, out, &span, &error) : SEVERAL;
	if (r == SEVERAL)
		r = draw_pieces(session, draw, dtype, n, out, &span, &error);
	if (r < 0)
		return error_give(err, &error);
	if (ret_span)
		*ret_span = span;
	return 0;
}

/* ---- a place in a stream ---- */

/* As a program of one draw: its offset is a position in words, and the engine places a law of any width there. */
static int draw_next(struct trnsci_session *session, struct trnsci_generator *generator, const struct trnsci_draw *draw,
		     struct trnsci_tile *out, struct error *err)
{
	struct trnsci_call *program;
	uint64_t next;
	bool ended;
	int r = draw_check(draw, err);

	if (r == 0 && generator->position == UINT64_MAX)
		r = error_set(err, ERROR_END_OF_STREAM, "generator: its stream has ended");
	if (r == 0 && generator->position % STREAM_GROUP_WORDS)
		r = error_set(err, ERROR_OUT_OF_RANGE, "generator: position: %llu, allowed multiples of 4",
			      (unsigned long long)generator->position);
	if (r == 0)
		r = call_make(session, "run", &program, err);
	if (r < 0)
		return r;
	set_draw(trnsci_args(program), &(struct trnsci_draw){.generator = generator->generator,
							     .seed = generator->seed,
							     .stream = generator->stream,
							     .offset = generator->position});
	struct trnsci_args *step = trnsci_step(program, draw->law);

	trnsci_set_tile(step, "out", out);
	draw_set_parameters(step, draw);
	r = call_run(program, err);
	if (r < 0)
		return r;
	r = read_next(program, &next, &ended, err);
	trnsci_call_free(program);
	if (r == 0 && !ended && (next % STREAM_GROUP_WORDS || next < generator->position))
		r = error_set(err, ERROR_BAD_REPLY, "%s: next: %llu is no place after the draw", draw->law,
			      (unsigned long long)next);
	if (r == 0)
		generator->position = ended ? UINT64_MAX : next;
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
