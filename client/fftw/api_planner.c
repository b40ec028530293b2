/* SPDX-License-Identifier: Apache-2.0 */
/* FFTW's functions for the planner: threads, wisdom, versions. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fftw/name.h"
#include "fftw/plan_cache.h"
#include "fftw/team.h"

/* As many bytes as Debian's have: programs that are linked to fixed addresses have room for so many. */
enum { VERSION_BYTES = 21, COMPILER_BYTES = 96 };
EXPORT const char X(version)[VERSION_BYTES] = "fftw-3.3.10-trnscid";
EXPORT const char X(cc)[COMPILER_BYTES] = "trnsciD";
EXPORT const char X(codelet_optim)[1] = "";

/* ---- threads ---- */

static atomic_int threads = 1;

unsigned X(threads_of_plans)(void)
{
	const int count = atomic_load_explicit(&threads, memory_order_relaxed);

	return count < 1 ? 1 : count > TEAM_MAX ? TEAM_MAX : (unsigned)count;
}

EXPORT int X(init_threads)(void)
{
	return 1;
}

EXPORT void X(plan_with_nthreads)(int nthreads)
{
	atomic_store_explicit(&threads, nthreads < 1 ? 1 : nthreads, memory_order_relaxed);
}

EXPORT int X(planner_nthreads)(void)
{
	return atomic_load_explicit(&threads, memory_order_relaxed);
}

/* Plans can be made by any threads at once, always. */
EXPORT void X(make_planner_thread_safe)(void)
{
}

EXPORT void X(threads_set_callback)(fftw_parallel_loop loop, void *data)
{
	team_set_loop(loop, data);
}

EXPORT void X(cleanup)(void)
{
	plan_cache_clear();
}

EXPORT void X(cleanup_threads)(void)
{
	X(cleanup)();
	team_end();
	atomic_store_explicit(&threads, 1, memory_order_relaxed);
}

/* Planning takes no longer than building tables does. */
EXPORT void X(set_timelimit)(double seconds)
{
	(void)seconds;
}

/* ---- wisdom ---- */

/* What a program exports says that nothing was learned; what it imports is accepted where it is wisdom, FFTW's or ours. */
static const char wisdom[] = "(fftw-3.3.10 trnscid_has_nothing_to_learn)\n";
static const char wisdom_begin[] = "(fftw-";

EXPORT void X(forget_wisdom)(void)
{
}

EXPORT void X(export_wisdom)(X(write_char_func) write_char, void *data)
{
	for (const char *at = wisdom; *at; at++)
		write_char(*at, data);
}

EXPORT void X(export_wisdom_to_file)(FILE *output_file)
{
	fputs(wisdom, output_file);
}

EXPORT int X(export_wisdom_to_filename)(const char *filename)
{
	FILE *file = fopen(filename, "w");

	if (!file)
		return 0;
	X(export_wisdom_to_file)(file);
	return fclose(file) == 0;
}

EXPORT char *X(export_wisdom_to_string)(void)
{
	return strdup(wisdom);
}

/* Reads a text up to the parenthesis that closes its first one. */
EXPORT int X(import_wisdom)(X(read_char_func) read_char, void *data)
{
	const char *expected = wisdom_begin;
	int depth = 0, c;

	while ((c = read_char(data)) != EOF) {
		if (depth == 0 && strchr(" \t\r\n", c))
			continue;
		if (*expected && c != *expected++)
			return 0;
		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (depth == 0)
			return 1;
	}
	return 0;
}

static int read_file(void *data)
{
	return fgetc(data);
}

static int read_string(void *data)
{
	const char **at = data;

	return **at ? (unsigned char)*(*at)++ : EOF;
}

EXPORT int X(import_wisdom_from_file)(FILE *input_file)
{
	return X(import_wisdom)(read_file, input_file);
}

EXPORT int X(import_wisdom_from_filename)(const char *filename)
{
	FILE *file = fopen(filename, "r");
	int accepted;

	if (!file)
		return 0;
	accepted = X(import_wisdom_from_file)(file);
	fclose(file);
	return accepted;
}

EXPORT int X(import_wisdom_from_string)(const char *input_string)
{
	return X(import_wisdom)(read_string, &input_string);
}

EXPORT int X(import_system_wisdom)(void)
{
#ifdef FFTW_SINGLE
	return X(import_wisdom_from_filename)("/etc/fftw/wisdomf");
#else
	return X(import_wisdom_from_filename)("/etc/fftw/wisdom");
#endif
}
