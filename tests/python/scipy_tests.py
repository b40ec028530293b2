# SPDX-License-Identifier: Apache-2.0
"""Runs scipy's own tests of scipy.fft on trnsci.fft alone (scipy_backend.py),
and states what was served. A test may fail for one reason: its array is of
long double, which the engine does not have."""
import sys

import scipy_backend
import upstream

EXPECTED = {"BackendNotImplementedError": "declined"}

if __name__ == "__main__":
    passed = upstream.run(["scipy.fft.tests", "scipy.fft._pocketfft.tests"],
                          EXPECTED, plugins=[scipy_backend])
    for what in "served", "declined", "refused":
        counts = getattr(scipy_backend, what)
        print(f"trnsci.fft {what} {sum(counts.values())} calls:", ", ".join(
            f"{key} {n}" for key, n in sorted(counts.items())))
    others = [key for key in scipy_backend.declined
              if not key.endswith(("float128", "complex256"))]
    served = sum(scipy_backend.served.values())
    sys.exit(bool(others) or not passed or served < 10000)
