/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine gives at the moment, as workers that the rows are measured beside.
 *
 *   what=clock          100,000 dependent additions, a cycle each
 *   what=cpus threads=  an integer loop on so many threads at once
 *   what=copy bytes=    one pass of a copy around the caches, reads and writes */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "bench/worker.h"

enum { CLOCK_ADDITIONS = 100000, PROBE_ADDITIONS = 4000000, MAX_THREADS = 128 };

static char *from, *to;
static size_t bytes;
static unsigned threads;
static void (*run)(void);

static void additions(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++) {
		x += i;
		__asm__ volatile("" : "+r"(x)); /* so that the sum is not foreseen */
	}
}

static void run_clock(void)
{
	additions(CLOCK_ADDITIONS);
}

static void *run_thread(void *unused)
{
	additions(PROBE_ADDITIONS);
	return unused;
}

static void run_cpus(void)
{
	pthread_t ids[MAX_THREADS];
	unsigned started = 0;

	while (started + 1 < threads && started < MAX_THREADS && !pthread_create(&ids[started], NULL, run_thread, NULL))
		started++;
	run_thread(NULL);
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
}

static void run_copy(void)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < bytes; i += 16)
		_mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
	_mm_sfence();
#else
	memcpy(to, from, bytes);
#endif
}

void work_open(void)
{
	threads = (unsigned)case_number("threads", 1);
	bytes = (size_t)case_number("bytes", 0);
	run = case_is("what", "clock") ? run_clock : case_is("what", "copy") ? run_copy : run_cpus;
	if (run != run_copy)
		return;
	from = work_memory(bytes);
	to = work_memory(bytes);
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	free(from);
	free(to);
}
