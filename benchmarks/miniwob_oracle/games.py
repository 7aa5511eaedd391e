"""Policies for games: guess a number, wait for a number that fits, and tic-tac-toe."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from .clicking import Policy
from .seen import Intent, Item, Seen

_LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
_RANDOM = 0.55  # how often the other player moves without looking
_WON, _DRAWN, _LOST = 1.0, -0.5, -0.75  # rewards
_FIRST_GUESS = 5


def guess(seen: Seen, found: re.Match[str]) -> Intent:
    """Guess one lower or higher than the last guess."""
    field, told = seen.tagged("input")[0], re.search(r"is (lower|higher) than (\d+)", " ".join(seen.lines()))
    number = str(int(told[2]) + (1 if told[1] == "higher" else -1) if told else _FIRST_GUESS)
    if field.attributes.get("value") == number:
        return Intent(seen.named("Submit", "button").id)
    return Intent(field.id, "type", number)


def generated(seen: Seen, found: re.Match[str]) -> Intent:
    """Press the button again until the number fits."""
    limit = int(found[2] or 0)
    checks: dict[str, Callable[[int], bool]] = {
        "less than": lambda number: number < limit, "greater than": lambda number: number > limit,
        "odd": lambda number: number % 2 == 1, "even": lambda number: number % 2 == 0,
    }  # fmt: skip
    number = seen.lines()[0]
    fits = number.isdigit() and checks[found[1] or found[3]](int(number))
    return Intent(seen.named("Submit" if fits else "Generate", "button").id)


def noughts_and_crosses(seen: Seen, found: re.Match[str]) -> Intent:
    """Take the field with the highest expected reward."""
    fields = [item for item in seen.tagged("span") if "ttt-" in item.name]
    board = "".join(map(_mark, fields))
    best = max(_free(board), key=lambda at: _expected(_put(board, at, "x"), False))
    return Intent(fields[best].id)


def _mark(field: Item) -> str:
    return "x" if "mark-x" in field.name else "o" if "mark-o" in field.name else " "


@cache
def _expected(board: str, mine: bool) -> float:
    """Return the expected reward of x if it plays as well as it can."""
    if _wins(board, "x") or _wins(board, "o"):
        return _WON if _wins(board, "x") else _LOST
    if not _free(board):
        return _DRAWN
    if mine:
        return max(_expected(_put(board, at, "x"), False) for at in _free(board))
    after = {at: _expected(_put(board, at, "o"), True) for at in _free(board)}
    random = sum(after.values()) / len(after)
    careful = next((after[at] for mark in "ox" for at in after if _wins(_put(board, at, mark), mark)), random)
    return _RANDOM * random + (1 - _RANDOM) * careful


def _free(board: str) -> list[int]:
    return [at for at, mark in enumerate(board) if mark == " "]


def _put(board: str, at: int, mark: str) -> str:
    return board[:at] + mark + board[at + 1 :]


def _wins(board: str, mark: str) -> bool:
    return any(all(board[int(at)] == mark for at in line) for line in _LINES)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Guess the number between", guess),
    (r"^Generate an? (?:number (less than|greater than) (\d+)|(odd|even) number)", generated),
    (r"win a game of tic-tac-toe", noughts_and_crosses),
)
