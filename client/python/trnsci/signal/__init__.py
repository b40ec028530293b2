# SPDX-License-Identifier: Apache-2.0
"""scipy.signal's spectra and convolutions by trnsciD's engine.

`stft`, `istft`, `welch`, `csd`, `spectrogram`, `convolve`, `correlate` and
`get_window` have the arguments, defaults, results and errors of scipy.signal.
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
from . import windows
from ._convolve import convolve, correlate
from ._inverse import istft
from ._spectral import csd, spectrogram, stft, welch
from ._torch import torch_istft, torch_stft
from .windows import get_window

__all__ = [
    "convolve", "correlate", "csd", "get_window", "istft", "spectrogram",
    "stft", "torch_istft", "torch_stft", "welch", "windows",
]
