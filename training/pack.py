"""What training changed in the weights, in 4 bits each: small enough to be part of the package."""

from __future__ import annotations

import torch
from torch import Tensor

GROUP = 64  # weights in a row that share a scale


def packed(trained: dict[str, Tensor], before: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the trained tensors, the matrices of layers as ``NAME.change`` and ``NAME.scale``.

    ``before`` has the untrained tensors by the same names. Two changes share a byte, the first in its lower half; each
    is a number from -7 to 7, plus 8, times the scale of its group.
    """
    made = {}
    for name, value in trained.items():
        if name not in before:
            made[name] = value
            continue
        change = (value - before[name]).detach().float()
        rows, columns = change.shape
        groups = change.view(rows, columns // GROUP, GROUP)
        scale = (groups.abs().amax(2, keepdim=True) / 7).half()
        codes = (groups / scale.float().clamp(min=1e-8)).round().clamp(-7, 7).view(rows, columns).to(torch.uint8) + 8
        own = name.removesuffix(".weight")
        made[f"{own}.change"] = codes[:, 0::2] | (codes[:, 1::2] << 4)
        made[f"{own}.scale"] = scale[:, :, 0]
    return made


def unpacked(tensors: dict[str, Tensor], before: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors that ``packed`` was given, as exactly as 4 bits tell them."""
    made = {}
    for name, value in tensors.items():
        own, _, kind = name.rpartition(".")
        if kind == "change":
            codes = torch.stack([value & 15, value >> 4], 2).flatten(1).float() - 8
            scale = tensors[f"{own}.scale"].float().repeat_interleave(GROUP, 1)
            made[f"{own}.weight"] = before[f"{own}.weight"] + codes * scale
        elif kind != "scale":
            made[name] = value
    return made
