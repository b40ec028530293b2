#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package beside numpy's Generator and scipy.fft, embedded, in one process, call by call in turn.

A time is the median of rounds, of which each is the mean of some calls; a ratio above 1 says how many times as fast as the
best peer. Goals: scalars at most twice numpy's time; never slower than numpy from 10 numbers up; normals of 1e5 and more 5
times as fast; transforms never slower than scipy, from 2^12 up 3 times as fast; the extension's own cost at most 350 ns;
stft and welch of 1e7 samples 8 times as fast, Sobol points 3 times, a convolution of 1e6 with 1e4 twice.

usage: python.py [PART ...]      parts: draws, transforms, signals, cost; default: all
"""
import os
import statistics
import sys
import time

import numpy as np
import scipy.fft
import scipy.signal
import scipy.stats.qmc

import trnsci
import trnsci.qmc

ROUNDS, ROUND_SECONDS = 9, 0.004
SIZES = None, 10, 10**3, 10**5, 10**7
DRAWS = {
    'random f64': lambda g, n: lambda: g.random(n),
    'random f32': lambda g, n: lambda: g.random(n, np.float32),
    'normal f64': lambda g, n: lambda: g.standard_normal(n),
    'normal f32': lambda g, n: lambda: g.standard_normal(n, np.float32),
    'exponential f64': lambda g, n: lambda: g.standard_exponential(n),
    'exponential f32': lambda g, n: lambda: g.standard_exponential(n, np.float32),
    'integers(100)': lambda g, n: lambda: g.integers(0, 100, n),
    'gamma(2.5) f64': lambda g, n: lambda: g.standard_gamma(2.5, n),
    'gamma(2.5) f32': lambda g, n: lambda: g.standard_gamma(2.5, n, np.float32),
    'poisson(5)': lambda g, n: lambda: g.poisson(5.0, n),
    'permutation': lambda g, n: lambda: g.permutation(n or 1),
}
TRANSFORMS = [('fft', (n,)) for n in (64, 256, 1024, 4096, 1 << 14, 1 << 16, 1 << 20)] + \
    [('rfft', (n,)) for n in (64, 256, 1024, 4096, 1 << 14, 1 << 16, 1 << 20)] + \
    [('fft', (4096, 256)), ('rfft', (4096, 256)), ('fft2', (64, 64)), ('fft2', (1024, 1024))]


def measure(calls):
    """Median seconds of each call, taking turns."""
    counts, times = [], [[] for _ in calls]
    for call in calls:
        call()
        begin = time.perf_counter()
        call()
        counts.append(max(1, int(ROUND_SECONDS / max(time.perf_counter() - begin, 1e-7))))
    for _ in range(ROUNDS):
        for call, count, found in zip(calls, counts, times):
            begin = time.perf_counter()
            for _ in range(count):
                call()
            found.append((time.perf_counter() - begin) / count)
    return [statistics.median(found) for found in times]


def show(name, labels, times, goal):
    """One row: ours last. Returns whether the goal was met."""
    ratio = min(times[:-1]) / times[-1]
    cells = '  '.join(f'{label} {t * 1e9:11.0f}' for label, t in zip(labels, times))
    print(f'{name:26} {cells} ns   {ratio:6.2f}x  {"met" if ratio >= goal else "MISSED"} goal {goal}', flush=True)
    return ratio >= goal


def draws(session):
    generators = [np.random.Generator(np.random.SFC64(1)), np.random.Generator(np.random.PCG64(1)),
                  trnsci.Generator(1, session=session)]
    for name, make in DRAWS.items():
        for n in SIZES:
            goal = 0.5 if n is None else 5 if 'normal' in name and n >= 10**5 else 1
            yield show(f'{name} x {n or "scalar"}', ('SFC64', 'PCG64', 'trnsci'),
                       measure([make(g, n) for g in generators]), goal)


def transforms(session):
    del session  # transforms take the module's own
    g = trnsci.Generator(1)
    for name, shape in TRANSFORMS:
        for dtype in np.float32, np.float64:
            x = g.normal(size=shape).astype(dtype)
            if not name.startswith('r'):
                x = (x + 1j * x[::-1]).astype(np.result_type(dtype, np.complex64))
            theirs, ours = getattr(scipy.fft, name), getattr(trnsci.fft, name)
            label = f'{name} {"x".join(map(str, shape))} {x.dtype}'
            yield show(label, ('scipy', 'workers=2', 'trnsci'),
                       measure([lambda: theirs(x), lambda: theirs(x, workers=2), lambda: ours(x)]),
                       3 if x.size >= 1 << 12 and len(shape) == 1 else 1)


def compare(name, goal, *calls):
    """scipy's call and ours."""
    return show(name, ('scipy', 'trnsci'), measure(calls), goal)


