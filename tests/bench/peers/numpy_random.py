#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""numpy's Generator(SFC64), n samples: work="METHOD DTYPE", as the rows are called."""
try:
    import numpy as np
except ImportError:
    print('none numpy')
    raise SystemExit(0)

import sys

import worker

N = int(worker.case_of(sys.argv[1:]).get('n', 65536))
g = np.random.Generator(np.random.SFC64(1))
f32, f64 = np.empty(N, np.float32), np.empty(N)


def truncated(low, high):
    """As people write it: normals until enough lie inside."""
    left, parts = N, []
    while left > 0:
        z = g.standard_normal(int(left * 1.1) + 16)
        parts.append(z[(z >= low) & (z <= high)][:left])
        left -= len(parts[-1])
    return np.concatenate(parts)


arrays = {}


def of(low, high):
    """Numbers between two bounds, made once."""
    if (low, high) not in arrays:
        arrays[low, high] = low + (high - low) * (np.arange(N) * 7919 % N / N)
    return arrays[low, high]


WORKS = {
    'uniform f32': lambda: g.random(dtype=np.float32, out=f32),
    'uniform f64': lambda: g.random(out=f64),
    'normal f32': lambda: g.standard_normal(dtype=np.float32, out=f32),
    'normal f64': lambda: g.standard_normal(out=f64),
    'exponential f32': lambda: g.standard_exponential(dtype=np.float32, out=f32),
    'exponential f64': lambda: g.standard_exponential(out=f64),
    'lognormal f32': lambda: g.lognormal(size=N),
    'laplace f32': lambda: g.laplace(size=N),
    'bernoulli i8': lambda: (g.random(N, dtype=np.float32, out=f32) < np.float32(0.3)).view(np.int8),
    'randint i32': lambda: g.integers(-5, 1000, N, dtype=np.int32),
    'randint i64': lambda: g.integers(-5, 1000, N),
    'gamma f32': lambda: g.standard_gamma(2.5, dtype=np.float32, out=f32),
    'gamma f64': lambda: g.standard_gamma(2.5, out=f64),
    'gamma<1 f32': lambda: g.standard_gamma(0.3, dtype=np.float32, out=f32),
    'gamma<1 f64': lambda: g.standard_gamma(0.3, out=f64),
    'beta f32': lambda: g.beta(2, 3, size=N),
    'beta f64': lambda: g.beta(2, 3, size=N),
    'beta<1 f64': lambda: g.beta(0.3, 0.6, size=N),
    'poisson 3 i64': lambda: g.poisson(3, N),
    'poisson 100 i64': lambda: g.poisson(100, N),
    'poisson 1e6 i64': lambda: g.poisson(1e6, N),
    'binomial 20 i64': lambda: g.binomial(20, 0.4, N),
    'binomial 1e6 i64': lambda: g.binomial(1000000, 0.4, N),
    'truncated f32': lambda: truncated(-2, 2),
    'truncated f64': lambda: truncated(-2, 2),
    'gumbel f32': lambda: g.gumbel(size=N),
    'weibull f32': lambda: g.weibull(2, size=N),
    'cauchy f32': lambda: g.standard_cauchy(size=N),
    'student_t f32': lambda: g.standard_t(5, size=N),
    'geometric i64': lambda: g.geometric(0.1, N),
    'permutation i64': lambda: g.permutation(N),
    'dirichlet f64': lambda: g.dirichlet([1, 2, 3, 4], N // 4),
    'rayleigh f64': lambda: g.rayleigh(size=N),
    'logistic f64': lambda: g.logistic(size=N),
    'pareto f64': lambda: g.pareto(3, N),
    'power f64': lambda: g.power(5, N),
    'triangular f64': lambda: g.triangular(0, 0.5, 1, N),
    'vonmises f64': lambda: g.vonmises(0, 4, N),
    'wald f64': lambda: g.wald(3, 2, N),
    'f f64': lambda: g.f(5, 48, N),
    'noncentral_chisquare f64': lambda: g.noncentral_chisquare(3, 20, N),
    'noncentral_f f64': lambda: g.noncentral_f(3, 20, 3, N),
    'zipf i64': lambda: g.zipf(2, N),
    'logseries i64': lambda: g.logseries(0.6, N),
    'negative_binomial i64': lambda: g.negative_binomial(10, 0.1, N),
    'hypergeometric i64': lambda: g.hypergeometric(100, 200, 120, N),
    'hypergeometric few i64': lambda: g.hypergeometric(20, 30, 7, N),
    'multinomial i64': lambda: g.multinomial(100, [0.1, 0.2, 0.3, 0.4], N // 4),
    'normal f32, by array': lambda: g.normal(of(0, 10), of(1, 2)),
    'normal f64, by array': lambda: g.normal(of(0, 10), of(1, 2)),
    'uniform f64, by array': lambda: g.uniform(of(0, 1), of(2, 3)),
    'exponential f64, by array': lambda: g.exponential(of(1, 2)),
    'gamma f64, by array': lambda: g.gamma(of(0.5, 5), of(1, 2)),
    'beta f64, by array': lambda: g.beta(of(0.5, 5), of(1, 2)),
    'poisson i64, by array': lambda: g.poisson(of(0, 255)),
    'binomial i64, by array': lambda: g.binomial(100, of(0, 1)),
    'geometric i64, by array': lambda: g.geometric(of(0.1, 0.9)),
    'categorical i64': lambda: g.choice(8, N, p=[0.3, 0, 0.1, 0.05, 0.25, 0.2, 0.05, 0.05]),
}

worker.serve({name: lambda case, run=run: run for name, run in WORKS.items()})
