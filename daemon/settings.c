/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: expands the one table and reads values from text. */
#include "settings.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "base/checked.h"
#include "settings_file.h"
#include "weights.h"

static const struct setting table[] = {
#define X(name, kind, change, unit, fallback, min, max, choices, help)                                                 \
	{#name, SETTING_##kind, SETTING_##change, unit, fallback, min, max, choices, help, offsetof(struct settings, name)},
	SETTING_TABLE(X)
#undef X
};

enum { N_SETTINGS = sizeof table / sizeof *table };

const struct setting *settings_table(size_t *ret_count)
{
	*ret_count = N_SETTINGS;
	return table;
}

const char *setting_change_text(enum setting_change change)
{
	static const char *const texts[] = {
		[SETTING_NOW] = "at once",
		[SETTING_SESSION] = "for new sessions",
		[SETTING_START] = "at a restart",
	};

	return texts[change];
}

bool setting_is_text(const struct setting *setting)
{
	return setting->kind == SETTING_TEXT || setting->kind == SETTING_WEIGHTS || setting->kind == SETTING_CHOICE;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct setting *settings_find(const char *name)
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
	if (setting->kind == SETTING_WEIGHTS && weights_check(text, err) < 0)
		return -ERROR_OUT_OF_RANGE;
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

void settings_suggest(struct suggestion *suggestion)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		suggestion_try(suggestion, table[i].name);
}

static int fail_unknown(const char *name, struct error *err)
{
	struct suggestion suggestion = suggestion_of(name);

	settings_suggest(&suggestion);
	return error_set(err, ERROR_UNKNOWN_PARAMETER, "%.60s: no such setting%s, allowed: see trnscid --help", name,
			 suggestion_text(&suggestion));
}

int settings_set(struct settings *settings, const char *name, const char *text, struct error *err)
{
	const struct setting *setting = settings_find(name);

	if (!setting)
		return fail_unknown(name, err);
	void *field = (char *)settings + setting->offset;
	if (setting_is_text(setting))
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
	char *text = NULL, *rest, *line;
	struct error inner = {0};
	unsigned number = 0;
	int r = settings_file_read(path, &text, err);

	if (r < 0)
		return r;
	rest = text;
	while (r == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		r = load_line(&loaded, line, &inner);
	}
	if (r < 0)
		add_place(&inner, path, number);
	free(text);
	if (r == 0)
		*settings = loaded;
	else if (err)
		*err = inner;
	return r;
}

static int is_conf(const struct dirent *entry)
{
	const size_t size = strlen(entry->d_name);

	return entry->d_name[0] != '.' && size > 5 && strcmp(entry->d_name + size - 5, ".conf") == 0;
}

/* Compares by bytes, whatever the locale is. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_folder(struct settings *settings, const char *path, struct error *err)
{
	struct settings loaded = *settings;
	struct dirent **entries;
	const int count = scandir(path, &entries, is_conf, compare_names);
	int r = 0;

	if (count < 0)
		return error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (count > SETTINGS_FOLDER_FILES)
		r = error_set(err, ERROR_OUT_OF_RANGE, "%s: %d files *.conf, allowed: at most %d", path, count,
			      SETTINGS_FOLDER_FILES);
	for (int i = 0; i < count; i++) {
		char file[4096 + 256];

		snprintf(file, sizeof file, "%.4095s/%s", path, entries[i]->d_name);
		if (r == 0)
			r = settings_load(&loaded, file, err);
		free(entries[i]);
	}
	free(entries);
	if (r == 0)
		*settings = loaded;
	return r;
}

int settings_load_path(struct settings *settings, const char *path, struct error *err)
{
	const bool optional = *path == '-';
	struct stat st;

	path += optional;
	if (stat(path, &st) < 0)
		return optional && errno == ENOENT ? 0 : error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	return S_ISDIR(st.st_mode) ? load_folder(settings, path, err) : settings_load(settings, path, err);
}

static bool same_value(const struct setting *setting, const void *a, const void *b)
{
	return setting_is_text(setting) ? strcmp(a, b) == 0 : memcmp(a, b, sizeof(uint64_t)) == 0;
}

void settings_change(struct settings *settings, const struct settings *wanted,
		     void (*changed)(const struct setting *setting, void *arg), void *arg)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		void *field = (char *)settings + table[i].offset;
		const void *value = (const char *)wanted + table[i].offset;

		if (same_value(&table[i], field, value))
			continue;
		if (table[i].change != SETTING_START)
			memcpy(field, value, setting_is_text(&table[i]) ? SETTING_TEXT_ROOM : sizeof(uint64_t));
		changed(&table[i], arg);
	}
}

void settings_print_changed(const struct settings *settings, FILE *file)
{
	struct settings defaults;

	settings_default(&defaults);
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const void *field = (const char *)settings + table[i].offset;

		if (same_value(&table[i], field, (const char *)&defaults + table[i].offset))
			continue;
		if (setting_is_text(&table[i]))
			fprintf(file, "%s = %s\n", table[i].name, (const char *)field);
		else
			fprintf(file, table[i].kind == SETTING_MODE ? "%s = %04" PRIo64 "\n" : "%s = %" PRIu64 "\n",
				table[i].name, *(const uint64_t *)field);
	}
}

static void print_size(uint64_t size, FILE *file)
{
	int power = 0;

	while (power < 4 && size && size % 1024 == 0) {
		size /= 1024;
		power++;
	}
	fprintf(file, "%" PRIu64 "%.1s", size, &"\0KMGT"[power]);
}

void setting_print_range(const struct setting *setting, FILE *file)
{
	if (setting->kind == SETTING_BYTES) {
		print_size(setting->min, file);
		fputs(" to ", file);
		print_size(setting->max, file);
		return;
	}
	fprintf(file, setting->kind == SETTING_MODE ? "%" PRIo64 " to %" PRIo64 : "%" PRIu64 " to %" PRIu64, setting->min,
		setting->max);
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
		if (!setting_is_text(s)) {
			fputs("; range: ", file);
			setting_print_range(s, file);
		}
		fprintf(file, "; changes: %s\n", setting_change_text(s->change));
	}
}

int settings_show(const struct settings *settings, bool paths, struct bump *bump, struct value *map)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const void *field = (const char *)settings + table[i].offset;
		const bool hidden = !paths && table[i].offset == offsetof(struct settings, state_dir);
		bool text = setting_is_text(&table[i]);
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
			      hidden ? value_nil() : text ? value_string(field) : value_uint(*(const uint64_t *)field));

		if (r < 0)
			return r;
	}
	return 0;
}
