/* SPDX-License-Identifier: Apache-2.0 */
/* Stores around the caches: they do not read what they replace, and drive nothing out. For arrays that the caches do not hold; where
 * they do, whoever reads the result next waits for memory. Where the CPU has no such stores, these are normal ones. */
#ifndef TRNSCI_BASE_STORE_AROUND_H
#define TRNSCI_BASE_STORE_AROUND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/* Copies around the caches: all but the bytes at the two ends that are no whole word of 8 bytes. Stores of 8 and 16 bytes in sequence
 * combine to whole lines, wherever a copy begins. Call store_around_end before another thread reads the result. */
static inline void store_around_copy(void *ret_to, const void *from, size_t bytes)
{
	char *to = ret_to;
	const char *in = from, *const end = in + bytes;
	const size_t before = (size_t)(-(uintptr_t)to % 8), first = before < bytes ? before : bytes;
	long long word;

	memcpy(to, in, first);
	to += first;
	in += first;
	if ((uintptr_t)to % 16 && end - in >= 8) {
		memcpy(&word, in, sizeof word);
		_mm_stream_si64((long long *)(void *)to, word);
		to += 8;
		in += 8;
	}
	for (; end - in >= 16; to += 16, in += 16)
		_mm_stream_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)in));
	if (end - in >= 8) {
		memcpy(&word, in, sizeof word);
		_mm_stream_si64((long long *)(void *)to, word);
		to += 8;
		in += 8;
	}
	memcpy(to, in, (size_t)(end - in));
}

/* Ends the stores of this thread: other threads that learn of it afterwards see them. */
static inline void store_around_end(void)
{
	_mm_sfence();
}
#else
static inline void store_around_copy(void *ret_to, const void *from, size_t bytes)
{
	memcpy(ret_to, from, bytes);
}

static inline void store_around_end(void)
{
}
#endif

#endif
