/* SPDX-License-Identifier: Apache-2.0 */
/* trace: its reply is the result. */
#include <inttypes.h>
#include <stdio.h>

#include "figures.h"
#include "rules.h"
#include "report.h"

int trace_read_row(const struct options *options, uint64_t *ret)
{
	return options_u64(options, "length", ret);
}

/* Prints "estimate error" with all digits of the estimate, so that it can be read again without loss. */
void trace_print(const struct cli *cli, const struct trnsci_value *reply)
{
	double error;

	if (cli->json) {
		report_print(report_of_value(reply));
		return;
	}
	printf("%.17g", figure_f64(reply, "estimate"));
	if (trnsci_value_to_f64(trnsci_value_get(reply, "standard_error"), &error) == 0)
		printf(" %.3g\n", error);
	else
		printf(" unknown\n");
	if (cli->verbose)
		fprintf(stderr, "trace: %" PRIu64 " products with the matrix\n", figure_u64(reply, "products"));
}
