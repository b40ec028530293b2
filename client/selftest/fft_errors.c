/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of transforms: measures the error of every precision mode against its bound. */
#include <stdlib.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "selftest/proofs/error_table.h"
#include "suites.h"

static void report_row(struct selftest *test, const struct error_row *row)
{
	bool passed = true;

	for (unsigned k = 0; k < ERROR_SIGNALS; k++)
		passed &= row->error[k] <= row->bound;
	selftest_report(test, (struct trnsci_check){
				      .subject = precision_name(row->precision),
				      .name = reference_kind_name(row->kind),
				      .values = (struct trnsci_param[]){trnsci_param_u64("n", row->n),
									trnsci_param_f64("random", row->error[ERROR_RANDOM]),
									trnsci_param_f64("impulse", row->error[ERROR_IMPULSE]),
									trnsci_param_f64("sinusoid", row->error[ERROR_SINUSOID]),
									trnsci_param_f64("badly_scaled", row->error[ERROR_SCALED]),
									trnsci_param_f64("bound", row->bound), trnsci_param_end()},
				      .passed = passed});
}

int selftest_fft(struct selftest *test)
{
	struct error_row row;
	uint32_t features;
	int r = cpu_allowed(getenv("TRNSCI_CPU"), &features);

	for (size_t i = 0; r >= 0 && error_row_at(i, &row); i++) {
		const struct fpenv_saved saved = fpenv_enter();

		r = error_row_measure(&row, features);
		fpenv_leave(saved);
		if (r >= 0)
			report_row(test, &row);
	}
	return r < 0 ? r : 0;
}
