# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

def working_type(*arrays: ArrayLike) -> np.dtype[Any]: ...
def real_type(dtype: np.dtype[Any]) -> np.dtype[Any]: ...
def to_working(x: ArrayLike, dtype: np.dtype[Any]) -> NDArray[Any]: ...
def as_rows(x: NDArray[Any], kept: int) -> NDArray[Any]: ...
def apply(
    operation: str,
    x: NDArray[Any],
    params: Dict[str, Any],
    n: Optional[int],
    dtype: np.dtype[Any],
    input: str = ...,
    trailing: Tuple[int, ...] = ...,
) -> NDArray[Any]: ...
