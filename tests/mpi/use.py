# SPDX-License-Identifier: Apache-2.0
"""trnsci.mpi by mpi4py: what each rank holds is a part of what one process computes."""
import sys

import numpy as np
from mpi4py import MPI

import trnsci
import trnsci.mpi

world = MPI.COMM_WORLD
group = trnsci.mpi.Group(world, "embedded:", threads=1)
checks = 0


def check(name, passed):
    """Collective; rank 0 prints."""
    global checks
    checks += 1
    passed = world.allreduce(bool(passed), MPI.LAND)
    if world.rank == 0:
        print(f'{"" if passed else "not "}ok {checks} - {name}', flush=True)


shape = (12, 10)
slabs, grid = group.layout(shape), group.layout(shape, (1, group.size))
rows = slice(*(r * shape[0] // group.size for r in (group.rank, group.rank + 1)))
columns = slice(*(r * shape[1] // group.size for r in (group.rank, group.rank + 1)))
whole = trnsci.Generator(5).normal(3, 2, size=shape)
x = group.draw("normal", slabs, seed=5, dtype="float64", mean=3, std=2.0)
check("a draw", np.array_equal(x, whole[rows]))
session = trnsci.Session("embedded:")


def as_one(name, dtype=None, width=1, **params):
    """Whether the group's rows are those of one process."""
    one = session.draw(name, shape[0] * 10 // width, dtype, seed=5, **params).result().reshape(shape)
    part = group.draw(name, slabs, seed=5, dtype=dtype, **params)
    return part.dtype == one.dtype and np.array_equal(part, one[rows])


check("a list of weights", as_one("categorical", weights=[1, 2, 0.5]) and as_one("categorical", weights=np.array([3, 1])))
check("lists of vectors", as_one("dirichlet", "float64", 5, alpha=(1, 2, 3, 4, 5))
      and as_one("multinomial", width=2, trials=2**40, shares=[0.25, 0.75]))
check("arrays", as_one("normal", mean=np.arange(7.0), std=np.float32([1, 2, 3])) and as_one("binomial", trials=np.arange(7), p=0.25))
check("a permutation", as_one("permutation") and as_one("permutation", items=0) and as_one("permutation", items=7))
check("whole numbers of 64 bits", as_one("randint", "uint64", low=2**63, high=2**64 - 1))
check("gamma's shape", as_one("gamma", shape=0.5))
matern = {"covariance": "matern", "nu": 1.5, "length": [2, 3.0], "mean": 1}
table = {"spectrum": ([0, 1, 4], [1, 2, 0.5]), "std": 2}
for given in matern, table, dict(matern, periodic=False):
    one = trnsci.Generator(5, session=session).field(shape, dtype="float32", **given)
    check("a field", np.array_equal(group.field(slabs, seed=5, **given), one[rows])
          and np.array_equal(group.field(grid, seed=5, **given), one[:, columns]))
moved = group.redistribute(x, slabs, grid)
check("a move", np.array_equal(moved, whole[:, columns]))
y, half = group.fft(x, slabs, real=True)
check("half a spectrum", np.allclose(y, np.fft.rfft2(whole)[rows]) and half.shape == (12, 6))
back, _ = group.fft(y, half, real=True, inverse=True)
check("and back", np.allclose(back, x))
turned, layout = group.fft(x, slabs, transposed_out=True)
check("transposed", layout.shape == (10, 12) and np.allclose(turned, np.fft.fft2(whole).T[columns]))
total = group.sum(x)
check("a sum", total["count"] == 120 and np.isclose(total["mean"], whole.mean()) and total["max"] == whole.max())
path = sys.argv[1] + "/array.npy"
group.write(path, x, slabs)
check("a file", np.array_equal(np.load(path), whole))
part, layout = group.read(path, (1, group.size))
check("read again", np.array_equal(part, moved) and layout.grid == (1, group.size))
try:
    group.draw("normal", group.layout(shape, (group.size + 1, 1)))
    check("an error", False)
except trnsci.ParameterError as error:
    check("an error", "grid: its product" in str(error) and error.name == "out_of_range")
try:
    group.draw("normal", group.layout((12, 10 + (group.rank == 1))), seed=1)
    check("an error of one rank", False)
except trnsci.Error as error:
    check("an error of one rank", "rank 1: draw: layout" in str(error))
try:
    group.fft(x[:, :3] if group.rank == 2 else x, slabs)
    check("another shape of one rank", False)
except trnsci.ParameterError as error:
    check("another shape of one rank", "rank 2: " in str(error) and "allowed is the part of the layout" in str(error))
try:
    group.draw("normal", slabs, seed=1, mean=np.arange(3.0) + (group.rank == 1))
    check("other elements on one rank", False)
except trnsci.ParameterError as error:
    check("other elements on one rank", "rank 1: draw: layout, distribution, parameters" in str(error))
session.close()
group.close()
if world.rank == 0:
    print(f"1..{checks}")
