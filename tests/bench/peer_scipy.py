#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Nanoseconds a coordinate of scipy.stats.qmc in 16 dimensions, one line for each sequence that it has: "name fresh more
# many": 4096 points from an engine made for them, from one that is there, and 2^21 points from one.
import time
import warnings

try:
    from scipy.stats import qmc
except ImportError:
    raise SystemExit(0)

FEW, MANY, DIMS = 4096, 1 << 21, 16
warnings.simplefilter('ignore')
ENGINES = [
    ('sobol', lambda: qmc.Sobol(DIMS, scramble=False, bits=53)),
    ('sobol_scrambled', lambda: qmc.Sobol(DIMS, seed=1, bits=53)),
    ('halton', lambda: qmc.Halton(DIMS, scramble=False)),
    ('halton_scrambled', lambda: qmc.Halton(DIMS, seed=1)),
    ('lhs', lambda: qmc.LatinHypercube(DIMS, seed=1)),
]


def median(work, n, rounds):
    work()
    seconds = []
    for _ in range(rounds):
        begin = time.process_time_ns()
        work()
        seconds.append((time.process_time_ns() - begin) / n / DIMS)
    return sorted(seconds)[rounds // 2]


for name, new in ENGINES:
    engine = new()
    fresh = median(lambda: new().random(FEW), FEW, 9)
    more = median(lambda: engine.random(FEW), FEW, 15)
    engine = new()
    print(name, fresh, more, median(lambda: engine.random(MANY), MANY, 1))
