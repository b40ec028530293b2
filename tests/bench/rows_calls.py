# SPDX-License-Identifier: Apache-2.0
"""Rows of what a program meets first, and of calls from Python: each time, or each library, a process of its own."""
import statistics
import subprocess
import tempfile

import workers
from row import Once, Row

PROCESSES = 5
PYTHON = 'python_calls.py'


def first_of(program, case):
    """Nanoseconds of the first transforms of some lengths, each time in a new process."""
    times = []
    for _ in range(PROCESSES):
        worker = workers.Worker(program, dict(case, threads=1, work='first')).ready()
        times.append(worker.spread(1)[0])
        worker.close()
    return statistics.median(times)


def first_use():
    for first, last in ((1024, 1024), (65536, 65536), (999983, 999983), (1000, 1999)):
        case = dict(call='first', method='fft', first=first, last=last, out=f'c64:{last}', **{'in': f'c64:{last}'})

        def measure(case=case):
            return {'ours': first_of('user', case), 'scipy': first_of(PYTHON, case)}
        yield Once(f'{first}' if first == last else f'{first} to {last}, once each', 'ns', measure)


def python_row(name, peer, work=None, at=None, **words):
    case = dict(work=work or name, **words)
    return Row(name, {'ours': (PYTHON, dict(case, library_of='trnsci', at=at)), peer: (PYTHON, dict(case, library_of=peer))})


def import_times():
    """Milliseconds of importing it in a process that has numpy; asyncio is not needed for that. Byte code is there, as it is of an
    installed package: the first process leaves it."""
    program = 'import numpy, time; t = time.perf_counter(); import trnsci; print(1e3 * (time.perf_counter() - t))'
    with tempfile.TemporaryDirectory() as folder:
        env = dict(workers.python_environment(), PYTHONPYCACHEPREFIX=folder)
        env.pop('PYTHONDONTWRITEBYTECODE', None)
        times = [float(subprocess.run(['/usr/bin/python3', '-c', program], env=env, text=True, capture_output=True,
                                      check=True).stdout) for _ in range(1 + PROCESSES)]
    return {'ours': statistics.median(times[1:])}


def python_calls():
    for n in (16, 64, 256, 1000, 1024):
        yield python_row(f'fft {n} c128, planned', 'pyFFTW', 'fft', n=n, dtype='complex128')
        for dtype in 'c64', 'c128':
            yield python_row(f'fft {n} {dtype}, planned, of an array', 'pyFFTW', 'fft', n=n, dtype=f'complex{dtype[1:]}', given=1)
    for work in 'stft 1e6 f64', 'spectrogram 1e6 f64', 'convolve 1000 x 100 f64':
        yield python_row(work, 'scipy')
    yield python_row('integers(100) x 65536', 'numpy SFC64', 'integers', n=65536)
    for work in 'random', 'normal':
        yield python_row(f'{work} x 1000, daemon', 'numpy SFC64', work, n=1000, at=workers.daemon_socket)
    yield Once('import', 'ms', import_times)
