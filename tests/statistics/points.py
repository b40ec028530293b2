#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Quasi-random points beside scipy.stats.qmc: the plain sequences number for number, what scrambled ones must keep, and
their discrepancies, which over many seeds have scipy's mean. Prints TAP; TRNSCI_TEST_SEED chooses other seeds."""
import os
import subprocess
import sys
import warnings

import numpy as np
from scipy.stats import qmc

CLI = os.path.join(os.environ.get('BUILD', 'build'), 'bin', 'trnsci-cli')
SEED = int(os.environ.get('TRNSCI_TEST_SEED', '20261120'), 0)
warnings.filterwarnings('ignore', message='The balance properties')
SEEDS = 200  # of each mean
count = failures = 0


def points(kind, n, dims, *options):
    """An (n, dims) array from the command line."""
    command = [CLI, '-q', '--embedded', 'qmc', kind, '-n', str(n), '-d', str(dims), '--format', 'raw', *options]
    raw = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw).reshape(n, dims).copy()


def report(good, name, detail=''):
    global count, failures
    count += 1
    failures += not good
    print('ok' if good else 'not ok', count, '-', name, detail and f'({detail})', flush=True)


def worst(ours, theirs):
    return float(np.max(np.abs(ours - theirs)))


def plain_sobol():
    for bits in (32, 53):
        for n, dims in ((1 << 14, 16), (1 << 10, 333), (64, 1111)):
            theirs = qmc.Sobol(dims, scramble=False, bits=bits).random(n)
            difference = worst(points('sobol', n, dims, '--bits', str(bits)), theirs)
            report(difference == 0, f'sobol, {bits} bits, {n} points in {dims} dimensions', f'differs by {difference:g}')
        start = 300001
        theirs = qmc.Sobol(20, scramble=False, bits=bits).random(start + 100)[start:]
        difference = worst(points('sobol', 100, 20, '--bits', str(bits), '--offset', str(start)), theirs)
        report(difference == 0, f'sobol, {bits} bits, from point {start}', f'differs by {difference:g}')


def plain_halton():
    """scipy adds one rounded term for each digit."""
    for n, dims in ((20000, 20), (3000, 1000)):
        difference = worst(points('halton', n, dims), qmc.Halton(dims, scramble=False).random(n))
        report(difference < 1e-15, f'halton, {n} points in {dims} dimensions', f'differs by {difference:g}')


def is_lattice(x, n):
    """Multiples of 1/n that are closed under addition modulo 1."""
    grid = np.rint(x * n).astype(np.int64)
    if worst(grid / n, x) > 0:
        return False
    there = {tuple(row) for row in grid}
    sums = (grid[:, None, :] + grid[None, ::37, :]) % n
    return len(there) == n and all(tuple(row) in there for row in sums.reshape(-1, x.shape[1]))


def lattices():
    for log2 in (5, 8, 10):
        n = 1 << log2
        report(is_lattice(points('lattice', n, 12), n), f'lattice, {n} points are one')
    shifted = points('lattice', 256, 12, '--scramble', 'shift', '--seed', str(SEED))
    moved = np.mod(shifted - shifted[0] + 1e-12, 1)
    report(is_lattice(np.floor(moved * 256) / 256, 256), 'lattice, shifted, is one moved')
    report(not is_lattice(np.floor(np.random.default_rng(SEED).random((256, 12)) * 256) / 256, 256),
           'random points are none')


def latin(x):
    cells = np.sort(np.floor(x * len(x)).astype(np.int64), axis=0)
    return bool(np.all(cells == np.arange(len(x))[:, None]))


def designs():
    for n in (7, 100, 4099):
        theirs = qmc.LatinHypercube(6, seed=SEED).random(n)
        ours = points('lhs', n, 6, '--scramble', 'jitter', '--seed', str(SEED))
        report(latin(ours) and latin(theirs), f'lhs, {n} points: one in each cell of each dimension, as in scipy')


def interval_counts(x, log2_a, log2_b):
    """How many intervals 2^-a by 2^-b hold how many points."""
    cells = np.floor(x[:, 0] * (1 << log2_a)).astype(np.int64) << log2_b
    cells += np.floor(x[:, 1] * (1 << log2_b)).astype(np.int64)
    return np.bincount(np.bincount(cells, minlength=1 << (log2_a + log2_b)))


def scrambled_nets():
    """Nested scrambling permutes the elementary intervals: their numbers of points are those of the plain sequence, in
    each pair of dimensions, and one each in the first two, a (0, m, 2)-net."""
    log2, dims = 10, 12
    plain = qmc.Sobol(dims, scramble=False, bits=53).random(1 << log2)
    for scramble in ('owen', 'shift'):
        x = points('sobol', 1 << log2, dims, '--scramble', scramble, '--seed', str(SEED))
        same = all(np.array_equal(interval_counts(x[:, [i, j]], a, log2 - a), interval_counts(plain[:, [i, j]], a, log2 - a))
                   for i in range(dims) for j in range(i) for a in range(log2 + 1))
        ones = all(np.array_equal(interval_counts(x[:, :2], a, log2 - a), [0, 1 << log2]) for a in range(log2 + 1))
        report(same and ones, f'sobol, {scramble}: every elementary interval holds what it held')
    halves = np.array([np.mean(points('sobol', 64, 8, '--scramble', 'owen', '--seed', str(SEED + i))[5] < 0.5)
                       for i in range(SEEDS)])
    report(abs(halves.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(8 * SEEDS), 'sobol, owen: a point lies anywhere',
           f'{halves.mean():.3f} of its coordinates below 1/2')


def discrepancies(source):
    return np.array([qmc.discrepancy(source(SEED + i)) for i in range(SEEDS)])


def off(a, b):
    """How many standard errors two means lie apart."""
    return (a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))


def mean_discrepancies():
    """The mean squared discrepancy depends on pairs of points alone, and pairs are alike under nested scrambling and
    scipy's linear one (Owen, ACM Trans. Model. Comput. Simul. 13 (2003) 363), under affine and any digit permutations."""
    n, dims = 256, 5

    def ours(kind, scramble):
        return discrepancies(lambda seed: points(kind, n, dims, '--scramble', scramble, '--seed', str(seed)))

    def theirs(engine):
        return discrepancies(lambda seed: engine(dims, seed=seed).random(n))

    random = discrepancies(lambda seed: np.random.default_rng(seed).random((n, dims)))
    for kind, scramble, engine in (('sobol', 'owen', qmc.Sobol), ('halton', 'permutation', qmc.Halton),
                                   ('halton', 'owen', qmc.Halton), ('lhs', 'jitter', qmc.LatinHypercube)):
        a, b = ours(kind, scramble), theirs(engine)
        # Of Halton's the later digits of scipy's points are tied together, so that Owen's do a little better or as well.
        good = off(a, b) < 4.5 if scramble == 'owen' and kind == 'halton' else abs(off(a, b)) < 4.5
        report(good and off(a, random) < -4.5, f'{kind}, {scramble}: discrepancies of {SEEDS} seeds',
               f'{a.mean():.4g}, scipy {b.mean():.4g}, {off(a, b):+.2f} standard errors; random {random.mean():.4g}')


print(f'# seed {SEED}')
for check in (plain_sobol, plain_halton, lattices, designs, scrambled_nets, mean_discrepancies):
    check()
print(f'1..{count}')
sys.exit(failures > 0)
