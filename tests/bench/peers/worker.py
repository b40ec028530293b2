# SPDX-License-Identifier: Apache-2.0
"""The worker's side of ../worker.h for peers in Python: serve(works) with {name: function of the case}, each of which
returns the function that is one run."""
import sys
import time


def case_of(words):
    return dict(word.split('=', 1) for word in words)


def time_runs(run, nanoseconds):
    begin, took, runs, step = time.perf_counter_ns(), 0, 0, 1
    while took < nanoseconds:
        for _ in range(step):
            run()
        runs += step
        took = time.perf_counter_ns() - begin
        step *= 2 if took < nanoseconds / 16 else 1
    return took / runs


def serve(works):
    case = case_of(sys.argv[1:])
    if case['work'] not in works:
        print('none', case['work'], flush=True)
        return
    run = works[case['work']](case)
    run()
    print('ready', flush=True)
    for line in sys.stdin:
        word, number = line.split()
        if word == 'spread':  # of one run
            took = time_runs(run, 1)
            print(took, took, flush=True)
        else:
            print(time_runs(run, 1e9 * float(number)), flush=True)
