# SPDX-License-Identifier: Apache-2.0
"""The numbers of other frameworks, on any CPU, in their own words.

`jax`, `torch_cuda`, `tensorflow`, `numpy` and `curand` give what these give
for the same seed: words, uniforms and integers exactly, normals within a few
ulps. trnsci-streams(7) states what is exact, for which versions, and what is
not covered. None of these frameworks has to be installed.

Examples
--------
>>> from trnsci import replay
>>> replay.jax.normal(replay.jax.key(42), (3,))
array([-0.02830462,  0.46713185,  0.29570296], dtype=float32)
>>> replay.torch_cuda.manual_seed(0)
>>> replay.torch_cuda.rand(2, 2)
array([[0.39904648, 0.51667917],
       [0.02493039, 0.9400794 ]], dtype=float32)
>>> replay.tensorflow.stateless_uniform([2, 2], seed=[1, 2])
array([[0.8440604 , 0.19204533],
       [0.9962232 , 0.1603874 ]], dtype=float32)
"""
from . import curand, jax, numpy, tensorflow, torch_cuda

__all__ = ["curand", "jax", "numpy", "tensorflow", "torch_cuda"]
