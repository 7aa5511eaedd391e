"""Lay a conversation out: what stays as it is, and what is put away in pages.

The messages are gone through from the first to the last, as if each had just arrived. A message that is very long is
put away at once, but for its start and its end. When the recent turns are too many, the older ones are put away, until
half of the room is free again. So a conversation that goes on has the same pages as before, and more of them after
these; pages are in the order in which they were put away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readagent.core.messages import spoken_in
from readagent.core.turns import INDENT
from readagent.proxy.chat import INSTRUCTIONS, TOOL_RESULTS, Count, Message, message_tokens
from readagent.proxy.cutting import pages_of, split_ends
from readagent.proxy.sizes import Sizes, sizes_for

_ROOM = 3  # parts of the window; a system prompt that leaves less than one of them is put away like other long texts
_KEPT_INSTRUCTIONS = 3  # system messages inside the conversation, of those that were put away


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its text, and which turns of the conversation it is from."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Messages that belong together: one, or a call of tools with its results. ``turn`` counts the user's messages."""

    messages: tuple[Message, ...]
    turn: int
    tokens: int

    @property
    def role(self) -> str:
        """The role of the first message."""
        return str(self.messages[0]["role"])


@dataclass(slots=True)
class Layout:
    """A conversation as it is sent: ``head``, then the memory of the ``sheets``, then the ``units`` from ``first`` on.

    ``held`` is the user's message of the turn that the first unit belongs to, if that was put away in part.
    """

    sizes: Sizes
    head: tuple[Message, ...] = ()
    sheets: list[Sheet] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    instructions: list[Message] = field(default_factory=list)
    first: int = 0
    held: Unit | None = None

    def recent(self) -> list[Message]:
        """Return the messages after the memory."""
        units = [*([self.held] if self.held else []), *self.units[self.first :]]
        kept = self.instructions[-_KEPT_INSTRUCTIONS:]
        return [*kept, *(message for unit in units for message in unit.messages)]


def lay_out(messages: Sequence[Message], window: int, taken: int, count: Count) -> Layout | None:
    """Return how a conversation is sent in a window of which so many tokens are ``taken``; None without any room."""
    start = next((at for at, one in enumerate(messages) if one["role"] not in INSTRUCTIONS), len(messages))
    sizes = sizes_for(window, 0)
    if sizes is None:
        return None
    layout = Layout(sizes)
    desk = _Desk(layout, count)
    layout.head = tuple(messages[:start])
    if window - taken - sum(message_tokens(one, count) for one in layout.head) < window // _ROOM:
        layout.head = tuple(desk.shortened(one, 0) for one in layout.head)
    sizes = sizes_for(window, taken + sum(message_tokens(one, count) for one in layout.head))
    if sizes is None:
        return None
    layout.sizes = sizes
    for unit in _units(messages[start:]):
        desk.add(unit)
    return layout


def _units(messages: Iterable[Message]) -> list[list[Message]]:
    """Return the messages in units; results of tools belong to the message before them."""
    units = list[list[Message]]()
    for message in messages:
        if message["role"] in TOOL_RESULTS and units:
            units[-1].append(message)
        else:
            units.append([message])
    return units


