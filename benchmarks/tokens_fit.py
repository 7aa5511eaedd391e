"""Fit the rates in `core/token_rates.json` to real tokenizers, for `tokens.py --fit`.

Rates are at least zero and bring the estimates of all kinds of text into a range, as far as they can. A rate that few
texts determine stays near the rate of its class or its script, which is fitted first.
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
    PAGES,
    PAIR_UNIT,
    SHEETS,
    block_codes,
    code_units,
    letter_codes,
    pair_codes,
)

AIM = 1.11  # estimates are drawn a little to this many times the counts, and strongly into the range
RANGE = 1.03, 1.23  # the goal is 0.95 to 1.3 for a text; other texts are a little further off than those fitted to
_DRAWN = 0.05  # how strongly they are drawn to the aim, against 1 into the range
_STEPS = 1500
_RARE = 3.0  # tokens of a character in a script that no text has: about one for each byte
_RARE_ASTRAL = 3.3  # the same for the first half of a character beyond the basic plane; the other half has the rest
_MARGINS = {"armenian": 1.2, "georgian": 1.04, "bengali": 1.03}  # fitted to messages; stories have more tokens
_ABOUT = (
    "Tokens of a pair of ASCII classes (in hundredths; rows: the class before), of letters by page and of blocks of 16 "
    "characters by script (in fiftieths). Written by benchmarks/tokens.py --fit; see core/token_rates.py."
)

_LETTERS = 256  # the first rate of a letter
_BLOCKS = _LETTERS + 256 * len(PAGES)
_ALL = _BLOCKS + 256 * len(SHEETS)

Matrix = Any  # of numpy


def fit(texts: Mapping[str, Mapping[str, Sequence[str]]], tokenizers: Mapping[str, Count]) -> None:
    """Fit all rates to these texts, by kind and project, and write them. All kinds count alike, and their projects."""
    found = [text for projects in texts.values() for same in projects.values() for text in same]
    parts = [(len(same), len(projects)) for projects in texts.values() for same in projects.values()]
    weights = np.concatenate([np.full(size, 1 / max(1, size) / projects) for size, projects in parts])
    codes = np.array([_codes(text) for text in found])
    counts = {name: np.array(list(map(count, found)), np.float32) for name, count in tokenizers.items()}
    counts[DEFAULT] = np.max([counts[name] for name in FITTED_TO], axis=0)
    rates = {name: _rates(codes / real[:, None], weights.astype(np.float32)) for name, real in counts.items()}
    families = ",\n".join(f'    "{name}": {_shown(one)}' for name, one in rates.items())
    whole = f'{{\n  "about": {json.dumps(_ABOUT)},\n  "families": {{\n{families}\n  }}\n}}\n'
    Path(token_rates.__file__).with_suffix(".json").write_text(whole, "utf-8")


def _codes(text: str) -> Matrix:
    pairs = np.bincount(np.frombuffer(pair_codes(text), np.uint8), minlength=256)
    pairs[255] = 0  # within a character beyond ASCII
    units = code_units(text)
    letters = (letter_codes(*units, page) for page in PAGES)
    blocks = (block_codes(*units, sheet) for sheet in range(len(SHEETS)))
    found = (np.bincount(np.frombuffer(codes, np.uint8), minlength=256) for codes in (*letters, *blocks))
    return np.concatenate([pairs, *found]).astype(np.float32)


def _rates(shares: Matrix, weights: Matrix) -> Matrix:
    most = np.concatenate([np.full(_LETTERS, 255 * PAIR_UNIT), np.full(_ALL - _LETTERS, 255 * BLOCK_UNIT)])
    usual = np.array([0.25] * 16 + [0.7] * (len(_GROUPS) - 16))
    tie = (np.array(_GROUP_OF)[:, None] == np.array(_GROUPS)).astype(np.float32)
    seen = (shares @ tie > 0).sum(0) > 20
    classes = _fitted(shares @ tie, weights, usual, np.where(seen, 0.01, 1.0))
    rates, used = np.minimum(most, tie @ classes), shares.any(0)
    rates[used] = _fitted(shares[:, used], weights, rates[used], np.full(used.sum(), 1e-3))
    rates[_LETTERS - 1] = 0
    rates[
        [not known and group in _SCRIPTS for known, group in zip(tie @ (shares @ tie).any(0), _GROUP_OF, strict=True)]
    ] = _RARE
    rates[_ASTRAL] = _RARE_ASTRAL
    margins = [_MARGINS.get(group.split()[-1], 1.0) for group in _GROUP_OF]
    return np.minimum(most, rates * margins)


# Rates of one group are drawn to each other: pairs with the same second class, letters of a page, blocks of a script.
_GROUP_OF = [
    *(f"class {code % 16}" for code in range(256)),
    *(f"page {page}" for page in PAGES for _ in range(256)),
    *(
        f"{sheet} {code // 16} {kinds[code] if code < len(kinds) else ''}"
        for sheet, kinds in enumerate(BLOCK_KINDS)
        for code in range(256)
    ),
]
_GROUPS = list(dict.fromkeys(_GROUP_OF))
_SCRIPTS = frozenset(group for group in _GROUPS if group[0].isdigit() and len(group.split()) == 3)
_HIGH = next(at for at, (pages, _) in enumerate(SHEETS[0]) if 0xD8 in pages)
_ASTRAL = [_BLOCKS + 16 * _HIGH + block for block in range(16) if block != 3]  # block 3 has emoji and their like


def _fitted(shares: Matrix, weights: Matrix, usual: Matrix, trust: Matrix) -> Matrix:
    """Return rates of at least zero, near the usual ones, with which estimates are in the range, as far as they can be.

    What a text is outside the range counts with its square. The method is accelerated projected gradient descent.
    """
    scale = np.sqrt(weights @ shares**2 + trust).astype(np.float32)
    scaled, kept = shares / scale, (trust / scale**2).astype(np.float32)
    steepest = (1 + _DRAWN) * np.linalg.norm((scaled * weights[:, None]).T @ scaled + np.diag(kept), 2)
    first = now = ahead = (usual * scale).astype(np.float32)
    pace = 1.0
    for _ in range(_STEPS):
        found = scaled @ ahead
        off = found - np.clip(found, *RANGE) + _DRAWN * (found - AIM)
        better = np.maximum(0, ahead - ((weights * off) @ scaled + kept * (ahead - first)) / steepest)
        faster = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        ahead, now, pace = better + np.float32((pace - 1) / faster) * (better - now), better, faster
    return now / scale


def _shown(rates: Matrix) -> str:
    def rows(values: Matrix) -> str:
        lines = (json.dumps([int(one) for one in values[start : start + 16]]) for start in range(0, len(values), 16))
        return "[\n        " + ",\n        ".join(lines) + "\n      ]"

    pairs = np.round(rates[:_LETTERS] / PAIR_UNIT)
    letters, blocks = np.split(np.minimum(255, np.round(rates[_LETTERS:] / BLOCK_UNIT)), [_BLOCKS - _LETTERS])
    tables = (("pairs", pairs), ("letters", letters), ("blocks", blocks))
    return "{" + ",".join(f'\n      "{name}": {rows(table)}' for name, table in tables) + "\n    }"
