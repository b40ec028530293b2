# SPDX-License-Identifier: Apache-2.0
from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

def istft(
    Zxx: ArrayLike,
    fs: float = ...,
    window: Union[str, Tuple[Any, ...], ArrayLike] = ...,
    nperseg: Optional[int] = ...,
    noverlap: Optional[int] = ...,
    nfft: Optional[int] = ...,
    input_onesided: bool = ...,
    boundary: bool = ...,
    time_axis: int = ...,
    freq_axis: int = ...,
    scaling: str = ...,
) -> Tuple[NDArray[np.float64], NDArray[Any]]: ...
