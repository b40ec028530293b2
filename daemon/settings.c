/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: expands the one table and reads values from text. */
#include "settings.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static const struct setting table[] = {
#define X(name, kind, unit, fallback, min, max, choices, help)                                                         \
	{#name, SETTING_##kind, unit, fallback, min, max, choices, help, offsetof(struct settings, name)},
	SETTING_TABLE(X)
#undef X
};

enum { N_SETTINGS = sizeof table / sizeof *table };

const struct setting *settings_table(size_t *ret_count)
{
	*ret_count = N_SETTINGS;
	return table;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

static const struct setting *find_setting(const char *name)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (same_name(table[i].name, name))
			return &table[i];
	return NULL;
}

static bool is_choice(const char *choices, const char *text)
{
	size_t size = strlen(text);

	for (const char *at = choices; size && !strchr(text, '|'); at++) {
		if (strncmp(at, text, size) == 0 && (at[size] == '|' || at[size] == '\0'))
			return true;
		at = strchr(at, '|');
		if (!at)
			break;
	}
	return false;
}

/* Reads a number in the given base, with one of K, M, G, T after it if suffixes is set. */
static bool to_number(const char *text, int base, bool suffixes, uint64_t *ret)
{
	static const char letters[] = "KMGT";
	const char *letter;
	char *end;
	uint64_t number;

	if (!isdigit((unsigned char)*text)) /* strtoull accepts signs and spaces */
		return false;
	errno = 0;
	number = strtoull(text, &end, base);
	if (errno)
		return false;
	letter = suffixes && *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
	if (letter) {
		if (mul_overflows(number, (uint64_t)1 << (10 * (letter - letters + 1)), &number))
			return false;
		end++;
	}
	*ret = number;
	return *end == '\0';
}

static int set_text(const struct setting *setting, char *field, const char *text, struct error *err)
{
	if (setting->kind == SETTING_CHOICE && !is_choice(setting->choices, text))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: \"%.40s\", allowed: %s", setting->name, text,
				 setting->choices);
	if (strlen(text) >= SETTING_TEXT_ROOM)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %zu bytes long, allowed: at most %d", setting->name,
				 strlen(text), SETTING_TEXT_ROOM - 1);
	strcpy(field, text);
	return 0;
}

static int set_number(const struct setting *setting, uint64_t *field, const char *text, struct error *err)
{
	bool octal = setting->kind == SETTING_MODE;
	uint64_t number;

	if (to_number(text, octal ? 8 : 10, setting->kind == SETTING_BYTES, &number) && number >= setting->min &&
	    number <= setting->max) {
		*field = number;
		return 0;
	}
	return error_set(err, ERROR_OUT_OF_RANGE,
			 octal ? "%s: \"%.40s\", allowed: %" PRIo64 " to %" PRIo64 " %s"
			       : "%s: \"%.40s\", allowed: %" PRIu64 " to %" PRIu64 " %s",
			 setting->name, text, setting->min, setting->max, setting->unit);
}

int settings_set(struct settings *settings, const char *name, const char *text, struct error *err)
{
	const struct setting *setting = find_setting(name);

	if (!setting)
		return error_set(err, ERROR_UNKNOWN_PARAMETER, "%.60s: no such setting, allowed: see trnscid --help",
				 name);
	void *field = (char *)settings + setting->offset;
	if (setting->kind == SETTING_TEXT || setting->kind == SETTING_CHOICE)
		return set_text(setting, field, text, err);
	return set_number(setting, field, text, err);
}

void settings_default(struct settings *settings)
{
	memset(settings, 0, sizeof *settings);
	for (size_t i = 0; i < N_SETTINGS; i++) {
		int r = settings_set(settings, table[i].name, table[i].fallback, NULL);

		assert(r == 0);
		(void)r;
	}
}

/* Removes the blanks at both ends, within text. */
static char *trim_blanks(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int load_line(struct settings *settings, char *line, struct error *err)
{
	char *equals;

	line = trim_blanks(line);
	if (*line == '\0' || *line == '#')
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return error_set(err, ERROR_WRONG_TYPE, "\"%.40s\" is not a setting, allowed: name = value", line);
	*equals = '\0';
	return settings_set(settings, trim_blanks(line), trim_blanks(equals + 1), err);
}

/* Puts the place into an error's text: "path:line: rest". */
static void add_place(struct error *err, const char *path, unsigned line)
{
	struct error inner = *err;
	const char *rest = strstr(inner.text, ": ");

	error_set(err, (enum error_code)inner.code, "%.100s:%u: %s", path, line, rest ? rest + 2 : inner.text);
}

int settings_load(struct settings *settings, const char *path, struct error *err)
{
	struct settings loaded = *settings;
	struct error inner = {0};
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	unsigned number = 0;
	int r = 0;

	if (!file)
		return error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	while (r == 0 && getline(&line, &room, file) >= 0) {
		number++;
		r = load_line(&loaded, line, &inner);
	}
	if (r < 0)
		add_place(&inner, path, number);
	else if (ferror(file))
		r = error_set(&inner, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	if (r == 0)
		*settings = loaded;
	else if (err)
		*err = inner;
	return r;
}

void settings_print(FILE *file)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const struct setting *s = &table[i];

		fputs("  --", file);
		for (const char *at = s->name; *at; at++)
			fputc(*at == '_' ? '-' : *at, file);
		fprintf(file, " %s\n      %s\n      default: %s", *s->unit ? s->unit : s->choices, s->help,
			*s->fallback ? s->fallback : "empty");
		if (s->kind == SETTING_MODE)
			fprintf(file, "; range: %" PRIo64 " to %" PRIo64, s->min, s->max);
		else if (s->kind == SETTING_NUMBER || s->kind == SETTING_BYTES)
			fprintf(file, "; range: %" PRIu64 " to %" PRIu64, s->min, s->max);
		fputc('\n', file);
	}
}

int settings_show(const struct settings *settings, struct bump *bump, struct value *map)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const void *field = (const char *)settings + table[i].offset;
		bool text = table[i].kind == SETTING_TEXT || table[i].kind == SETTING_CHOICE;
		char octal[24];
		int r;

		if (table[i].kind == SETTING_MODE) {
			snprintf(octal, sizeof octal, "%04" PRIo64, *(const uint64_t *)field);
			field = bump_copy(bump, octal, strlen(octal));
			text = true;
		}
		if (!field)
			return -ERROR_NO_MEMORY;
		r = value_put(bump, map, table[i].name,
			      text ? value_string(field) : value_uint(*(const uint64_t *)field));

		if (r < 0)
			return r;
	}
	return 0;
}
