# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import ArrayLike, NDArray

def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = ..., method: str = ...) -> NDArray[Any]: ...
def correlate(in1: ArrayLike, in2: ArrayLike, mode: str = ..., method: str = ...) -> NDArray[Any]: ...
