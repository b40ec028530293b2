/* SPDX-License-Identifier: Apache-2.0 */
/* The settings: every row of the table at its default, at both ends of its range and beyond; files; and the manual
 * page, which must describe each as the table does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/settings.h"

static uint64_t number_of(const struct settings *settings, const struct setting *setting)
{
	return *(const uint64_t *)((const char *)settings + setting->offset);
}

static bool is_text(const struct setting *setting)
{
	return setting->kind == SETTING_TEXT || setting->kind == SETTING_CHOICE;
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
		if (is_text(s))
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
	assert_memory_equal(&settings, &before, sizeof settings);
	assert_int_equal(settings_load(&settings, "/nonexistent", &err), -ERROR_SYSTEM);
}

/* daemon/man/trnscid.8, read without its macros and escapes. */
static char *manual(void)
{
	static char text[65536];
	FILE *file = fopen("daemon/man/trnscid.8", "r");
	size_t used = 0;

	assert_non_null(file);
	for (int c; (c = fgetc(file)) != EOF && used < sizeof text - 1;) {
		if (c == '\\') {
			int next = fgetc(file);

			c = next == '-' ? '-' : next == '&' ? fgetc(file) : next;
		}
		text[used++] = c == '\n' ? ' ' : (char)c;
	}
	fclose(file);
	text[used] = '\0';
	return text;
}

static void manual_page(void **state)
{
	const char *text = manual();
	size_t count;
	const struct setting *table = settings_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &table[i];
		char want[512], range[160] = "", min[64], max[64];

		if (!is_text(s))
			snprintf(range, sizeof range, " Range: %s to %s.", in_text(s, s->min, min),
				 in_text(s, s->max, max));
		snprintf(want, sizeof want, ".It Cm %s Ar %s %s. Default: %s.%s", s->name,
			 is_text(s) && *s->choices ? s->choices : s->unit, s->help,
			 *s->fallback ? s->fallback : "empty", range);
		if (!strstr(text, want))
			fail_msg("daemon/man/trnscid.8 has no \"%s\"", want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges), cmocka_unit_test(suffixes),    cmocka_unit_test(texts),
		cmocka_unit_test(files),  cmocka_unit_test(manual_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
