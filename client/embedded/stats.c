/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of an embedded session: of its process, its engine and its memory. */
#include "stats.h"

#include <sys/types.h>
#include <unistd.h>

#include "base/cpu.h"

/* The part of a daemon's statistics that a process can give: its id, and the instruction set that was asked for and the
 * one in use. */
static int show_process(struct bump *bump, const char *requested_cpu, struct value *map)
{
	struct value cpu = value_map();
	uint32_t wanted = 0, detected = cpu_detect();
	bool lowered = requested_cpu && *requested_cpu && cpu_level_parse(requested_cpu, &wanted) == 0 && (wanted & ~detected);

	return value_put(bump, map, "version", value_string(TRNSCI_VERSION)) ||
	       value_put(bump, map, "pid", value_uint((uint64_t)getpid())) ||
	       value_put(bump, &cpu, "level",
			 value_string(cpu_level_name(requested_cpu && *requested_cpu ? wanted & detected : detected))) ||
	       value_put(bump, &cpu, "detected", value_string(cpu_level_name(detected))) ||
	       value_put(bump, &cpu, "wanted", requested_cpu ? value_string(requested_cpu) : value_nil()) ||
	       value_put(bump, &cpu, "lowered", value_bool(lowered)) || value_put(bump, map, "cpu", cpu);
}

int embedded_show_stats(struct engine *engine, struct engine_session *engine_session, const char *requested_cpu, struct bump *bump,
			struct value *map)
{
	struct value process = value_map(), engine_map = value_map(), session_map = value_map();

	return show_process(bump, requested_cpu, &process) || engine_stats(engine, bump, &engine_map) ||
	       engine_session_stats(engine_session, bump, &session_map) || value_put(bump, map, "process", process) ||
	       value_put(bump, map, "engine", engine_map) || value_put(bump, map, "session", session_map);
}
