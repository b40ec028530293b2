/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in words: its transforms, and its steps in their order. */
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "fftw/plan.h"
#include "fftw/plan_core.h"

static const char *const transforms[] = {"complex", "real to complex", "complex to real", "real to real"};
static const char *const places[MEMORIES] = {"input", "output", "buffer", "buffer"};

static void describe_transforms(const struct plan *plan, FILE *text)
{
	fputs(transforms[plan->problem.transform], text);
	for (unsigned i = 0; i < plan->n_tables; i++) {
		const struct fft_plan *table = plan->tables[plan->n_tables - 1 - i];
		char length[32];

		snprintf(length, sizeof length, "%s%zu", i ? " x " : " ", size_max(fft_in_length(table, false), fft_in_length(table, true)));
		fputs(length, text);
	}
	fputs(plan->problem.precision == FFT_F32 ? ", single" : ", double", text);
}

static void describe_steps(const struct plan *plan, FILE *text)
{
	if (plan->direct)
		fputs(plan->direct_is_chunk ? ": one kernel call" : ": rows, kernel by kernel", text);
	for (unsigned i = 0; i < plan->n_steps && !plan->direct; i++) {
		const struct step *step = &plan->steps[i];

		fputs(i ? "; " : ": ", text);
		fputs(step->copies ? "copy " : "transform ", text);
		fputs(places[step->from], text);
		fputs(" to ", text);
		fputs(places[step->to], text);
	}
}

char *plan_describe(const struct plan *plan)
{
	char *ret = NULL;
	size_t bytes;
	FILE *text = open_memstream(&ret, &bytes);

	if (!text)
		return NULL;
	fputs("(trnscid ", text);
	describe_transforms(plan, text);
	describe_steps(plan, text);
	fputs(")", text);
	if (fclose(text) == 0)
		return ret;
	free(ret);
	return NULL;
}
