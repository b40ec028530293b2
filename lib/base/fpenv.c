/* SPDX-License-Identifier: Apache-2.0 */
/* The control register of the vector unit on x86-64 and AArch64; on other CPUs the rounding mode of <fenv.h>. */
#include "base/fpenv.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

/* All exceptions masked, round to nearest, neither FTZ nor DAZ. */
#define MXCSR_DEFAULT 0x1F80u
#define MXCSR_FLAGS 0x3Fu

struct fpenv_saved fpenv_enter(void)
{
	struct fpenv_saved saved = {_mm_getcsr()};

	_mm_setcsr(MXCSR_DEFAULT);
	return saved;
}

bool fpenv_is_entered(void)
{
	return (_mm_getcsr() & ~MXCSR_FLAGS) == MXCSR_DEFAULT;
}

void fpenv_leave(struct fpenv_saved saved)
{
	_mm_setcsr((unsigned)saved.control);
}

#elif defined(__aarch64__)

struct fpenv_saved fpenv_enter(void)
{
	struct fpenv_saved saved;

	__asm__ volatile("mrs %0, fpcr" : "=r"(saved.control));
	__asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0));
	return saved;
}

bool fpenv_is_entered(void)
{
	uint64_t control;

	__asm__ volatile("mrs %0, fpcr" : "=r"(control));
	return control == 0;
}

void fpenv_leave(struct fpenv_saved saved)
{
	__asm__ volatile("msr fpcr, %0" ::"r"(saved.control));
}

#else
#include <fenv.h>

struct fpenv_saved fpenv_enter(void)
{
	struct fpenv_saved saved = {(uint64_t)fegetround()};

	fesetround(FE_TONEAREST);
	return saved;
}

bool fpenv_is_entered(void)
{
	return fegetround() == FE_TONEAREST;
}

void fpenv_leave(struct fpenv_saved saved)
{
	fesetround((int)saved.control);
}
#endif
