/* SPDX-License-Identifier: Apache-2.0 */
/* Quasi-random points, from a set that is built when its stream is known.
 *
 * Scrambling depends on the stream, so a set belongs to one. A small set is built where the step is placed, a large one
 * by a deferred build; runs with the same stream and size use it again. */
#include "engine/steps/deferred_build.h"
#include "engine/steps/step.h"

static void fill_points(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
			const void *const in[2], void *out)
{
	const struct position *position = &bound->positions[step->placement];

	(void)in;
	points_fill(position->set, position->begin + begin, n, out);
}

static uint64_t element_ps(const struct engine *engine, const struct step *step)
{
	return points_coordinate_ps(&step->points.settings, engine->features);
}

/* ---- the set ---- */

/* A set of points that is built later. */
struct deferred_points {
	struct deferred_build build; /* must be the first member: build_piece casts back to us */
	unsigned features;
	struct bump *bump;          /* the run's, which frees the set */
	struct position *position; /* whose settings and set these are */
};

static void release(void *points)
{
	points_free(points);
}

/* Starts a set, which the bump frees with everything else. */
static int start_points(unsigned features, struct bump *bump, struct position *position)
{
	int error = points_start(&position->settings, features, &position->set);

	if (error)
		return error;
	if (bump_defer(bump, release, position->set) == 0)
		return 0;
	points_free(position->set);
	position->set = NULL;
	return -ERROR_NO_MEMORY;
}

/* Builds a small set at once. */
static int build_points(struct bindings *bound, struct position *position)
{
	int error = start_points(bound->engine->features, bound->bump, position);

	while (!error && points_build(position->set))
		;
	return error;
}

/* Builds the next piece of a large set, by the settings that the position has by then. */
static int build_piece(struct deferred_build *build, struct error *err)
{
	struct deferred_points *points = (struct deferred_points *)build;
	struct position *position = points->position;
	int error = position->set ? 0 : start_points(points->features, points->bump, position);

	if (error)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the points' tables");
	if (points_build(position->set))
		return 1;
	position->is_noted = false;
	return 0;
}

/* Leaves the set to the run's deferred builds. */
static int defer_points(struct bindings *bound, struct position *position)
{
	struct deferred_points *points = bump_alloc(bound->bump, sizeof *points);

	if (!points)
		return -ERROR_NO_MEMORY;
	*points = (struct deferred_points){
		.build = {.piece = build_piece},
		.features = bound->engine->features,
		.bump = bound->bump,
		.position = position,
	};
	position->is_noted = true;
	position->set = NULL;
	deferred_build_add(&bound->deferred, &points->build);
	return 0;
}

static bool is_same(const struct stream *a, const struct stream *b)
{
	return a->generator == b->generator && a->seed == b->seed && a->stream == b->stream;
}

/* Keeps the set of an earlier run if its stream and size are the same. */
static int place_points(struct bindings *bound, const struct step *step, const struct placement *placement)
{
	struct position *position = &bound->positions[step->placement];
	struct points_settings *settings = &position->settings;
	const uint64_t n = position->at.next;

	position->begin = (position->at.offset + placement->begin) * step->points.settings.dims;
	if ((position->set || position->is_noted) && is_same(&settings->stream, &position->stream) &&
	    settings->n == n)
		return 0;
	*settings = step->points.settings;
	settings->stream = position->stream;
	settings->n = n;
	bound->deferred.held_bytes += points_bytes(settings);
	if (position->is_noted) { /* not built yet: it will be built for this stream */
		position->set = NULL;
		return 0;
	}
	return deferred_build_is_small(&bound->deferred, points_cost_ns(settings)) ? build_points(bound, position)
										  : defer_points(bound, position);
}

const struct step_ops step_points = {
	.cost_row = COST_POINTS, .fill = fill_points, .element_ps = element_ps, .place = place_points, .builds = true};
