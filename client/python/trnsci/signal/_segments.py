# SPDX-License-Identifier: Apache-2.0
"""Segments of signals: scipy's arguments, defaults and errors."""
import warnings

import numpy as np

from .windows import get_window


class Segments:
    """What a spectrum's arguments say: the window `win`, its length `nperseg`,
    `nfft`, `noverlap` and the step `hop` between segments."""

    def __init__(self, window, nperseg, noverlap, nfft, length):
        self.win, self.nperseg = read_window(window, nperseg, length)
        self.nfft = read_nfft(nfft, self.nperseg, self.nperseg)
        self.noverlap = read_overlap(noverlap, self.nperseg)
        self.hop = self.nperseg - self.noverlap

    def count(self, length):
        """Segments of a signal of that length."""
        return (length - self.noverlap) // self.hop


def read_nfft(nfft, nperseg, default):
    """The length of a transform."""
    if nfft is None:
        return default
    if int(nfft) < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    return int(nfft)


def read_overlap(noverlap, nperseg):
    """The samples that segments share."""
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return noverlap


def check_length(nperseg):
    """scipy's check of a segment's length."""
    if nperseg is None:
        return None
    nperseg = int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    return nperseg


def read_window(window, nperseg, length):
    """The values of a window, and how many there are."""
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > length:
            warnings.warn(f"nperseg = {nperseg} is greater than input length "
                          f" = {length}, using nperseg = {length}",
                          stacklevel=4)
            nperseg = length
        return get_window(window, nperseg), nperseg
    win = np.asarray(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < win.shape[-1]:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != win.shape[0]:
        raise ValueError("value specified for nperseg is different from "
                         "length of window")
    if win.shape[0] < 1:
        raise ValueError("nperseg must be a positive integer")
    return win, win.shape[0]


def _reflect(x, n, kind):
    """Values beyond both ends of the last axis."""
    if n < 1:
        return x
    if n > x.shape[-1] - 1 and kind in ("even", "odd"):
        raise ValueError(f"The extension length n ({n}) is too big. It must "
                         f"not exceed x.shape[axis]-1, which is "
                         f"{x.shape[-1] - 1}.")
    first, last = x[..., :1], x[..., -1:]
    if kind == "constant":
        before = np.repeat(first, n, axis=-1)
        after = np.repeat(last, n, axis=-1)
    elif kind == "zeros":
        before = after = np.zeros(x.shape[:-1] + (n,), x.dtype)
    else:
        before, after = x[..., n:0:-1], x[..., -2:-(n + 2):-1]
        if kind == "odd":
            before, after = 2 * first - before, 2 * last - after
    return np.concatenate((before, x, after), axis=-1)


BOUNDARIES = ["even", "odd", "constant", "zeros", None]


def extend(x, boundary, nperseg):
    """A signal with what scipy puts before and behind it."""
    return x if boundary is None else _reflect(x, nperseg // 2, boundary)


def padding(segments, length):
    """Zeros behind a signal that make it whole segments."""
    return (-(length - segments.nperseg) % segments.hop) % segments.nperseg


def pad(x, n):
    """`x` with n zeros behind it."""
    if n == 0:
        return x
    zeros = np.zeros(x.shape[:-1] + (n,), x.dtype)
    return np.concatenate((x, zeros), axis=-1)


def frames(x, segments):
    """A view of the segments, along one more axis."""
    windows = np.lib.stride_tricks.sliding_window_view(x, segments.nperseg,
                                                       axis=-1)
    return windows[..., ::segments.hop, :]


def _by_line(d):
    n = d.shape[-1]
    t = np.arange(n) - (n - 1) / 2
    d = d - d.mean(-1, keepdims=True)
    if n == 1:
        return d
    slope = (d @ t / (t @ t))[..., np.newaxis]
    return d - slope * t.astype(d.real.dtype)


def detrender(detrend, axis):
    """A function of frames: what detrend= means; None: nothing is done."""
    if not detrend:
        return None
    if callable(detrend):
        if axis == -1:
            return detrend
        return lambda d: np.moveaxis(detrend(np.moveaxis(d, -1, axis)),
                                     axis, -1)
    if detrend not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    if detrend in ("constant", "c"):
        return lambda d: d - d.mean(-1, keepdims=True)
    return _by_line


def engine_detrend(detrend):
    """The engine's name of detrend=; None where it is a function."""
    if not detrend:
        return "none"
    if callable(detrend):
        return None
    detrender(detrend, -1)
    return "constant" if detrend in ("constant", "c") else "linear"
