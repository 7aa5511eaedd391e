"""The layers of MiniLM in numpy: word pieces in, a vector for each piece out. Training can have changed the layers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")
Array = NDArray[np.float32]
Pieces = NDArray[np.int64]

WIDTH = 384
_LAYERS = 6
_HEADS = 12
_BATCH = 256  # word pieces of a batch, including padding: few enough for the cache of a core, and for a share for each
_THREADS = min(8, os.cpu_count() or 1)
_DENSE = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
_NORMS = {"norm_attention": "attention.output.LayerNorm", "norm_output": "output.LayerNorm"}
# log(p / (1 - p)) / x of the normal distribution function p as a polynomial of x * x: error of GELU below 3e-5
_GELU = tuple(map(np.float32, (7.03002301e-04, -7.40111579e-02, -1.59501602)))


class _Part(NamedTuple):
    """A matrix, outputs by inputs as in the file, of which it is a part where training changed nothing; or a norm."""

    weight: Array
    bias: Array


class Encoder:
    """The network with the weights of a safetensors file of all-MiniLM-L6-v2, and with an adapter if one is given.

    An adapter has what training changed in the matrices of each layer, in 4 bits a weight, and replaces the biases, the
    normalisations and the vectors of the two kinds of pieces. ``training/pack.py`` writes it.
    """

    def __init__(self, weights: Mapping[str, Array], adapter: Mapping[str, Array] | None = None) -> None:
        adapter = adapter or {}
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = np.array(weights["embeddings.position_embeddings.weight"])
        self._kinds = np.array(adapter.get("kinds", weights["embeddings.token_type_embeddings.weight"]))
        self._norm = _norm(weights, "embeddings.LayerNorm", adapter, "norm")
        self._layers = in_threads(lambda number: _Layer(weights, number, adapter), range(_LAYERS))

    def __call__(self, pieces: Pieces, lengths: NDArray[np.int64], kinds: Pieces | None = None) -> Array:
        """Return a vector for each piece of a batch. Rows are padded, and ``kinds`` are 0 where none are given."""
        longest = pieces.shape[1]
        hidden = self._words[pieces]
        hidden += self._places[:longest]
        hidden += self._kinds[0] if kinds is None else self._kinds[kinds]
        _normalize(hidden, self._norm)
        hide = np.where(np.arange(longest) < lengths[:, None], np.float32(0), np.float32(-1e9))[:, None, :, None]
        for layer in self._layers:
            layer(hidden, hide)
        return hidden


class _Layer:
    """Attention and a feed-forward network, each with a residual connection and layer normalisation."""

    def __init__(self, weights: Mapping[str, Array], number: int, adapter: Mapping[str, Array]) -> None:
        dense = {part: _dense(weights, number, part, adapter) for part in _DENSE}
        three = [dense[part] for part in ("query", "key", "value")]
        self._three = _Part(np.concatenate([one.weight for one in three]), np.concatenate([one.bias for one in three]))
        self._out, self._wide, self._narrow = dense["out"], dense["wide"], dense["narrow"]
        self._norm_attention, self._norm_output = (
            _norm(weights, f"encoder.layer.{number}.{name}", adapter, f"layers.{number}.{part}")
            for part, name in _NORMS.items()
        )

    def __call__(self, hidden: Array, hide: Array) -> None:
        """Change the vectors in place."""
        width = hidden.shape[-1]
        flat = hidden.reshape(-1, width)
        flat += _product(self._attention(hidden, hide).reshape(-1, width), self._out)
        _normalize(flat, self._norm_attention)
        inner = _product(flat, self._wide)
        _gelu(inner)
        flat += _product(inner, self._narrow)
        _normalize(flat, self._norm_output)

    def _attention(self, hidden: Array, hide: Array) -> Array:
        many, longest, width = hidden.shape
        three = _product(hidden.reshape(-1, width), self._three).reshape(many, longest, 3, _HEADS, -1)
        query, key, value = (three[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        query *= np.float32(1 / sqrt(width // _HEADS))
        scores = key @ query.transpose(0, 1, 3, 2)  # keys by queries: numpy adds up rows faster than columns
        scores += hide
        scores -= scores.max(axis=-2, keepdims=True)
        np.exp(scores, out=scores)
        mixed = scores.transpose(0, 1, 3, 2) @ value
        mixed /= scores.sum(axis=-2)[..., None]
        return np.ascontiguousarray(mixed.transpose(0, 2, 1, 3))


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of texts in batches of similar length, shortest first."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * lengths[order[end]] <= _BATCH:
            end += 1
        yield order[start:end]
        start = end


def in_threads(work: Callable[[T], R], parts: Iterable[T]) -> list[R]:
    """Return what is made of each part. Parts are made the same way on any number of cores, and so is their order."""
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="layers") as threads:
        return list(threads.map(work, parts))


def padded(rows: Sequence[Sequence[int]]) -> tuple[Pieces, NDArray[np.int64]]:
    """Return rows of different lengths as one array, filled up with zeros, and their lengths."""
    lengths = np.array([len(row) for row in rows], np.int64)
    pieces = np.zeros((len(rows), int(lengths.max())), np.int64)
    for place, row in enumerate(rows):
        pieces[place, : len(row)] = row
    return pieces, lengths


def _dense(weights: Mapping[str, Array], number: int, part: str, adapter: Mapping[str, Array]) -> _Part:
    name, own = f"encoder.layer.{number}.{_DENSE[part]}", f"layers.{number}.{part}"
    weight = weights[f"{name}.weight"]
    if f"{own}.change" in adapter:
        weight = weight + _changes(adapter[f"{own}.change"], adapter[f"{own}.scale"])
    return _Part(weight, np.array(adapter.get(f"{own}.bias", weights[f"{name}.bias"])))


def _changes(codes: NDArray[Any], scale: Array) -> Array:
    """Return what training changed in a matrix: two changes share a byte, and those of a group share a scale."""
    rows, groups = scale.shape
    changes = np.empty((*codes.shape, 2), np.float32)
    changes[..., 0], changes[..., 1] = codes & 15, codes >> 4
    changes -= 8
    changes = changes.reshape(rows, groups, -1)
    changes *= scale[:, :, None]
    return changes.reshape(rows, -1)


def _norm(weights: Mapping[str, Array], name: str, adapter: Mapping[str, Array], own: str) -> _Part:
    weight, bias = (adapter.get(f"{own}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    return _Part(np.array(weight), np.array(bias))


def _product(rows: Array, dense: _Part) -> Array:
    product: Array = rows @ dense.weight.T
    product += dense.bias
    return product


def _normalize(rows: Array, norm: _Part) -> None:
    """Normalise rows in place."""
    rows -= rows.mean(axis=-1, keepdims=True)
    spread = np.einsum("...i,...i->...", rows, rows)[..., None] / np.float32(rows.shape[-1])
    rows /= np.sqrt(spread + np.float32(1e-12))
    rows *= norm.weight
    rows += norm.bias


def _gelu(values: Array) -> None:
    """Apply GELU, x times the normal distribution function of x, in place."""
    square = values * values
    np.minimum(square, np.float32(16), out=square)
    power = square * _GELU[0]
    power += _GELU[1]
    power *= square
    power += _GELU[2]
    power *= values
    with np.errstate(over="ignore"):  # x / infinity is the 0 that it should be
        np.exp(power, out=power)
    power += 1
    values /= power


def read_safetensors(path: Path) -> dict[str, Array]:
    """Return the tensors of a safetensors file by name, those of 16-bit floats as 32-bit floats, bytes as bytes.

    32-bit tensors are parts of the mapped file, which is not read before they are used.
    """
    data = np.memmap(path, np.uint8, "r")
    size = int(data[:8].view(np.uint64)[0])
    header: dict[str, dict[str, Any]] = json.loads(data[8 : 8 + size].tobytes())
    tensors: dict[str, Any] = {}
    for name, tensor in header.items():
        kind = {"F32": np.float32, "F16": np.float16, "U8": np.uint8}.get(tensor.get("dtype", ""))
        if kind is not None:
            start, end = (8 + size + offset for offset in tensor["data_offsets"])
            values = data[start:end].view(kind).reshape(tensor["shape"])
            tensors[name] = np.asarray(values, np.uint8 if kind is np.uint8 else np.float32)
    return tensors
