/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without a fuzzer: over each file of its corpus (tests/fuzz/corpus/STEM, or the files and folders
 * named), and over each with some bytes changed. `make fuzz F=STEM` links the same target with libFuzzer instead. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 1 << 20, MUTANTS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In its own allocation, so that a sanitizer sees one read too many. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(1);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void replay_file(const char *path)
{
	static uint8_t bytes[LARGEST];
	FILE *file = fopen(path, "rb");
	uint32_t random = 1;

	if (!file) {
		perror(path);
		exit(1);
	}
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	printf("# %s\n", path);
	fflush(stdout);
	run(bytes, size);
	for (int i = 0; i < MUTANTS && size; i++) {
		random = random * 1664525 + 1013904223;
		bytes[(random >> 8) % size] ^= (uint8_t)(1u << (random >> 5 & 7));
		run(bytes, size - (random >> 28 == 0));
	}
}

static int replay(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	if (!dir) {
		replay_file(path);
		return 1;
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		char name[4096];

		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		struct stat st;
		if (stat(name, &st) == 0 && S_ISREG(st.st_mode)) {
			replay_file(name);
			count++;
		}
	}
	closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	const char *stem = strrchr(argv[0], '_');
	char corpus[256];
	int count = 0;

	snprintf(corpus, sizeof corpus, "tests/fuzz/corpus/%s", stem ? stem + 1 : "");
	for (int i = 1; i < argc; i++)
		count += replay(argv[i]);
	if (argc < 2)
		count = replay(corpus);
	printf("%s 1 - %d inputs, each with %d mutants\n1..1\n", count ? "ok" : "not ok", count, MUTANTS);
	return count ? 0 : 1;
}
