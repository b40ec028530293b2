# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: scipy's own tests run on trnsci.fft, and nothing else.

It is made the global backend with only=True, so that no call can be served by
scipy's own transforms, and counts what it served and what it declined.
"""
import collections

import scipy.fft

import trnsci

served = collections.Counter()
declined = collections.Counter()
refused = collections.Counter()


class Counting:
    """trnsci.fft, and a count of its calls."""

    __ua_domain__ = trnsci.fft.__ua_domain__

    @staticmethod
    def __ua_function__(method, args, kwargs):
        try:
            made = trnsci.fft.__ua_function__(method, args, kwargs)
        except Exception as error:
            refused[f"{method.__name__}: {type(error).__name__}"] += 1
            raise
        if made is NotImplemented:
            dtype = getattr(args[0] if args else None, "dtype", None)
            declined[f"{method.__name__} of {dtype}"] += 1
        else:
            served[method.__name__] += 1
        return made


def pytest_configure():
    scipy.fft.set_global_backend(Counting, only=True)
