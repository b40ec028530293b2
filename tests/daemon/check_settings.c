/* SPDX-License-Identifier: Apache-2.0 */
/* The settings: every row of the table at its default, at both ends of its range and beyond; files and folders; what a running
 * daemon can change; and the manual page, whose list is the table's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/settings.h"
#include "daemon/settings_file.h"

static uint64_t number_of(const struct settings *settings, const struct setting *setting)
{
	return *(const uint64_t *)((const char *)settings + setting->offset);
}

static void expect(const char *name, const char *text, int result, const char *words)
{
	struct settings settings, before;
	struct error err = {0};

	settings_default(&settings);
	before = settings;
	int got = settings_set(&settings, name, text, &err);
	if (got != result || (words && !strstr(err.text, words)))
		fail_msg("%s = \"%s\": expected %d (%s), got %d: %s", name, text, result, words ? words : "", got,
			 err.text);
	if (got < 0)
		assert_memory_equal(&settings, &before, sizeof settings);
}

static const char *in_text(const struct setting *setting, uint64_t number, char text[64])
{
	if (setting->kind == SETTING_MODE)
		snprintf(text, 64, "%" PRIo64, number);
	else
		snprintf(text, 64, "%" PRIu64, number);
	return text;
}

static void ranges(void **state)
{
	size_t count;
	const struct setting *table = settings_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &table[i];
		struct settings settings;
		char text[64];

		expect(s->name, s->fallback, 0, NULL);
		if (setting_is_text(s))
			continue;
		uint64_t ends[2] = {s->min, s->max};
		for (int end = 0; end < 2; end++) {
			settings_default(&settings);
			assert_int_equal(settings_set(&settings, s->name, in_text(s, ends[end], text), NULL), 0);
			assert_int_equal(number_of(&settings, s), ends[end]);
		}
		expect(s->name, in_text(s, s->max + 1, text), -ERROR_OUT_OF_RANGE, s->name);
		if (s->min > 0)
			expect(s->name, in_text(s, s->min - 1, text), -ERROR_OUT_OF_RANGE, "allowed: ");
		static const char *const nonsense[] = {"",
						       "-1",
						       "+1",
						       " 1",
						       "1 ",
						       "1x",
						       "0x10",
						       "1.5",
						       "1e3",
						       "18446744073709551616",
						       "99999999999999999999999"};
		for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++)
			expect(s->name, nonsense[k], -ERROR_OUT_OF_RANGE, s->unit);
	}
}

static void suffixes(void **state)
{
	struct settings settings;

	(void)state;
	settings_default(&settings);
	assert_int_equal(settings.arena_bytes, (uint64_t)4 << 30);
	static const struct {
		const char *text;
		uint64_t want;
	} examples[] = {{"4096", 4096},  {"5K", 5120},     {"5k", 5120},
			{"3M", 3 << 20}, {"2G", 2u << 30}, {"1T", 1ull << 40}};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		assert_int_equal(settings_set(&settings, "arena-bytes", examples[i].text, NULL), 0);
		assert_int_equal(settings.arena_bytes, examples[i].want);
	}
	expect("arena_bytes", "1KK", -ERROR_OUT_OF_RANGE, NULL);
	expect("arena_bytes", "1P", -ERROR_OUT_OF_RANGE, NULL);
	expect("arena_bytes", "18446744073709551615T", -ERROR_OUT_OF_RANGE, NULL);
	expect("threads", "1K", -ERROR_OUT_OF_RANGE, NULL); /* not a size */
	expect("socket_mode", "888", -ERROR_OUT_OF_RANGE, "octal");
}

static void texts(void **state)
{
	char text[SETTING_TEXT_ROOM + 1];

	(void)state;
	expect("log_level", "debug", 0, NULL);
	expect("log_level", "err", -ERROR_OUT_OF_RANGE, "error|warning|info|debug");
	expect("log_level", "error|warning", -ERROR_OUT_OF_RANGE, NULL);
	expect("log_level", "", -ERROR_OUT_OF_RANGE, NULL);
	memset(text, 'x', sizeof text);
	text[SETTING_TEXT_ROOM] = '\0';
	expect("socket", text, -ERROR_OUT_OF_RANGE, "255");
	text[SETTING_TEXT_ROOM - 1] = '\0';
	expect("socket", text, 0, NULL);
	expect("sockets", "x", -ERROR_UNKNOWN_PARAMETER, "sockets");
	expect("", "x", -ERROR_UNKNOWN_PARAMETER, NULL);
}

