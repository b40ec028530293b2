#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scipy.stats.qmc, n points in d dimensions from an engine that is there: work=NAME n= d=."""
import warnings

try:
    from scipy.stats import qmc
except ImportError:
    print('none scipy')
    raise SystemExit(0)

import worker

warnings.simplefilter('ignore')
ENGINES = {
    'sobol': lambda d: qmc.Sobol(d, scramble=False, bits=53),
    'sobol scrambled': lambda d: qmc.Sobol(d, seed=1, bits=53),
    'halton': lambda d: qmc.Halton(d, scramble=False),
    'halton scrambled': lambda d: qmc.Halton(d, seed=1),
    'lhs': lambda d: qmc.LatinHypercube(d, seed=1),
}


def open_engine(case):
    engine, n = ENGINES[case['work']](int(case['d'])), int(case['n'])
    engine.random(n)
    return lambda: engine.random(n)


worker.serve({name: open_engine for name in ENGINES})
