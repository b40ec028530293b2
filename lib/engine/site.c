/* SPDX-License-Identifier: Apache-2.0 */
/* Placing draws: by what they state, by their run, by what was drawn before them, by a range that was had for them. */
#include "engine/site.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/compile.h"

/* Where the next draw of a stream, or of a range, stands. */
struct cursor {
	int range; /* SITE_OF_NONE: of the stream */
	struct stream stream;
	uint64_t next;
	bool ended; /* the stream has no word left */
};

struct placing {
	struct program *program;
	struct value *reply;
	struct error *err;
	struct cursor *cursors;
	size_t n_cursors;
	struct value next; /* of the last draw */
};

/* Where one site lies. */
struct place {
	struct stream stream;
	uint64_t seed; /* as it was asked for, which trn24 has taken apart */
	bool trn24, text;
	uint64_t offset, first; /* sample and word */
	const struct cursor *cursor;
};

const char *site_context(const struct site *site, char text[SITE_CONTEXT])
{
	if (site->step < 0)
		snprintf(text, SITE_CONTEXT, "%s", site->context);
	else
		snprintf(text, SITE_CONTEXT, "%s: steps[%d] %s", site->context, site->step, site->step_name);
	return text;
}

static int fail(const struct site *site, unsigned param, struct error *err, enum error_code code, const char *format,
		...) __attribute__((format(printf, 5, 6)));

