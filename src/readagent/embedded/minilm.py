"""all-MiniLM-L6-v2 in numpy: unit vectors of 384 numbers for sentences, close if the meanings are close."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from readagent.embedded.wordpiece import WordPiece

Array = NDArray[np.float32]

WIDTH = 384
_LAYERS = 6
_HEADS = 12
_MAX_TOKENS = 256
_BATCH_TOKENS = 2048  # including padding; larger batches are no faster on a few cores


class MiniLM:
    """The model, loaded from a folder with ``model.safetensors`` and ``vocab.txt``."""

    def __init__(self, folder: Path) -> None:
        self._words = WordPiece(folder / "vocab.txt")
        weights = read_safetensors(folder / "model.safetensors")
        self._embeddings = _Embeddings(weights)
        self._layers = [_Layer(weights, f"encoder.layer.{i}.") for i in range(_LAYERS)]

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row per text, in order."""
        encoded = [self._words.encode(text, _MAX_TOKENS) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i]))
        rows = np.zeros((len(texts), WIDTH), np.float32)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(encoded[order[end]]) <= _BATCH_TOKENS:
                end += 1
            batch = order[start:end]
            rows[batch] = self._forward([encoded[i] for i in batch])
            start = end
        return rows

    def _forward(self, batch: list[list[int]]) -> Array:
        longest = len(batch[-1])
        tokens = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros((len(batch), longest), np.float32)
        for i, numbers in enumerate(batch):
            tokens[i, : len(numbers)] = numbers
            mask[i, : len(numbers)] = 1
        hidden = self._embeddings(tokens)
        hide = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        for layer in self._layers:
            hidden = layer(hidden, hide)
        pooled = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        rows: Array = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return rows


class _Embeddings:
    def __init__(self, weights: dict[str, Array]) -> None:
        self._word = weights["embeddings.word_embeddings.weight"]
        self._place = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm_of(weights, "embeddings.LayerNorm.")

    def __call__(self, tokens: NDArray[np.int64]) -> Array:
        return _normed(self._word[tokens] + self._place[: tokens.shape[1]], self._norm)


class _Layer:
    """Attention and a feed-forward network, each with a residual connection and layer normalisation."""

    def __init__(self, weights: dict[str, Array], name: str) -> None:
        own = name + "attention.self."
        parts = [(weights[f"{own}{part}.weight"], weights[f"{own}{part}.bias"]) for part in ("query", "key", "value")]
        self._three = np.ascontiguousarray(np.concatenate([weight for weight, _ in parts]).T)
        self._three_bias = np.concatenate([bias for _, bias in parts])
        self._out = _dense_of(weights, name + "attention.output.dense.")
        self._up = _dense_of(weights, name + "intermediate.dense.")
        self._down = _dense_of(weights, name + "output.dense.")
        self._norm_attention = _norm_of(weights, name + "attention.output.LayerNorm.")
        self._norm_output = _norm_of(weights, name + "output.LayerNorm.")

    def __call__(self, hidden: Array, hide: Array) -> Array:
        many, longest, width = hidden.shape
        three = (hidden.reshape(-1, width) @ self._three + self._three_bias).reshape(many, longest, 3, _HEADS, -1)
        query, key, value = (three[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(sqrt(width // _HEADS)) + hide
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(-1, width)
        flat = _normed(seen @ self._out[0] + self._out[1] + hidden.reshape(-1, width), self._norm_attention)
        inner = _gelu(flat @ self._up[0] + self._up[1])
        return _normed(inner @ self._down[0] + self._down[1] + flat, self._norm_output).reshape(hidden.shape)


def _dense_of(weights: dict[str, Array], name: str) -> tuple[Array, Array]:
    return np.ascontiguousarray(weights[name + "weight"].T), weights[name + "bias"]


def _norm_of(weights: dict[str, Array], name: str) -> tuple[Array, Array]:
    return weights[name + "weight"], weights[name + "bias"]


def _normed(values: Array, norm: tuple[Array, Array]) -> Array:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    normed: Array = centred / spread * norm[0] + norm[1]
    return normed


def _gelu(values: Array) -> Array:
    """GELU in its error-function form (Abramowitz and Stegun 7.1.26, error below 2e-7)."""
    x = np.abs(values) * np.float32(1 / sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * x)
    tail = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    erf = np.copysign(1 - tail * np.exp(-x * x), values)
    half: Array = (np.float32(0.5) * values * (1 + erf)).astype(np.float32, copy=False)
    return half


def read_safetensors(path: Path) -> dict[str, Array]:
    """Return the 32-bit float tensors of a safetensors file by name."""
    data = np.memmap(path, np.uint8, "r")
    size = int(data[:8].view(np.uint64)[0])
    header: dict[str, dict[str, Any]] = json.loads(data[8 : 8 + size].tobytes())
    tensors = {}
    for name, tensor in header.items():
        if name != "__metadata__" and tensor["dtype"] == "F32":
            start, end = (8 + size + offset for offset in tensor["data_offsets"])
            tensors[name] = np.array(data[start:end]).view(np.float32).reshape(tensor["shape"])
    return tensors
