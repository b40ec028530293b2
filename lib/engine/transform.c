/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/transform.h"

#include "engine/compile.h"

int transform_begin(struct engine *engine, const struct step *step, struct job *job, struct transform **ret_transform)
{
	(void)engine;
	(void)step;
	(void)job;
	(void)ret_transform;
	return -ERROR_NOT_SUPPORTED;
}

int transform_advance(struct transform *transform, size_t *ret_units)
{
	(void)transform;
	(void)ret_units;
	return JOB_END;
}

uint64_t transform_run(const struct transform *transform, size_t unit, void *scratch)
{
	(void)transform;
	(void)unit;
	(void)scratch;
	return 0;
}

void transform_end(struct transform *transform)
{
	(void)transform;
}

uint64_t transform_cost(const struct step *step)
{
	(void)step;
	return UINT64_C(1) << 40;
}

int compile_transform(struct compiler *compiler)
{
	return error_set(compiler->err, ERROR_NOT_SUPPORTED, "%s: transforms are not there yet",
			 compiler->args.context);
}
