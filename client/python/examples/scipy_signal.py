#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code of scipy.signal before and after one line: transforms by trnsci."""
import time

import numpy as np
import scipy.fft
import scipy.signal

import trnsci


def analyse(x, taps):
    """Code that knows scipy only."""
    filtered = scipy.signal.fftconvolve(x, taps[None, :], mode="same", axes=-1)
    _, density = scipy.signal.welch(filtered, nperseg=1024)
    return scipy.signal.hilbert(filtered), density


def timed(*args):
    analyse(*args)
    begin = time.perf_counter()
    results = analyse(*args)
    return results, time.perf_counter() - begin


def main():
    x = trnsci.Generator(1).normal(size=(16, 1 << 15))
    taps = scipy.signal.firwin(257, 0.2)
    before, seconds_before = timed(x, taps)
    with scipy.fft.set_backend(trnsci.fft, only=True):  # the line
        after, seconds_after = timed(x, taps)
    for a, b in zip(before, after):
        np.testing.assert_allclose(a, b, atol=1e-12 * np.abs(a).max())
    print(f"the same within 1e-12; before {1e3 * seconds_before:.1f} ms, "
          f"after {1e3 * seconds_after:.1f} ms")


if __name__ == "__main__":
    main()
