# SPDX-License-Identifier: Apache-2.0
from typing import Any, MutableSequence, Optional, Sequence, Union

from numpy.typing import ArrayLike, NDArray

_Size = Optional[Union[int, Sequence[int]]]

class Choices:
    def choice(
        self,
        a: ArrayLike,
        size: _Size = ...,
        replace: bool = ...,
        p: Optional[ArrayLike] = ...,
        axis: int = ...,
        shuffle: bool = ...,
    ) -> Any: ...
    def permutation(self, x: ArrayLike, axis: int = ...) -> NDArray[Any]: ...
    def shuffle(self, x: Union[NDArray[Any], MutableSequence[Any]], axis: int = ...) -> None: ...
    def permuted(
        self, x: ArrayLike, axis: Optional[int] = ..., out: Optional[NDArray[Any]] = ...
    ) -> NDArray[Any]: ...
