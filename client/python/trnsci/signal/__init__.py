# SPDX-License-Identifier: Apache-2.0
"""scipy.signal's spectra, convolutions and resampling by trnsciD's engine.

`stft`, `istft`, `welch`, `csd`, `coherence`, `periodogram`, `spectrogram`,
`convolve`, `fftconvolve`, `oaconvolve`, `correlate`, `hilbert`, `resample`,
`czt`, `zoom_fft` and `get_window` have the arguments, defaults, results and
errors of scipy.signal. Every other name is scipy.signal's own; a function then
transforms by trnsci.fft.
`torch_stft` and `torch_istft` have those of ``torch.stft`` and
``torch.istft``, and `windows` has the windows by the names of both.

The engine computes float32 and complex64 in single precision, everything else
in double precision, as scipy does. It computes stft, istft, welch and csd
where their detrending is one that it has; a function as ``detrend=`` is
applied by numpy, and the engine then transforms. scipy is not needed, but for
some windows (`get_window`).

Examples
--------
>>> import numpy as np, trnsci
>>> x = np.sin(2 * np.pi * 100 * np.arange(1000) / 1000)
>>> f, power = trnsci.signal.welch(x, fs=1000, nperseg=500)
>>> float(f[power.argmax()])
100.0
"""
import typing as _typing

from . import windows
from ._convolve import convolve, correlate, fftconvolve, oaconvolve
from ._czt import czt, zoom_fft
from ._inverse import istft
from ._periodogram import coherence, periodogram
from ._resample import hilbert, resample
from ._spectral import csd, spectrogram, stft, welch
from ._torch import torch_istft, torch_stft
from .windows import get_window

__all__ = [
    "coherence", "convolve", "correlate", "csd", "czt", "fftconvolve",
    "get_window", "hilbert", "istft", "oaconvolve", "periodogram", "resample",
    "spectrogram", "stft", "torch_istft", "torch_stft", "welch", "windows",
    "zoom_fft",
]


def __getattr__(name: str) -> _typing.Any:
    from ._scipy import lookup
    return lookup(name, __all__)
