/* SPDX-License-Identifier: Apache-2.0 */
/* Noting draws while a plan is compiled, and how much of a named stream they will take.
 *
 * A reservation is asked for before anything is drawn, so its length must be enough wherever the owner places it. */
#include "engine/call/placement.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

const char *placement_context(const struct placement *placement, char text[PLACEMENT_CONTEXT])
{
	if (placement->step < 0)
		snprintf(text, PLACEMENT_CONTEXT, "%s", placement->context);
	else
		snprintf(text, PLACEMENT_CONTEXT, "%s: steps[%d] %s", placement->context, placement->step,
			 placement->step_name);
	return text;
}

/* Adds a range of a named stream, or (name NULL) that of the whole run, which may get a name later. */
static int add_range(struct plan *plan, const struct value *name)
{
	struct placements *placements = &plan->placements;
	struct stream_reservation range = {.name = NULL, .first = -1};
	void *at = plan_grow(plan->bump, placements->ranges, placements->n_ranges, &placements->ranges_room,
			 sizeof *placements->ranges);

	if (!at)
		return -ERROR_NO_MEMORY;
	placements->ranges = at;
	if (name) {
		range.name = bump_copy(plan->bump, name->bytes.at, name->bytes.size);
		range.name_size = name->bytes.size;
		if (!range.name)
			return -ERROR_NO_MEMORY;
	}
	placements->ranges[placements->n_ranges++] = range;
	return 0;
}

static bool is_called(const struct stream_reservation *range, const struct value *name)
{
	return range->name_size == name->bytes.size && memcmp(range->name, name->bytes.at, range->name_size) == 0;
}

/* Finds or adds the reservation of that name: one serves all draws that give it themselves. Few names, so a search. */
static int find_range(struct plan *plan, const struct value *name, int *ret)
{
	struct placements *placements = &plan->placements;
	size_t i = PLACEMENT_OF_RUN + 1;
	int error = 0;

	while (i < placements->n_ranges && !is_called(&placements->ranges[i], name))
		i++;
	if (i == placements->n_ranges)
		error = add_range(plan, name);
	*ret = (int)i;
	return error;
}

/* Returns the distance in words between places at which a draw may begin, which are both a sample's and a group's first
 * word: the least common multiple of a sample's words and 4. */
static unsigned step_words(unsigned words)
{
	return words % 4 == 0 ? words : words % 2 == 0 ? 2 * words : 4 * words;
}

/* Lengthens a reservation by one more draw. A single draw needs its own samples, and so does each part of a signal. For
 * several draws whole groups are reserved, wherever the owner places the range: the groups of each draw, and those that may be
 * skipped before it, since a sample of three words begins at only one group in three. `before` is the first draw, which was
 * counted in samples until now. A draw that is no part of the signal makes the range none. */
static void lengthen(struct stream_reservation *range, const struct placement *before,
		     const struct placement *placement)
{
	const unsigned group = STREAM_GROUP_WORDS;
	const struct placement *both[] = {before, placement};
	unsigned __int128 groups = range->draws > 1 ? range->n : 0;

	if (range->draws == 0) {
		range->same = placement->same;
		range->n = range->same ? placement->n : placement_samples(placement);
		range->words = placement->words;
		return;
	}
	if (range->same && placement->same) {
		if (add_overflows(range->n, placement->n, &range->n))
			range->n = UINT64_MAX;
		return;
	}
	range->same = NULL;
	for (size_t i = range->draws > 1; i < 2; i++) {
		const unsigned __int128 words = (unsigned __int128)placement_samples(both[i]) * both[i]->words;

		groups += (words + group - 1) / group + (step_words(both[i]->words) - group) / group;
	}
	range->n = groups > UINT64_MAX ? UINT64_MAX : (uint64_t)groups;
	range->words = group;
}

/* Finds which reservation a draw takes its words from: that of the stream it names, that of the whole run, which may be
 * given a name later, or none. */
static int find_own_range(struct plan *plan, const struct placement *placement, const struct value *name,
			  int *ret)
{
	const bool states =
		placement->step < 0 || placement->is_keyless || placement->own.has_seed || placement->own.has_stream;

	*ret = states ? PLACEMENT_OF_NONE : PLACEMENT_OF_RUN;
	if (plan->placements.n_ranges == 0 && (placement->step >= 0 || name) && add_range(plan, NULL))
		return -ERROR_NO_MEMORY;
	return name ? find_range(plan, name, ret) : 0;
}

/* Notes a draw. The range that it draws from grows by the draw's whole groups of 4 words; points take no words of the
 * stream. */
int placement_add(struct plan *plan, const struct placement *placement, const struct value *name, int *ret_index)
{
	struct placements *placements = &plan->placements;
	struct stream_reservation *range;
	int which;
	void *at;

	if (find_own_range(plan, placement, name, &which))
		return -ERROR_NO_MEMORY;
	at = plan_grow(plan->bump, placements->at, placements->count, &placements->room, sizeof *placements->at);
	if (!at)
		return -ERROR_NO_MEMORY;
	placements->at = at;
	*ret_index = (int)placements->count++;
	placements->at[*ret_index] = *placement;
	placements->at[*ret_index].range = which;
	if (which == PLACEMENT_OF_NONE || placement->is_points)
		return 0;
	range = &placements->ranges[which];
	lengthen(range, range->draws ? &placements->at[range->first] : NULL, placement);
	if (range->draws++ == 0)
		range->first = *ret_index;
	return 0;
}

/* Reserves the members that say where a draw lies, in the order in which replies have them, as nil: placement_seek
 * writes them before each run. */
int placement_put(struct plan *plan, int index, struct value *map)
{
	struct placement *placement = &plan->placements.at[index];
	struct bump *bump = plan->bump;
	const enum layout stated =
		placement->own.has_layout || !plan->placements.is_run ? placement->own.layout : plan->placements.run.layout;
	const enum layout layout = placement->is_points ? LAYOUT_PLAIN : stated;
	int failed;

	placement->field = plan->n_fields;
	failed = plan_field(plan, (struct reply_field){FIELD_PLACEMENT, index,
							     placement->step < 0 ? FIELD_OF_REPLY : placement->step, 0,
							     map->map.count});
	failed |= value_add(bump, map, "generator", value_nil()) | value_add(bump, map, "seed", value_nil()) |
		 value_add(bump, map, "stream", value_nil());
	if (layout != LAYOUT_PLAIN)
		failed |= value_add(bump, map, "layout", value_string(layout_rows[layout].name));
	failed |= value_add(bump, map, "offset", value_nil());
	if (!placement->is_points)
		failed |= value_add(bump, map, "position", value_nil());
	failed |= value_add(bump, map, "next", value_nil()) |
		  value_add(bump, map, "stream_format", value_uint(STREAM_FORMAT));
	return failed ? -ERROR_NO_MEMORY : 0;
}

bool placement_waits(const struct run *run)
{
	for (size_t i = 0; i < run->plan->placements.n_ranges; i++)
		if (run->ranges[i].name && run->ranges[i].draws)
			return true;
	return false;
}
