/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions/rows/dist_fault.h"

#include <stdarg.h>
#include <stdio.h>

int dist_refuse(struct dist_fault *fault, unsigned parameter, const char *format, ...)
{
	va_list list;

	fault->code = ERROR_OUT_OF_RANGE;
	fault->parameter = parameter;
	va_start(list, format);
	vsnprintf(fault->text, sizeof fault->text, format, list);
	va_end(list);
	return -ERROR_OUT_OF_RANGE;
}
