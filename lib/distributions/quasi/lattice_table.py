#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes lattice_data.c: the generating vector of an embedded rank-1 lattice in base 2, component by component.

Dimension j's component z_j (odd, below 2^20) is the one for which the worst ratio, over 2^10, 2^11 ... 2^20 points, of
the squared worst-case error to the least that any z_j would give there, is smallest; the error is that of the weighted
Korobov space of smoothness 1 with product weights 1 / j^2. All z at once by FFT, since the odd residues modulo 2^q up
to sign are the powers of 5. Sources: R. Cools, F. Y. Kuo, D. Nuyens, "Constructing embedded lattice rules for
multivariate integration", SIAM J. Sci. Comput. 28 (2006) 2162-2188; D. Nuyens, R. Cools, Math. Comp. 75 (2006) 903-920.

    lib/distributions/quasi/lattice_table.py > lib/distributions/quasi/lattice_data.c      (a minute)
"""
import textwrap

import numpy

DIMS, LEAST, MOST = 1024, 10, 20


def omega(x):
    return 2 * numpy.pi**2 * (x * x - x + 1 / 6)


def powers_of_5(q):
    powers = numpy.ones(1, dtype=numpy.int64)
    step = 5
    while len(powers) < 1 << max(q - 2, 0):
        powers = numpy.concatenate([powers, powers * step % (1 << q)])
        step = step * step % (1 << q)
    return powers


# Fractions k / 2^q with odd k, up to sign: how often each stands for two, the kernel there, its transform.
counts = [1, 1] + [2] * (MOST - 1)
kernels = [omega(powers_of_5(q) / 2.0**q if q else numpy.zeros(1)) for q in range(MOST + 1)]
spectra = [numpy.fft.rfft(kernel) for kernel in kernels]
products = [numpy.ones(len(kernel)) for kernel in kernels]
candidates = powers_of_5(MOST)
vector = []
for j in range(1, DIMS + 1):
    weight = 1 / j**2
    worst = numpy.zeros(len(candidates))
    total = numpy.zeros(1)
    for q in range(MOST + 1):
        product, spectrum = products[q], spectra[q]
        if len(product) == 1:
            joined = product * kernels[q]
        else:
            joined = numpy.fft.irfft(numpy.conj(numpy.fft.rfft(product)) * spectrum, len(product))
        level = counts[q] * (product.sum() + weight * joined)
        total = numpy.tile(total, len(level) // len(total)) + level
        if q >= LEAST:
            error = total / 2**q - 1
            ratio = numpy.log(error / error.min())
            worst = numpy.maximum(worst, numpy.tile(ratio, len(worst) // len(ratio)))
    best = 0 if j == 1 else int(numpy.argmin(worst))
    vector.append(int(candidates[best]))
    for q in range(MOST + 1):
        products[q] *= 1 + weight * numpy.roll(kernels[q], -(best % len(kernels[q])))

numbers = textwrap.fill(", ".join(map(str, vector)) + ",", 112, initial_indent="\t", subsequent_indent="\t")
print(f"""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by lattice_table.py: the generating vector of an embedded rank-1 lattice, for 2^10 to 2^20 points. */
#include "distributions/quasi/lattice_data.h"

/* clang-format off */
const uint32_t lattice_vector[LATTICE_DIMS] = {{
{numbers}
}};""")
