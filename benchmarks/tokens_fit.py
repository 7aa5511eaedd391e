"""Fit the rates in `core/token_rates.json` to real tokenizers, for `tokens.py --fit`.

Rates are at least zero and minimise the relative error over all kinds of text alike. A rate that few texts determine
stays near the rate of its class or its script, which is fitted first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokens_count import FITTED_TO, Count

from readagent.core import token_rates
from readagent.core.token_rates import (
    BLOCK_KINDS,
    BLOCK_UNIT,
    DEFAULT,
    PAIR_KINDS,
    PAIR_UNIT,
    SHEETS,
    block_codes,
    pair_codes,
)

AIM = 1.12  # estimates are this much above the counts, since the least may be 0.95 and the most 1.3
_MARGINS = {"cjk": 1.05, "bengali": 1.05, "armenian": 1.04, "georgian": 1.04}  # stories have more tokens than messages
_WEIGHTS = {  # of kinds: rarer languages have the letters of others and more tokens for them
    "Russian": 1.7, "Bulgarian": 1.3, "Kazakh": 1.4, "Tatar, Kyrgyz": 1.5, "Mongolian": 1.3, "German": 2.0,
    "Estonian": 1.3, "JSON, prose": 2.0, "made-up words": 2.0,
}  # fmt: skip
_ABOUT = (
    "Tokens of a pair of ASCII classes (in hundredths; rows: the class before) and of a block of 16 characters (in "
    "fiftieths; rows: the script). Written by benchmarks/tokens.py --fit; see core/token_rates.py."
)

Matrix = Any  # of numpy


def fit(texts: Mapping[str, Sequence[str]], tokenizers: Mapping[str, Count]) -> None:
    """Fit all rates to these texts and write them."""
    found = [text for same in texts.values() for text in same]
    sizes = [len(same) for same in texts.values()]
    weights = np.repeat([_WEIGHTS.get(kind, 1.0) / max(1, len(same)) ** 0.5 for kind, same in texts.items()], sizes)
    codes = np.array([_codes(text) for text in found])
    counts = {name: np.array(list(map(count, found)), float) for name, count in tokenizers.items()}
    counts[DEFAULT] = np.max([counts[name] for name in FITTED_TO], axis=0)
    rates = {name: _rates(codes, AIM * real, weights) for name, real in counts.items()}
    for name in (*FITTED_TO, DEFAULT):
        rates[name][256:] *= [_MARGINS.get(kind, 1.0) for kind in _KIND_OF[256:]]
    families = ",\n".join(f'    "{name}": {_shown(one)}' for name, one in rates.items())
    whole = f'{{\n  "about": {json.dumps(_ABOUT)},\n  "families": {{\n{families}\n  }}\n}}\n'
    Path(token_rates.__file__).with_suffix(".json").write_text(whole, "utf-8")


def _codes(text: str) -> Matrix:
    pairs = np.bincount(np.frombuffer(pair_codes(text), np.uint8), minlength=256)
    pairs[255] = 0  # within a character beyond ASCII
    blocks = (np.frombuffer(block_codes(text, sheet), np.uint8) for sheet in range(len(SHEETS)))
    return np.concatenate([pairs, *(np.bincount(one, minlength=256) for one in blocks)]).astype(float)


def _rates(codes: Matrix, wanted: Matrix, weights: Matrix) -> Matrix:
    most = np.concatenate([np.full(256, 255 * PAIR_UNIT), np.full(256 * len(SHEETS), 255 * BLOCK_UNIT)])
    shares = codes * (weights / wanted)[:, None]
    usual = np.array([0.25] * 16 + [0.7] * (len(_GROUPS) - 16))
    tie = (np.array(_GROUP_OF)[:, None] == np.array(_GROUPS)).astype(float)
    seen = (shares @ tie > 0).sum(0) > 20
    classes = _least(shares @ tie, weights, usual, np.where(seen, 0.1, 1.0))
    trust = np.repeat([1e-4, 3e-4], [256, 256 * len(SHEETS)])
    rates, used = np.minimum(most, tie @ classes), shares.any(0)
    rates[used] = _least(shares[:, used], weights, rates[used], trust[used])
    rates[255], rates[256:264] = 0, 0
    return np.minimum(most, rates)


_KIND_OF = [
    *PAIR_KINDS,
    *(kinds[code] if code < len(kinds) else "" for kinds in BLOCK_KINDS for code in range(256)),
]
# Rates of one group are drawn to each other: pairs with the same second class, blocks of the same script.
_GROUP_OF = [
    *(f"class {code % 16}" for code in range(256)),
    *(f"{code // 16} {kind}" for code, kind in enumerate(_KIND_OF[256:])),
]
_GROUPS = list(dict.fromkeys(_GROUP_OF))


def _least(shares: Matrix, wanted: Matrix, usual: Matrix, trust: Matrix) -> Matrix:
    """Return rates of at least zero with the least squares, near the usual ones, by accelerated projected descent."""
    scale = np.sqrt((shares**2).sum(0) + trust)
    scaled = shares / scale
    square = scaled.T @ scaled + np.diag(trust / scale**2)
    target = scaled.T @ wanted + trust / scale * usual
    step = 1 / np.linalg.norm(square, 2)
    now = ahead = usual * scale
    pace = 1.0
    for _ in range(4000):
        better = np.maximum(0, ahead - step * (square @ ahead - target))
        faster = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        ahead, now, pace = better + (pace - 1) / faster * (better - now), better, faster
    return now / scale


def _shown(rates: Matrix) -> str:
    def rows(values: Matrix) -> str:
        lines = (json.dumps([int(one) for one in values[start : start + 16]]) for start in range(0, len(values), 16))
        return "[\n        " + ",\n        ".join(lines) + "\n      ]"

    pairs = np.round(rates[:256] / PAIR_UNIT)
    blocks = np.minimum(255, np.round(rates[256:] / BLOCK_UNIT))
    return f'{{\n      "pairs": {rows(pairs)},\n      "blocks": {rows(blocks)}\n    }}'
