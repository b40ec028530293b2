/* SPDX-License-Identifier: Apache-2.0 */
/* Weights by uid and gid. */
#include "weights.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct rule {
	bool group;
	uint64_t id;
	unsigned weight;
};

static bool read_decimal(const char **at, uint64_t most, uint64_t *ret)
{
	uint64_t number = 0;

	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); ++*at) {
		number = number * 10 + (uint64_t)(**at - '0');
		if (number > most)
			return false;
	}
	*ret = number;
	return true;
}

/* Reads one rule and the comma after it. */
static bool read_rule(const char **at, struct rule *ret)
{
	struct rule rule = {.group = strncmp(*at, "gid:", 4) == 0};
	uint64_t weight = 0;

	if (!rule.group && strncmp(*at, "uid:", 4) != 0)
		return false;
	*at += 4;
	if (!read_decimal(at, UINT32_MAX, &rule.id) || *(*at)++ != '=' || !read_decimal(at, WEIGHT_MOST, &weight) ||
	    weight == 0 || (**at != ',' && **at != '\0'))
		return false;
	*at += **at == ',';
	rule.weight = (unsigned)weight;
	*ret = rule;
	return true;
}

int weights_check(const char *text, struct error *err)
{
	struct rule rule;

	for (const char *at = text; *at;)
		if (!read_rule(&at, &rule))
			return error_set(err, ERROR_OUT_OF_RANGE,
					 "weights: \"%.60s\", allowed: uid:ID=W and gid:ID=W with W of 1 to %d, "
					 "separated by commas",
					 text, WEIGHT_MOST);
	return 0;
}

unsigned weights_of(const char *text, uid_t uid, gid_t gid)
{
	unsigned weight = 1;
	struct rule rule;

	for (const char *at = text; *at && read_rule(&at, &rule);) {
		if (!rule.group && rule.id == uid)
			return rule.weight;
		if (rule.group && rule.id == gid)
			weight = rule.weight;
	}
	return weight;
}
