/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the table, expanded, and lookups in it. */
#include "base/error.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The table's rows, in the order of their numbers. */
struct error_row {
	int code;
	enum error_kind kind;
	const char *name, *meaning;
};

static const struct error_row rows[] = {
#define X(id, number, kind, name, meaning) {number, ERROR_KIND_##kind, name, meaning},
	ERROR_TABLE(X)
#undef X
};

/* Codes are returned negative and sent positive; both are found. One that a newer daemon sent may be unknown. */
static const struct error_row *find_row(int code)
{
	static const struct error_row unknown = {0, ERROR_KIND_FAILED, "unknown", "no error has this number"};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].code == code || rows[i].code == -code)
			return &rows[i];
	return &unknown;
}

/* Formats once, with the error's stable name in front, and returns the negative code, so that callers write "return
 * error_set(...)". Text that does not fit is cut. */
int error_set(struct error *err, enum error_code code, const char *format, ...)
{
	if (err) {
		int used = snprintf(err->text, sizeof err->text, "%s: ", error_name((int)code));
		va_list args;

		err->code = (int)code;
		err->needed_bytes = 0;
		va_start(args, format);
		vsnprintf(err->text + used, sizeof err->text - (size_t)used, format, args);
		va_end(args);
	}
	return -(int)code;
}

const char *error_name(int code)
{
	return find_row(code)->name;
}

const char *error_meaning(int code)
{
	return find_row(code)->meaning;
}

enum error_kind error_kind(int code)
{
	return find_row(code)->kind;
}

/* The reverse of error_set, for replies: texts begin with the error's name. */
int error_from_text(const char *text)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t size = strlen(rows[i].name);

		if (strncmp(text, rows[i].name, size) == 0 && text[size] == ':')
			return rows[i].code;
	}
	return 0;
}
