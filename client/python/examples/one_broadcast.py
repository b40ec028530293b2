#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three processes read one broadcast: the numbers are drawn once, and each
process sees the same.

usage: one_broadcast.py SOCKET [PICTURE.png]
"""
import multiprocessing
import sys

import numpy as np

import trnsci

SAMPLES, BATCH = 60000, 2000


def read(socket, name, what, answers):
    """Reads all batches; each process computes something else of them."""
    session = trnsci.Session(socket)
    with trnsci.Broadcast(name, batch=BATCH, session=session) as reader:
        answers.put((what, None))  # attached
        batches = [x for x in reader]
        missed = reader.missed
    x = np.concatenate(batches)
    result = {"histogram": lambda: np.histogram(x, 60, (-4, 4))[0],
              "spectrum": lambda: trnsci.signal.welch(x, nperseg=512)[1],
              "walk": lambda: np.cumsum(x)}[what]()
    answers.put((what, (len(x), missed, float(x.sum(dtype=float)), result)))


def show(results, name):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
    axes[0].stairs(results["histogram"][3], np.linspace(-4, 4, 61), fill=True)
    axes[1].plot(np.linspace(0, 0.5, 257), results["spectrum"][3])
    axes[1].set_ylim(0, 3)
    axes[2].plot(results["walk"][3], linewidth=0.7)
    for each, title in zip(axes, ("histogram", "spectrum", "walk")):
        each.set_title(f"process {title!r}", fontsize=9)
    figure.tight_layout()
    figure.savefig(name, dpi=60)


if __name__ == "__main__":
    socket, pictures = sys.argv[1], sys.argv[2:]
    start = multiprocessing.get_context("spawn")
    answers = start.SimpleQueue()
    with trnsci.Broadcast.create("example", "normal", seed=1,
                                 session=trnsci.Session(socket)) as own:
        kinds = ["histogram", "spectrum", "walk"]
        processes = [start.Process(target=read, args=(
            socket, "example", kind, answers)) for kind in kinds]
        for process in processes:
            process.start()
        for _ in processes:
            answers.get()
        for _ in range(SAMPLES // BATCH):
            own.publish(BATCH)
    results = dict(answers.get() for _ in processes)
    for process in processes:
        process.join()
    for kind in kinds:
        n, missed, total, _ = results[kind]
        print(f"{kind:9} {n} samples, {missed} missed, sum {total:.6f}")
    same = len({results[kind][2] for kind in kinds}) == 1
    print("all three saw the same" if same else "they saw different numbers")
    if pictures:
        show(results, pictures[0])
