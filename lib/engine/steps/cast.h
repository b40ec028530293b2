/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRNSCI_ENGINE_STEPS_CAST_H
#define TRNSCI_ENGINE_STEPS_CAST_H

#include <stddef.h>

#include "base/dtype.h"

/* n elements of one dtype to another: real to complex, complex to its real part, and either width. */
void cast_elements(enum dtype from, enum dtype to, size_t n, const void *in, void *out);

#endif
