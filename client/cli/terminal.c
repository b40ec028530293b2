/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t terminal_columns(void)
{
	struct winsize size = {0};

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Returns the bytes of the next piece, which no line breaks: up to a blank, or with the '|' that ends it. */
static size_t piece_size(const char *text)
{
	const size_t size = strcspn(text, " |");

	return size + (text[size] == '|');
}

void terminal_print(const char *text, size_t column, size_t indent, size_t width)
{
	while (*text) {
		const size_t blanks = strspn(text, " "), size = piece_size(text + blanks);

		if (width && column > indent && column + blanks + size > width) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else {
			printf("%*s", (int)blanks, "");
			column += blanks;
		}
		printf("%.*s", (int)size, text + blanks);
		column += size;
		text += blanks + size;
	}
	putchar('\n');
}
