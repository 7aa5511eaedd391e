"""Text that is repeated in a mailbox: quoted messages, signatures and footers, which are kept once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.loaders.blocks import Block

_WORD = re.compile(r"\w+")
_RUN = 4  # words that are compared together
_KNOWN_SHARE = 0.8  # of the runs of a passage that appeared before
_REMINDER_WORDS = 12  # of a quoted passage that is answered, if it appeared before
_MAX_INTRODUCTION = 30  # words of a line such as "On Monday, Anna wrote:"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of a message; ``quoted`` if it is from another message, ``repeated`` if it is a signature."""

    block: Block
    quoted: bool = False
    repeated: bool = False


class History:
    """Remembers what was written in the messages so far."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, ...]] = set()

    def new_in(self, passages: Sequence[Passage]) -> Iterator[Block]:
        """Yield what is new in a message. A known passage that is answered below is shortened."""
        known = [(one.quoted or one.repeated) and self._is_known(one.block.text) for one in passages]
        new = [at for at, one in enumerate(passages) if not (known[at] or one.repeated)]
        for index, one in enumerate(passages):
            if known[index]:
                answered = one.quoted and new and index < new[-1]
                if answered and not (index and known[index - 1]):
                    yield Block(f"> {_start(one.block.text)}")
            elif not (_introduces(one.block.text) and index + 1 < len(passages) and known[index + 1]):
                yield replace(one.block, text=f"> {one.block.text}") if one.quoted else one.block
        for one in passages:
            self._seen.update(_runs(one.block.text))

    def _is_known(self, text: str) -> bool:
        runs = _runs(text)
        return sum(run in self._seen for run in runs) >= _KNOWN_SHARE * len(runs)


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return [tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))] if words else []


def _start(text: str) -> str:
    words = text.split()
    return " ".join(words[:_REMINDER_WORDS]) + (" …" if len(words) > _REMINDER_WORDS else "")


def _introduces(text: str) -> bool:
    return text.rstrip().endswith(":") and len(text.split()) <= _MAX_INTRODUCTION
