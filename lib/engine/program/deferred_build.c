/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/program/deferred_build.h"

#include <inttypes.h>
#include <stddef.h>

#include "engine/program/program.h"

enum { SMALL_NS = 100 * 1000 };

bool making_is_small(struct program *program, uint64_t cost_ns)
{
	if (cost_ns > SMALL_NS - program->made_ns)
		return false;
	program->made_ns += (uint32_t)cost_ns;
	return true;
}

void making_add(struct program *program, struct making *making)
{
	struct making **at = program->makings ? &program->last_making->next : &program->makings;

	making->next = NULL;
	*at = making;
	program->last_making = making;
}

int making_go_on(struct program *program, struct error *err)
{
	struct making *making = program->makings;
	int more;

	if (!making)
		return 0;
	more = making->piece(making, err);
	if (more < 0)
		return more;
	if (more == 0)
		program->makings = making->next;
	return 1;
}

int making_check(struct program *program, const char *context, struct error *err)
{
	uint64_t checks = 0;
	int error = 0;

	for (const struct making *at = program->makings; at; at = at->next)
		checks += at->checks;
	if (checks > MAKING_CHECKS)
		return error_set(err, ERROR_LIMIT,
				 "%s: %" PRIu64 " weights, allowed in draws of a named stream, a ring or a broadcast are %d",
				 context, checks, MAKING_CHECKS);
	for (struct making *at = program->makings; at && !error; at = at->next)
		error = at->check ? at->check(at, err) : 0;
	return error;
}
