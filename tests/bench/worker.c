/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of every worker: reads the case, times runs, answers. */
#include "bench/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>

enum {
	MAX_WORDS = 64,
	WORD_BYTES = 256,
	HUGE_PAGE = 2 << 20,
	LONG_PART = 2, /* a run is long if it takes more than this part of a slice: half of it */
	WARM_UP = 3,   /* slices that long runs are repeated untimed */
};

static char **words;
static char expanded[MAX_WORDS][WORD_BYTES];
static size_t n_words;

/* Writes the words anew, with the size in the place of each @. */
static void expand_words(const char *size)
{
	for (size_t i = 0; i < n_words; i++) {
		size_t used = 0;

		for (const char *at = words[i]; *at && used + 24 < WORD_BYTES; at++)
			used += (size_t)snprintf(expanded[i] + used, WORD_BYTES - used, *at == '@' ? "%s" : "%.1s",
						 *at == '@' ? size : at);
	}
}

const char *case_text(const char *name, const char *fallback)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < n_words; i++)
		if (strncmp(expanded[i], name, length) == 0 && expanded[i][length] == '=')
			return expanded[i] + length + 1;
	return fallback;
}

double case_number(const char *name, double fallback)
{
	const char *text = case_text(name, NULL);

	return text ? strtod(text, NULL) : fallback;
}

bool case_is(const char *name, const char *value)
{
	return strcmp(case_text(name, ""), value) == 0;
}

bool case_word(const char *prefix, size_t index, char ret_name[32], const char **ret_value)
{
	const size_t length = strlen(prefix);

	for (size_t i = 0; i < n_words; i++) {
		const char *equals = strchr(expanded[i], '=');

		if (strncmp(expanded[i], prefix, length) != 0 || !equals || index-- > 0)
			continue;
		snprintf(ret_name, 32, "%.*s", (int)(equals - expanded[i] - (long)length), expanded[i] + length);
		*ret_value = equals + 1;
		return true;
	}
	return false;
}

bool case_has_array(const char *name, struct case_array *ret_array)
{
	const char *text = case_text(name, NULL), *colon = text ? strchr(text, ':') : NULL;

	if (!colon)
		return false;
	*ret_array = (struct case_array){.count = 1};
	snprintf(ret_array->dtype, sizeof ret_array->dtype, "%.*s", (int)(colon - text), text);
	for (const char *at = colon; at && ret_array->ndim < 8; at = strchr(at + 1, 'x')) {
		ret_array->shape[ret_array->ndim] = strtoull(at + 1, NULL, 10);
		ret_array->count *= ret_array->shape[ret_array->ndim++];
	}
	return true;
}

size_t numbers_of(const char *text, double ret_numbers[16])
{
	size_t n = 0;

	for (const char *at = text - 1; at && n < 16; at = strchr(at + 1, ','))
		ret_numbers[n++] = strtod(at + 1, NULL);
	return n;
}

void *work_memory(size_t bytes)
{
	const bool huge = case_is("huge", "1") && bytes >= HUGE_PAGE;
	const size_t unit = huge ? HUGE_PAGE : 4096, size = (bytes + unit) / unit * unit;
	void *at = aligned_alloc(unit, size);

	if (!at)
		work_fail("memory");
	if (huge)
		madvise(at, size, MADV_HUGEPAGE);
	memset(at, 0, size);
	return at;
}

void work_noise(void *at, bool wide, size_t n)
{
	uint64_t x = 1;

	for (size_t i = 0; i < n && !case_is("place", "in"); i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		if (wide)
			((double *)at)[i] = (double)(x >> 11) * 0x1p-53 - 0.5;
		else
			((float *)at)[i] = (float)(x >> 40) * 0x1p-24f - 0.5f;
	}
}

double work_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

void work_decline(const char *why)
{
	printf("none %s\n", why);
	fflush(stdout);
	exit(0);
}

void work_fail(const char *what)
{
	fprintf(stderr, "bench worker: %s\n", what);
	for (size_t i = 0; i < n_words; i++)
		fprintf(stderr, "  %s\n", words[i]);
	exit(1);
}

/* Runs without the clock. The worker before has left data in the caches that is written back while the next runs are made. A
 * slice has only a few long runs, so without this the write-back would count as theirs. */
static void warm_up(double nanoseconds)
{
	const double begin = work_now();
	double took;

	do {
		work_run();
		took = work_now() - begin;
	} while (took > nanoseconds / LONG_PART && took < WARM_UP * nanoseconds);
}

/* The clock is read rarely: its 25 ns are more than some runs take. */
static double time_runs(double nanoseconds)
{
	double begin, took = 0;
	size_t runs = 0, step = 1;

	warm_up(nanoseconds);
	begin = work_now();
	while (took < nanoseconds) {
		for (size_t i = 0; i < step; i++)
			work_run();
		runs += step;
		took = work_now() - begin;
		step *= took < nanoseconds / 16 ? 2 : 1;
	}
	return took / (double)runs;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_spread(size_t runs)
{
	double *took = calloc(runs + 1, sizeof *took);
	const double pause = case_number("pause_us", 0);

	if (!took || runs == 0)
		work_fail("a spread of no runs");
	for (size_t i = 0; i < runs; i++) {
		const struct timespec rest = {0, (long)(1e3 * pause)};

		if (pause > 0)
			nanosleep(&rest, NULL);
		took[i] = work_now();
		work_run();
		took[i] = work_now() - took[i];
	}
	qsort(took, runs, sizeof *took, by_size);
	printf("%.3f %.3f\n", took[runs / 2], took[runs * 99 / 100]);
	free(took);
}

static void answer(const char *line)
{
	static bool is_open;

	if (strncmp(line, "size ", 5) == 0) {
		if (is_open)
			work_close();
		expand_words(line + 5);
		work_open();
		is_open = true;
		work_run();
		puts("ready");
	} else if (strncmp(line, "time ", 5) == 0) {
		printf("%.3f\n", time_runs(1e9 * strtod(line + 5, NULL)));
	} else if (strncmp(line, "spread ", 7) == 0) {
		print_spread(strtoul(line + 7, NULL, 10));
	} else {
		work_fail("an unknown line");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[64] = "size 1";

	if (argc > MAX_WORDS)
		work_fail("too many words");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	words = argv + 1;
	n_words = (size_t)argc - 1;
	do {
		line[strcspn(line, "\n")] = '\0';
		answer(line);
	} while (fgets(line, sizeof line, stdin));
	work_close();
	return 0;
}
