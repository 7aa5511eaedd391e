"""Lay a conversation out: what stays as it is, and what is put away in pages.

The messages are gone through from the first to the last, as if each had just arrived. A message that is very long is
put away at once, but for its start and its end. When the recent turns are too many, the older ones are put away in one
large step. So a conversation that goes on has the same pages as before, and more of them after these; pages are in the
order in which they were put away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from readagent.proxy.chat import INSTRUCTIONS, TOOL_RESULTS, Count, Message, message_tokens, role_of
from readagent.proxy.long_parts import changed, texts_of
from readagent.proxy.paging import PagedText, Record
from readagent.proxy.sizes import Sizes, sizes_for

_ROOM = 5  # parts of the window; a system prompt that leaves less than one of them is put away like other long texts
_KEPT_INSTRUCTIONS = 3  # system messages inside the conversation, of those that were put away
_NOTE = 24  # tokens that say where a text is


@dataclass(frozen=True, slots=True)
class Unit:
    """Messages that belong together: one, or a call of tools with its results. ``turn`` counts the user's messages."""

    messages: tuple[Message, ...]
    turn: int
    tokens: int

    @property
    def role(self) -> str:
        """The role of the first message."""
        return role_of(self.messages[0])


@dataclass(slots=True)
class Layout:
    """A conversation as it is sent: ``head``, then the memory of the ``pages``, then the ``units`` from ``first`` on.

    ``held`` is the user's message of the turn that the first unit belongs to, if that was put away in part.
    """

    sizes: Sizes
    head: tuple[Message, ...] = ()
    pages: list[PagedText] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    instructions: list[Message] = field(default_factory=list)
    first: int = 0
    held: Unit | None = None

    def recent(self) -> list[Message]:
        """Return the messages after the memory."""
        units = [*([self.held] if self.held else []), *self.units[self.first :]]
        return [*self.instructions[-_KEPT_INSTRUCTIONS:], *(message for unit in units for message in unit.messages)]

    def newest(self) -> list[Message]:
        """Return the messages from the last one of the user on."""
        recent = self.recent()
        return recent[max((at for at, one in enumerate(recent) if role_of(one) == "user"), default=0) :]


def lay_out(messages: Sequence[Message], window: int, taken: int, count: Count) -> Layout | None:
    """Return how a conversation is sent in a window of which so many tokens are ``taken``; None without any room."""
    start = next((at for at, one in enumerate(messages) if role_of(one) not in INSTRUCTIONS), len(messages))
    sizes = sizes_for(window, 0)
    if sizes is None:
        return None
    layout = Layout(sizes)
    builder = _LayoutBuilder(layout, count)
    layout.head = tuple(messages[:start])
    if window - taken - sum(message_tokens(one, count) for one in layout.head) < window // _ROOM:
        layout.head = builder.shortened(layout.head, 0, window)
    sizes = sizes_for(window, taken + sum(message_tokens(one, count) for one in layout.head))
    if sizes is None:
        return None
    layout.sizes = sizes
    for unit in _units(messages[start:]):
        builder.add(unit)
    return layout


def _units(messages: Iterable[Message]) -> list[list[Message]]:
    """Return the messages in units; results of tools belong to the message before them."""
    units = list[list[Message]]()
    for message in messages:
        if role_of(message) in TOOL_RESULTS and units:
            units[-1].append(message)
        else:
            units.append([message])
    return units


class _LayoutBuilder:
    """Where a conversation is laid out, unit by unit."""

    def __init__(self, layout: Layout, count: Count) -> None:
        self._layout, self._count = layout, count
        self._record = Record(layout.sizes.page, count)
        layout.pages = self._record.pages
        self._turn = 0
        self._turn_start = 0  # the unit with the user's message of the last turn

    @property
    def _sizes(self) -> Sizes:
        return self._layout.sizes

    def add(self, messages: Sequence[Message]) -> None:
        """Add a unit at the end, and put older ones away if there is no room for it."""
        layout = self._layout
        if role_of(messages[0]) == "user" or not layout.units:
            self._turn += 1
            self._turn_start = len(layout.units)
        layout.units.append(self._unit(messages))
        if self._size(layout.first) > self._sizes.recent:
            self._put_away(self._new_first())

    def _unit(self, messages: Sequence[Message]) -> Unit:
        """Return messages as a unit that the room for recent turns is enough for, together with the user's message."""
        room, begins = self._sizes.newest, self._turn_start == len(self._layout.units)
        if not begins:
            room = max(room // 2, room - self._layout.units[self._turn_start].tokens)
        kept = self.shortened(messages, self._turn, room)
        return Unit(kept, self._turn, self._tokens(kept))

    def shortened(self, messages: Sequence[Message], turn: int, room: int) -> tuple[Message, ...]:
        """Return messages with their long texts put away in pages, but for their start and end.

        Where that is not enough for the ``room``, texts are put away that are less long, and less of each is left.
        """
        sizes = self._sizes
        steps = [(sizes.long, sizes.end), *((sizes.page // by, max(8, sizes.end // by)) for by in (1, 2, 4, 8))]
        tokens = self._tokens(messages)
        enough = (step for step in steps if tokens - self._saved(messages, *step) <= room)
        return self._without_long(messages, turn, *next(enough, steps[-1]))

    def _without_long(self, messages: Sequence[Message], turn: int, limit: int, end: int) -> tuple[Message, ...]:
        def put(text: str) -> str:
            return self._record.put(text, turn, end) if self._is_long(text, limit) else text

        return tuple(changed(one, put) if message_tokens(one, self._count) > limit else one for one in messages)

    def _saved(self, messages: Sequence[Message], limit: int, end: int) -> int:
        """Return about how many tokens are saved if texts of more than ``limit`` tokens are put away."""
        texts = (text for one in messages for text in texts_of(one) if self._is_long(text, limit))
        return sum(max(0, self._count(text) - 2 * end - _NOTE) for text in texts)

    def _is_long(self, text: str, limit: int) -> bool:
        return len(text) > limit // 2 and self._count(text) > limit

    def _tokens(self, messages: Iterable[Message]) -> int:
        return sum(message_tokens(one, self._count) for one in messages)

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
        """Return the unit that the recent messages begin with from now on.

        That is the start of a turn, if possible, and so few are left that there is room for some time, but not much
        less: results of tools are put away before the end of their turn. What has just been said stays as long as there
        is room for it: a long unit just before is not put away for a short one.
        """
        layout, after, room = self._layout, self._sizes.after, self._sizes.newest
        later = list(range(layout.first + 1, len(layout.units)))
        turns = [at for at in later if layout.units[at].role == "user"]
        inside = [at for at in later if at > self._turn_start]
        before = layout.first
        for at in [*turns, *later]:
            if after // 2 <= self._size(at) <= after:
                return at
        for at in (*turns, *inside):
            size = self._size(at)
            if size <= after:
                return before if size < after // 2 and self._size(before) <= room else at
            before = at
        return self._turn_start if self._turn_start > layout.first and self._size(self._turn_start) <= room else before

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
        self._record.file([(unit.messages, unit.turn) for unit in gone if unit.role not in INSTRUCTIONS])
