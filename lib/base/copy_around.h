/* SPDX-License-Identifier: Apache-2.0 */
/* A copy whose result is stored around the caches: it does not read what it replaces, and drives nothing out. For
 * arrays that the caches do not hold; where they do, whoever reads the result next waits for memory. */
#ifndef TRNSCI_BASE_COPY_AROUND_H
#define TRNSCI_BASE_COPY_AROUND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

static inline void copy_around(void *to, const void *from, size_t bytes)
{
	const size_t before = (size_t)(-(uintptr_t)to % 64), first = before < bytes ? before : bytes;
	const size_t lines = (bytes - first) / 64, last = (bytes - first) % 64;
	const __m128i *in = (const __m128i *)(const void *)((const char *)from + first);
	__m128i *out = (__m128i *)(void *)((char *)to + first);

	memcpy(to, from, first);
	for (size_t i = 0; i < 4 * lines; i += 4) {
		const __m128i a = _mm_loadu_si128(in + i), b = _mm_loadu_si128(in + i + 1),
			      c = _mm_loadu_si128(in + i + 2), d = _mm_loadu_si128(in + i + 3);

		_mm_stream_si128(out + i, a);
		_mm_stream_si128(out + i + 1, b);
		_mm_stream_si128(out + i + 2, c);
		_mm_stream_si128(out + i + 3, d);
	}
	_mm_sfence();
	memcpy(out + 4 * lines, in + 4 * lines, last);
}
#else
static inline void copy_around(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}
#endif

#endif
