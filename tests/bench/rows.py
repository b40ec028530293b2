# SPDX-License-Identifier: Apache-2.0
"""The rows of the bench: what is measured beside what. Goals stand in goals.txt."""
import workers

L2_BYTES, FAR_BYTES = 512 << 10, 64 << 20
ALL = workers.cpus()


class Row:
    """Contenders that take turns. `ours` is what a user gets; `kernel` the same work inside; peers have names of their own.

    parts: {label: (program, case)}. per: runs are of so many pieces, and the row prints the time of one. counts: what a
    piece does, {'GB/s': bytes} or {'GFlop/s': operations}. extra: values of goals that are computed, {name: function of
    the values}. runs: 0, or the number of runs whose p50 counts, of a service.
    """

    def __init__(self, name, parts, per=1, rate=None, extra=None, runs=0, apart=False):
        self.name, self.parts, self.per, self.rate = name, parts, per, rate
        self.extra, self.runs, self.apart = extra or {}, runs, apart

    def peers(self):
        """Labels of the other libraries."""
        return [label for label in self.parts if label not in ('ours', 'kernel', 'one', 'cpu1', 'cpus', 'embedded', 'ping')]


# ---- draws ----

def draw_case(method, dtype, n, **words):
    return dict(method=method, out=f'{dtype}:{n}', **words)


def kernel_of(case):
    """The case for the program `kernel`."""
    return {name: value for name, value in case.items() if name not in ('call', 'threads', 'at')}


def small_draws():
    for method in ('uniform', 'normal'):
        for n in (1, 16, 512):
            for call in ('plain', 'prepared'):
                case = draw_case(method, 'f32', n, call=call, threads=1)
                yield Row(f'{method} f32 x {n}{", prepared" if call == "prepared" else ""}',
                          {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case)),
                           'std::mt19937': ('mt19937', case)})


# ---- transforms ----

def fft_case(kind, n, batch=1, wide=False, place='out', **words):
    """The same transforms for `user`, `kernel` and FFTW."""
    complex_type, real_type = ('c128', 'f64') if wide else ('c64', 'f32')
    axes = {'2d': 2, '3d': 3}.get(kind, 1)
    shape = 'x'.join([str(batch)] * (batch > 1) + [str(n)] * axes)
    half = 'x'.join([str(batch)] * (batch > 1) + [str(n // 2 + 1)])
    case = dict(method='fft', kind=kind, n=n, batch=batch, wide=int(wide), place=place, out=f'{complex_type}:{shape}',
                **{'in': f'{complex_type}:{shape}'}, **words)
    if kind == 'r2c':
        case.update({'in': f'{real_type}:{shape}', 'out': f'{complex_type}:{half}', 'p.real': 'true'})
    if axes > 1:
        case['p.axes'] = ','.join(str(axis - axes) for axis in range(axes))
    return case


def small_ffts():
    for n in (64, 256, 1024, 4096):
        for call in ('plain', 'prepared'):
            case = fft_case('c2c', n, call=call, threads=1)
            yield Row(f'c2c f32 of {n}{", prepared" if call == "prepared" else ""}',
                      {'ours': ('user', case), 'kernel': ('kernel', case), 'FFTW': ('fftw', dict(case, way='many'))})


SECTIONS = {
    'small': ('Small calls, embedded, one thread, one draw or transform a call', lambda: [*small_draws(), *small_ffts()]),
}
