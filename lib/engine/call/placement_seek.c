/* SPDX-License-Identifier: Apache-2.0 */
/* Placing draws: by what they state themselves, by their run, by the draws before them, or by their reservation.
 *
 * For each placement, in the order of the steps: find its stream, then where it begins in the stream; then fill in the
 * members of the reply that placement_put reserved. Cursors remember, for each stream and each reservation, where the
 * next draw begins. All of it is done anew for each run of a prepared call, so a small call allocates nothing. */
#include "engine/call/placement.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "engine/operations/params.h"

/* Where the next draw of a stream, or of a reservation, begins. */
struct cursor {
	int range; /* the reservation; PLACEMENT_OF_NONE: of the stream */
	struct stream stream;
	enum layout layout; /* of another framework, whose words are others; PLAIN: the stream's own */
	uint64_t next; /* word, a multiple of 4 */
	bool ended; /* the stream has no word left */
};

/* The state of one placement_find, on its stack. */
struct seek_state {
	struct run *run;
	struct error *err;
	struct cursor *cursors;
	size_t n_cursors;
};

static int fail_placement(const struct placement *placement, unsigned param, struct error *err, enum error_code code,
			  const char *format, ...) __attribute__((format(printf, 5, 6)));

static int fail_placement(const struct placement *placement, unsigned param, struct error *err, enum error_code code,
			  const char *format, ...)
{
	char rest[sizeof err->text], context[PLACEMENT_CONTEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(rest, sizeof rest, format, list);
	va_end(list);
	return error_set(err, code, "%s: %s: %s", placement_context(placement, context),
			 placement->operation->params[param].name, rest);
}

/* ---- which stream ---- */

/* Returns the reservation of a named stream that a draw takes its words from, or NULL. */
static struct stream_reservation *range_of(const struct run *run, const struct placement *placement)
{
	struct stream_reservation *range = placement->range == PLACEMENT_OF_NONE ? NULL : &run->ranges[placement->range];

	return range && range->name ? range : NULL;
}

/* Another framework has one generator, which no run can change, and most have no streams. */
static int check_replay(const struct placement *placement, const struct stream *stream, struct error *err)
{
	const struct layout_row *row = &layout_rows[placement->call->layout];

	if (stream->generator != placement->own.generator)
		return fail_placement(placement, DRAW_GENERATOR, err, ERROR_OUT_OF_RANGE,
				      "given with layout %s, allowed without it: the layout's is %s", row->name, row->generator);
	if (stream->stream != 0 && !(row->flags & LAYOUT_STREAM))
		return fail_placement(placement, DRAW_STREAM, err, ERROR_OUT_OF_RANGE,
				      "got %" PRIu64 ", allowed with layout %s is 0", stream->stream, row->name);
	return 0;
}

/* Trainium's kernels have 20 rounds of Threefry and stream 0 only; each half of their keys has 24 bits. */
static int check_trn24(const struct placement *placement, const struct stream *stream, struct error *err)
{
	if (stream->generator != GENERATOR_THREEFRY4X32 && stream->generator != GENERATOR_THREEFRY4X32_TRN)
		return fail_placement(placement, DRAW_LAYOUT, err, ERROR_OUT_OF_RANGE,
				      "got trn24 with generator %s, allowed with threefry4x32 and threefry4x32_trn",
				      generator_row(stream->generator)->name);
	if (stream->stream != 0)
		return fail_placement(placement, DRAW_LAYOUT, err, ERROR_OUT_OF_RANGE,
				      "got trn24 with stream %" PRIu64 ", allowed with stream 0 only", stream->stream);
	return 0;
}

/* Returns what a draw states itself, which is the run's where it is a single operation. */
static const struct stream_choice *own_of(const struct run *run, const struct placement *placement)
{
	return run->plan->placements.is_run ? &placement->own : &run->choice;
}

/* A step's own parameters, or its run's. */
static int find_stated(const struct seek_state *p, const struct placement *placement, struct position *position)
{
	const struct stream_choice *own = own_of(p->run, placement), *run = &p->run->choice;
	struct stream *stream = position_stream(position, placement->is_points);

	stream->generator = own->has_generator ? own->generator : run->generator;
	stream->seed = position->at.seed = own->has_seed ? own->seed : run->seed;
	stream->stream = position->at.stream = own->has_stream ? own->stream : run->stream;
	position->layout = placement->is_points ? LAYOUT_PLAIN : own->has_layout ? own->layout : run->layout;
	if (placement->call)
		return check_replay(placement, stream, p->err);
	if (!stream_id_fits(stream))
		return fail_placement(placement, placement->is_points ? (unsigned)POINTS_STREAM : (unsigned)DRAW_STREAM,
				      p->err, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64,
				      stream->stream, generator_row(stream->generator)->name,
				      generator_row(stream->generator)->most_stream);
	if (position->layout == LAYOUT_TRN24) {
		int error = check_trn24(placement, stream, p->err);

		if (error)
			return error;
		stream->seed = stream_seed_trn24(stream->seed);
	}
	return 0;
}

/* Refuses what cannot be stated beside a named stream: the stream itself decides seed, position and layout. */
static int check_named(const struct run *run, const struct placement *placement, struct error *err)
{
	const struct stream_choice *own = own_of(run, placement);
	const char *name = NULL;

	if (placement->is_points)
		return fail_placement(placement, POINTS_SEED, err, ERROR_MISSING_PARAMETER,
				      "missing: give the seed of its scrambling; a named stream cannot place points");
	if (own->has_offset)
		name = own->position ? "position" : "offset";
	else if (own->has_seed || own->has_stream)
		name = own->has_seed ? "seed" : "stream";
	else if (own->has_generator)
		name = "generator";
	else if ((own->has_layout ? own->layout : run->choice.layout) != LAYOUT_PLAIN)
		name = "layout";
	if (name || placement->is_part) {
		char context[PLACEMENT_CONTEXT];

		return error_set(
			err, ERROR_OUT_OF_RANGE,
			"%s: stream_name: given beside %s, allowed are op, n, shape, dtype, out and the distribution's "
			"parameters",
			placement_context(placement, context), name ? name : "size");
	}
	return 0;
}

/* Finds the stream of a placement: its reservation's, or the one that it or its run states. */
static int find_stream(const struct seek_state *p, const struct placement *placement, struct position *position)
{
	const struct stream_choice *own = own_of(p->run, placement);
	const struct stream_reservation *range = range_of(p->run, placement);
	int error;

	position->text = own->has_text ? own->text : p->run->choice.text;
	if (!range)
		return find_stated(p, placement, position);
	error = check_named(p->run, placement, p->err);
	if (error)
		return error;
	*position_stream(position, placement->is_points) = range->stream;
	position->at.seed = range->stream.seed;
	position->at.stream = range->stream.stream;
	position->layout = LAYOUT_PLAIN;
	return 0;
}

/* ---- where in it ---- */

/* Returns whether two streams have the same words. */
static bool is_same(const struct stream *a, const struct stream *b)
{
	return a->generator == b->generator && a->seed == b->seed && a->stream == b->stream;
}

/* Returns the cursor of the placement's stream or reservation. Before its first draw it is at the run's offset, or
 * where the reservation begins. There is room for a cursor for each placement. */
static struct cursor *find_cursor(struct seek_state *p, const struct placement *placement, const struct stream *stream)
{
	const struct stream_reservation *range = range_of(p->run, placement);
	const int which = range ? placement->range : PLACEMENT_OF_NONE;
	const enum layout layout = placement->call ? placement->call->layout : LAYOUT_PLAIN;
	struct cursor *at = p->cursors;

	while (at < p->cursors + p->n_cursors &&
	       (at->range != which || (which == PLACEMENT_OF_NONE && (at->layout != layout || !is_same(&at->stream, stream)))))
		at++;
	if (at < p->cursors + p->n_cursors)
		return at;
	*at = (struct cursor){.range = which, .stream = *stream, .layout = layout};
	p->n_cursors++;
	if (range)
		at->next = range->offset * range->words;
	else if (p->run->plan->placements.is_run)
		at->ended = !stream_next_position(p->run->choice.offset, 0, &at->next);
	return at;
}

/* Finds the first sample at or after a word that begins a group: a vector's words need not fill groups. Returns false
 * if the stream ends before it. The loop takes at most 3 steps. */
static bool find_sample(uint64_t word, unsigned words, uint64_t *ret_sample)
{
	if (word == 0) {
		*ret_sample = 0;
		return true;
	}

	unsigned __int128 sample = ((unsigned __int128)word + words - 1) / words;

	while (sample * words % STREAM_GROUP_WORDS != 0)
		sample++;
	*ret_sample = (uint64_t)sample;
	return sample * words <= UINT64_MAX;
}

/* Finds the sample at which the draw begins and its first word, and moves the cursor behind the draw, to the next
 * group. A draw that states an offset moves the cursor, too: the next one follows it. cursor NULL: no other draw is there. A part
 * of a signal begins at the very sample that the cursor is at, and ends before the samples that it shares with the next. */
static int find_offset(const struct seek_state *p, const struct placement *placement, struct cursor *cursor,
		       struct position *position)
{
	const struct stream_choice *own = own_of(p->run, placement);
	struct draw_position *lies = &position->at;
	const unsigned words = placement->words;
	const bool follows = !own->has_offset;
	const uint64_t from = follows ? cursor->next : own->position, n = placement_samples(placement);
	uint64_t offset, first, count;
	bool fits;

	if (!follows && from % STREAM_GROUP_WORDS)
		return fail_placement(placement, DRAW_POSITION, p->err, ERROR_OUT_OF_RANGE,
				      "got %" PRIu64 ", allowed are multiples of %d", from, STREAM_GROUP_WORDS);
	offset = from / words;
	fits = (placement->same || find_sample(from, words, &offset)) && !(follows && cursor->ended);
	if (fits && !follows)
		fits = !add_overflows(offset, own->offset, &offset);
	if (!fits || !stream_span(offset, n, words, &first, &count))
		return fail_placement(placement, DRAW_OFFSET, p->err, ERROR_END_OF_STREAM,
				      "%" PRIu64 " samples from sample %" PRIu64
				      " of %u words, allowed is to end by word 2^64, the end of the stream",
				      n, offset, words);
	lies->offset = offset;
	lies->position = first;
	lies->has_next = stream_next_position(first, count, &lies->next);
	if (cursor && placement->same) {
		cursor->next = first + placement->n * words;
	} else if (cursor) {
		cursor->ended = !lies->has_next;
		cursor->next = lies->next;
	}
	position->origin = offset - (follows ? 0 : own->offset);
	return 0;
}

/* Finds where a call of another framework begins, and moves the cursor behind it. Where each call has a key of its own, it begins
 * at 0, and none follows. */
static int find_call(const struct seek_state *p, const struct placement *placement, struct cursor *cursor,
		     struct position *position)
{
	const struct stream_choice *own = own_of(p->run, placement);
	const struct layout_row *row = &layout_rows[placement->call->layout];
	const bool follows = !own->has_offset, calls = row->flags & LAYOUT_CALLS;
	const uint64_t from = follows ? cursor->next : own->position, offset = follows ? 0 : own->offset;
	struct draw_position *lies = &position->at;

	if (follows && cursor->ended)
		return fail_placement(
			placement, DRAW_SEED, p->err, ERROR_END_OF_STREAM,
			"the call before it has the same, allowed is another: calls of layout %s do not follow one another",
			row->name);
	if (calls ? from % STREAM_GROUP_WORDS != 0 && !(row->flags & LAYOUT_WORDS) : from != 0)
		return fail_placement(placement, DRAW_POSITION, p->err, ERROR_OUT_OF_RANGE,
				      "got %" PRIu64 ", allowed with layout %s %s", from, row->name,
				      calls ? "are multiples of 4" : "is 0");
	if (offset != 0 && (row->flags & LAYOUT_WHOLE) && !placement->is_part_of_call)
		return fail_placement(placement, DRAW_OFFSET, p->err, ERROR_OUT_OF_RANGE,
				      "got %" PRIu64
				      ", allowed with layout %s is 0: numbers depend on how many the call has, give call_n",
				      offset, row->name);
	if (placement->is_part_of_call && (offset > placement->call->n || placement->n > placement->call->n - offset))
		return fail_placement(placement, DRAW_OFFSET, p->err, ERROR_OUT_OF_RANGE,
				      "%" PRIu64 " samples from sample %" PRIu64 ", allowed is to end by call_n = %" PRIu64,
				      placement->n, offset, placement->call->n);
	lies->offset = offset;
	lies->position = from;
	if (placement->call->is_ordered && (offset > LAYOUT_ORDERED_MOST || placement->n > LAYOUT_ORDERED_MOST - offset))
		return fail_placement(placement, DRAW_N, p->err, ERROR_OUT_OF_RANGE,
				      "%" PRIu64 " samples from sample %" PRIu64 ", allowed with layout %s is to end by %" PRIu64
				      ": they are made in order",
				      placement->n, offset, row->name, LAYOUT_ORDERED_MOST);
	lies->has_next = placement->has_call_words && !add_overflows(from, placement->call_words, &lies->next);
	if (cursor) {
		cursor->ended = !lies->has_next;
		cursor->next = lies->next;
	}
	position->origin = 0;
	return 0;
}

/* Finds the points of a set. The compiler checked those of the call, a run may state others. */
static int find_points(const struct seek_state *p, const struct placement *placement, struct position *position)
{
	const uint64_t first = own_of(p->run, placement)->offset;

	if (first > placement->most_points || placement->n > placement->most_points - first)
		return error_set(p->err, ERROR_END_OF_STREAM,
				 "%s: n: %" PRIu64 " points from point %" PRIu64
				 ", allowed is to end by point %" PRIu64,
				 placement->context, placement->n, first, placement->most_points);
	position->at.offset = first;
	position->at.next = first + placement->n;
	return 0;
}

/* ---- what the reply says ---- */

/* Makes decimal text of a number, in bump. */
static int put_digits(struct bump *bump, uint64_t u, struct value *ret)
{
	char digits[24], *copy;

	snprintf(digits, sizeof digits, "%" PRIu64, u);
	copy = bump_copy(bump, digits, strlen(digits));
	if (!copy)
		return -ERROR_NO_MEMORY;
	*ret = value_string(copy);
	return 0;
}

/* Writes the members in place: a copy of a value just made has to wait for both of its stores. */
static inline int put_u64(struct bump *bump, bool text, uint64_t u, struct value *ret)
{
	if (text)
		return put_digits(bump, u, ret);
	ret->kind = VALUE_UINT;
	ret->u = u;
	return 0;
}

/* The name of the run before is the same text. */
static inline void put_name(const char *name, struct value *ret)
{
	if (ret->kind == VALUE_STRING && ret->bytes.at == name)
		return;
	ret->kind = VALUE_STRING;
	ret->bytes.at = name;
	ret->bytes.size = strlen(name);
}

/* Fills in the members that placement_put reserved, in its order. Returns the last of them: `next`. */
static const struct value *put_position(struct run *run, const struct placement *placement, struct position *position,
					int *failed)
{
	const struct draw_position *lies = &position->at;
	const bool text = position->text;
	struct bump *bump = run->bound.bump;
	struct value_member *at = run->fields[placement->field];

	put_name(placement->call ? layout_rows[position->layout].generator
				 : generator_row(position_stream(position, placement->is_points)->generator)->name,
		 &(at++)->value);
	*failed |= put_u64(bump, text, lies->seed, &(at++)->value);
	*failed |= put_u64(bump, text, lies->stream, &(at++)->value);
	at += position->layout != LAYOUT_PLAIN;
	*failed |= put_u64(bump, text, lies->offset, &(at++)->value);
	if (!placement->is_points)
		*failed |= put_u64(bump, text, lies->position, &(at++)->value);
	if (placement->is_points || lies->has_next)
		*failed |= put_u64(bump, text, lies->next, &at->value);
	else
		at->value.kind = VALUE_NIL;
	return &at->value;
}

/* Describes a reservation so that its draws can be repeated without the named stream. */
static int put_range(struct run *run, const struct stream_reservation *range, struct value *list)
{
	const bool text = run->choice.text;
	struct bump *bump = run->bound.bump;
	struct value one = value_map(), seed, stream, position, words;
	char *name = bump_copy(bump, range->name, range->name_size);

	if (!name || put_u64(bump, text, range->stream.seed, &seed) ||
	    put_u64(bump, text, range->stream.stream, &stream) ||
	    put_u64(bump, text, range->offset * range->words, &position) ||
	    put_u64(bump, text, range->n * range->words, &words))
		return -ERROR_NO_MEMORY;
	return value_add(bump, &one, "name", value_string(name)) ||
	       value_add(bump, &one, "generator", value_string(generator_row(range->stream.generator)->name)) ||
	       value_add(bump, &one, "seed", seed) || value_add(bump, &one, "stream", stream) ||
	       value_add(bump, &one, "position", position) || value_add(bump, &one, "words", words) ||
	       value_push(bump, list, one);
}

/* Fills in what a run states as a whole: the position behind its last draw (NULL: nothing is drawn), and its reservations.
 */
static int put_run(struct run *run, const struct value *next)
{
	struct bump *bump = run->bound.bump;
	struct value list = value_array();
	int failed = value_put(bump, run->reply, "next", next ? *next : value_nil());

	/* What a prepared call would draw from is for each run to say. */
	for (size_t i = 0; i < run->plan->placements.n_ranges && !failed && !run->is_template; i++)
		if (run->ranges[i].name && run->ranges[i].draws)
			failed = put_range(run, &run->ranges[i], &list);
	return failed || (list.array.count && value_put(bump, run->reply, "ranges", list)) ? -ERROR_NO_MEMORY : 0;
}

/* ---- all of them ---- */

/* Finds where a draw or a set lies. */
static int find_position(struct seek_state *p, const struct placement *placement, struct position *position)
{
	const bool is_alone = !p->run->plan->placements.is_run && p->run->choice.has_offset;
	const int error = find_stream(p, placement, position);
	struct cursor *cursor;

	if (error)
		return error;
	if (placement->is_points)
		return find_points(p, placement, position);
	cursor = is_alone ? NULL : find_cursor(p, placement, &position->draw.stream);
	return placement->call ? find_call(p, placement, cursor, position) : find_offset(p, placement, cursor, position);
}

int placement_find(struct run *run, struct error *err)
{
	const struct plan *plan = run->plan;
	const size_t count = plan->placements.count;
	struct cursor few[PLACEMENT_PLACES_HERE]; /* what runs again and again takes nothing more of its bump allocator */
	struct seek_state p = {.run = run, .err = err, .cursors = few};
	int error = 0, failed = 0;

	if (count > PLACEMENT_PLACES_HERE)
		p.cursors = bump_alloc(run->bound.bump, count * sizeof *p.cursors);
	for (size_t i = 0; i < count && p.cursors && !error; i++)
		error = find_position(&p, &plan->placements.at[i], &run->bound.positions[i]);
	for (size_t i = 0; i < plan->n_steps && !error && !failed; i++) {
		const struct step *step = &plan->steps[i];

		if (step->placement >= 0 && step->ops->place && p.cursors)
			failed = step->ops->place(&run->bound, step, &plan->placements.at[step->placement]);
	}
	if (failed || !p.cursors)
		return error_set(err, ERROR_NO_MEMORY, "no memory for where its draws lie");
	return error;
}

int placement_seek(struct run *run, struct error *err)
{
	const struct placements *placements = &run->plan->placements;
	const struct value *next = NULL;
	int error = placement_find(run, err), failed = 0;

	for (size_t i = 0; i < placements->count && !error; i++) {
		const struct value *last = put_position(run, &placements->at[i], &run->bound.positions[i], &failed);

		next = placements->at[i].is_points ? next : last;
	}
	if (!error && placements->is_run)
		failed |= put_run(run, next);
	return failed ? error_set(err, ERROR_NO_MEMORY, "no memory for where its draws lie") : error;
}
