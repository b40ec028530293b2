# SPDX-License-Identifier: Apache-2.0
import builtins
from typing import Any, Dict, Optional, Sequence, Union

from numpy.typing import DTypeLike, NDArray

from ._calls import Span as Span
from ._core import Session

__all__ = ["Span", "Stream"]

class Stream:
    name: str
    session: Session
    last: Optional[Span]
    def __init__(self, name: str, *, session: Optional[Session] = ...) -> None: ...
    @classmethod
    def create(
        cls,
        name: str,
        *,
        seed: Optional[int] = ...,
        stream: Optional[int] = ...,
        generator: Optional[str] = ...,
        mode: Optional[str] = ...,
        group: Optional[int] = ...,
        session: Optional[Session] = ...,
    ) -> Stream: ...
    @staticmethod
    def list(session: Optional[Session] = ...) -> builtins.list[Dict[str, Any]]: ...
    def draw(
        self, distribution: str, shape: Union[int, Sequence[int]], /, dtype: DTypeLike = ..., **params: Any
    ) -> NDArray[Any]: ...
    def show(self) -> Dict[str, Any]: ...
    @property
    def position(self) -> Optional[int]: ...
    def advance(self, words: Optional[int] = ..., *, to: Optional[int] = ...) -> None: ...
    def delete(self) -> None: ...
