/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plans.h"

int plans_create(struct engine *engine, size_t bound_bytes, struct plans **ret_plans)
{
	(void)engine;
	(void)bound_bytes;
	*ret_plans = NULL;
	return 0;
}

void plans_destroy(struct plans *plans)
{
	(void)plans;
}

int plans_stats(struct plans *plans, struct zone *zone, struct value *map)
{
	(void)plans;
	return value_put(zone, map, "plans", value_map());
}
