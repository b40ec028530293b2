/* SPDX-License-Identifier: Apache-2.0 */
/* Errors between the library's own form and that of the installed header; both hold a code and a text of one size. The bytes that
 * a tile needs stay inside: the library adds an arena itself. */
#ifndef TRNSCI_CLIENT_SESSION_PUBLIC_ERROR_H
#define TRNSCI_CLIENT_SESSION_PUBLIC_ERROR_H

#include <assert.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/error.h"

static_assert(sizeof((struct trnsci_error *)0)->text == sizeof((struct error *)0)->text, "one text fits the other");

/* Copies an error to a caller who may not want it (ret is NULL then). Returns its negative code. */
static inline int error_export(struct trnsci_error *ret, const struct error *error)
{
	if (ret) {
		ret->code = error->code;
		memcpy(ret->text, error->text, sizeof ret->text);
	}
	return -error->code;
}

/* Copies a public error to one of the library's. Returns the code, negative. */
static inline int error_import(struct error *ret, const struct trnsci_error *error)
{
	if (ret) {
		ret->code = error->code;
		memcpy(ret->text, error->text, sizeof ret->text);
		ret->needed_bytes = 0;
	}
	return -error->code;
}

#endif
