/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include "figures.h"

void html_text(FILE *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char byte = text[i];

		if (byte == '&')
			fputs("&amp;", out);
		else if (byte == '<')
			fputs("&lt;", out);
		else if (byte == '>')
			fputs("&gt;", out);
		else if (byte == '"')
			fputs("&quot;", out);
		else if (byte == '\'')
			fputs("&#39;", out);
		else
			fputc(byte < ' ' || byte > '~' ? '?' : byte, out);
	}
}

void html_string(FILE *out, const char *text)
{
	html_text(out, text, strlen(text));
}

void html_value(FILE *out, const struct trnsci_value *value)
{
	size_t size = 0;
	const char *text = trnsci_value_to_bytes(value, &size);

	if (text)
		html_text(out, text, size);
}

void html_count(FILE *out, uint64_t count)
{
	char digits[24];
	const int n = snprintf(digits, sizeof digits, "%" PRIu64, count);

	for (int i = 0; i < n; i++)
		fprintf(out, i && (n - i) % 3 == 0 ? ",%c" : "%c", digits[i]);
}

void html_bytes(FILE *out, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t unit = 0;

	for (; bytes >= 1000 && unit < 5; unit++)
		bytes /= 1024;
	fprintf(out, bytes >= 100 || unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
}

void html_time(FILE *out, double us)
{
	char text[16];
	const char *micro = strstr(time_text(us, text), "us");

	if (micro)
		fprintf(out, "%.*s&micro;s", (int)(micro - text), text);
	else
		fputs(text, out);
}
