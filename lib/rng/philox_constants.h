/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32's multipliers, and what its key grows by from round to round (golden ratio, sqrt(3) - 1). */
#ifndef TRNSCI_RNG_PHILOX_CONSTANTS_H
#define TRNSCI_RNG_PHILOX_CONSTANTS_H

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

#endif
