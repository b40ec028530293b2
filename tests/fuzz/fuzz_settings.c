/* SPDX-License-Identifier: Apache-2.0 */
/* A config file: what is refused changes nothing, what is taken lies within its range; and the weights in it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/settings.h"
#include "daemon/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int right)
{
	if (!right)
		abort();
}

static void check_ranges(const struct settings *settings)
{
	size_t count;
	const struct setting *table = settings_table(&count);

	for (size_t i = 0; i < count; i++) {
		const void *field = (const char *)settings + table[i].offset;

		if (setting_is_text(&table[i])) {
			must(memchr(field, '\0', SETTING_TEXT_ROOM) != NULL);
			continue;
		}
		must(*(const uint64_t *)field >= table[i].min && *(const uint64_t *)field <= table[i].max);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static struct settings settings, before;
	struct error err = {0};
	FILE *file;

	if (!*path)
		snprintf(path, sizeof path, "/tmp/trnsci-fuzz-settings-%d", (int)getpid());
	file = fopen(path, "wb");
	must(file && fwrite(data, 1, size, file) == size);
	fclose(file);
	settings_default(&settings);
	before = settings;
	if (settings_load(&settings, path, &err) < 0) {
		must(memcmp(&settings, &before, sizeof settings) == 0);
		must(err.code && strlen(err.text) > 8);
	}
	check_ranges(&settings);
	must(weights_check(settings.weights, &err) == 0);
	must(weights_of(settings.weights, 1000, 50) >= 1);
	unlink(path);
	return 0;
}
