# SPDX-License-Identifier: Apache-2.0
"""Programs that use FFTW, unmodified: the same worker with Debian's libraries and with ours, plans FFTW_MEASURE, a transform a run."""
import statistics

import workers
from row import Once, Row

KINDS = ('R2HC', 'HC2R', 'DHT', 'REDFT00', 'REDFT01', 'REDFT10', 'REDFT11', 'RODFT00', 'RODFT01', 'RODFT10', 'RODFT11')
OVERHEAD, LENGTHS = (16, 32, 64, 100, 128), [2 ** k for k in range(8, 21)]
PROCESSES = 5


def name_of(n):
    return f'2^{n.bit_length() - 1}' if n > 65536 else str(n)


def row(name, n, wide, extra=None, **words):
    case = dict(n=n, wide=int(wide), effort='measure', limit=5, way='many', **words)
    return Row(f'{name} {"f64" if wide else "f32"} {name_of(n)}', {'ours': ('fftw_ours', case), 'FFTW': ('fftw', case)}, extra=extra,
               apart=n > 65536)


def middle(ratios):
    """The median of what FFTW takes in ours, over the rows so far."""
    return lambda values: ratios.append(values['FFTW'] / values['ours']) or statistics.median(ratios)


def transforms():
    for wide in (False, True):
        ratios = []
        for n in OVERHEAD:
            yield row('c2c', n, wide, kind='c2c')
        for n in LENGTHS:
            yield row('c2c', n, wide, {'median': middle(ratios)}, kind='c2c')
    for wide in (False, True):
        for n in (64, 1024):
            for i, kind in enumerate(KINDS):
                yield row(kind, n, wide, kind='r2r', r2r=i)


def plan_times(program, wide):
    """Milliseconds of a process's first plan of 2^20, and of the next ones of that length."""
    worker = workers.Worker(program, dict(kind='c2c', n=1 << 20, wide=int(wide), effort='measure', limit=30, way='plan')).ready()
    times = worker.spread(1)[0] / 1e6, worker.spread(5)[0] / 1e6
    worker.close()
    return times


def plans(wide):
    ours = [plan_times('fftw_ours', wide) for _ in range(PROCESSES)]
    theirs = plan_times('fftw', wide)
    return {'ours': statistics.median(first for first, _ in ours), 'second': statistics.median(second for _, second in ours),
            'FFTW': theirs[0], 'FFTW_second': theirs[1]}


def fftw():
    yield from transforms()
    for wide in (False, True):
        yield Once(f'first plan of 2^20, {"f64" if wide else "f32"}', 'ms', lambda wide=wide: plans(wide))