static int load(const char *content, struct settings *settings, struct error *err)
{
	char path[] = "/tmp/trnscid-conf-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	int r = settings_load(settings, path, err);
	unlink(path);
	return r;
}

static void files(void **state)
{
	struct settings settings, before;
	struct error err = {0};

	(void)state;
	settings_default(&settings);
	assert_int_equal(
		load("# a comment\n\n  threads = 3 \nsocket=/x/y z\n\tarena-bytes\t=\t1M\njobs = 7", &settings, &err),
		0);
	assert_int_equal(settings.threads, 3);
	assert_string_equal(settings.socket, "/x/y z");
	assert_int_equal(settings.arena_bytes, 1 << 20);
	assert_int_equal(settings.jobs, 7);
	before = settings;
	assert_int_equal(load("threads = 4\n\njobs 8\n", &settings, &err), -ERROR_WRONG_TYPE);
	assert_non_null(strstr(err.text, ":3: "));
	assert_int_equal(load("threads = 4\nthreads = 400\n", &settings, &err), -ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.text, ":2: threads: \"400\", allowed: 0 to 128 threads"));
	assert_true(strncmp(err.text, "out_of_range: /tmp/", 19) == 0);
	assert_int_equal(load("threads = 4\nnonsense = 1\n", &settings, &err), -ERROR_UNKNOWN_PARAMETER);
	assert_null(strstr(err.text, "did you mean"));
	assert_int_equal(load("threads = 4\nstop-time = 1\n", &settings, &err), -ERROR_UNKNOWN_PARAMETER);
	assert_non_null(strstr(err.text, ":2: stop-time: no such setting, allowed"));
	assert_int_equal(load("threads = 4\narena-total-byts = 1\n", &settings, &err), -ERROR_UNKNOWN_PARAMETER);
	assert_non_null(strstr(err.text, ":2: arena-total-byts: no such setting (did you mean 'arena_total_bytes'?), allowed"));
	assert_memory_equal(&settings, &before, sizeof settings);
	assert_int_equal(settings_load(&settings, "/nonexistent", &err), -ERROR_SYSTEM);
}

static void write_file(const char *dir, const char *name, const char *content)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

