# SPDX-License-Identifier: Apache-2.0
"""What makes the module a backend of scipy.fft (uarray)."""
import functools
import inspect
import sys

import numpy as np

from ._helpers import read_axes

__ua_domain__ = "numpy.scipy.fft"

_DECLINED = (np.dtype(np.longdouble), np.dtype(np.clongdouble))


# Whether a sine transform of a type is scaled before or behind it.
_BEFORE = {("dst", 3), ("dstn", 3), ("idst", 2), ("idstn", 2)}
_BEHIND = {("dst", 2), ("dstn", 2), ("idst", 3), ("idstn", 3)}


@functools.lru_cache(maxsize=None)
def _scales_first():
    """Whether the scipy that is installed has the factor of orthogonal sine
    transforms at the first element, as 1.10 has, where it does not make them
    orthogonal. Later scipy has it at the last, as trnsci.fft."""
    from scipy.fft._pocketfft.realtransforms import dst
    return bool(dst([1.0, 1.0], 2, norm="ortho")[0] < 1.2)  # or sqrt(2)


def _scale_first(x, axes, factor):
    """Scale the first element along each axis, in place."""
    for axis in axes:
        first = [slice(None)] * x.ndim
        first[axis] = 0
        x[tuple(first)] *= factor
    return x


def _sine_as_installed(name, function, args, kwargs):
    """Serve an orthogonal sine transform in the form of scipy 1.10."""
    given = inspect.signature(function).bind(*args, **kwargs)
    given.apply_defaults()
    call = given.arguments
    call["orthogonalize"] = False
    x = np.asarray(call["x"])
    axes = (read_axes(x, call["s"], call["axes"])[1] if "axes" in call
            else [call["axis"]])
    if (name, call["type"]) in _BEFORE:
        x = x.astype(np.result_type(x, np.float32) if x.dtype.kind in "fc"
                     else np.float64)
        call["x"] = _scale_first(x, axes, np.sqrt(2).astype(x.real.dtype))
    made = function(*given.args, **given.kwargs)
    if (name, call["type"]) in _BEHIND:
        _scale_first(made, axes, np.sqrt(0.5).astype(made.real.dtype))
    return made


def _is_orthogonal_sine(name, function, args, kwargs):
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return False  # the function refuses it, too
    wanted = given.get("orthogonalize")
    if wanted is None:
        wanted = given.get("norm") == "ortho"
    return wanted and (name, given.get("type", 2)) in _BEFORE | _BEHIND


def __ua_function__(method, args, kwargs):
    """Serve a call of a function of scipy.fft, or decline it."""
    function = getattr(sys.modules["trnsci.fft"], method.__name__, None)
    if function is None:
        return NotImplemented
    x = args[0] if args else kwargs.get("x", kwargs.get("a"))
    if getattr(x, "dtype", None) in _DECLINED:
        return NotImplemented
    name = method.__name__
    if "dst" in name and _is_orthogonal_sine(name, function, args, kwargs) \
            and _scales_first():
        return _sine_as_installed(name, function, args, kwargs)
    return function(*args, **kwargs)
