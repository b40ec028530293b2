#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Calls from Python, of ours and of others: library_of=trnsci|pyFFTW|scipy|numpy SFC64, work=NAME n= dtype= given= at=SOCKET."""
import sys

import worker

CASE = worker.case_of(sys.argv[1:])
OURS = CASE.get('library_of') == 'trnsci'
try:
    import numpy as np
    if OURS:
        import trnsci
        import trnsci.signal as signal
    elif CASE.get('library_of') == 'pyFFTW':
        import pyfftw
    else:
        import scipy.fft
        from scipy import signal
except ImportError as error:
    print('none', error)
    raise SystemExit(0)


def noise(n):
    return np.random.default_rng(1).random(n) - 0.5


def generator():
    if OURS:
        return trnsci.Generator(1, session=trnsci.Session(CASE.get('at', 'embedded:')))
    return np.random.Generator(np.random.SFC64(1))


def open_fft(case):
    """A planned transform of what is in its memory; given=1: of an array, which is copied there."""
    x = noise(2 * int(case['n'])).view(np.complex128).astype(case['dtype'])
    if OURS:
        plan = trnsci.fft.plan('fft', x, session=trnsci.Session('embedded:'))
        run = plan.run
    else:
        arrays = [pyfftw.empty_aligned(x.shape, x.dtype) for _ in range(2)]
        run = plan = pyfftw.FFTW(*arrays, flags=('FFTW_PATIENT',))
        arrays[0][:] = x
    return (lambda: plan(x)) if 'given' in case else run


def open_first(case):
    """The first run only shows that the worker is ready; the next one meets the lengths."""
    lengths = iter((range(16, 17), range(int(case['first']), int(case['last']) + 1)))
    x = noise(2 * int(case['last'])).astype(np.float32).view(np.complex64)

    def run():
        for n in next(lengths):
            scipy.fft.fft(x[:n])
    return run


def open_convolve(_):
    x, taps = noise(1000), noise(100)
    return lambda: signal.convolve(x, taps)


def open_frames(name):
    x = noise(10**6)
    return lambda: getattr(signal, name)(x)


def open_draw(case):
    g, n = generator(), int(case['n'])
    return {'integers': lambda: g.integers(0, 100, n), 'random': lambda: g.random(n), 'normal': lambda: g.standard_normal(n)}[case['work']]


worker.serve({'fft': open_fft, 'first': open_first, 'convolve 1000 x 100 f64': open_convolve,
              'stft 1e6 f64': lambda _: open_frames('stft'), 'spectrogram 1e6 f64': lambda _: open_frames('spectrogram'),
              'integers': open_draw, 'random': open_draw, 'normal': open_draw})
