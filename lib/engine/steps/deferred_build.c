/* SPDX-License-Identifier: Apache-2.0 */
/* A list: appended while compiling, consumed from its head by the request's job. */
#include "engine/steps/deferred_build.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/chunk.h"

/* Of all builds of a run together: what a daemon's loop may be kept for. */
enum { SMALL_NS = CHUNK_AIM_NS };

bool deferred_build_is_small(struct deferred_builds *builds, uint64_t cost_ns)
{
	if (cost_ns > SMALL_NS - builds->built_ns)
		return false;
	builds->built_ns += (uint32_t)cost_ns;
	return true;
}

void deferred_build_add(struct deferred_builds *builds, struct deferred_build *build)
{
	struct deferred_build **at = builds->first ? &builds->last->next : &builds->first;

	build->next = NULL;
	*at = build;
	builds->last = build;
}

int deferred_build_advance(struct deferred_builds *builds, struct error *err)
{
	struct deferred_build *build = builds->first;
	int more;

	if (!build)
		return 0;
	more = build->piece(build, err);
	if (more < 0)
		return more;
	if (more == 0)
		builds->first = build->next;
	return 1;
}

int deferred_build_check(const struct deferred_builds *builds, const char *context, struct error *err)
{
	uint64_t checks = 0;
	int error = 0;

	for (const struct deferred_build *at = builds->first; at; at = at->next)
		checks += at->checks;
	if (checks > DEFERRED_CHECKS_MAX)
		return error_set(err, ERROR_LIMIT,
				 "%s: %" PRIu64
				 " weights, allowed in draws of a named stream, a ring or a broadcast are %d",
				 context, checks, DEFERRED_CHECKS_MAX);
	for (struct deferred_build *at = builds->first; at && !error; at = at->next)
		error = at->check ? at->check(at, err) : 0;
	return error;
}
