# SPDX-License-Identifier: Apache-2.0
"""`torch.rand`, `randn` and `randint` of ``device="cuda"``.

Numbers of more than 40960 elements depend on the card: make a `Generator`
with its name, or set the default one's: ``torch_cuda.set_device("a100")``.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._draw import draw, shape_of, word

__all__ = ["Generator", "manual_seed", "rand", "randint", "randn",
           "set_device"]


def __dir__() -> list[str]:
    return sorted(__all__)


class Generator:
    """A `torch.Generator` of a CUDA device.

    Parameters
    ----------
    device : str, optional
        The card: 'a100', 'h100', 'rtx4090' ...
    blocks : int, optional
        Of another card: its processors times the threads of each by 256.

    Examples
    --------
    >>> from trnsci.replay import torch_cuda
    >>> generator = torch_cuda.Generator("a100").manual_seed(0)
    >>> torch_cuda.randn(4, generator=generator)
    array([-0.9246625 , -0.42534396, -2.6438458 ,  0.14518386], dtype=float32)
    >>> generator.offset
    4
    """

    def __init__(self, device: Optional[str] = None,
                 blocks: Optional[int] = None) -> None:
        self.device, self.blocks = device, blocks
        self.seed, self.offset = 0, 0

    def manual_seed(self, seed: int) -> "Generator":
        """Set the seed, and the offset to 0."""
        self.seed, self.offset = word(seed), 0
        return self

    def _draw(self, distribution, size, dtype, **params):
        array, reply = draw(distribution, size, dtype, seed=self.seed,
                            position=self.offset, layout="torch_cuda",
                            device=self.device, blocks=self.blocks, **params)
        self.offset = reply["next"]
        return array


_default = Generator()


def manual_seed(seed: int) -> None:
    """Seed the default generator."""
    _default.manual_seed(seed)


def set_device(device: Optional[str] = None,
               blocks: Optional[int] = None) -> None:
    """Set the default generator's card."""
    _default.device, _default.blocks = device, blocks


def _size(size: Any) -> Any:
    return shape_of(size[0] if len(size) == 1 else size)


def rand(*size: Any, dtype: Any = np.float32,
         generator: Optional[Generator] = None) -> Any:
    """Draw uniform numbers in [0, 1): float16, 32 or 64.

    Examples
    --------
    >>> from trnsci.replay import torch_cuda
    >>> torch_cuda.manual_seed(0)
    >>> torch_cuda.rand(3)
    array([0.39904648, 0.51667917, 0.02493039], dtype=float32)
    """
    return (generator or _default)._draw("uniform", _size(size), dtype)


def randn(*size: Any, dtype: Any = np.float32,
          generator: Optional[Generator] = None) -> Any:
    """Draw standard normal numbers: float16, 32 or 64.

    Examples
    --------
    >>> from trnsci.replay import torch_cuda
    >>> torch_cuda.manual_seed(0)
    >>> torch_cuda.randn(2, 2)
    array([[-0.9246625 , -0.42534396],
           [-2.6438458 ,  0.14518386]], dtype=float32)
    """
    return (generator or _default)._draw("normal", _size(size), dtype)


def randint(low: int, high: Any, size: Any = None, *, dtype: Any = np.int64,
            generator: Optional[Generator] = None) -> Any:
    """Draw integers in [low, high), or [0, low) if `high` is the size.

    Examples
    --------
    >>> from trnsci.replay import torch_cuda
    >>> torch_cuda.manual_seed(0)
    >>> torch_cuda.randint(10, (5,))
    array([1, 7, 1, 2, 3])
    """
    if size is None:
        low, high, size = 0, low, high
    return (generator or _default)._draw("randint", shape_of(size), dtype,
                                         low=low, high=high)
