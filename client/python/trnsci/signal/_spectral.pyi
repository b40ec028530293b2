# SPDX-License-Identifier: Apache-2.0
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Window = Union[str, Tuple[Any, ...], ArrayLike]
_Trend = Union[str, bool, None, Callable[[NDArray[Any]], NDArray[Any]]]
_Floats = NDArray[np.float64]

def stft(
    x: ArrayLike,
    fs: float = ...,
    window: _Window = ...,
    nperseg: Optional[int] = ...,
    noverlap: Optional[int] = ...,
    nfft: Optional[int] = ...,
    detrend: _Trend = ...,
    return_onesided: bool = ...,
    boundary: Optional[str] = ...,
    padded: bool = ...,
    axis: int = ...,
    scaling: str = ...,
) -> Tuple[_Floats, _Floats, NDArray[Any]]: ...
def welch(
    x: ArrayLike,
    fs: float = ...,
    window: _Window = ...,
    nperseg: Optional[int] = ...,
    noverlap: Optional[int] = ...,
    nfft: Optional[int] = ...,
    detrend: _Trend = ...,
    return_onesided: bool = ...,
    scaling: str = ...,
    axis: int = ...,
    average: str = ...,
) -> Tuple[_Floats, NDArray[Any]]: ...
def csd(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = ...,
    window: _Window = ...,
    nperseg: Optional[int] = ...,
    noverlap: Optional[int] = ...,
    nfft: Optional[int] = ...,
    detrend: _Trend = ...,
    return_onesided: bool = ...,
    scaling: str = ...,
    axis: int = ...,
    average: str = ...,
) -> Tuple[_Floats, NDArray[Any]]: ...
def spectrogram(
    x: ArrayLike,
    fs: float = ...,
    window: _Window = ...,
    nperseg: Optional[int] = ...,
    noverlap: Optional[int] = ...,
    nfft: Optional[int] = ...,
    detrend: _Trend = ...,
    return_onesided: bool = ...,
    scaling: str = ...,
    axis: int = ...,
    mode: str = ...,
) -> Tuple[_Floats, _Floats, NDArray[Any]]: ...
