# SPDX-License-Identifier: Apache-2.0
"""Rows beside the best peers there are, of `bench --against`: FFTW built with AVX-512 and MKL, where `against` has put them below
the build; and the rows of `make bench` that belong to them. Their goals stand in goals.txt, too."""
import rows
import rows_fftw
import rows_service
import workers
from row import Row


# ---- transforms ----

def beside_best(row):
    """FFTW is that of `against`, and MKL takes its place, with one plan for the batch."""
    parts = {}
    for label, (program, case) in row.parts.items():
        parts[label] = program, dict(case, library='fftw' if program == 'fftw' and workers.has_library('fftw') else None)
        if label in ('FFTW', 'FFTW many') and workers.has_library('mkl'):
            parts['MKL'] = program, dict(case, library='mkl')
    row.parts = parts
    return row


def cached():
    powers = [2 ** k for k in range(6, 13)]
    yield from rows.batches('c2c', powers + [96, 127, 1920])
    yield from rows.batches('c2c', [16, *powers[:-1], 100], wide=True)
    yield from rows.batches('r2c', [1000])


def calls():
    for kind, lengths in (('c2c', (16, 32, 64, 128, 256, 512, 100, 127, 250, 500, 1000, 1920, 5000)), ('r2c', (500, 1000, 1024, 2000))):
        for n in lengths:
            case = rows.fft_case(kind, n, call='prepared', threads=1)
            yield Row(f'{kind} f32 {n}', {'ours': ('user', case), 'kernel': ('kernel', case), 'FFTW': ('fftw', dict(case, way='many'))})


def interface():
    for wide in (False, True):
        for n in (16, 32, 64, 128, 256, 512):
            yield rows_fftw.row('c2c', n, wide, kind='c2c')


def single():
    for n, wide in ((1 << 17, False), (1 << 18, False), (1 << 17, True)):
        yield rows.single('c2c', n, wide, limit=15)


def far():
    yield from rows.batches('c2c', (64, 128, 256, 100), far=True)


# ---- random numbers ----

def vsl_row(name, method, dtype, parameters, *ways):
    """VSL by its fastest generators; ways: names and words of other methods."""
    case = rows.distribution_case(method, dtype, rows.SAMPLES, parameters, threads=1)
    parts = {'ours': ('user', case), 'kernel': ('kernel', rows.kernel_of(case)),
             'numpy SFC64': ('numpy_random.py', {'work': name, 'n': rows.SAMPLES})}
    if workers.has_library('mkl'):
        for way, words in (ways or (('', {}),)):
            for brng in 'mcg59', 'sfmt':
                parts[f'VSL {way}{brng}'] = 'vsl', dict(case, brng=brng, library='mkl', **words)
    return Row(name, parts, per=rows.SAMPLES)


def distributions():
    for name, method, dtype, parameters in (
            ('exponential f64', 'exponential', 'f64', {}), ('weibull f64', 'weibull', 'f64', {'shape': 2.0}),
            ('cauchy f64', 'cauchy', 'f64', {}), ('beta f64', 'beta', 'f64', {'alpha': 2.0, 'beta': 3.0}),
            ('geometric i64', 'geometric', 'i64', {'p': 0.1}),
            ('hypergeometric i64', 'hypergeometric', 'i64', {'ngood': 100, 'nbad': 200, 'nsample': 120})):
        yield vsl_row(name, method, dtype, parameters)
    for way in 'boxmuller', 'icdf':
        row = vsl_row('normal f64', 'normal', 'f64', {}, (f'{way} ', {'by': way}))
        row.name = f'normal f64, {way}'
        yield row


SECTIONS = {
    'best-cached': ('Transforms in batches of 512 KiB beside the best peers, one thread: time of a transform',
                    lambda: map(beside_best, cached())),
    'best-call': ('One transform a call, prepared, beside the best peers, one thread', lambda: map(beside_best, calls())),
    'best-fftw': ("FFTW's interface, one transform a call, plans FFTW_MEASURE, beside the best peers",
                  lambda: map(beside_best, interface())),
    'best-axes': ('Two and three axes, one transform a call, beside the best peers, one thread', lambda: map(beside_best, rows.some_axes(8))),
    'best-single': ('One long transform a call beside the best peers, one thread', lambda: map(beside_best, single())),
    'best-far': ('Transforms in batches of 64 MiB beside the best peers, one thread: time of a transform',
                 lambda: map(beside_best, far())),
    'best-random': (f'Distributions beside VSL, whose integers have 32 bits, one thread, {rows.SAMPLES} samples: time of a sample',
                    distributions),
    'points': (rows.SECTIONS['points'][0], lambda: [row for row in rows.points() if row.name == 'sobol, owen']),
    'first': rows.SECTIONS['first'],
    'calls': rows.SECTIONS['calls'],
    'daemon': (rows.SECTIONS['daemon'][0],
               lambda: [*rows_service.arrays(), *(row for row in rows_service.small_calls() if 'new tile' in row.name)]),
}
