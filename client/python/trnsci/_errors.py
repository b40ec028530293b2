# SPDX-License-Identifier: Apache-2.0
"""Exceptions: each has the engine's text, and its stable name as ``name``."""


class Error(Exception):
    """What the engine or the service reports."""

    __module__ = "trnsci"
    name = "unknown"


class ParameterError(Error, ValueError):
    """A value, a shape or a name is not allowed, or a stream has ended."""

    __module__ = "trnsci"


class ParameterTypeError(Error, TypeError):
    """A parameter is unknown, missing or of another type."""

    __module__ = "trnsci"


class ResourceError(Error, MemoryError):
    """Out of memory, or a quota would be exceeded."""

    __module__ = "trnsci"


class ServiceError(Error, ConnectionError):
    """The session is closed, or the daemon is gone."""

    __module__ = "trnsci"


class ServiceTimeoutError(Error, TimeoutError):
    """A call took longer than the session's time limit."""

    __module__ = "trnsci"
