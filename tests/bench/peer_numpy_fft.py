#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Nanoseconds a complex transform by numpy.fft (pocketfft, which works in float64), in batches of 512 KiB: "n ns".
import time

try:
    import numpy as np
except ImportError:
    raise SystemExit(0)

for n in (64, 128, 256, 512, 1024, 2048, 4096, 100, 360, 997, 1000):
    batch = max(1, (512 << 10) // (32 * n))
    x = np.random.standard_normal((batch, n)) + 1j
    np.fft.fft(x)
    seconds = []
    for _ in range(15):
        begin = time.process_time_ns()
        np.fft.fft(x)
        seconds.append((time.process_time_ns() - begin) / batch)
    print(n, min(seconds))