/* Files of a folder in the order of their names; other names are no config files; a path that may be missing. */
static void folders(void **state)
{
	char dir[] = "/tmp/trnscid-conf-XXXXXX", path[128];
	struct settings settings, before;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	settings_default(&settings);
	write_file(dir, "20-b.conf", "threads = 2\njobs = 20\n");
	write_file(dir, "10-a.conf", "threads = 1\ntiles = 10\n");
	write_file(dir, "30-c.conf.bak", "threads = 3\n");
	write_file(dir, ".hidden.conf", "threads = 4\n");
	assert_int_equal(settings_load_path(&settings, dir, &err), 0);
	assert_int_equal(settings.threads, 2);
	assert_int_equal(settings.tiles, 10);
	assert_int_equal(settings.jobs, 20);
	before = settings;
	write_file(dir, "15-wrong.conf", "tiles = 11\n# fine\nweights = uid:7=0\n");
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.text, "/15-wrong.conf:3: weights: \"uid:7=0\", allowed: "));
	assert_memory_equal(&settings, &before, sizeof settings);
	snprintf(path, sizeof path, "%s/none", dir);
	assert_int_equal(settings_load_path(&settings, path, &err), -ERROR_SYSTEM);
	snprintf(path, sizeof path, "-%s/none", dir);
	assert_int_equal(settings_load_path(&settings, path, &err), 0);
	snprintf(path, sizeof path, "-%s/15-wrong.conf", dir);
	assert_int_equal(settings_load_path(&settings, path, &err), -ERROR_OUT_OF_RANGE);
	assert_memory_equal(&settings, &before, sizeof settings);
	for (const char **name = (const char *[]){"20-b.conf", "10-a.conf", "30-c.conf.bak", ".hidden.conf", "15-wrong.conf", NULL};
	     *name; name++) {
		snprintf(path, sizeof path, "%s/%s", dir, *name);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* What is no regular file, or too large, is refused at once: nothing waits at a FIFO or reads a device to its end. */
static void other_files(void **state)
{
	char dir[] = "/tmp/trnscid-conf-XXXXXX", path[128], large[128];
	static char comment[SETTINGS_FILE_BYTES + 1];
	static const char *const devices[] = {"/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx"};
	struct settings settings, before;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	settings_default(&settings);
	before = settings;
	write_file(dir, "10-a.conf", "threads = 1\n");
	snprintf(path, sizeof path, "%s/20-b.conf", dir);
	snprintf(large, sizeof large, "%s/large", dir);
	alarm(60);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_WRONG_TYPE);
	assert_non_null(strstr(err.text, "/20-b.conf: no regular file, allowed: "));
	assert_int_equal(settings_load_path(&settings, path, &err), -ERROR_WRONG_TYPE);
	assert_int_equal(unlink(path), 0);
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		assert_int_equal(symlink(devices[i], path), 0);
		assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_WRONG_TYPE);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_WRONG_TYPE);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/proc/self/mem", path), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_SYSTEM);
	assert_int_equal(unlink(path), 0);

	memset(comment, '#', sizeof comment - 1);
	write_file(dir, "large", comment); /* the largest that is read; a link to a regular file is followed */
	assert_int_equal(symlink("large", path), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), 0);
	assert_int_equal(settings.threads, 1);
	before = settings;
	assert_int_equal(truncate(large, SETTINGS_FILE_BYTES + 1), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.text, "1048576"));
	assert_int_equal(truncate(large, 80 << 20), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_OUT_OF_RANGE);
	assert_int_equal(truncate(large, 0), 0);
	assert_int_equal(truncate(large, 10), 0);
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_WRONG_TYPE); /* zeros */
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < SETTINGS_FOLDER_FILES; i++) {
		snprintf(path, sizeof path, "30-%03d.conf", i);
		write_file(dir, path, "");
	}
	assert_int_equal(settings_load_path(&settings, dir, &err), -ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.text, ": 257 files *.conf, allowed: at most 256"));
	assert_memory_equal(&settings, &before, sizeof settings);
	alarm(0);
	snprintf(path, sizeof path, "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

static void note_change(const struct setting *setting, void *arg)
{
	strcat(arg, setting->name);
	strcat(arg, " ");
}

/* What a running daemon takes over, for every row of the table. */
static void changes(void **state)
{
	size_t count;
	const struct setting *table = settings_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct settings settings, wanted, before;
		char names[128] = "";

		settings_default(&settings);
		before = wanted = settings;
		if (table[i].kind == SETTING_NUMBER || table[i].kind == SETTING_BYTES || table[i].kind == SETTING_MODE)
			*(uint64_t *)((char *)&wanted + table[i].offset) = number_of(&settings, &table[i]) + 1;
		else
			strcpy((char *)&wanted + table[i].offset, "other");
		settings_change(&settings, &wanted, note_change, names);
		snprintf(names + 64, 64, "%s ", table[i].name);
		assert_string_equal(names, names + 64);
		assert_memory_equal(&settings, table[i].change == SETTING_START ? &before : &wanted, sizeof settings);
	}
}

/* ------- daemon/man/trnscid.conf.5 ------- */

#define PAGE  "daemon/man/trnscid.conf.5"
#define BEGIN ".\\\" settings\n"
#define END   ".\\\" end\n"

/* Writes lines of at most 80 bytes, each behind a mark; without one as roff reads it: a line may not begin with a dot. */
static void write_wrapped(FILE *out, const char *mark, const char *text)
{
	enum { MOST = 80 };

	for (size_t column = 0; *text;) {
		const size_t size = strcspn(text, " ");

		if (column && column + 1 + size > MOST)
			column = 0, fputc('\n', out);
		column += (size_t)fprintf(out, "%s%s%.*s", column ? " " : mark, !*mark && !column && *text == '/' ? "\\&" : "", (int)size, text);
		text += size + (text[size] == ' ');
	}
	fputc('\n', out);
}

