# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._bit_generator import BitGenerator
from ._choices import Choices
from ._derived import Derived

class Generator(Derived, Choices, _core.Generator):
    def __init__(
        self,
        seed: Union[None, int, Sequence[int], np.random.SeedSequence] = ...,
        *,
        stream: int = ...,
        generator: str = ...,
        rank: int = ...,
        size: int = ...,
        session: Optional[_core.Session] = ...,
    ) -> None: ...
    @property
    def bit_generator(self) -> BitGenerator: ...
    def jumped(self, jumps: int = ...) -> Generator: ...
    def spawn(self, n_children: int) -> List[Generator]: ...
    def fold_in(self, number: int) -> Generator: ...
    def label(self, label: Union[str, bytes]) -> Generator: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...
    def __copy__(self) -> Generator: ...
    def __deepcopy__(self, memo: Dict[int, Any]) -> Generator: ...
