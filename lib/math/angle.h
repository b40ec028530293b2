/* SPDX-License-Identifier: Apache-2.0 */
/* Angles of any size, less whole turns. */
#ifndef TRNSCI_MATH_ANGLE_H
#define TRNSCI_MATH_ANGLE_H

/* Returns x less a multiple of 2 pi, in [-pi, pi], for any finite x. The multiple is exact; error: 1 ulp. */
double angle_reduce(double x);

#endif
