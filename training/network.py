"""MiniLM and MPNet in torch, with heads: where the answer is, whether it is here, and whether it is right.

Both read the word pieces of MiniLM, so that one can teach the other piece by piece.
"""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

HEADS = 12
CLS, SEP = 101, 102
_DROPOUT = 0.1
_BIAS = "encoder.relative_attention_bias.weight"  # MPNet has it, MiniLM has not
_MINILM = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "norm": "attention.output.LayerNorm",
}  # fmt: skip
_MPNET = {
    "query": "attention.attn.q", "key": "attention.attn.k", "value": "attention.attn.v",
    "out": "attention.attn.o", "norm": "attention.LayerNorm",
}  # fmt: skip


class Dense(nn.Module):
    """A linear layer."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, hidden: Tensor) -> Tensor:
        return linear(hidden, self.weight, self.bias)


class Norm(nn.Module):
    """Layer normalisation with trained weights."""

    def __init__(self, weight: Tensor, bias: Tensor, epsilon: float) -> None:
        super().__init__()
        self.weight, self.bias, self.epsilon = nn.Parameter(weight), nn.Parameter(bias), epsilon

    def forward(self, hidden: Tensor) -> Tensor:
        return layer_norm(hidden, self.weight.shape, self.weight, self.bias, self.epsilon)


class Layer(nn.Module):
    """Attention and a feed-forward network."""

    def __init__(self, weights: dict[str, Tensor], at: str) -> None:
        super().__init__()
        names, epsilon = (_MPNET, 1e-5) if _BIAS in weights else (_MINILM, 1e-12)

        def dense(part: str) -> Dense:
            return Dense(weights[f"{at}{part}.weight"], weights[f"{at}{part}.bias"])

        def norm(part: str) -> Norm:
            return Norm(weights[f"{at}{part}.weight"], weights[f"{at}{part}.bias"], epsilon)

        self.query, self.key, self.value = (dense(names[part]) for part in ("query", "key", "value"))
        self.out = dense(names["out"])
        self.wide, self.narrow = dense("intermediate.dense"), dense("output.dense")
        self.norm_attention, self.norm_output = norm(names["norm"]), norm("output.LayerNorm")
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
    """Reads a query and a passage together. With ``layers_only``, vectors of words and places are not trained."""

    def __init__(self, weights: dict[str, Tensor], *, layers_only: bool = False) -> None:
        super().__init__()
        self.words = nn.Parameter(weights["embeddings.word_embeddings.weight"], requires_grad=not layers_only)
        self.places = nn.Parameter(weights["embeddings.position_embeddings.weight"], requires_grad=not layers_only)
        self.is_mpnet = _BIAS in weights
        if self.is_mpnet:
            self.register_buffer("bias", weights[_BIAS], persistent=False)
        else:
            self.kinds = nn.Parameter(weights["embeddings.token_type_embeddings.weight"])
        epsilon = 1e-5 if self.is_mpnet else 1e-12
        self.norm = Norm(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"], epsilon)
        layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{i}.") for i in range(layers))
        self.dropout = nn.Dropout(_DROPOUT)
        width = self.words.shape[1]
        self.span = nn.Linear(width, 2)
        self.hidden = nn.Linear(width, width)
        self.verdict = nn.Linear(width, 2)  # answered here; the answer that was given is right

    def encode(self, pieces: Tensor, kinds: Tensor, lengths: Tensor) -> Tensor:
        longest = pieces.shape[1]
        inside = (torch.arange(longest, device=pieces.device)[None] < lengths[:, None])[:, None, None, :]
        if self.is_mpnet:
            hidden = embedding(_in_mpnet(pieces), self.words) + self.places[2 : longest + 2]
            near = self.bias[_buckets(longest, pieces.device)].permute(2, 0, 1)[None]
            device = pieces.device.type
            kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else near.dtype
            mask = near.to(kind).masked_fill(~inside, -1e4)
        else:
            # indexing two rows is slow to train
            kind_vectors = self.kinds[0] + kinds[:, :, None] * (self.kinds[1] - self.kinds[0])
            hidden = embedding(pieces, self.words) + self.places[:longest] + kind_vectors
            mask = inside
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

    def matrices(self) -> dict[str, Tensor]:
        """Return copies of the matrices of the layers by name."""
        return {
            name: value.detach().clone()
            for name, value in self.named_parameters()
            if name.startswith("layers.") and value.dim() == 2
        }


def _in_mpnet(pieces: Tensor) -> Tensor:
    """Return word pieces of MiniLM by their numbers in MPNet, whose four marks come first."""
    return torch.where(pieces == CLS, 0, torch.where(pieces == SEP, 2, torch.where(pieces == 0, 1, pieces + 4)))


def _buckets(longest: int, device: torch.device) -> Tensor:
    """Return which of MPNet's 32 biases holds between each two places: one for each near distance, then wider ones."""
    places = torch.arange(longest, device=device)
    apart = places[None] - places[:, None]
    distance = apart.abs()
    wide = 8 + (torch.log(distance.clamp(min=1) / 8) / log(128 / 8) * 8).long()
    return torch.where(apart > 0, 16, 0) + torch.where(distance < 8, distance, wide.clamp(max=15))


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
    """Write tensors as 16-bit floats, bytes as bytes, in the safetensors format."""
    header, parts, at = {}, [], 0
    for name, value in tensors.items():
        kind, dtype = (torch.uint8, "U8") if value.dtype == torch.uint8 else (torch.float16, "F16")
        raw = value.detach().cpu().to(kind).contiguous().numpy().tobytes()
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    path.write_bytes(len(told).to_bytes(8, "little") + told + b"".join(parts))
