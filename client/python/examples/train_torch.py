#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop of PyTorch that is fed by a ring: the engine draws ahead
while the model learns, and tensors show its samples by DLPack.

A network learns to remove noise from sinusoids. Needs torch.
"""
import trnsci

try:
    import torch
except ImportError:
    raise SystemExit("train_torch.py: torch is not installed")

BATCH, SAMPLES, STEPS = 64, 128, 300


def noise_of(ring, tile, tensor):
    """The next batch of noise, as a tensor over memory of the engine's.

    A tensor can be written, and a ring's samples cannot: they are copied to
    a tile, whose tensor is made once."""
    ring.take(out=tile.array.reshape(-1))
    return tensor


def signals(phases):
    t = torch.arange(SAMPLES) / SAMPLES
    return torch.sin(2 * torch.pi * (8 * t + phases[:, None]))


if __name__ == "__main__":
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(SAMPLES, 32), torch.nn.Tanh(),
                                torch.nn.Linear(32, SAMPLES))
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    tile = trnsci.Tile((BATCH, SAMPLES), "f32")
    tensor = torch.from_dlpack(tile)
    with trnsci.Ring("normal", "f32", seed=1, std=0.5,
                     capacity=8 * BATCH * SAMPLES) as ring, \
            trnsci.Ring("uniform", "f32", seed=2, batch=BATCH) as phases:
        for step in range(STEPS):
            clean = signals(torch.from_numpy(next(phases)))
            noisy = clean + noise_of(ring, tile, tensor)
            loss = ((model(noisy) - clean)**2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if step % 100 == 0:
                print(f"step {step}: loss {loss.item():.3f}")
    same = tensor.data_ptr() == tile.array.ctypes.data
    print(f"loss {loss.item():.3f}; the noise's power is 0.25; the tensor",
          "shows the tile's memory" if same else "is a copy")
