# SPDX-License-Identifier: Apache-2.0
from typing import Any, Literal, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Axes = Optional[Union[int, Sequence[int]]]

def fft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def rfft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def hfft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def ihfft2(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def fftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def ifftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def rfftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
def irfftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def hfftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.floating[Any]]: ...
def ihfftn(
    x: ArrayLike,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    *,
    plan: Optional[object] = ...,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[np.complexfloating[Any, Any]]: ...
