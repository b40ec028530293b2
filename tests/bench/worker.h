/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: a process that repeats one piece of work, and measures it when the bench asks.
 *
 * The case is the command line, words NAME=VALUE; where it holds @, the size of the moment stands. The worker writes
 * "ready" (or "none WHY", when it cannot do the case) and then answers the lines of its standard input:
 *
 *   time SECONDS    runs for so long, after untimed runs: nanoseconds a run, on average
 *   spread RUNS     that many runs: nanoseconds of the p50 and of the p99
 *   size N          the size of the moment, from now on: "ready"
 *
 * Ours, our kernels and every peer are such programs, so all rows are measured in the same way, each in a process of its
 * own, and take turns. */
#ifndef TESTS_BENCH_WORKER_H
#define TESTS_BENCH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define WORK_NORETURN [[noreturn]]
#else
#define WORK_NORETURN _Noreturn
#endif

/* What each program brings. work_open prepares the case, work_run is one run of it, and work_close undoes work_open. */
void work_open(void);
void work_run(void);
void work_close(void);

/* The value of a word of the case; the fallback where there is none. Numbers may be negative and have a fraction. */
const char *case_text(const char *name, const char *fallback);
double case_number(const char *name, double fallback);
bool case_is(const char *name, const char *value);
/* Word `index` whose name begins with prefix, as the rest of the name and the value; false past the last. */
bool case_word(const char *prefix, size_t index, char ret_name[32], const char **ret_value);

/* An array: "c64:32x1024". */
struct case_array {
	char dtype[8];
	size_t ndim;
	uint64_t shape[8];
	uint64_t count;
};

/* False when the case has no such array. */
bool case_has_array(const char *name, struct case_array *ret_array);

/* Numbers separated by commas; returns how many, at most 16. */
size_t numbers_of(const char *text, double ret_numbers[16]);

/* Zeroed memory whose pages exist, aligned to a page; with huge=1 in the case, of huge pages where the host has them.
 * free() ends it. */
void *work_memory(size_t bytes);
/* Fills n floats or doubles with noise in -0.5 .. 0.5; with place=in leaves them 0, since they are transformed again and
 * again. */
void work_noise(void *at, bool wide, size_t n);

/* Nanoseconds since some moment. */
double work_now(void);

/* The case cannot be run here: the process ends. */
WORK_NORETURN void work_decline(const char *why);
/* Something failed that should not: the process ends. */
WORK_NORETURN void work_fail(const char *what);

#ifdef __cplusplus
}
#endif

#endif
