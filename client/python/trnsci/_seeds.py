# SPDX-License-Identifier: Apache-2.0
"""What numpy takes for a seed, as the engine's 64 bits."""
import operator

from numpy.random import SeedSequence


def seed_of(seed):
    """Return the 64-bit seed that `seed` stands for; None for None.

    Integers of 64 bits are seeds themselves. Longer ones, sequences of
    integers and seed sequences are hashed by numpy's `SeedSequence`.
    """
    if seed is None:
        return None
    try:
        number = operator.index(seed)
    except TypeError:
        number = None
    if number is not None and 0 <= number < 2**64:
        return number
    if not hasattr(seed, "generate_state"):
        if isinstance(seed, (str, bytes, float, complex)):
            raise TypeError(f"seed: got {seed!r}, allowed are None, integers, "
                            "sequences of them and seed sequences")
        seed = SeedSequence(seed)
    return int(seed.generate_state(1, "u8")[0])
