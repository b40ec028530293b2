#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sobol integration beside plain Monte Carlo: how the error falls with the
number of points.

usage: sobol.py [PICTURE.png]
"""
import sys

import numpy as np

import trnsci.qmc

DIMENSIONS, REPEATS = 6, 16
SIZES = [2**m for m in range(6, 15)]


def integrand(x):
    """Its integral over the unit cube is 1."""
    return np.prod(np.pi / 2 * np.sin(np.pi * x), axis=-1)


def errors(points):
    """Root mean square error over repeats, for each number of points."""
    found = []
    for n in SIZES:
        means = [integrand(points(n, seed)).mean() for seed in range(REPEATS)]
        found.append(np.sqrt(np.mean((np.array(means) - 1)**2)))
    return np.array(found)


def show(by_chance, by_sobol, name):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, *others) = plt.subplots(1, 3, figsize=(9, 3))
    left.loglog(SIZES, by_chance, "o-", label="Monte Carlo")
    left.loglog(SIZES, by_sobol, "s-", label="Sobol")
    left.set(xlabel="points", ylabel="root mean square error")
    left.legend()
    clouds = {"256 random points": trnsci.Generator(1).random((256, 2)),
              "256 Sobol points": trnsci.qmc.Sobol(2, seed=1).random(256)}
    for axes, (title, points) in zip(others, clouds.items()):
        axes.plot(*points.T, ".", markersize=4)
        axes.set(aspect="equal", title=title, xlim=(0, 1), ylim=(0, 1))
    figure.tight_layout()
    figure.savefig(name, dpi=60)


if __name__ == "__main__":
    by_chance = errors(lambda n, seed: trnsci.Generator(seed).random(
        (n, DIMENSIONS)))
    by_sobol = errors(lambda n, seed: trnsci.qmc.Sobol(
        DIMENSIONS, seed=seed).random(n))
    print("  points  Monte Carlo     Sobol")
    for n, plain, sobol in zip(SIZES, by_chance, by_sobol):
        print(f"{n:8}  {plain:11.2e}  {sobol:8.2e}")
    slopes = [np.polyfit(np.log(SIZES), np.log(found), 1)[0]
              for found in (by_chance, by_sobol)]
    print("the error falls as n to the power "
          f"{slopes[0]:.1f}, and by Sobol {slopes[1]:.1f}")
    if len(sys.argv) > 1:
        show(by_chance, by_sobol, sys.argv[1])
