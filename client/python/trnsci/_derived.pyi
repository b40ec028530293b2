# SPDX-License-Identifier: Apache-2.0
from typing import Literal, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Size = Optional[Union[int, Sequence[int]]]
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

class Derived:
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
