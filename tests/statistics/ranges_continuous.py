# SPDX-License-Identifier: Apache-2.0
"""Exact probabilities of the continuous distributions over the whole range of their parameters.

    python3 tests/statistics/ranges_continuous.py tests/vectors/ranges_continuous.txt"""
import mpmath as mp

from ranges import emit, refuse, write

mpf = mp.mpf
QUANTILES = (1e-4, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.9999)


def exponential(rate):
    """Pairs at float64 quantiles, with the exact probability of the rounded x."""
    pairs = [(-1.0, 0)]
    for q in QUANTILES:
        x = float(-mp.log1p(-mpf(q)) / mpf(rate))
        pairs.append((x, -mp.expm1(-mpf(rate) * mpf(x))))
    return pairs


for each in [1e-30, 1e-9, 0.3, 1.0, 1e9, 1e30]:
    emit("exponential", {"rate": each}, exponential(each))
for each in [2.2250738585072014e-308, 1e-300, 1e300, 1.7e308]:
    emit("exponential", {"rate": each}, exponential(each), "f64")
refuse("exponential", {"rate": 2e-308}, "rate", "2.22507386e-308")
write("ranges_continuous.py")
