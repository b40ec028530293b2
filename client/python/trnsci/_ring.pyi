# SPDX-License-Identifier: Apache-2.0
from types import TracebackType
from typing import Any, Dict, Iterator, Optional, Tuple, Type, TypeVar, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._core import Samples, Session
from ._errors import ServiceTimeoutError
from ._streams import Stream

STEP_MS: int

def numpy_dtype(name: str) -> np.dtype[Any]: ...
def steps(timeout_ms: int) -> Iterator[int]: ...
def expired(what: str) -> ServiceTimeoutError: ...
def check_batch(batch: int) -> int: ...

_Self = TypeVar("_Self")

class Reader:
    batch: int
    def close(self) -> None: ...
    def __iter__(self: _Self) -> _Self: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None: ...

class Ring(Reader, _core.Ring):
    def __new__(cls, *args: Any, **kwargs: Any) -> Ring: ...
    def __init__(
        self,
        distribution: str,
        /,
        dtype: DTypeLike = ...,
        *,
        batch: int = ...,
        capacity: int = ...,
        seed: Optional[int] = ...,
        stream: Union[None, int, str, Stream] = ...,
        generator: Optional[str] = ...,
        offset: Optional[int] = ...,
        session: Optional[Session] = ...,
        **params: Any,
    ) -> None: ...
    def take(
        self, n: Optional[int] = ..., *, out: Optional[NDArray[Any]] = ..., timeout: Optional[float] = ...
    ) -> NDArray[Any]: ...
    def borrow(self, n: Optional[int] = ..., *, timeout: Optional[float] = ...) -> Samples: ...
    def place(self, *, timeout: Optional[float] = ...) -> Tuple[int, int]: ...
    def describe(self) -> Dict[str, Any]: ...
    def __next__(self) -> NDArray[Any]: ...
