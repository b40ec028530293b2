# SPDX-License-Identifier: Apache-2.0
from typing import NamedTuple, Optional, Union

from numpy.typing import ArrayLike

from ._core import Session, Tile

class Trace(NamedTuple):
    estimate: float
    standard_error: float

def trace(
    a: Union[ArrayLike, Tile],
    probes: int = ...,
    *,
    method: str = ...,
    distribution: str = ...,
    seed: int = ...,
    stream: int = ...,
    generator: Optional[str] = ...,
    session: Optional[Session] = ...,
) -> Trace: ...