def points(engine, n, d, scramble):
    """A new engine for each run, as an integration makes."""
    return lambda: engine(d, seed=1, scramble=scramble).random(n)


def signals(session):
    del session  # signals take the module's own
    g = trnsci.Generator(1)
    theirs, ours = scipy.signal, trnsci.signal
    for dtype in np.float32, np.float64:
        x, taps = g.normal(size=10**7).astype(dtype), g.normal(size=10**4).astype(dtype)
        kind = np.dtype(dtype).name
        for name in 'stft', 'welch':
            yield compare(f'{name} 1e7 {kind}', 8, lambda: getattr(theirs, name)(x), lambda: getattr(ours, name)(x))
        yield compare(f'csd 1e7 {kind}', 1, lambda: theirs.csd(x, x[::-1]), lambda: ours.csd(x, x[::-1]))
        yield compare(f'spectrogram 1e6 {kind}', 1, lambda: theirs.spectrogram(x[:10**6]),
                      lambda: ours.spectrogram(x[:10**6]))
        spectra = theirs.stft(x[:10**6])[2]
        yield compare(f'istft 1e6 {kind}', 1, lambda: theirs.istft(spectra), lambda: ours.istft(spectra))

        short = x[:10**6]
        for name, more in (('periodogram', ()), ('coherence', (short[::-1],)), ('fftconvolve', (short[::-1],)), ('hilbert', ()),
                           ('oaconvolve', (taps,)), ('resample', (480_000,)), ('czt', ()), ('zoom_fft', ([.1, .2],))):
            yield compare(f'{name} 1e6 {kind}', 2, lambda: getattr(theirs, name)(short, *more),
                          lambda: getattr(ours, name)(short, *more))
        if hasattr(theirs, 'ShortTimeFFT'):  # scipy 1.12
            a, b = (each.ShortTimeFFT(np.hanning(256), 128, 1.) for each in (theirs, ours))
            spectra = a.stft(short)
            for name, given in ('stft', short), ('spectrogram', short), ('istft', spectra):
                yield compare(f'ShortTimeFFT.{name} 1e6 {kind}', 2, lambda: getattr(a, name)(given), lambda: getattr(b, name)(given))
        for name, goal in (('convolve', 2), ('oaconvolve', 1)):
            yield compare(f'convolve 1e6 x 1e4 {kind}, scipy {name}', goal,
                          lambda: getattr(theirs, name)(x[:10**6], taps), lambda: ours.convolve(x[:10**6], taps))
    for name, m, d, scramble in (('Sobol', 20, 8, False), ('Sobol', 20, 8, True), ('Halton', 17, 8, True),
                                 ('LatinHypercube', 17, 8, True)):
        label = f'{name} 2^{m} x {d}{", scrambled" if scramble else ""}'
        yield compare(label, 3 if name == 'Sobol' else 1, points(getattr(scipy.stats.qmc, name), 1 << m, d, scramble),
                      points(getattr(trnsci.qmc, name), 1 << m, d, scramble))


def cost(session):
    """What a call of Python's costs: an array of numpy's alone, and our shortest draw and transform."""
    g = trnsci.Generator(1, session=session)
    x = np.zeros(16, np.complex128)
    calls = [lambda: np.empty(16), lambda: g.random(16), lambda: trnsci.fft.fft(x)]
    for name, t in zip(('numpy.empty(16)', 'random(16)', 'fft of 16'), measure(calls)):
        print(f'{name:26} {t * 1e9:11.0f} ns', flush=True)
    yield True


if __name__ == '__main__':
    parts = {'draws': draws, 'transforms': transforms, 'signals': signals, 'cost': cost}
    embedded = trnsci.Session('embedded:')
    print(f'numpy {np.__version__}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}')
    met = [result for part in sys.argv[1:] or parts for result in parts[part](embedded)]
    print(f'{sum(met)} of {len(met)} rows meet their goal')
