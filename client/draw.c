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
	NUMBERS = sizeof((struct trnsci_draw *)0)->numbers / sizeof(struct trnsci_number),
	CHOICES = sizeof((struct trnsci_draw *)0)->choices / sizeof(struct trnsci_choice),
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
void draw_set(struct trnsci_args *args, const struct trnsci_draw *draw)
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
		draw_set(noise, draw);
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

int draw_read_span(const struct trnsci_call *call, struct trnsci_span *ret_span, struct error *err)
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
int draw_tile(struct trnsci_session *session, const struct trnsci_draw *draw, uint64_t n_total,
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
	draw_set(trnsci_args(call), draw);
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
	r = ret_span ? draw_read_span(call, ret_span, err) : 0;
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
	draw_set(trnsci_args(program), &(struct trnsci_draw){.generator = generator->generator,
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
