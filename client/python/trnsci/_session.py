# SPDX-License-Identifier: Apache-2.0
"""What sessions do by calls: every operation of the engine by its name, and
waiting for answers in asyncio's loops."""


class SessionMethods:
    """The base of Session."""

    __slots__ = ()
