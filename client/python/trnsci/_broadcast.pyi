# SPDX-License-Identifier: Apache-2.0
from types import TracebackType
from typing import Any, Dict, NamedTuple, Optional, Type, Union

from numpy.typing import DTypeLike, NDArray

from . import _core
from ._core import Session
from ._ring import Reader
from ._streams import Stream

class Seen(NamedTuple):
    missed: int
    first: int
    count: int  # type: ignore[assignment]
    offset: int

class Publisher:
    name: str
    session: Session
    def __init__(self, name: str, session: Session) -> None: ...
    def publish(self, n: int) -> int: ...
    def close(self) -> None: ...
    def __enter__(self) -> Publisher: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None: ...

class Broadcast(Reader, _core.Broadcast):
    name: str
    last: Optional[Seen]
    missed: int
    def __new__(cls, *args: Any, **kwargs: Any) -> Broadcast: ...
    def __init__(self, name: str, *, batch: int = ..., session: Optional[Session] = ...) -> None: ...
    @staticmethod
    def create(
        name: str,
        distribution: str,
        /,
        dtype: DTypeLike = ...,
        *,
        rate: float = ...,
        capacity: int = ...,
        mode: int = ...,
        seed: Optional[int] = ...,
        stream: Union[None, int, str, Stream] = ...,
        generator: Optional[str] = ...,
        offset: Optional[int] = ...,
        session: Optional[Session] = ...,
        **params: Any,
    ) -> Publisher: ...
    def take(self, n: Optional[int] = ..., *, timeout: Optional[float] = ...) -> NDArray[Any]: ...
    def seek(self, sample: Optional[int] = ...) -> None: ...
    def describe(self) -> Dict[str, Any]: ...
    def __next__(self) -> NDArray[Any]: ...
