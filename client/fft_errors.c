/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of every precision mode, as measured here. */
#include <stdlib.h>

#include <trnsci/trnsci.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "fft/error_table.h"

static struct trnsci_fft_error shown(const struct error_row *row)
{
	struct trnsci_fft_error shown = {
		.precision = precision_name(row->precision),
		.kind = reference_kind_name(row->kind),
		.n = row->n,
		.random = row->error[ERROR_RANDOM],
		.impulse = row->error[ERROR_IMPULSE],
		.sinusoid = row->error[ERROR_SINUSOID],
		.badly_scaled = row->error[ERROR_SCALED],
		.bound = row->bound,
		.passed = true,
	};

	for (unsigned k = 0; k < ERROR_SIGNALS; k++)
		shown.passed &= row->error[k] <= row->bound;
	return shown;
}

int trnsci_fft_errors(void (*report)(void *arg, const struct trnsci_fft_error *row), void *arg)
{
	struct error_row row;
	uint32_t features;
	int failed = 0, rc = cpu_allowed(getenv("TRNSCI_CPU"), &features);

	if (rc < 0)
		return rc;

	for (size_t i = 0; error_row_at(i, &row); i++) {
		const struct fpenv_saved saved = fpenv_enter();
		struct trnsci_fft_error told;

		rc = error_row_measure(&row, features);
		fpenv_leave(saved);
		if (rc < 0)
			return rc;
		told = shown(&row);
		failed += !told.passed;
		if (report)
			report(arg, &told);
	}
	return failed;
}
