/* SPDX-License-Identifier: Apache-2.0 */
/* Philox's multipliers, and what its key grows by from round to round (golden ratio, sqrt(3) - 1). Philox2x32 grows as the
 * first word of Philox4x32. */
#ifndef TRNSCI_RNG_PHILOX_CONSTANTS_H
#define TRNSCI_RNG_PHILOX_CONSTANTS_H

#include <stdint.h>

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

#define PHILOX2_M 0xD256D193u

#define PHILOX64_M0 UINT64_C(0xD2E7470EE14C6C93)
#define PHILOX64_M1 UINT64_C(0xCA5A826395121157)
#define PHILOX64_W0 UINT64_C(0x9E3779B97F4A7C15)
#define PHILOX64_W1 UINT64_C(0xBB67AE8584CAA73B)

#endif
