/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs and memory that this process may use. */
#include "engine/scheduler/cpus.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/scheduler/lane.h"

#define CACHE_BYTES ((size_t)1 << 20)

static unsigned affinity(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

/* The group's path below the v2 root: the line "0::/path" of /proc/self/cgroup. */
static bool own_group(char *ret_path, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[1024];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof line, file)) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		found = snprintf(ret_path, size, "%s", line + 3) < (int)size;
	}
	fclose(file);
	return found;
}

/* CPUs that a group's cpu.max allows, rounded up; 0: no bound. */
static unsigned quota(const char *group)
{
	char path[1200];
	unsigned long long limit, period;
	unsigned cpus = 0;
	FILE *file;

	snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &limit, &period) == 2 && period > 0)
		cpus = limit < period ? 1 : (unsigned)((limit + period - 1) / period);
	fclose(file);
	return cpus;
}

unsigned cpus_usable(void)
{
	unsigned cpus = affinity();
	char group[1024];

	for (bool more = own_group(group, sizeof group); more;) {
		const unsigned allowed = quota(strcmp(group, "/") == 0 ? "" : group);
		char *slash = strrchr(group, '/');

		if (allowed && allowed < cpus)
			cpus = allowed;
		more = slash && slash[1] != '\0';
		if (more)
			slash[slash == group] = '\0';
	}
	if (cpus < 1)
		cpus = 1;
	return cpus < ENGINE_LANES ? cpus : ENGINE_LANES;
}

bool cpus_list(unsigned count, cpu_set_t *ret_cpus)
{
	return sched_getaffinity(0, sizeof *ret_cpus, ret_cpus) == 0 && (unsigned)CPU_COUNT(ret_cpus) == count;
}

void cpus_pin(pthread_t thread, const cpu_set_t *cpus, unsigned index)
{
	cpu_set_t one;
	unsigned seen = 0;

	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && seen++ == index)
			CPU_SET(cpu, &one);
	pthread_setaffinity_np(thread, sizeof one, &one);
}

void cpus_unpin(pthread_t thread, const cpu_set_t *cpus)
{
	pthread_setaffinity_np(thread, sizeof *cpus, cpus);
}

size_t cpus_cache_bytes(void)
{
	const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

	return bytes > 0 ? (size_t)bytes : CACHE_BYTES;
}

bool cpus_have_victim_l3(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	return __builtin_cpu_is("amd");
#else
	return false;
#endif
}

/* Reads a file of one number. Returns UINT64_MAX if there is none ("max"). */
static uint64_t read_number_file(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t number = UINT64_MAX;

	if (file) {
		if (fscanf(file, "%" SCNu64, &number) != 1)
			number = UINT64_MAX;
		fclose(file);
	}
	return number;
}

/* A hierarchy of control groups that may limit memory. */
struct memory_hierarchy {
	const char *root, *limit;
};

/* Returns the smallest limit from a group up to the root; cuts the path. */
static uint64_t smallest_limit(const struct memory_hierarchy *hierarchy, char *group)
{
	uint64_t smallest = UINT64_MAX;
	char path[1200];

	for (char *slash; (slash = strrchr(group, '/')); *slash = '\0') {
		snprintf(path, sizeof path, "%s%s/%s", hierarchy->root, group, hierarchy->limit);
		uint64_t here = read_number_file(path);
		smallest = here < smallest ? here : smallest;
	}
	return smallest;
}

/* Returns whether `name` is one of the controllers, "cpu,memory". */
static bool has_controller(const char *controllers, const char *name)
{
	const char *at = strstr(controllers, name);
	const char end = at ? at[strlen(name)] : 'x';

	return at && (at == controllers || at[-1] == ',') && (end == ',' || end == '\0');
}

/* A line of /proc/self/cgroup is "0::/group" in version 2, and
 * "5:memory:/group" in version 1. */
uint64_t cpus_memory_limit(void)
{
	static const struct memory_hierarchy unified = {"/sys/fs/cgroup", "memory.max"},
					     legacy = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"};
	char line[1024];
	uint64_t smallest = UINT64_MAX;
	FILE *file = fopen("/proc/self/cgroup", "re");

	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		if (!controllers[1] || has_controller(controllers + 1, "memory")) {
			const uint64_t here = smallest_limit(controllers[1] ? &legacy : &unified, group);

			smallest = here < smallest ? here : smallest;
		}
	}
	fclose(file);
	return smallest;
}
