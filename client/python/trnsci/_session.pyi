# SPDX-License-Identifier: Apache-2.0
from typing import Any, Optional, Sequence, Union

from numpy.typing import DTypeLike

from ._calls import Call
from ._streams import Stream

class SessionMethods:
    def draw(
        self,
        distribution: str,
        shape: Union[int, Sequence[int]],
        /,
        dtype: DTypeLike = ...,
        *,
        seed: Optional[int] = ...,
        stream: Union[None, int, str, Stream] = ...,
        generator: Optional[str] = ...,
        offset: Optional[int] = ...,
        **params: Any,
    ) -> Call: ...
    def apply(self, operation: str, /, **params: Any) -> Call: ...
    def call(self, method: str, /, **params: Any) -> Call: ...
