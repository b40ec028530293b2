# SPDX-License-Identifier: Apache-2.0
"""Covariances of Gaussian fields on one axis, summed over all images of the grid, and plain ones without images, in 30 digits.

    python3 tests/statistics/field_covariance.py tests/vectors/field_covariance.txt

A line: the covariance (plain_NAME without images), nu (0: none), points of the axis, spacing, length, lag in points, covariance at that lag."""
import sys

import mpmath as mp

mp.mp.dps = 30
GRIDS = ((64, 1, 5), (64, 0.5, 0.25), (7, 2, 3))
LAGS = {64: (0, 1, 2, 3, 4, 6, 9, 14, 21, 32), 7: (0, 1, 2, 3)}
NUS = ("0.01", "0.1", "0.3", "0.5", "1", "1.7", "2.5", "10", "99.5", "999.5")


def gaussian(r, nu):
    return mp.exp(-r * r / 2)


def matern(r, nu):
    s = mp.sqrt(2 * nu) * r
    if nu > 50:  # p + 1/2: a finite sum
        p, term, total = int(nu), mp.mpf(1), mp.mpf(1)
        for i in range(p):
            term *= 2 * s * (p - i) / mp.mpf(2 * p - i) / (i + 1)
            total += term
        return mp.exp(-s) * total
    return mp.mpf(1) if r == 0 else 2 ** (1 - nu) / mp.gamma(nu) * s**nu * mp.besselk(nu, s)


def spherical(r, nu):
    return 1 - mp.mpf(3) / 2 * r + r**3 / 2 if r < 1 else mp.mpf(0)


def images(covariance, nu, n, spacing, length, lag):
    """The sum over all images, until two in a row add nothing."""
    total, m = covariance(mp.mpf(lag * spacing) / length, nu), 1
    while True:
        term = sum(covariance(abs(mp.mpf((lag + s * m * n) * spacing) / length), nu) for s in (-1, 1))
        total += term
        if term < mp.mpf(10) ** -22:
            return total
        m += 1


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("# by tests/statistics/field_covariance.py: covariance, nu, points, spacing, length, lag, value\n")
    for name, covariance in (("gaussian", gaussian), ("matern", matern), ("spherical", spherical)):
        for nu in NUS if name == "matern" else ("0",):
            for n, spacing, length in GRIDS:
                for lag in LAGS[n]:
                    value = images(covariance, mp.mpf(nu), n, mp.mpf(spacing), mp.mpf(length), lag)
                    out.write(f"{name} {nu} {n} {spacing} {length} {lag} {mp.nstr(value, 20)}\n")
                    value = covariance(mp.mpf(lag * spacing) / length, mp.mpf(nu))
                    out.write(f"plain_{name} {nu} {n} {spacing} {length} {lag} {mp.nstr(value, 20)}\n")