static char *expected_list(void)
{
	char *list, *range, *line;
	size_t size, count;
	FILE *out = open_memstream(&list, &size);
	const struct setting *table = settings_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &table[i];
		FILE *memory = open_memstream(&range, &size);

		setting_print_range(s, memory);
		fclose(memory);
		fprintf(out, ".It Cm %s Ar %s\n", s->name, *s->choices ? s->choices : s->unit);
		assert_true(asprintf(&line, "%c%s.", s->help[0] >= 'a' ? s->help[0] - 32 : s->help[0], s->help + 1) > 0);
		write_wrapped(out, "", line);
		free(line);
		fprintf(out, "Default: %s", *s->fallback ? s->fallback : "empty");
		if (!setting_is_text(s))
			fprintf(out, "; range: %s", range);
		fprintf(out, "; changes: %s.\n", setting_change_text(s->change));
		free(range);
	}
	fclose(out);
	return list;
}

/* The page has the table's list; TRNSCI_UPDATE=1 (make manual) puts it there. */
static void manual_page(void **state)
{
	static char page[65536];
	char *list = expected_list(), *begin, *end;
	FILE *file = fopen(PAGE, "r");

	(void)state;
	assert_non_null(file);
	page[fread(page, 1, sizeof page - 1, file)] = '\0';
	fclose(file);
	begin = strstr(page, BEGIN);
	end = strstr(page, END);
	assert_true(begin && end > begin);
	begin += strlen(BEGIN);
	if (getenv("TRNSCI_UPDATE")) {
		file = fopen(PAGE, "w");
		assert_non_null(file);
		fprintf(file, "%.*s%s%s", (int)(begin - page), page, list, end);
		fclose(file);
	} else if (strlen(list) != (size_t)(end - begin) || memcmp(list, begin, (size_t)(end - begin)) != 0) {
		fail_msg(PAGE " is not up to date (make manual): expected\n%s", list);
	}
	free(list);
}

/* ------- systemd/trnscid.conf ------- */

#define SAMPLE "systemd/trnscid.conf"

static char *expected_sample(void)
{
	char *sample, *line;
	size_t size, count;
	FILE *out = open_memstream(&sample, &size);
	const struct setting *table = settings_table(&count);

	fputs("# SPDX-License-Identifier: Apache-2.0\n"
	      "# A sample of /etc/trnscid.conf: every setting at its default. See trnscid.conf(5).\n"
	      "# systemctl reload trnscid reads the file again.\n", out);
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &table[i];

		assert_true(asprintf(&line, "%c%s (%s). Changes: %s.", s->help[0] >= 'a' ? s->help[0] - 32 : s->help[0], s->help + 1,
				     *s->choices ? s->choices : s->unit, setting_change_text(s->change)) > 0);
		fputc('\n', out);
		write_wrapped(out, "# ", line);
		fprintf(out, "#%s =%s%s\n", s->name, *s->fallback ? " " : "", s->fallback);
		free(line);
	}
	fclose(out);
	return sample;
}

/* The sample is the table's; TRNSCI_UPDATE=1 (make manual) writes it. Its settings are those of a daemon without a file. */
static void sample_file(void **state)
{
	static char found[65536];
	char *sample = expected_sample();
	FILE *file = fopen(SAMPLE, getenv("TRNSCI_UPDATE") ? "w+" : "r");
	struct settings settings, defaults;
	struct error err = {0};

	(void)state;
	assert_non_null(file);
	if (getenv("TRNSCI_UPDATE"))
		fputs(sample, file), rewind(file);
	found[fread(found, 1, sizeof found - 1, file)] = '\0';
	fclose(file);
	if (strcmp(found, sample) != 0)
		fail_msg(SAMPLE " is not up to date (make manual): expected\n%s", sample);
	free(sample);
	for (char *at = found; (at = strstr(at, "\n#"));)
		if (at[2] != ' ')
			at[1] = ' '; /* the setting counts */
		else
			at++;
	settings_default(&settings);
	settings_default(&defaults);
	assert_int_equal(load(found, &settings, &err), 0);
	assert_memory_equal(&settings, &defaults, sizeof settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges), cmocka_unit_test(suffixes),    cmocka_unit_test(texts),
		cmocka_unit_test(files),  cmocka_unit_test(folders), cmocka_unit_test(other_files),     cmocka_unit_test(changes),
		cmocka_unit_test(manual_page), cmocka_unit_test(sample_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
