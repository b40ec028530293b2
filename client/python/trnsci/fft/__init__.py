# SPDX-License-Identifier: Apache-2.0
"""scipy.fft's functions by trnsciD's engine.

Arguments, results and errors are those of `scipy.fft`. Every transform takes
``precision=`` or ``target_error=`` besides, the names of the engine's modes or
the relative error (L2) that is wanted. ``workers=`` is the most threads that
compute, of an engine inside the process; without it the daemon does, or all
CPUs.

The module is a backend for scipy's functions, too:

>>> import scipy.fft, trnsci
>>> with scipy.fft.set_backend(trnsci.fft, only=True):
...     scipy.fft.fft([1.0, 0.0, 0.0, 0.0])
array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

``scipy.fft.set_global_backend(trnsci.fft, only=True)`` makes that permanent.
Arrays of long double are declined: a call of them raises TypeError, and
scipy's functions go on to another backend where one is allowed.
"""
from ._backend import __ua_domain__, __ua_function__
from ._hankel import fht, fhtoffset, ifht
from ._helpers import (fftfreq, fftshift, get_workers, ifftshift,
                       next_fast_len, prev_fast_len, rfftfreq, set_workers)
from ._plan import Plan, plan
from ._transforms import (dct, dctn, dst, dstn, fft, fft2, fftn, hfft, hfft2,
                          hfftn, idct, idctn, idst, idstn, ifft, ifft2, ifftn,
                          ihfft, ihfft2, ihfftn, irfft, irfft2, irfftn, rfft,
                          rfft2, rfftn)

__all__ = [
    "Plan", "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn",
    "fftshift", "fht", "fhtoffset", "get_workers", "hfft", "hfft2", "hfftn",
    "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ifht", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn",
    "next_fast_len", "plan", "prev_fast_len", "rfft", "rfft2", "rfftfreq",
    "rfftn", "set_workers",
]
