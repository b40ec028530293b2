/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/program/deferred_build.h"

#include <inttypes.h>
#include <stddef.h>

#include "engine/program/program.h"

enum { SMALL_NS = 100 * 1000 };

bool deferred_build_is_small(struct program *program, uint64_t cost_ns)
{
	if (cost_ns > SMALL_NS - program->built_ns)
		return false;
	program->built_ns += (uint32_t)cost_ns;
	return true;
}

void deferred_build_add(struct program *program, struct deferred_build *build)
{
	struct deferred_build **at =
		program->deferred_builds ? &program->last_deferred_build->next : &program->deferred_builds;

	build->next = NULL;
	*at = build;
	program->last_deferred_build = build;
}

int deferred_build_advance(struct program *program, struct error *err)
{
	struct deferred_build *build = program->deferred_builds;
	int more;

	if (!build)
		return 0;
	more = build->piece(build, err);
	if (more < 0)
		return more;
	if (more == 0)
		program->deferred_builds = build->next;
	return 1;
}

int deferred_build_check(struct program *program, const char *context, struct error *err)
{
	uint64_t checks = 0;
	int error = 0;

	for (const struct deferred_build *at = program->deferred_builds; at; at = at->next)
		checks += at->checks;
	if (checks > DEFERRED_CHECKS_MAX)
		return error_set(err, ERROR_LIMIT,
				 "%s: %" PRIu64
				 " weights, allowed in draws of a named stream, a ring or a broadcast are %d",
				 context, checks, DEFERRED_CHECKS_MAX);
	for (struct deferred_build *at = program->deferred_builds; at && !error; at = at->next)
		error = at->check ? at->check(at, err) : 0;
	return error;
}
