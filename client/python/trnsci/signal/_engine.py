# SPDX-License-Identifier: Apache-2.0
"""How arrays come to the engine: their dtypes, their last axis, and rows."""
import contextlib
import math

import numpy as np

from .. import _core
from .._errors import Error
from .._suggest import suggesting

# Of complex dtypes, the type of their parts.
_PARTS = {np.dtype(np.complex64): np.dtype(np.float32),
          np.dtype(np.complex128): np.dtype(np.float64)}
_KEPT_LEAST = 1 << 20  # bytes; smaller arrays need no new pages


def working_type(*arrays):
    """The dtype that scipy computes these in: complex64 or complex128."""
    dtype = np.result_type(*arrays, np.complex64)
    if dtype == np.complex64 or dtype == np.complex128:
        return dtype
    raise TypeError(f"{dtype} is not supported, allowed are complex128 and "
                    "narrower")


def real_type(dtype):
    """The type of the parts of a complex dtype."""
    return _PARTS[np.dtype(dtype)]


def to_working(x, dtype):
    """`x` in the precision of a complex dtype, real where it is real."""
    wanted = dtype if x.dtype.kind == "c" else real_type(dtype)
    return np.ascontiguousarray(x, wanted)


def _work_array(shape, dtype):
    """An array without values. A large one lies in the memory that an
    embedded engine keeps from one call to the next: no new pages."""
    session = _core.default_session()
    large = math.prod(shape) * dtype.itemsize >= _KEPT_LEAST
    if session.embedded and large and len(shape) <= 8:
        with contextlib.suppress(Error):  # it may have no room
            return _core.Tile(shape, dtype, session=session).array
    return np.empty(shape, dtype)


def to_working_between_zeros(x, dtype, before, after):
    """As `to_working`, with zeros before and behind the last axis."""
    n = x.shape[-1]
    made = _work_array(x.shape[:-1] + (before + n + after,),
                       dtype if x.dtype.kind == "c" else real_type(dtype))
    made[..., :before] = 0
    made[..., before:before + n] = x
    made[..., before + n:] = 0
    return made


def as_rows(x, kept):
    """At most one axis in the place of all before the last `kept`, also where
    there are no elements, where reshape(-1) cannot know the number of rows."""
    if x.ndim <= kept + 1:
        return x
    return x.reshape((math.prod(x.shape[:-kept]),) + x.shape[-kept:])


def apply(operation, x, params, n, dtype, input="in", trailing=(), kept=1):
    """Run an operation along the last `kept` axes, which become one of length
    n with more axes behind it. Any number of axes before them."""
    rows = as_rows(x, kept)
    shape = rows.shape[:-kept] + (n,) + trailing
    with suggesting([(operation, params)]):
        made = _core.operate(None, operation, input, rows, params, shape,
                             dtype)
    if rows is x:
        return made
    return made.reshape(x.shape[:-kept] + made.shape[1:])
