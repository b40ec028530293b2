/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks and medians of the benchmarks, and what the machine's two CPUs give at a moment. */
#ifndef TRNSCI_TESTS_BENCH_TIMING_H
#define TRNSCI_TESTS_BENCH_TIMING_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this thread alone, so that what else the machine does counts less. */
static inline double now(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static inline int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double median_of(double *values, size_t n)
{
	qsort(values, n, sizeof *values, by_size);
	return values[n / 2];
}

/* A chain of n dependent additions takes n cycles. */
static inline void additions(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++) {
		x += i;
		__asm__ volatile("" : "+r"(x)); /* so that the sum is not foreseen */
	}
}

static inline double clock_ghz(void)
{
	double best = 0;

	for (int round = 0; round < 9; round++) {
		const double begin = now();

		additions(20000000);
		best = 20e-3 / (now() - begin) > best ? 20e-3 / (now() - begin) : best;
	}
	return best;
}

enum { PROBE_ADDITIONS = 10000000, PROBE_THREADS = 128 };

static inline void *probe_thread(void *unused)
{
	(void)unused;
	additions(PROBE_ADDITIONS);
	return NULL;
}

static inline double probe_seconds(unsigned threads)
{
	pthread_t ids[PROBE_THREADS];
	unsigned started = 0;
	const double begin = seconds_of(CLOCK_MONOTONIC);

	while (started < threads && pthread_create(&ids[started], NULL, probe_thread, NULL) == 0)
		started++;
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	return seconds_of(CLOCK_MONOTONIC) - begin;
}

/* How many times as much as one thread that many (at most PROBE_THREADS) do now, in integer loops. */
static inline double cpus_now(unsigned threads)
{
	const double one = probe_seconds(1);

	return threads * one / probe_seconds(threads);
}

#endif
