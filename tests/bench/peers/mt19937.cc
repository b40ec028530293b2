/* SPDX-License-Identifier: Apache-2.0 */
/* std::mt19937 with std::uniform_real_distribution<float> and std::normal_distribution<float>: out=f32:N. */
#include <cstdlib>
#include <random>

#include "bench/worker.h"

static std::mt19937 engine;
static std::uniform_real_distribution<float> uniform;
static std::normal_distribution<float> normal;
static float *out;
static size_t n;
static bool is_normal;

void work_open(void)
{
	case_array array;

	if (!case_has_array("out", &array))
		work_fail("no output");
	n = array.count;
	is_normal = case_is("method", "normal");
	out = static_cast<float *>(work_memory(n * sizeof(float)));
}

void work_run(void)
{
	if (is_normal)
		for (size_t i = 0; i < n; i++)
			out[i] = normal(engine);
	else
		for (size_t i = 0; i < n; i++)
			out[i] = uniform(engine);
	__asm__ volatile("" : : "r"(out) : "memory"); /* so that the samples are made */
}

void work_close(void)
{
	free(out);
}
