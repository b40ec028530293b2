# SPDX-License-Identifier: Apache-2.0
from typing import Any, Optional

from numpy.typing import ArrayLike, NDArray

def torch_stft(
    input: ArrayLike,
    n_fft: int,
    hop_length: Optional[int] = ...,
    win_length: Optional[int] = ...,
    window: Optional[ArrayLike] = ...,
    center: bool = ...,
    pad_mode: str = ...,
    normalized: bool = ...,
    onesided: Optional[bool] = ...,
) -> NDArray[Any]: ...
def torch_istft(
    input: ArrayLike,
    n_fft: int,
    hop_length: Optional[int] = ...,
    win_length: Optional[int] = ...,
    window: Optional[ArrayLike] = ...,
    center: bool = ...,
    normalized: bool = ...,
    onesided: Optional[bool] = ...,
    length: Optional[int] = ...,
    return_complex: bool = ...,
) -> NDArray[Any]: ...
