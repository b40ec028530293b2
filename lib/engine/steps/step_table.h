/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds of steps. */
#ifndef TRNSCI_ENGINE_STEPS_KINDS_H
#define TRNSCI_ENGINE_STEPS_KINDS_H

#include "engine/steps/step.h"

/* Returns the row of a kind. */
const struct step_ops *step_ops(enum step_kind kind);

#endif
