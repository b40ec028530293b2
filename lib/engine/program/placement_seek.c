/* SPDX-License-Identifier: Apache-2.0 */
/* Placing draws: by what they state themselves, by their run, by the draws before them, or by their reservation.
 *
 * For each placement, in the order of the steps: find its stream, then where it begins in the stream, then fill in the
 * members of the reply that placement_put reserved. Cursors remember, for each stream and each reservation, where the
 * next draw begins. All of it is done anew for each run of a prepared call, so a small program allocates nothing. */
#include "engine/program/placement.h"

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
	uint64_t next; /* word, a multiple of 4 */
	bool ended; /* the stream has no word left */
};

/* The state of one placement_seek, on its stack. */
struct placing {
	struct run *run;
	struct error *err;
	struct cursor *cursors;
	size_t n_cursors;
	const struct value *next; /* in the reply of the last draw; NULL: nothing is drawn */
};

/* Where one placement lies. */
struct place {
	struct stream stream;
	uint64_t seed; /* as it was asked for, which trn24 has taken apart */
	bool trn24, text;
	uint64_t offset, first; /* of the whole draw's beginning: the sample or point, and its word */
	uint64_t origin; /* the sample at which counting from the draw's start begins */
	const struct cursor *cursor; /* behind the draw; NULL: points */
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

/* Trainium's kernels have 20 rounds of Threefry and stream 0 only; each half of their keys has 24 bits. */
static int check_trn24(const struct placement *placement, const struct stream *stream, struct error *err)
{
	if (stream->generator != GENERATOR_THREEFRY4X32 && stream->generator != GENERATOR_THREEFRY4X32_TRN)
		return fail_placement(placement, DRAW_KEY_LAYOUT, err, ERROR_OUT_OF_RANGE,
				      "got trn24 with generator %s, allowed with threefry4x32 and threefry4x32_trn",
				      generator_row(stream->generator)->name);
	if (stream->stream != 0)
		return fail_placement(placement, DRAW_KEY_LAYOUT, err, ERROR_OUT_OF_RANGE,
				      "got trn24 with stream %" PRIu64 ", allowed with stream 0 only", stream->stream);
	return 0;
}

/* Returns what a draw states itself, which is the run's where it is a single operation. */
static const struct stream_choice *own_of(const struct run *run, const struct placement *placement)
{
	return run->program->placements.is_run ? &placement->own : &run->choice;
}

/* A step's own parameters, or its run's. */
static int find_stated(const struct placing *p, const struct placement *placement, struct place *place)
{
	const struct stream_choice *own = own_of(p->run, placement), *run = &p->run->choice;
	struct stream *stream = &place->stream;

	stream->generator = own->has_generator ? own->generator : run->generator;
	stream->seed = place->seed = own->has_seed ? own->seed : run->seed;
	stream->stream = own->has_stream ? own->stream : run->stream;
	place->trn24 = !placement->is_points && (own->has_layout ? own->trn24 : run->trn24);
	if (!stream_id_fits(stream))
		return fail_placement(placement, placement->is_points ? (unsigned)POINTS_STREAM : (unsigned)DRAW_STREAM,
				      p->err, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64,
				      stream->stream, generator_row(stream->generator)->name,
				      generator_row(stream->generator)->most_stream);
	if (place->trn24) {
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
	else if (own->has_layout ? own->trn24 : run->choice.trn24)
		name = "key_layout";
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
static int find_stream(const struct placing *p, const struct placement *placement, struct place *place)
{
	const struct stream_choice *own = own_of(p->run, placement);
	const struct stream_reservation *range = range_of(p->run, placement);
	int error;

	place->text = own->has_text ? own->text : p->run->choice.text;
	if (!range)
		return find_stated(p, placement, place);
	error = check_named(p->run, placement, p->err);
	if (error)
		return error;
	place->stream = range->stream;
	place->seed = range->stream.seed;
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
static struct cursor *find_cursor(struct placing *p, const struct placement *placement, const struct stream *stream)
{
	const struct stream_reservation *range = range_of(p->run, placement);
	const int which = range ? placement->range : PLACEMENT_OF_NONE;
	struct cursor *at = p->cursors;

	while (at < p->cursors + p->n_cursors &&
	       (at->range != which || (which == PLACEMENT_OF_NONE && !is_same(&at->stream, stream))))
		at++;
	if (at < p->cursors + p->n_cursors)
		return at;
	*at = (struct cursor){.range = which, .stream = *stream};
	p->n_cursors++;
	if (range)
		at->next = range->offset * range->words;
	else if (p->run->program->placements.is_run)
		at->ended = !stream_next_position(p->run->choice.offset, 0, &at->next);
	return at;
}

/* Finds the first sample at or after a word that begins a group: a vector's words need not fill groups. Returns false
 * if the stream ends before it. The loop takes at most 3 steps. */
static bool find_sample(uint64_t word, unsigned words, uint64_t *ret_sample)
{
	unsigned __int128 sample = word ? ((unsigned __int128)word + words - 1) / words : 0;

	while (sample * words % STREAM_GROUP_WORDS != 0)
		sample++;
	*ret_sample = (uint64_t)sample;
	return sample * words <= UINT64_MAX;
}

/* Finds the sample at which the draw begins and its first word, and moves the cursor behind the draw, to the next
 * group. A draw that states an offset moves the cursor, too: the next one follows it. */
static int find_offset(struct placing *p, const struct placement *placement, struct cursor *cursor, struct place *place)
{
	const struct stream_choice *own = own_of(p->run, placement);
	const unsigned words = placement->words;
	const bool follows = !own->has_offset;
	const uint64_t from = follows ? cursor->next : own->position;
	uint64_t offset, first, count;
	bool fits;

	if (!follows && from % STREAM_GROUP_WORDS)
		return fail_placement(placement, DRAW_POSITION, p->err, ERROR_OUT_OF_RANGE,
				      "got %" PRIu64 ", allowed are multiples of %d", from, STREAM_GROUP_WORDS);
	fits = find_sample(from, words, &offset) && !(follows && cursor->ended);
	if (fits && !follows)
		fits = !add_overflows(offset, own->offset, &offset);
	if (!fits || !stream_span(offset, placement->n, words, &first, &count))
		return fail_placement(placement, DRAW_OFFSET, p->err, ERROR_END_OF_STREAM,
				      "%" PRIu64 " samples from sample %" PRIu64
				      " of %u words, allowed is to end by word 2^64, the end of the stream",
				      placement->n, offset, words);
	cursor->ended = !stream_next_position(first, count, &cursor->next);
	place->offset = offset;
	place->first = first;
	place->cursor = cursor;
	place->origin = offset - (follows ? 0 : own->offset);
	return 0;
}

/* Finds the points of a set. The compiler checked those of the call, a run may state others. */
static int find_points(const struct placing *p, const struct placement *placement, struct place *place)
{
	const uint64_t first = own_of(p->run, placement)->offset;

	if (first > placement->most_points || placement->n > placement->most_points - first)
		return error_set(p->err, ERROR_END_OF_STREAM,
				 "%s: n: %" PRIu64 " points from point %" PRIu64
				 ", allowed is to end by point %" PRIu64,
				 placement->context, placement->n, first, placement->most_points);
	place->offset = first;
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

/* Fills in the members that placement_put reserved, in its order. */
static int put_place(struct placing *p, const struct placement *placement, const struct place *place)
{
	struct bump *bump = p->run->bump;
	struct value_member *at = p->run->fields[placement->field];
	int failed;

	put_name(generator_row(place->stream.generator)->name, &(at++)->value);
	failed = put_u64(bump, place->text, place->seed, &(at++)->value);
	failed |= put_u64(bump, place->text, place->stream.stream, &(at++)->value);
	at += place->trn24;
	failed |= put_u64(bump, place->text, place->offset, &(at++)->value);
	if (placement->is_points)
		return failed | put_u64(bump, place->text, place->offset + placement->n, &at->value);
	failed |= put_u64(bump, place->text, place->first, &(at++)->value);
	p->next = &at->value;
	if (place->cursor->ended)
		at->value.kind = VALUE_NIL;
	else
		failed |= put_u64(bump, place->text, place->cursor->next, &at->value);
	return failed;
}

/* Describes a reservation so that its draws can be repeated without the named stream. */
static int put_range(struct placing *p, const struct stream_reservation *range, struct value *list)
{
	const bool text = p->run->choice.text;
	struct bump *bump = p->run->bump;
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

/* Fills in what a run states as a whole: the position behind its last draw, and its reservations. */
static int put_run(struct placing *p)
{
	const struct program *program = p->run->program;
	struct bump *bump = p->run->bump;
	struct value list = value_array();
	int failed = value_put(bump, p->run->reply, "next", p->next ? *p->next : value_nil());

	/* What a prepared call would draw from is for each run to say. */
	for (size_t i = 0; i < program->placements.n_ranges && !failed && !p->run->is_template; i++)
		if (p->run->ranges[i].name && p->run->ranges[i].draws)
			failed = put_range(p, &p->run->ranges[i], &list);
	return failed || (list.array.count && value_put(bump, p->run->reply, "ranges", list)) ? -ERROR_NO_MEMORY : 0;
}

/* ---- all of them ---- */

/* Passes a step the position of its samples. */
static int place_step(struct run *run, const struct step *step, const struct place *places)
{
	const struct place *place = step->placement < 0 ? NULL : &places[step->placement];

	if (!place || !step->ops->place)
		return 0;
	const struct placement *placement = &run->program->placements.at[step->placement];
	const struct step_place at = {
		.stream = &place->stream,
		.offset = place->offset,
		.begin = placement->begin,
		.n = placement->n,
		.origin = place->origin,
		.components = placement->components,
		.engine = run->bound.engine,
		.bump = run->bump,
		.deferred = &run->deferred,
	};

	return step->ops->place(step, &at, &run->bound.positions[step->placement]);
}

bool placement_fix(const struct run *run, struct placement_fixed *ret)
{
	const struct placements *placements = &run->program->placements;
	const struct placement *placement = placements->at;
	const struct stream_choice *choice = &run->choice;
	uint64_t start;

	if (placements->count != 1 || placements->is_run || placement->is_points || !choice->has_offset || choice->trn24 ||
	    placement->range != PLACEMENT_OF_NONE || choice->position % STREAM_GROUP_WORDS ||
	    !find_sample(choice->position, placement->words, &start))
		return false;
	*ret = (struct placement_fixed){.generator = choice->generator,
					.most_stream = generator_row(choice->generator)->most_stream,
					.start = start,
					.n = placement->n,
					.begin = placement->begin,
					.words = placement->words,
					.components = placement->components};
	return true;
}

bool placement_seek_fixed(const struct placement_fixed *fixed, uint64_t seed, uint64_t stream, uint64_t offset,
			  struct position *position, struct draw_position *ret_position)
{
	uint64_t sample, first, count;

	if (stream > fixed->most_stream || add_overflows(fixed->start, offset, &sample) ||
	    !stream_span(sample, fixed->n, fixed->words, &first, &count))
		return false;
	position->draw.stream = (struct stream){fixed->generator, seed, stream};
	position->begin = (sample + fixed->begin) * fixed->components;
	ret_position->seed = seed;
	ret_position->stream = stream;
	ret_position->offset = sample;
	ret_position->position = first;
	ret_position->has_next = stream_next_position(first, count, &ret_position->next);
	return true;
}

int placement_seek(struct run *run, struct error *err)
{
	const struct program *program = run->program;
	const struct placements *placements = &program->placements;
	struct placing p = {.run = run, .err = err};
	const bool here =
		placements->count <=
		PLACEMENT_PLACES_HERE; /* what runs again and again takes nothing more of its bump allocator */
	struct place few[PLACEMENT_PLACES_HERE],
		*places = here ? few : bump_alloc(run->bump, placements->count * sizeof *places);
	struct cursor few_cursors[PLACEMENT_PLACES_HERE];
	int error = 0, failed = 0;

	if (placements->count == 0 && !placements->is_run)
		return 0;
	p.cursors = here ? few_cursors : bump_alloc(run->bump, placements->count * sizeof *p.cursors);
	failed = !places || !p.cursors;
	for (size_t i = 0; i < placements->count && !error && !failed; i++) {
		const struct placement *placement = &placements->at[i];

		places[i] = (struct place){.offset = 0};
		error = find_stream(&p, placement, &places[i]);
		if (!error)
			error = placement->is_points
					? find_points(&p, placement, &places[i])
					: find_offset(&p, placement, find_cursor(&p, placement, &places[i].stream), &places[i]);
		if (!error)
			failed = put_place(&p, placement, &places[i]);
	}
	for (size_t i = 0; i < program->n_steps && !error && !failed; i++)
		failed = place_step(run, &program->steps[i], places);
	if (!error && !failed && placements->is_run)
		failed = put_run(&p);
	if (failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for where its draws lie");
	return error;
}
