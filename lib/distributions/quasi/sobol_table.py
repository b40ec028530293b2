#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sobol_data.c: primitive polynomials and initial direction numbers of the first 1,111 Sobol dimensions.

Source: S. Joe, F. Y. Kuo, new-joe-kuo-6.21201 ("Constructing Sobol sequences with better two-dimensional projections",
SIAM J. Sci. Comput. 30 (2008) 2635-2654), as Debian's python3-scipy carries it.

    lib/distributions/quasi/sobol_table.py > lib/distributions/quasi/sobol_data.c
"""
import textwrap

import numpy
import scipy.stats

DIMS = 1111  # all polynomials up to degree 13


def rows(numbers):
    return textwrap.fill(", ".join(map(str, numbers)) + ",", 112, initial_indent="\t", subsequent_indent="\t")


table = numpy.load(scipy.stats.__path__[0] + "/_sobol_direction_numbers.npz")
polynomials = [int(p) for p in table["poly"][1:DIMS]]
initials = [int(m) for p, row in zip(polynomials, table["vinit"][1:DIMS]) for m in row[: p.bit_length() - 1]]

print(f"""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by sobol_table.py. Primitive polynomials over F2 (the leading bit and the last one written out) and initial
 * direction numbers. Source: S. Joe, F. Y. Kuo, new-joe-kuo-6.21201. */
#include "distributions/quasi/sobol_data.h"

/* clang-format off */
const uint16_t sobol_polynomials[SOBOL_DIMS - 1] = {{
{rows(polynomials)}
}};

const uint16_t sobol_initials[SOBOL_INITIALS] = {{
{rows(initials)}
}};""")
