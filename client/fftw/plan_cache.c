/* SPDX-License-Identifier: Apache-2.0 */
#include "fftw/plan_cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/fpenv.h"
#include "fft/plan/real.h"
#include "fft/plan/series.h"

enum { UNUSED_BYTES = 64 << 20 };

struct entry {
	struct fft_plan *plan;
	int kind;
	size_t n;
	enum fft_precision precision;
	unsigned users;
	struct entry *next;
};

/* The entries, those that were given back last first. */
static struct {
	pthread_mutex_t lock;
	struct entry *first;
	bool has_features;
	uint32_t features;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* TRNSCI_CPU lowers the kernels, as in all programs of this project; what it does not name changes nothing. */
static uint32_t find_features(void)
{
	if (!cache.has_features && cpu_allowed(secure_getenv("TRNSCI_CPU"), &cache.features) < 0)
		cache.features = cpu_detect();
	cache.has_features = true;
	return cache.features;
}

static int create_plan(int kind, size_t n, enum fft_precision precision, struct fft_plan **ret_plan)
{
	static const enum fft_series series[KINDS_OF_REALS] = {[3] = FFT_DCT1, FFT_DCT3, FFT_DCT2, FFT_DCT4,
							       FFT_DST1,       FFT_DST3, FFT_DST2, FFT_DST4};
	const uint32_t features = find_features();

	if (kind == KIND_COMPLEX)
		return fft_plan_create(n, precision, features, ret_plan);
	if (kind == KIND_REAL)
		return fft_plan_create_real(n, precision, features, ret_plan);
	if (kind <= (int)FFT_DHT)
		return fft_plan_create_packed((enum fft_packed)kind, n, precision, features, ret_plan);
	return fft_plan_create_series(series[kind], false, n, precision, features, ret_plan);
}

/* In the arithmetic that all plans have, whatever the program's rounding mode. */
static int build_plan(int kind, size_t n, enum fft_precision precision, struct fft_plan **ret_plan)
{
	const struct fpenv_saved saved = fpenv_enter();
	int rc = create_plan(kind, n, precision, ret_plan);

	while (rc == 0 && (rc = fft_plan_step(*ret_plan)) > 0)
		rc = 0;
	fpenv_leave(saved);
	return rc;
}

static struct entry *make_entry(int kind, size_t n, enum fft_precision precision)
{
	struct entry *entry = malloc(sizeof *entry);

	if (!entry)
		return NULL;
	*entry = (struct entry){.kind = kind, .n = n, .precision = precision};
	if (build_plan(kind, n, precision, &entry->plan) == 0)
		return entry;
	fft_plan_free(entry->plan);
	free(entry);
	return NULL;
}

static void remove_entry(struct entry **at)
{
	struct entry *entry = *at;

	*at = entry->next;
	fft_plan_free(entry->plan);
	free(entry);
}

static struct entry **find_entry(int kind, size_t n, enum fft_precision precision)
{
	struct entry **at = &cache.first;

	while (*at && ((*at)->n != n || (*at)->kind != kind || (*at)->precision != precision))
		at = &(*at)->next;
	return at;
}

const struct fft_plan *plan_cache_take(int kind, size_t n, enum fft_precision precision)
{
	const struct fft_plan *plan = NULL;
	struct entry *entry;

	pthread_mutex_lock(&cache.lock);
	entry = *find_entry(kind, n, precision);
	if (!entry && (entry = make_entry(kind, n, precision))) {
		entry->next = cache.first;
		cache.first = entry;
	}
	if (entry) {
		entry->users++;
		plan = entry->plan;
	}
	pthread_mutex_unlock(&cache.lock);
	return plan;
}

/* Frees the entries without users behind the first `bytes` of these. */
static void trim(size_t bytes)
{
	for (struct entry **at = &cache.first; *at;) {
		const size_t size = fft_plan_bytes((*at)->plan);

		if ((*at)->users == 0 && size > bytes) {
			remove_entry(at);
			continue;
		}
		if ((*at)->users == 0)
			bytes -= size;
		at = &(*at)->next;
	}
}

void plan_cache_give(const struct fft_plan *plan)
{
	struct entry **at = &cache.first, *entry;

	if (!plan)
		return;
	pthread_mutex_lock(&cache.lock);
	while ((*at)->plan != plan)
		at = &(*at)->next;
	entry = *at;
	*at = entry->next;
	entry->next = cache.first;
	cache.first = entry;
	entry->users--;
	trim(UNUSED_BYTES);
	pthread_mutex_unlock(&cache.lock);
}

void plan_cache_clear(void)
{
	pthread_mutex_lock(&cache.lock);
	trim(0);
	pthread_mutex_unlock(&cache.lock);
}

void plan_cache_lock(void)
{
	pthread_mutex_lock(&cache.lock);
}

void plan_cache_unlock(void)
{
	pthread_mutex_unlock(&cache.lock);
}
