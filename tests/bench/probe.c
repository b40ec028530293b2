/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine gives at the moment, as workers that the rows are measured beside.
 *
 *   what=clock          100,000 dependent additions, a cycle each
 *   what=mix512, mix256 72,000 vector additions, rotations and exclusive ors, as many at once as the CPU can; with 256
 *                       bits a rotation is three operations
 *   what=fma, dot       24,000 fused multiply-adds of 512 bits, or VDPBF16PS, in enough chains for two in a cycle
 *   what=fma256         24,000 fused multiply-adds of 256 bits
 *   what=store bytes=   memset of so much memory
 *   what=copy bytes=    one pass of a copy around the caches, reads and writes */
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench/worker.h"

enum { MIX_OPERATIONS = 72000, VECTOR_OPERATIONS = 24000, CLOCK_ADDITIONS = 100000 };

static char *from, *to;
static size_t bytes;
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

/* The operations of Threefry's rounds, in chains that do not depend on each other. */
#if defined(__x86_64__)
#define TWELVE(X)      X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define TWENTY_FOUR(X) TWELVE(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define DECLARE(i)     __m512i a##i = _mm512_set1_epi32(i);
#define DECLARE2(i)    __m256i a##i = _mm256_set1_epi32(i);
#define MIX512(i)                                                                                                      \
	__asm__ volatile("vpaddd %1, %0, %0\n\tvprold $13, %0, %0\n\tvpxord %1, %0, %0" : "+v"(a##i) : "v"(x));
#define MIX256(i)                                                                                                      \
	__asm__ volatile("vpaddd %2, %0, %0\n\tvpslld $13, %0, %1\n\tvpsrld $19, %0, %0\n\tvpor %1, %0, %0\n\t"        \
			 "vpxor %2, %0, %0"                                                                            \
			 : "+x"(a##i), "=&x"(b)                                                                        \
			 : "x"(x));

__attribute__((target("avx512f"))) static void run_mix512(void)
{
	const __m512i x = _mm512_set1_epi32(0x9E3779B9);

	TWENTY_FOUR(DECLARE)
	for (int i = 0; i < MIX_OPERATIONS / 72; i++) {
		TWENTY_FOUR(MIX512)
	}
}

__attribute__((target("avx2"))) static void run_mix256(void)
{
	const __m256i x = _mm256_set1_epi32(0x9E3779B9);
	__m256i b;

	TWELVE(DECLARE2)
	for (int i = 0; i < MIX_OPERATIONS / 60; i++) {
		TWELVE(MIX256)
	}
}

#define FMA(i)         __asm__ volatile("vfmadd231ps %1, %1, %0" : "+v"(a##i) : "v"(x));
#define FMA256(i)      __asm__ volatile("vfmadd231ps %1, %1, %0" : "+x"(a##i) : "x"(x));
#define DOT(i)         __asm__ volatile("vdpbf16ps %1, %1, %0" : "+v"(a##i) : "v"(x));

__attribute__((target("avx512f"))) static void run_fma(void)
{
	const __m512i x = _mm512_setzero_si512();

	TWENTY_FOUR(DECLARE)
	for (int i = 0; i < VECTOR_OPERATIONS / 24; i++) {
		TWENTY_FOUR(FMA)
	}
}

__attribute__((target("avx512f"))) static void run_dot(void)
{
	const __m512i x = _mm512_setzero_si512();

	TWENTY_FOUR(DECLARE)
	for (int i = 0; i < VECTOR_OPERATIONS / 24; i++) {
		TWENTY_FOUR(DOT)
	}
}

__attribute__((target("avx2,fma"))) static void run_fma256(void)
{
	const __m256i x = _mm256_setzero_si256();

	TWELVE(DECLARE2)
	for (int i = 0; i < VECTOR_OPERATIONS / 12; i++) {
		TWELVE(FMA256)
	}
}

static void open_peak(void)
{
	const bool is_dot = case_is("what", "dot");

	if (case_is("what", "fma256"))
		run = __builtin_cpu_supports("fma") ? run_fma256 : NULL;
	else
		run = !__builtin_cpu_supports("avx512f") || (is_dot && !__builtin_cpu_supports("avx512bf16")) ? NULL
			: is_dot ? run_dot : run_fma;
	if (!run)
		work_decline("no such operation");
}

static void open_mix(void)
{
	if (!(case_is("what", "mix512") ? __builtin_cpu_supports("avx512f") : __builtin_cpu_supports("avx2")))
		work_decline("no such vectors");
	run = case_is("what", "mix512") ? run_mix512 : run_mix256;
}
#else
static void open_mix(void)
{
	work_decline("no such vectors");
}

static void open_peak(void)
{
	work_decline("no such operation");
}
#endif

static void run_store(void)
{
	memset(to, 1, bytes);
	__asm__ volatile("" : : "r"(to) : "memory");
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
	bytes = (size_t)case_number("bytes", 0);
	run = run_clock;
	if (strncmp(case_text("what", ""), "mix", 3) == 0)
		open_mix();
	else if (strncmp(case_text("what", ""), "fma", 3) == 0 || case_is("what", "dot"))
		open_peak();
	if (bytes == 0)
		return;
	run = case_is("what", "copy") ? run_copy : run_store;
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
