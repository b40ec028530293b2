/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as decimal text that reads back as the same value. */
#ifndef TRNSCI_CLI_FILES_TEXT_H
#define TRNSCI_CLI_FILES_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

enum { ELEMENT_CHARS = 64 };

/* Prints the element at `at` (of any alignment) into at least ELEMENT_CHARS bytes, the parts of a complex one with the
 * separator between them. Returns the number of characters, or -1 for a dtype that has no text. */
int text_print(char *to, enum trnsci_dtype dtype, char separator, const void *at);

/* Returns the exact value of a float16 (TRNSCI_F16) or bfloat16 (TRNSCI_BF16). */
double half_value(enum trnsci_dtype dtype, uint16_t bits);

/* Whether an element is two numbers. */
static inline bool is_complex(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_C64 || dtype == TRNSCI_C128;
}

#endif
