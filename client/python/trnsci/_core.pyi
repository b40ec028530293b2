# SPDX-License-Identifier: Apache-2.0
from types import TracebackType
from typing import Any, Literal, Optional, Sequence, Tuple, Type, Union, final, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Size = Optional[Union[int, Sequence[int]]]
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

version: str

def default_session() -> Session: ...
def derive(kind: bytes, generator: str, seed: int, stream: int, what: Union[int, bytes]) -> Tuple[int, int]: ...
def fast_length(n: int, real: bool) -> int: ...
def frequencies(n: int, spacing: float, real: bool) -> _Floats: ...
def transform(
    kind: int,
    x: ArrayLike,
    lengths: Union[None, int, Sequence[int]],
    axes: Union[int, Sequence[int]],
    norm: Optional[str],
    overwrite_x: bool,
    workers: int,
    precision: Optional[str],
    target_error: Optional[float],
    type: Optional[str],
    orthogonalize: Optional[str],
    /,
) -> NDArray[Any]: ...

@final
class Session:
    def __init__(self, address: Optional[str] = ..., *, threads: int = ..., timeout_ms: int = ...) -> None: ...
    @property
    def address(self) -> str: ...
    @property
    def embedded(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Session: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None: ...

@final
class Words:
    def __init__(self, generator: str, seed: int, stream: int) -> None: ...
    def attach(self, capsule: object) -> None: ...
    def get(self) -> Tuple[int, int, int]: ...
    def set(self, position: int, has_half: bool, half: int) -> None: ...

class Generator:
    def __init__(
        self,
        seed: Optional[int] = ...,
        *,
        stream: int = ...,
        generator: str = ...,
        rank: int = ...,
        size: int = ...,
        session: Optional[Session] = ...,
    ) -> None: ...
    @property
    def seed(self) -> int: ...
    @property
    def stream(self) -> int: ...
    @property
    def generator(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def session(self) -> Session: ...
    position: int
    _children: int
    @property
    def _own_session(self) -> Optional[Session]: ...
    def advance(self, words: int, /) -> None: ...
    def bytes(self, length: int) -> bytes: ...
    def dirichlet(self, alpha: ArrayLike, size: _Size = ...) -> _Floats: ...
    def _order(self, items: int, whole: int, begin: int, n: int) -> _Ints: ...
    def _multinomial(self, n: int, shares: ArrayLike, size: _Size) -> _Ints: ...
    def _categorical(self, weights: ArrayLike, size: _Size) -> _Ints: ...
    def _integers_into(
        self, lows: NDArray[Any], lasts: NDArray[Any], out: NDArray[Any], begin: int, whole: int
    ) -> None: ...
    @overload
    def random(self, size: None = ..., dtype: DTypeLike = ..., out: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def random(self, size: _Size = ..., dtype: DTypeLike = ..., out: Optional[NDArray[Any]] = ...) -> NDArray[Any]: ...
    @overload
    def standard_normal(self, size: None = ..., dtype: DTypeLike = ..., out: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def standard_normal(self, size: _Size = ..., dtype: DTypeLike = ..., out: Optional[NDArray[Any]] = ...) -> NDArray[Any]: ...
    @overload
    def standard_exponential(self, size: None = ..., dtype: DTypeLike = ..., method: str = ..., out: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def standard_exponential(self, size: _Size = ..., dtype: DTypeLike = ..., method: str = ..., out: Optional[NDArray[Any]] = ...) -> NDArray[Any]: ...
    def standard_gamma(
        self, shape: ArrayLike, size: _Size = ..., dtype: DTypeLike = ..., out: Optional[NDArray[Any]] = ...
    ) -> Any: ...
    @overload
    def standard_cauchy(self, size: None = ...) -> float: ...
    @overload
    def standard_cauchy(self, size: Union[int, Sequence[int]]) -> _Floats: ...
    @overload
    def uniform(self, low: float = ..., high: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def uniform(self, low: ArrayLike = ..., high: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def normal(self, loc: float = ..., scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def normal(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def laplace(self, loc: float = ..., scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def laplace(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def gumbel(self, loc: float = ..., scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def gumbel(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def exponential(self, scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def exponential(self, scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def rayleigh(self, scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def rayleigh(self, scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def lognormal(self, mean: float = ..., sigma: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def lognormal(self, mean: ArrayLike = ..., sigma: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def chisquare(self, df: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def chisquare(self, df: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def standard_t(self, df: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def standard_t(self, df: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def weibull(self, a: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def weibull(self, a: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def beta(self, a: float, b: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def beta(self, a: ArrayLike, b: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def gamma(self, shape: float, scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def gamma(self, shape: ArrayLike, scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def poisson(self, lam: float = ..., size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def poisson(self, lam: ArrayLike = ..., size: _Size = ...) -> _Ints: ...
    @overload
    def binomial(self, n: float, p: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def binomial(self, n: ArrayLike, p: ArrayLike, size: _Size = ...) -> _Ints: ...
    @overload
    def geometric(self, p: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def geometric(self, p: ArrayLike, size: _Size = ...) -> _Ints: ...
    def integers(
        self,
        low: ArrayLike,
        high: Optional[ArrayLike] = ...,
        size: _Size = ...,
        dtype: DTypeLike = ...,
        endpoint: bool = ...,
    ) -> Any: ...
    @overload
    def f(self, dfnum: float, dfden: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def logistic(self, loc: float = ..., scale: float = ..., size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def logistic(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: _Size = ...) -> _Floats: ...
    @overload
    def negative_binomial(self, n: float, p: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: _Size = ...) -> _Ints: ...
    @overload
    def noncentral_chisquare(self, df: float, nonc: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def noncentral_f(self, dfnum: float, dfden: float, nonc: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def pareto(self, a: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def pareto(self, a: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def power(self, a: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def power(self, a: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def triangular(self, left: float, mode: float, right: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def triangular(self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def wald(self, mean: float, scale: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def hypergeometric(self, ngood: float, nbad: float, nsample: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: _Size = ...) -> _Ints: ...
    @overload
    def logseries(self, p: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def logseries(self, p: ArrayLike, size: _Size = ...) -> _Ints: ...
    @overload
    def vonmises(self, mu: float, kappa: float, size: None = ...) -> float: ...  # type: ignore[misc]
    @overload
    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: _Size = ...) -> _Floats: ...
    @overload
    def zipf(self, a: float, size: None = ...) -> int: ...  # type: ignore[misc]
    @overload
    def zipf(self, a: ArrayLike, size: _Size = ...) -> _Ints: ...