class _Desk:
    """Where a conversation is laid out, unit by unit."""

    def __init__(self, layout: Layout, count: Count) -> None:
        self._layout, self._count = layout, count
        self._turn = 0
        self._turn_start = 0  # the unit with the user's message of the last turn

    @property
    def _sizes(self) -> Sizes:
        return self._layout.sizes

    def add(self, messages: Sequence[Message]) -> None:
        """Add a unit at the end, and put older ones away if there is no room for it."""
        layout = self._layout
        if messages[0]["role"] == "user" or not layout.units:
            self._turn += 1
            self._turn_start = len(layout.units)
        kept = tuple(self.shortened(one, self._turn) for one in messages)
        layout.units.append(Unit(kept, self._turn, sum(message_tokens(one, self._count) for one in kept)))
        if self._size(layout.first) > self._sizes.recent:
            self._put_away(self._new_first())

    def shortened(self, message: Message, turn: int) -> Message:
        """Return a message with its long texts put away in pages, but for their start and end."""
        content = message.get("content")
        if isinstance(content, str):
            return message if not self._is_long(content) else {**message, "content": self._away(content, turn)}
        if not any(self._is_long(part.get("text")) for part in content or ()):
            return message
        assert content is not None
        parts = [
            {**part, "text": self._away(part["text"], turn)} if self._is_long(part.get("text")) else part
            for part in content
        ]
        return {**message, "content": parts}

    def _is_long(self, text: Any) -> bool:
        limit = self._sizes.long
        return isinstance(text, str) and len(text) > limit // 2 and self._count(text) > limit

    def _away(self, text: str, turn: int) -> str:
        first, middle, last = split_ends(text, self._sizes.end, self._count)
        begin = len(self._layout.sheets)
        label = f"turn {turn}" if turn else "the instructions"
        self._layout.sheets += (Sheet(page, label) for page in pages_of(middle, self._sizes.page, self._count))
        end = len(self._layout.sheets) - 1
        pages = f"page {begin}" if begin == end else f"pages {begin} to {end}"
        return "\n\n".join(filter(None, (first, f"[What stood here is in the record, on {pages}.]", last)))

    def _size(self, first: int) -> int:
        """Return the tokens of the recent messages if they began with this unit."""
        units = self._layout.units
        held = self._held(first)
        return sum(unit.tokens for unit in units[first:]) + (held.tokens if held else 0)

    def _held(self, first: int) -> Unit | None:
        """Return the unit with the user's message of the turn that this unit is in the middle of."""
        units = self._layout.units
        if first >= len(units) or units[first].role == "user":
            return None
        at = first - 1
        while at >= 0 and units[at].turn == units[first].turn:
            if units[at].role == "user":
                return units[at]
            at -= 1
        return None

    def _new_first(self) -> int:
        """Return the unit that the recent messages begin with from now on."""
        layout, half = self._layout, self._sizes.recent // 2
        later = range(layout.first + 1, len(layout.units))
        turns = [at for at in later if layout.units[at].role == "user"]
        if (first := next((at for at in turns if self._size(at) <= half), None)) is not None:
            return first
        if self._turn_start > layout.first and self._size(self._turn_start) <= self._sizes.recent:
            return self._turn_start
        inside = [at for at in later if at >= self._turn_start]
        return next((at for at in inside if self._size(at) <= half), len(layout.units) - 1)

    def _put_away(self, first: int) -> None:
        """Put the units before this one away in pages."""
        layout = self._layout
        if first <= layout.first:
            return
        held = self._held(first)
        gone = [*([layout.held] if layout.held else []), *layout.units[layout.first : first]]
        gone = [unit for unit in gone if unit is not held]
        layout.instructions += (one for unit in gone if unit.role in INSTRUCTIONS for one in unit.messages)
        layout.first, layout.held = first, held
        self._file([unit for unit in gone if unit.role not in INSTRUCTIONS])

    def _file(self, units: Sequence[Unit]) -> None:
        """Make pages of whole units; one that is longer than a page is cut."""
        limit = self._sizes.page
        kept, size = list[tuple[str, int]](), 0
        for unit in units:
            text = "\n\n".join(filter(None, map(_as_text, unit.messages)))
            tokens = self._count(text)
            if kept and size + tokens > limit:
                self._layout.sheets.append(_sheet(kept))
                kept, size = [], 0
            if tokens > limit:
                *whole, text = pages_of(text, limit, self._count) or [""]
                self._layout.sheets += (Sheet(page, f"turn {unit.turn}") for page in whole)
                tokens = self._count(text)
            if text:
                kept.append((text, unit.turn))
                size += tokens
        if kept:
            self._layout.sheets.append(_sheet(kept))


def _sheet(kept: Sequence[tuple[str, int]]) -> Sheet:
    first, last = kept[0][1], kept[-1][1]
    label = f"turn {first}" if first == last else f"turns {first} to {last}"
    return Sheet("\n\n".join(text for text, _ in kept), label)


def _as_text(message: Message) -> str:
    """Return a message as a page has it: "User: …", its further lines indented, so that none looks like another one."""
    shown: Mapping[str, Any] = message
    if not message.get("content") and not message.get("tool_calls"):
        return ""
    if message.get("function_call"):
        shown = {**message, "tool_calls": [*(message.get("tool_calls") or ()), message["function_call"]]}
    spoken = spoken_in(shown)
    if spoken is None:
        return ""
    speaker, text = spoken
    return f"{speaker}: " + text.replace("\n", f"\n{INDENT}")
