# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Generator, NamedTuple, Optional, Sequence, Tuple, Union

from . import _core
from ._core import Session
from ._streams import Stream

_Shape = Union[int, Sequence[int]]

class Span(NamedTuple):
    generator: str
    seed: int
    stream: int
    offset: int
    position: int
    next: Optional[int]

class Call(_core.Call):
    def __init__(
        self, session: Session, method: str, params: Dict[str, Any], kind: str, shape: Optional[Tuple[int, ...]] = ...
    ) -> None: ...
    def result(self, timeout: Optional[float] = ...) -> Any: ...
    @property
    def span(self) -> Span: ...
    def __await__(self) -> Generator[Any, None, Any]: ...

def milliseconds(timeout: Optional[float]) -> int: ...
def source_of(
    seed: Optional[int], stream: Union[None, int, str, Stream], generator: Optional[str], offset: Optional[int] = ...
) -> Dict[str, Any]: ...
def distribution_params(distribution: str, dtype: Any, params: Dict[str, Any]) -> Dict[str, Any]: ...
def draw_params(
    distribution: str, shape: _Shape, dtype: Any, params: Dict[str, Any]
) -> Tuple[Dict[str, Any], Tuple[int, ...]]: ...
