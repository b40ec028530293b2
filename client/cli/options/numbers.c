/* SPDX-License-Identifier: Apache-2.0 */
/* Integers as people write them, in exact arithmetic: 2^64-1 keeps its last digit. */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number as mantissa x 10^exponent x 2^shift. */
struct scaled {
	uint64_t mantissa;
	int exponent, shift;
};

static bool parse_hex(const char *digits, uint64_t *ret)
{
	char *end;

	if (!*digits || digits[strspn(digits, "0123456789abcdefABCDEF")])
		return false;
	errno = 0;
	*ret = strtoull(digits, &end, 16);
	return errno == 0;
}

/* Digits with at most one point among them; NULL when there is none, or too many for 64 bits. */
static const char *parse_mantissa(const char *at, struct scaled *scaled)
{
	bool point = false;
	size_t digits = 0;

	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(scaled->mantissa, 10, &scaled->mantissa) ||
		    __builtin_add_overflow(scaled->mantissa, (uint64_t)(*at - '0'), &scaled->mantissa))
			return NULL;
		scaled->exponent -= point;
		digits++;
	}
	return digits ? at : NULL;
}

static const char *parse_exponent(const char *at, struct scaled *scaled)
{
	if (*at != 'e' && *at != 'E')
		return at;
	at += at[1] == '+' ? 2 : 1;
	if (*at < '0' || *at > '9')
		return NULL;
	char *end;
	const unsigned long exponent = strtoul(at, &end, 10);

	if (exponent > 1000)
		return NULL;
	scaled->exponent += (int)exponent;
	return end;
}

static bool parse_suffix(const char *at, struct scaled *scaled)
{
	static const struct {
		const char *suffix;
		int exponent, shift;
	} suffixes[] = {{"", 0, 0},   {"k", 3, 0},   {"K", 3, 0},   {"M", 6, 0},   {"G", 9, 0},
			{"T", 12, 0}, {"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40}};

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (strcmp(at, suffixes[i].suffix) == 0) {
			scaled->exponent += suffixes[i].exponent;
			scaled->shift = suffixes[i].shift;
			return true;
		}
	return false;
}

/* False when the value is no integer below 2^64. */
static bool evaluate(struct scaled scaled, uint64_t *ret)
{
	uint64_t value = scaled.mantissa;

	if (value == 0)
		scaled.exponent = scaled.shift = 0;
	/* Trailing zeros go first, so that nothing overflows on the way. */
	for (; scaled.exponent < 0 && value % 10 == 0; scaled.exponent++)
		value /= 10;
	if (__builtin_mul_overflow(value, UINT64_C(1) << scaled.shift, &value))
		return false;
	for (; scaled.exponent < 0; scaled.exponent++) {
		if (value % 10)
			return false;
		value /= 10;
	}
	for (; scaled.exponent > 0; scaled.exponent--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*ret = value;
	return true;
}

bool parse_u64(const char *text, uint64_t *ret)
{
	struct scaled scaled = {0};
	const char *at;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_hex(text + 2, ret);
	at = parse_mantissa(text, &scaled);
	if (at)
		at = parse_exponent(at, &scaled);
	return at && parse_suffix(at, &scaled) && evaluate(scaled, ret);
}

bool parse_i64(const char *text, int64_t *ret)
{
	char *end;
	uint64_t whole;

	if (parse_u64(text, &whole) && whole <= INT64_MAX) {
		*ret = (int64_t)whole;
		return true;
	}
	errno = 0;
	*ret = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

bool parse_f64(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end;
}

bool parse_bool(const char *text, bool *ret)
{
	static const char *const words[] = {"", "true", "yes", "1", "false", "no", "0"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(text, words[i]) == 0) {
			*ret = i < 4;
			return true;
		}
	return false;
}
