# SPDX-License-Identifier: Apache-2.0
"""What makes the module a backend of scipy.fft (uarray)."""
import sys

import numpy as np

__ua_domain__ = "numpy.scipy.fft"

_DECLINED = (np.dtype(np.longdouble), np.dtype(np.clongdouble))


def __ua_function__(method, args, kwargs):
    """Serve a call of a function of scipy.fft, or decline it."""
    function = getattr(sys.modules["trnsci.fft"], method.__name__, None)
    if function is None:
        return NotImplemented
    x = args[0] if args else kwargs.get("x", kwargs.get("a"))
    if getattr(x, "dtype", None) in _DECLINED:
        return NotImplemented
    return function(*args, **kwargs)
