/* SPDX-License-Identifier: Apache-2.0 */
/* Values of replies, as Python's. */
#ifndef TRNSCI_PYTHON_VALUE_H
#define TRNSCI_PYTHON_VALUE_H

#include "extension.h"

/* Returns a value of a reply as numbers, texts, bytes, lists, dicts and arrays, all of them copies; NULL with an
 * exception. */
PyObject *value_to_python(const struct trnsci_value *value);

#endif