static int fail(const struct site *site, unsigned param, struct error *err, enum error_code code, const char *format,
		...)
{
	char rest[sizeof err->text], context[SITE_CONTEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(rest, sizeof rest, format, list);
	va_end(list);
	return error_set(err, code, "%s: %s: %s", site_context(site, context), site->operation->params[param].name,
			 rest);
}

/* ---- while it is compiled ---- */

/* Room for one more element of that size behind count of them. */
static void *grown(struct zone *zone, void *at, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 4;
	void *bigger;

	if (count < *room)
		return at;
	bigger = zone_alloc(zone, more * size);
	if (!bigger)
		return NULL;
	if (count)
		memcpy(bigger, at, count * size);
	*room = more;
	return bigger;
}

static int add_range(struct program *program, const struct value *name)
{
	struct sites *sites = &program->sites;
	struct site_range range = {.name = NULL, .first = -1};
	void *at = grown(program->zone, sites->ranges, sites->n_ranges, &sites->ranges_room, sizeof *sites->ranges);

	if (!at)
		return -ERROR_NO_MEMORY;
	sites->ranges = at;
	if (name) {
		range.name = zone_copy(program->zone, name->bytes.at, name->bytes.size);
		range.name_size = name->bytes.size;
		if (!range.name)
			return -ERROR_NO_MEMORY;
	}
	sites->ranges[sites->n_ranges++] = range;
	return 0;
}

static bool is_called(const struct site_range *range, const struct value *name)
{
	return range->name_size == name->bytes.size && memcmp(range->name, name->bytes.at, range->name_size) == 0;
}

/* One range for all draws that give the name themselves. */
static int find_range(struct program *program, const struct value *name, int *ret)
{
	struct sites *sites = &program->sites;
	size_t i = SITE_OF_RUN + 1;
	int error = 0;

	while (i < sites->n_ranges && !is_called(&sites->ranges[i], name))
		i++;
	if (i == sites->n_ranges)
		error = add_range(program, name);
	*ret = (int)i;
	return error;
}

/* Where a draw of so many words may begin: groups that begin a sample. */
static unsigned step_words(unsigned words)
{
	return words % 4 == 0 ? words : words % 2 == 0 ? 2 * words : 4 * words;
}

/* A single draw needs its own samples. For several whole groups are had, wherever the range begins: those of each draw,
 * and what may be passed over before it, since a sample of three words begins but one group in three. */
static void lengthen(struct site_range *range, const struct site *before, const struct site *site)
{
	const unsigned group = STREAM_GROUP_WORDS;
	const struct site *both[] = {before, site};
	unsigned __int128 groups = range->draws > 1 ? range->n : 0;

	if (range->draws == 0) {
		range->n = site->n;
		range->words = site->words;
		return;
	}
	for (size_t i = range->draws > 1; i < 2; i++) {
		const unsigned __int128 words = (unsigned __int128)both[i]->n * both[i]->words;

		groups += (words + group - 1) / group + (step_words(both[i]->words) - group) / group;
	}
	range->n = groups > UINT64_MAX ? UINT64_MAX : (uint64_t)groups;
	range->words = group;
}

int site_add(struct program *program, const struct site *site, const struct value *name, int *ret_index)
{
	struct sites *sites = &program->sites;
	struct site copy = *site;
	struct site_range *range;
	void *at;
	int error = sites->n_ranges || (site->step < 0 && !name) ? 0 : add_range(program, NULL);

	copy.range = site->step < 0 || site->is_keyless || site->own.has_seed || site->own.has_stream ? SITE_OF_NONE
												      : SITE_OF_RUN;
	if (!error && name)
		error = find_range(program, name, &copy.range);
	at = error ? NULL : grown(program->zone, sites->at, sites->count, &sites->room, sizeof *sites->at);
	if (!at)
		return -ERROR_NO_MEMORY;
	sites->at = at;
	*ret_index = (int)sites->count;
	if (copy.range != SITE_OF_NONE && !copy.is_points) {
		range = &sites->ranges[copy.range];
		lengthen(range, range->draws ? &sites->at[range->first] : NULL, &copy);
		if (range->draws++ == 0)
			range->first = *ret_index;
	}
	sites->at[sites->count++] = copy;
	return 0;
}

int site_name_run(struct program *program, const struct value *name)
{
	struct site_range *range = program->sites.ranges;
	char *copy;

	if (program->sites.n_ranges == 0) /* nothing is drawn */
		return 0;
	range->name = NULL;
	if (!name)
		return 0;
	copy = zone_copy(program->zone, name->bytes.at, name->bytes.size);
	if (!copy)
		return -ERROR_NO_MEMORY;
	range->name = copy;
	range->name_size = name->bytes.size;
	return 0;
}

int site_put(struct program *program, int index, struct value *map)
{
	struct site *site = &program->sites.at[index];
	struct zone *zone = program->zone;
	const bool trn24 = !site->is_points && (site->own.has_layout || !program->sites.is_run
							? site->own.trn24
							: program->sites.run.trn24);
	int failed;

	site->member = map->map.count;
	failed = value_add(zone, map, "generator", value_nil()) | value_add(zone, map, "seed", value_nil()) |
		 value_add(zone, map, "stream", value_nil());
	if (trn24)
		failed |= value_add(zone, map, "key_layout", value_string("trn24"));
	failed |= value_add(zone, map, "offset", value_nil());
	if (!site->is_points)
		failed |= value_add(zone, map, "position", value_nil());
	failed |= value_add(zone, map, "next", value_nil()) |
		  value_add(zone, map, "stream_format", value_uint(STREAM_FORMAT));
	return failed ? -ERROR_NO_MEMORY : 0;
}

bool site_waits(const struct program *program)
{
	for (size_t i = 0; i < program->sites.n_ranges; i++)
		if (program->sites.ranges[i].name && program->sites.ranges[i].draws)
			return true;
	return false;
}

/* ---- which stream ---- */

/* The range of a named stream that it draws from; NULL: none. */
static struct site_range *range_of(const struct sites *sites, const struct site *site)
{
	struct site_range *range = site->range == SITE_OF_NONE ? NULL : &sites->ranges[site->range];

	return range && range->name ? range : NULL;
}

static int check_trn24(const struct site *site, const struct stream *stream, struct error *err)
{
	if (stream->generator != GENERATOR_THREEFRY4X32)
		return fail(site, DRAW_KEY_LAYOUT, err, ERROR_OUT_OF_RANGE,
			    "got trn24 with generator %s, allowed with threefry4x32 only",
			    generator_row(stream->generator)->name);
	if (stream->stream != 0)
		return fail(site, DRAW_KEY_LAYOUT, err, ERROR_OUT_OF_RANGE,
			    "got trn24 with stream %" PRIu64 ", allowed with stream 0 only", stream->stream);
	return 0;
}

/* A step's own parameters, or its run's. */
static int find_stated(const struct sites *sites, const struct site *site, struct place *place, struct error *err)
{
	const struct site_choice *own = &site->own, *run = &sites->run;
	struct stream *stream = &place->stream;

	stream->generator = own->has_generator ? own->generator : run->generator;
	stream->seed = place->seed = own->has_seed ? own->seed : run->seed;
	stream->stream = own->has_stream ? own->stream : run->stream;
	place->trn24 = !site->is_points && (own->has_layout ? own->trn24 : run->trn24);
	if (!stream_id_fits(stream))
		return fail(site, site->is_points ? (unsigned)POINTS_STREAM : (unsigned)DRAW_STREAM, err,
			    ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64, stream->stream,
			    generator_row(stream->generator)->name, generator_row(stream->generator)->most_stream);
	if (place->trn24) {
		int error = check_trn24(site, stream, err);

		if (error)
			return error;
		stream->seed = stream_seed_trn24(stream->seed);
	}
	return 0;
}

/* What the named stream itself decides. */
static int check_named(const struct sites *sites, const struct site *site, struct error *err)
{
	const struct site_choice *own = &site->own;
	const char *name = NULL;

	if (site->is_points)
		return fail(site, POINTS_SEED, err, ERROR_MISSING_PARAMETER,
			    "left out, takes that of its scrambling: points are at no place of a named stream");
	if (own->has_offset)
		name = "offset";
	else if (own->has_seed || own->has_stream)
		name = own->has_seed ? "seed" : "stream";
	else if (own->has_generator)
		name = "generator";
	else if (own->has_layout ? own->trn24 : sites->run.trn24)
		name = "key_layout";
	if (name || site->is_part) {
		char context[SITE_CONTEXT];

		return error_set(err, ERROR_OUT_OF_RANGE,
				 "%s: stream_name: given beside %s, allowed are op, n, shape, dtype, out and the law's "
				 "parameters",
				 site_context(site, context), name ? name : "size");
	}
	return 0;
}

static int find_stream(const struct placing *p, const struct site *site, struct place *place)
{
	const struct sites *sites = &p->program->sites;
	const struct site_range *range = range_of(sites, site);
	int error;

	place->text = site->own.has_text ? site->own.text : sites->run.text;
	if (!range)
		return find_stated(sites, site, place, p->err);
	error = check_named(sites, site, p->err);
	if (error)
		return error;
	place->stream = range->stream;
	place->seed = range->stream.seed;
	return 0;
}

/* ---- where in it ---- */

static bool is_same(const struct stream *a, const struct stream *b)
{
	return a->generator == b->generator && a->seed == b->seed && a->stream == b->stream;
}

/* Where the next draw stands: at the run's offset, or where the range begins, if it is the first. */
static struct cursor *find_cursor(struct placing *p, const struct site *site, const struct stream *stream)
{
	const struct sites *sites = &p->program->sites;
	const struct site_range *range = range_of(sites, site);
	const int which = range ? site->range : SITE_OF_NONE;
	struct cursor *at = p->cursors;

	while (at < p->cursors + p->n_cursors &&
	       (at->range != which || (which == SITE_OF_NONE && !is_same(&at->stream, stream))))
		at++;
	if (at < p->cursors + p->n_cursors)
		return at;
	*at = (struct cursor){.range = which, .stream = *stream};
	p->n_cursors++;
	if (range)
		at->next = range->offset * range->words;
	else if (sites->is_run)
		at->ended = !stream_next_position(sites->run.offset, 0, &at->next);
	return at;
}

/* The sample at which the draw begins, and its first word. */
static int find_offset(struct placing *p, const struct site *site, struct cursor *cursor, struct place *place)
{
	const unsigned words = site->words;
	const bool follows = !site->own.has_offset;
	uint64_t offset = follows ? cursor->next / words : site->own.offset, first, count;

	/* The next whole group that begins a sample: vectors need not fill groups. */
	while (follows && (offset * words < cursor->next || offset * words % STREAM_GROUP_WORDS != 0))
		offset++;
	if ((follows && cursor->ended) || !stream_span(offset, site->n, words, &first, &count))
		return fail(site, DRAW_OFFSET, p->err, ERROR_END_OF_STREAM,
			    "%" PRIu64 " samples from sample %" PRIu64
			    " of %u words, allowed is to end by word 2^64, the end of the stream",
			    site->n, offset, words);
	cursor->ended = !stream_next_position(first, count, &cursor->next);
	place->offset = offset;
	place->first = first;
	place->cursor = cursor;
	return 0;
}

/* ---- what the reply says ---- */

static int tell_u64(struct zone *zone, bool text, uint64_t u, struct value *ret)
{
	char digits[24], *copy;

	if (!text) {
		*ret = value_uint(u);
		return 0;
	}
	snprintf(digits, sizeof digits, "%" PRIu64, u);
	copy = zone_copy(zone, digits, strlen(digits));
	if (!copy)
		return -ERROR_NO_MEMORY;
	*ret = value_string(copy);
	return 0;
}

static struct value *map_of(const struct site *site, struct value *reply)
{
	struct value *map = reply;

	if (site->step >= 0)
		map = &((struct value *)value_get(reply, "steps"))->array.at[site->step];
	return site->inside ? &map->map.at[site->inside - 1].value : map;
}

static int tell(struct placing *p, const struct site *site, const struct place *place)
{
	struct zone *zone = p->program->zone;
	struct value_member *at = map_of(site, p->reply)->map.at + site->member;
	int failed;

	(at++)->value = value_string(generator_row(place->stream.generator)->name);
	failed = tell_u64(zone, place->text, place->seed, &(at++)->value);
	failed |= tell_u64(zone, place->text, place->stream.stream, &(at++)->value);
	at += place->trn24;
	if (site->is_points) {
		failed |= tell_u64(zone, place->text, site->first_point, &(at++)->value);
		return failed | tell_u64(zone, place->text, site->next_point, &at->value);
	}
	failed |= tell_u64(zone, place->text, place->offset, &(at++)->value);
	failed |= tell_u64(zone, place->text, place->first, &(at++)->value);
	p->next = value_nil();
	if (!place->cursor->ended)
		failed |= tell_u64(zone, place->text, place->cursor->next, &p->next);
	at->value = p->next;
	return failed;
}

/* A range as the request that took it would repeat it. */
static int tell_range(struct placing *p, const struct site_range *range, struct value *list)
{
	const bool text = p->program->sites.run.text;
	struct zone *zone = p->program->zone;
	struct value one = value_map(), seed, stream, position, words;
	char *name = zone_copy(zone, range->name, range->name_size);

	if (!name || tell_u64(zone, text, range->stream.seed, &seed) ||
	    tell_u64(zone, text, range->stream.stream, &stream) ||
	    tell_u64(zone, text, range->offset * range->words, &position) ||
	    tell_u64(zone, text, range->n * range->words, &words))
		return -ERROR_NO_MEMORY;
	return value_add(zone, &one, "name", value_string(name)) ||
	       value_add(zone, &one, "generator", value_string(generator_row(range->stream.generator)->name)) ||
	       value_add(zone, &one, "seed", seed) || value_add(zone, &one, "stream", stream) ||
	       value_add(zone, &one, "position", position) || value_add(zone, &one, "words", words) ||
	       value_push(zone, list, one);
}

static int tell_run(struct placing *p)
{
	const struct sites *sites = &p->program->sites;
	struct zone *zone = p->program->zone;
	struct value list = value_array();
	int failed = value_put(zone, p->reply, "next", p->next);

	/* What a program that is kept would draw from is for each run to say. */
	for (size_t i = 0; i < sites->n_ranges && !failed && !p->program->keeps; i++)
		if (sites->ranges[i].name && sites->ranges[i].draws)
			failed = tell_range(p, &sites->ranges[i], &list);
	return failed || (list.array.count && value_put(zone, p->reply, "ranges", list)) ? -ERROR_NO_MEMORY : 0;
}

/* ---- all of them ---- */

static void release(void *points)
{
	points_free(points);
}

/* The set that is there serves if its key is the same. */
static int key_points(struct program *program, struct step *step, const struct stream *stream)
{
	struct points_settings *settings = &step->points.settings;
	int error;

	if (step->points.set && is_same(&settings->stream, stream))
		return 0;
	settings->stream = *stream;
	error = points_create(settings, program->space->engine->features, &step->points.set);
	if (error)
		return error;
	program->held_bytes += points_bytes(step->points.set);
	if (zone_defer(program->zone, release, step->points.set) == 0)
		return 0;
	points_free(step->points.set);
	step->points.set = NULL;
	return -ERROR_NO_MEMORY;
}

static int aim(struct program *program, struct step *step, const struct place *places)
{
	const struct place *place = step->site < 0 ? NULL : &places[step->site];
	const struct site *site = step->site < 0 ? NULL : &program->sites.at[step->site];

	if (!place)
		return 0;
	if (step->kind == STEP_POINTS)
		return key_points(program, step, &place->stream);
	if (step->kind == STEP_TRACE) {
		step->trace.law.stream = place->stream;
		step->trace.begin = place->offset + site->begin;
		return 0;
	}
	step->draw.law.stream = place->stream;
	step->draw.begin = (place->offset + site->begin) * site->components;
	return 0;
}

int site_place(struct program *program, struct value *reply, struct error *err)
{
	const struct sites *sites = &program->sites;
	struct placing p = {.program = program, .reply = reply, .err = err, .next = value_nil()};
	struct place *places = zone_alloc(program->zone, (sites->count + 1) * sizeof *places);
	int error = 0, failed = 0;

	p.cursors = zone_alloc(program->zone, (sites->count + 1) * sizeof *p.cursors);
	failed = !places || !p.cursors;
	for (size_t i = 0; i < sites->count && !error && !failed; i++) {
		const struct site *site = &sites->at[i];

		places[i] = (struct place){.offset = 0};
		error = find_stream(&p, site, &places[i]);
		if (!error && !site->is_points)
			error = find_offset(&p, site, find_cursor(&p, site, &places[i].stream), &places[i]);
		if (!error)
			failed = tell(&p, site, &places[i]);
	}
	for (size_t i = 0; i < program->n_steps && !error && !failed; i++)
		failed = aim(program, &program->steps[i], places);
	if (!error && !failed && sites->is_run)
		failed = tell_run(&p);
	if (failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for where its draws lie");
	return error;
}
