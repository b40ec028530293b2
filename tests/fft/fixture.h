/* SPDX-License-Identifier: Apache-2.0 */
/* What the transform tests share: variants in turn, guarded memory, random signals, the reference. */
#ifndef TRNSCI_TESTS_FFT_FIXTURE_H
#define TRNSCI_TESTS_FFT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <malloc.h>

#include "base/cpu.h"
#include "fft/fft.h"
#include "fft/kernels/kernel.h"
#include "harness/sanitized.h"

enum { GUARD_BYTES = 64, GUARD = 0xA5 };

static const uint64_t fixture_seed = 0x5EED0FF7;

/* Arrays that are allocated again and again keep their pages, whose faults would take as long as the transforms. */
__attribute__((constructor)) static inline void fixture_keep_pages(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA'14). */
static inline uint64_t fixture_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* In [-1, 1), exact in float32. */
static inline double fixture_sample(uint64_t *state)
{
	return (double)(int64_t)(fixture_next(state) >> 40) * 0x1p-23 - 1;
}

static inline size_t real_bytes(enum fft_precision precision)
{
	return precision == FFT_F32 ? 4 : 8;
}

static inline double real_get(enum fft_precision precision, const void *at, size_t i)
{
	float single;
	double both;

	if (precision == FFT_F32) {
		memcpy(&single, (const char *)at + 4 * i, 4);
		return single;
	}
	memcpy(&both, (const char *)at + 8 * i, 8);
	return both;
}

static inline void real_put(enum fft_precision precision, void *at, size_t i, double value)
{
	const float single = (float)value;

	if (precision == FFT_F32)
		memcpy((char *)at + 4 * i, &single, 4);
	else
		memcpy((char *)at + 8 * i, &value, 8);
}

static inline void real_fill(enum fft_precision precision, void *at, size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		real_put(precision, at, i, fixture_sample(state));
}

/* size bytes, aligned to 64, which hold 0x11, and guard bytes behind them. Under a sanitizer neither is written: the address
 * sanitizer itself guards what lies behind, from reads too. */
static inline void *guarded_new(size_t size)
{
	void *at = NULL;

	assert_int_equal(posix_memalign(&at, 64, size + (SANITIZED ? 0 : GUARD_BYTES)), 0);
	if (!SANITIZED) {
		memset(at, 0x11, size);
		memset((char *)at + size, GUARD, GUARD_BYTES);
	}
	return at;
}

static inline void guarded_free(void *at, size_t size, const char *what)
{
	for (size_t i = 0; i < GUARD_BYTES && !SANITIZED; i++)
		if (((unsigned char *)at)[size + i] != GUARD)
			fail_msg("%s: byte %zu behind its end was written", what, i);
	free(at);
}

static inline void plan_finish(struct fft_plan *plan)
{
	int rc;

	while ((rc = fft_plan_step(plan)) > 0)
		;
	assert_int_equal(rc, 0);
}

static inline struct fft_plan *plan_new(uint64_t n, enum fft_precision precision, uint32_t features)
{
	struct fft_plan *plan = NULL;

	assert_int_equal(fft_plan_create(n, precision, features, &plan), 0);
	plan_finish(plan);
	return plan;
}

/* Every phase's units from the last to the first. */
static inline void run_backwards(const struct fft_plan *plan, const struct fft_call *call, void *scratch)
{
	for (size_t phase = 0; phase < fft_phases(plan); phase++)
		for (size_t chunk = fft_chunks(plan, phase, call->batch); chunk-- > 0;)
			fft_run_chunk(plan, call, phase, chunk, scratch);
}

/* Runs a call with guarded scratch and work. */
static inline void run_guarded_ordered(const struct fft_plan *plan, struct fft_call *call, bool backwards)
{
	const size_t scratch_size = fft_scratch_bytes_of(plan, call->batch);
	const size_t work_size = fft_work_bytes_reusing(plan, call->batch, call->reuse);
	void *scratch = guarded_new(scratch_size);

	call->work = guarded_new(work_size);
	(backwards ? run_backwards : fft_run)(plan, call, scratch);
	guarded_free(scratch, scratch_size, "scratch");
	guarded_free(call->work, work_size, "work");
	call->work = NULL;
}

static inline void run_guarded(const struct fft_plan *plan, struct fft_call *call)
{
	run_guarded_ordered(plan, call, false);
}

/* check(features) for every variant that this CPU has; the others are named. */
static inline void each_variant(void (*check)(const char *name, uint32_t features, enum fft_precision precision))
{
	size_t count;
	const struct fft_kernel *const *kernels = fft_kernels(&count);

	for (size_t i = 0; i < count; i++) {
		if (kernels[i]->needs & ~cpu_detect()) {
			printf("# not on this CPU: %s\n", kernels[i]->name);
			continue;
		}
		check(kernels[i]->name, kernels[i]->needs, FFT_F32);
		check(kernels[i]->name, kernels[i]->needs, FFT_F64);
	}
}

static inline bool is_full(void)
{
	const char *full = getenv("TRNSCI_FULL");

	return full && *full && strcmp(full, "0") != 0;
}

#endif
