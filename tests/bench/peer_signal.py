#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Milliseconds of scipy.signal over 10^7 float32 samples, a line each: "name ms", the median of five.
import time

try:
    import numpy as np
    from scipy import signal
except ImportError:
    raise SystemExit(0)

g = np.random.default_rng(1)
x = g.random(10**7, dtype=np.float32) - np.float32(0.5)
taps = g.random(1001, dtype=np.float32) - np.float32(0.5)
spectra = signal.stft(x, window="hann", nperseg=512, noverlap=384)[2]
WORKS = [
    ("stft", lambda: signal.stft(x, window="hann", nperseg=512, noverlap=384)),
    ("istft", lambda: signal.istft(spectra, window="hann", nperseg=512, noverlap=384)),
    ("convolve", lambda: signal.oaconvolve(x, taps)),
    ("welch", lambda: signal.welch(x)),
]
for name, work in WORKS:
    took = []
    for _ in range(5):
        begin = time.perf_counter()
        work()
        took.append(time.perf_counter() - begin)
    print(name, 1e3 * sorted(took)[2])
