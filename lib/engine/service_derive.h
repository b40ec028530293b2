/* SPDX-License-Identifier: Apache-2.0 */
/* The method derive: streams from a stream, by a label, a number, or a split. */
#ifndef TRNSCI_ENGINE_SERVICE_DERIVE_H
#define TRNSCI_ENGINE_SERVICE_DERIVE_H

#include "engine/operations/bind.h"

/* Answers a bound request; -ERROR_NO_MEMORY without a text. */
int derive_answer(const struct args *args, struct bump *bump, struct value *map, struct error *err);

#endif
