"""Ordinals in English, for chapters that a question names."""

from __future__ import annotations

_UNITS = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
ORDINALS = {
    **{name: at for at, name in enumerate([*_UNITS, *_TEENS, "twentieth"], 1)},
    **{f"twenty{mark}{name}": 20 + at for at, name in enumerate(_UNITS, 1) for mark in "- "},
    "thirtieth": 30, "thirty-first": 31, "thirty first": 31,
}  # fmt: skip
