/* SPDX-License-Identifier: Apache-2.0 */
/* Noting draws while a program is compiled, and how much of a named stream they will take. */
#include "engine/program/placement.h"

#include <stdio.h>
#include <string.h>

#include "engine/program/program.h"

const char *site_context(const struct site *site, char text[SITE_CONTEXT])
{
	if (site->step < 0)
		snprintf(text, SITE_CONTEXT, "%s", site->context);
	else
		snprintf(text, SITE_CONTEXT, "%s: steps[%d] %s", site->context, site->step, site->step_name);
	return text;
}

/* Room for one more element of that size behind count of them. */
static void *grown(struct bump *bump, void *at, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 4;
	void *bigger;

	if (count < *room)
		return at;
	bigger = bump_alloc(bump, more * size);
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
	void *at = grown(program->bump, sites->ranges, sites->n_ranges, &sites->ranges_room, sizeof *sites->ranges);

	if (!at)
		return -ERROR_NO_MEMORY;
	sites->ranges = at;
	if (name) {
		range.name = bump_copy(program->bump, name->bytes.at, name->bytes.size);
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

/* Of a named stream, of the run, or of none. */
static int find_own_range(struct program *program, const struct site *site, const struct value *name, int *ret)
{
	const bool states = site->step < 0 || site->is_keyless || site->own.has_seed || site->own.has_stream;

	*ret = states ? SITE_OF_NONE : SITE_OF_RUN;
	if (program->sites.n_ranges == 0 && (site->step >= 0 || name) && add_range(program, NULL))
		return -ERROR_NO_MEMORY;
	return name ? find_range(program, name, ret) : 0;
}

int site_add(struct program *program, const struct site *site, const struct value *name, int *ret_index)
{
	struct sites *sites = &program->sites;
	struct site_range *range;
	int which;
	void *at;

	if (find_own_range(program, site, name, &which))
		return -ERROR_NO_MEMORY;
	at = grown(program->bump, sites->at, sites->count, &sites->room, sizeof *sites->at);
	if (!at)
		return -ERROR_NO_MEMORY;
	sites->at = at;
	*ret_index = (int)sites->count++;
	sites->at[*ret_index] = *site;
	sites->at[*ret_index].range = which;
	if (which == SITE_OF_NONE || site->is_points)
		return 0;
	range = &sites->ranges[which];
	lengthen(range, range->draws ? &sites->at[range->first] : NULL, site);
	if (range->draws++ == 0)
		range->first = *ret_index;
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
	copy = bump_copy(program->bump, name->bytes.at, name->bytes.size);
	if (!copy)
		return -ERROR_NO_MEMORY;
	range->name = copy;
	range->name_size = name->bytes.size;
	return 0;
}

int site_put(struct program *program, int index, struct value *map)
{
	struct site *site = &program->sites.at[index];
	struct bump *bump = program->bump;
	const bool trn24 = !site->is_points && (site->own.has_layout || !program->sites.is_run
							? site->own.trn24
							: program->sites.run.trn24);
	int failed;

	site->member = map->map.count;
	failed = value_add(bump, map, "generator", value_nil()) | value_add(bump, map, "seed", value_nil()) |
		 value_add(bump, map, "stream", value_nil());
	if (trn24)
		failed |= value_add(bump, map, "key_layout", value_string("trn24"));
	failed |= value_add(bump, map, "offset", value_nil());
	if (!site->is_points)
		failed |= value_add(bump, map, "position", value_nil());
	failed |= value_add(bump, map, "next", value_nil()) |
		  value_add(bump, map, "stream_format", value_uint(STREAM_FORMAT));
	return failed ? -ERROR_NO_MEMORY : 0;
}

bool site_waits(const struct program *program)
{
	for (size_t i = 0; i < program->sites.n_ranges; i++)
		if (program->sites.ranges[i].name && program->sites.ranges[i].draws)
			return true;
	return false;
}
