# SPDX-License-Identifier: Apache-2.0
from typing import Any, Literal, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Axes = Optional[Union[int, Sequence[int]]]

def fft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def rfft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def hfft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def ihfft(
    x: ArrayLike,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
