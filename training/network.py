"""MiniLM in torch, with adapters and three heads: where the answer is, whether it is here, and whether it is right."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

WIDTH, LAYERS, HEADS = 384, 6, 12
CLS, SEP = 101, 102
_DROPOUT = 0.1


class Adapted(nn.Module):
    """A linear layer; with a rank, the layer is fixed and a product of two narrow matrices is added to it."""

    def __init__(self, weight: Tensor, bias: Tensor, rank: int) -> None:
        super().__init__()
        self.weight, self.bias = (nn.Parameter(value, requires_grad=not rank) for value in (weight, bias))
        self.rank = rank
        if rank:
            self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / sqrt(weight.shape[1]))
            self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, hidden: Tensor) -> Tensor:
        base = linear(hidden, self.weight, self.bias)
        return base + linear(linear(hidden, self.down), self.up) if self.rank else base


class Norm(nn.Module):
    """Layer normalisation with trained weights."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, hidden: Tensor) -> Tensor:
        return layer_norm(hidden, (WIDTH,), self.weight, self.bias, 1e-12)


class Layer(nn.Module):
    """Attention and a feed-forward network."""

    def __init__(self, weights: dict[str, Tensor], name: str, rank: int) -> None:
        super().__init__()

        def dense(part: str) -> Adapted:
            return Adapted(weights[f"{name}{part}.weight"], weights[f"{name}{part}.bias"], rank)

        def norm(part: str) -> Norm:
            return Norm(weights[f"{name}{part}.weight"], weights[f"{name}{part}.bias"])

        self.query, self.key, self.value = (dense(f"attention.self.{part}") for part in ("query", "key", "value"))
        self.out = dense("attention.output.dense")
        self.wide, self.narrow = dense("intermediate.dense"), dense("output.dense")
        self.norm_attention, self.norm_output = norm("attention.output.LayerNorm"), norm("output.LayerNorm")
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        many, longest, width = hidden.shape
        heads = [
            part(hidden).view(many, longest, HEADS, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        ]
        seen = scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2).reshape(many, longest, width)
        hidden = self.norm_attention(hidden + self.dropout(self.out(seen)))
        return self.norm_output(hidden + self.dropout(self.narrow(gelu(self.wide(hidden)))))


class Reader(nn.Module):
    """Reads a query and a passage together. ``rank`` 0 trains all weights."""

    def __init__(self, weights: dict[str, Tensor], rank: int) -> None:
        super().__init__()
        self.words = nn.Parameter(weights["embeddings.word_embeddings.weight"], requires_grad=not rank)
        self.places = nn.Parameter(weights["embeddings.position_embeddings.weight"], requires_grad=not rank)
        self.kinds = nn.Parameter(weights["embeddings.token_type_embeddings.weight"])
        self.norm = Norm(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{i}.", rank) for i in range(LAYERS))
        self.dropout = nn.Dropout(_DROPOUT)
        self.span = nn.Linear(WIDTH, 2)
        self.hidden = nn.Linear(WIDTH, WIDTH)
        self.verdict = nn.Linear(WIDTH, 2)  # answered here; the answer that was given is right

    def encode(self, pieces: Tensor, kinds: Tensor, lengths: Tensor) -> Tensor:
        places = torch.arange(pieces.shape[1], device=pieces.device)
        mask = (places[None] < lengths[:, None])[:, None, None, :]
        kind = self.kinds[0] + kinds[:, :, None] * (self.kinds[1] - self.kinds[0])  # indexing two rows is slow to train
        hidden = embedding(pieces, self.words) + self.places[: pieces.shape[1]] + kind
        hidden = self.dropout(self.norm(hidden))
        for layer in self.layers:
            hidden = layer(hidden, mask)
        return hidden

    def forward(self, pieces: Tensor, kinds: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of the first and last piece of an answer, and the two verdicts."""
        hidden = self.encode(pieces, kinds, lengths)
        spans = self.span(hidden).float().masked_fill((kinds == 0)[:, :, None], -1e4)
        return spans, self.verdict(self.dropout(torch.tanh(self.hidden(hidden[:, 0])))).float()

    def trained(self) -> dict[str, Tensor]:
        """Return the trained tensors by name."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def load_weights(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, in 32 or 16 bits, as 32-bit floats."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, tensor in json.loads(data[8 : 8 + size]).items():
        kind = {"F32": np.float32, "F16": np.float16}.get(tensor.get("dtype"))
        if kind is not None:
            start, end = (8 + size + offset for offset in tensor["data_offsets"])
            values = np.frombuffer(data[start:end], kind).astype(np.float32).reshape(tensor["shape"])
            tensors[name] = torch.from_numpy(values)
    return tensors


def save_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write tensors as 16-bit floats, in the safetensors format."""
    header, parts, at = {}, [], 0
    for name, value in tensors.items():
        raw = value.detach().cpu().to(torch.float16).numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    path.write_bytes(len(told).to_bytes(8, "little") + told + b"".join(parts))
