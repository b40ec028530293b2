/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing: each axis padded with zeros or trimmed at its end, and elements cast on the way; or moved round, each axis
 * of unchanged size by its shift. */
#ifndef TRNSCI_ENGINE_RESIZE_H
#define TRNSCI_ENGINE_RESIZE_H

#include "engine/program.h"

/* Units of a STEP_RESIZE. in and out have the same number of dimensions. */
size_t resize_units(const struct step *step);

/* Runs one; returns the words it wrote. */
uint64_t resize_run(const struct step *step, size_t unit);

#endif
