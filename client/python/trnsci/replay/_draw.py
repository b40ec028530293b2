# SPDX-License-Identifier: Apache-2.0
"""A call of a framework as a draw of the default session."""
from __future__ import annotations

import operator
from typing import Any, Sequence, Tuple, Union

from .. import _core

Shape = Union[int, Sequence[int]]


def shape_of(shape: Shape) -> Tuple[int, ...]:
    try:
        return (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        return tuple(operator.index(n) for n in shape)  # type: ignore


def word(number: Any) -> int:
    """An integer of a framework as 64 bits."""
    return operator.index(number) % 2**64


def draw(distribution: str, shape: Shape, dtype: Any, **params: Any) -> Any:
    """Return the array and the reply. The engine is given the shape, which
    XLA's normals depend on."""
    shape = shape_of(shape)
    call = _core.default_session().apply(
        distribution, shape=list(shape) or [1],
        dtype=_core.dtype_name(dtype),
        **{name: value for name, value in params.items() if value is not None})
    return call.result().reshape(shape), call._reply()
