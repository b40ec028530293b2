# SPDX-License-Identifier: Apache-2.0
from typing import Any, Literal, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Axes = Optional[Union[int, Sequence[int]]]

def dct(
    x: ArrayLike,
    type: int = ...,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def idct(
    x: ArrayLike,
    type: int = ...,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def dst(
    x: ArrayLike,
    type: int = ...,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def idst(
    x: ArrayLike,
    type: int = ...,
    n: Optional[int] = ...,
    axis: int = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def dctn(
    x: ArrayLike,
    type: int = ...,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def idctn(
    x: ArrayLike,
    type: int = ...,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def dstn(
    x: ArrayLike,
    type: int = ...,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
def idstn(
    x: ArrayLike,
    type: int = ...,
    s: _Axes = ...,
    axes: _Axes = ...,
    norm: _Norm = ...,
    overwrite_x: bool = ...,
    workers: Optional[int] = ...,
    orthogonalize: Optional[bool] = ...,
    *,
    precision: Optional[str] = ...,
    target_error: Optional[float] = ...,
) -> NDArray[Any]: ...
