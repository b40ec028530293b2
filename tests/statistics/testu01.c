/* SPDX-License-Identifier: Apache-2.0 */
/* A battery of TestU01 (P. L'Ecuyer, R. Simard, ACM TOMS 33(4), 2007) on the words of standard input.
 *
 * testu01 BATTERY words|reversed [FIRST LAST]: BATTERY is smallcrush, crush or bigcrush, of which the tests FIRST to
 * LAST run; reversed turns each word's bits round, since TestU01 looks at the high bits most. Built by testu01.sh only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>

enum { BUFFER_WORDS = 1 << 14, MOST_TESTS = 200 };

static uint32_t buffer[BUFFER_WORDS];
static size_t at = BUFFER_WORDS;
static uint64_t n_read;
static bool is_reversed;

static uint32_t reverse_bits(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0F0F0F0F) | (x & 0x0F0F0F0F) << 4;
	return __builtin_bswap32(x);
}

/* Ends the program when the words end: a battery that was not run to its end must not look like one that passed. */
static void fill_buffer(void)
{
	if (fread(buffer, sizeof *buffer, BUFFER_WORDS, stdin) != BUFFER_WORDS) {
		fputs("testu01: the words ended before the battery did\n", stderr);
		exit(1);
	}
	for (size_t i = 0; is_reversed && i < BUFFER_WORDS; i++)
		buffer[i] = reverse_bits(buffer[i]);
	n_read += BUFFER_WORDS;
	at = 0;
}

static unsigned int next_word(void)
{
	if (at == BUFFER_WORDS)
		fill_buffer();
	return buffer[at++];
}

static const struct {
	const char *name;
	void (*all)(unif01_Gen *generator);
	void (*repeat)(unif01_Gen *generator, int repeats[]);
} batteries[] = {
	{"smallcrush", bbattery_SmallCrush, bbattery_RepeatSmallCrush},
	{"crush", bbattery_Crush, bbattery_RepeatCrush},
	{"bigcrush", bbattery_BigCrush, bbattery_RepeatBigCrush},
};

static void run(size_t battery, unif01_Gen *generator, int first, int last)
{
	int repeats[MOST_TESTS + 1] = {0};

	if (first == 0) {
		batteries[battery].all(generator);
		return;
	}
	for (int i = first; i <= last; i++)
		repeats[i] = 1;
	batteries[battery].repeat(generator, repeats);
}

int main(int argc, char **argv)
{
	const size_t n_batteries = sizeof batteries / sizeof *batteries;
	const int first = argc == 5 ? atoi(argv[3]) : 0, last = argc == 5 ? atoi(argv[4]) : 0;
	size_t battery = 0;
	unif01_Gen *generator;

	while (argc > 2 && battery < n_batteries && strcmp(batteries[battery].name, argv[1]) != 0)
		battery++;
	if ((argc != 3 && argc != 5) || battery == n_batteries || first < 0 || last > MOST_TESTS) {
		fputs("usage: testu01 smallcrush|crush|bigcrush words|reversed [FIRST LAST] < WORDS\n", stderr);
		return 2;
	}
	is_reversed = strcmp(argv[2], "reversed") == 0;
	swrite_Basic = FALSE;
	generator = unif01_CreateExternGenBits("standard input", next_word);
	run(battery, generator, first, last);
	unif01_DeleteExternGenBits(generator);
	for (int i = 0; i < bbattery_NTests; i++)
		printf("p %-28s %.6g\n", bbattery_TestNames[i], bbattery_pVal[i]);
	printf("%llu words were read\n", (unsigned long long)n_read);
	return 0;
}
