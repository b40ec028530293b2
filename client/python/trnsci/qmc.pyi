# SPDX-License-Identifier: Apache-2.0
from abc import ABCMeta
from typing import Any, ClassVar, Optional

import numpy as np
from numpy.typing import NDArray
from scipy.stats.qmc import QMCEngine  # type: ignore[import]

from ._core import Session

__all__ = ["Halton", "LatinHypercube", "Lattice", "Sobol"]

class _Engine(QMCEngine, metaclass=ABCMeta):  # type: ignore[misc]
    MAXDIM: ClassVar[int]
    d: int
    num_generated: int
    seed: int
    scramble: bool
    session: Optional[Session]
    def __init__(
        self,
        d: int,
        *,
        scramble: bool = ...,
        optimization: Optional[str] = ...,
        seed: Any = ...,
        rng: Any = ...,
        session: Optional[Session] = ...,
    ) -> None: ...
    def random(self, n: int = ..., *, workers: int = ...) -> NDArray[np.float64]: ...
    def fast_forward(self, n: int) -> Any: ...

class Sobol(_Engine):
    bits: int
    maxn: int
    def __init__(
        self,
        d: int,
        *,
        scramble: bool = ...,
        bits: Optional[int] = ...,
        seed: Any = ...,
        optimization: Optional[str] = ...,
        rng: Any = ...,
        session: Optional[Session] = ...,
    ) -> None: ...
    def random_base2(self, m: int) -> NDArray[np.float64]: ...

class Halton(_Engine): ...
class Lattice(_Engine): ...

class LatinHypercube(_Engine):
    def __init__(
        self,
        d: int,
        *,
        scramble: bool = ...,
        strength: int = ...,
        optimization: Optional[str] = ...,
        seed: Any = ...,
        rng: Any = ...,
        session: Optional[Session] = ...,
    ) -> None: ...
    def reset(self) -> Any: ...
