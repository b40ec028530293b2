# SPDX-License-Identifier: Apache-2.0
from typing import Any, Literal, Optional, Sequence, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Size = Optional[Union[int, Sequence[int]]]
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

class Derived:
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
    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: _Size = ...,
        check_valid: Literal["warn", "raise", "ignore"] = ...,
        tol: float = ...,
        *,
        method: Literal["svd", "eigh", "cholesky"] = ...,
    ) -> _Floats: ...
    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: _Size = ...) -> _Ints: ...
    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: _Size = ...,
        method: Literal["marginals", "count"] = ...,
    ) -> _Ints: ...
