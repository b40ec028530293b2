/* SPDX-License-Identifier: Apache-2.0 */
/* Integers as people write them. */
#ifndef TRNSCI_CLI_OPTIONS_NUMBERS_H
#define TRNSCI_CLI_OPTIONS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* What parse_u64 reads, for messages. */
#define U64_ALLOWED "0 to 2^64-1: decimal, 0x, or such as 1e6, 200M, 64Ki"

/* Reads a non-negative integer: decimal or 0x; with a fraction, an exponent (1e6, 2.5e3) or a suffix (k M G T: powers of
 * 1000, Ki Mi Gi Ti: of 1024) as long as the value is whole. False for anything else, and beyond 64 bits. */
bool parse_u64(const char *text, uint64_t *ret);

/* Reads an integer with a sign, as parse_u64 or in plain decimal. */
bool parse_i64(const char *text, int64_t *ret);

bool parse_f64(const char *text, double *ret);

/* Reads true, yes and 1, or "", which a flag without a value is; false, no and 0. */
bool parse_bool(const char *text, bool *ret);

#endif
