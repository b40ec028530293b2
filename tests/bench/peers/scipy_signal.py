#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scipy.signal over n float32 samples: work=NAME n= taps=. colored: numpy's normal numbers of dtype=, and taps."""
try:
    import numpy as np
    from scipy import fft, signal
except ImportError:
    print('none scipy')
    raise SystemExit(0)

import worker


def noise(n):
    return np.random.default_rng(1).random(int(n), dtype=np.float32) - np.float32(0.5)


def open_stft(case):
    x = noise(case['n'])
    return lambda: signal.stft(x, window='hann', nperseg=512, noverlap=384)


def open_istft(case):
    spectra = signal.stft(noise(case['n']), window='hann', nperseg=512, noverlap=384)[2]
    return lambda: signal.istft(spectra, window='hann', nperseg=512, noverlap=384)


def open_convolve(case):
    x, taps = noise(case['n']), noise(case['taps'])
    return lambda: signal.oaconvolve(x, taps)


def open_welch(case):
    x = noise(case['n'])
    return lambda: signal.welch(x)


def open_colored(case):
    dtype, n, taps = np.dtype(case['dtype'].replace('f32', 'f4').replace('f64', 'f8')), int(case['n']), int(case['taps'])
    rng, h = np.random.Generator(np.random.SFC64(1)), noise(taps).astype(dtype)
    return lambda: signal.oaconvolve(rng.standard_normal(n + taps - 1, dtype), h, 'valid')


def open_field(case):
    """A field of n^3 by numpy and scipy.fft on two threads; the root of its spectrum is made beforehand."""
    n = int(case['n'])
    axes = [np.fft.fftfreq(n), np.fft.fftfreq(n), np.fft.rfftfreq(n)]
    k = np.sqrt(sum(a**2 for a in np.ix_(*axes)))
    k[0, 0, 0] = np.inf
    root, generator = (k**-1.5).astype(np.float32), np.random.default_rng(1)

    def draw():
        half = fft.rfftn(generator.standard_normal((n, n, n), np.float32), workers=2)
        half *= root
        return fft.irfftn(half, (n, n, n), workers=2)
    return draw


worker.serve({'colored': open_colored, 'field': open_field, 'stft': open_stft, 'istft': open_istft, 'convolve': open_convolve,
              'welch': open_welch})
