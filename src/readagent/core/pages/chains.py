"""Where to pause, as published: take text up to ``page_words``, label the legal places, ask for one, go on from there.

Each call waits for the one before. With ``plan.chains`` several such chains begin at once inside a long section, and
each runs until it meets a pause of the next: from there on they would agree. Where they do not meet within two
windows, they are joined at legal places.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from itertools import pairwise

from readagent.core.choice import Choice
from readagent.core.concurrency import one_error
from readagent.core.memory import Page
from readagent.core.model import Ask, Material
from readagent.core.pages.pausing import Pausing
from readagent.core.session import Session
from readagent.core.trace import Fallback

_CUES = ("break point", "breakpoint", "label", "pause", "point")
_SHORTEST = 4  # windows of a chain at least: what two chains both read must stay a small part of it
_TO_MEET = 2  # windows in which a chain may meet the next


async def chained(
    text: Pausing, start: int, section: int, previous: str, session: Session, found: Callable[[Page], None]
) -> None:
    """The pages of one section, from ``start`` on; ``previous`` is the page before, where it may be shown."""
    starts = _anchors(text, start, section, session.plan.chains)
    chains = [Chain(begin) for begin in starts]
    for chain, following in pairwise(chains):
        chain.following = following
    with one_error():
        async with asyncio.TaskGroup() as tasks:
            for chain in chains:
                tasks.create_task(_run(text, chain, section, previous if chain.start == start else "", session))
            async for end in _joined(chains):
                found(text.page(0, start, end))
                start = end


def _anchors(text: Pausing, start: int, section: int, chains: int) -> list[int]:
    """Where the chains of a section begin: at paragraph ends, about equally far apart."""
    words, before = text.index.count(start, section), text.index.count(0, start)
    count = max(1, min(chains, words // (_SHORTEST * text.plan.page_words)))
    anchors = [start]
    for i in range(1, count):
        anchors.append(text.anchor(anchors[-1], before + i * words // count, text.plan.page_words))
    return anchors


@dataclass(slots=True)
class Chain:
    """The pauses found one after the other from an anchor on."""

    start: int
    following: Chain | None = None
    ends: list[int] = field(default_factory=list)
    over: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, end: int | None) -> None:
        """A pause was found; None where the chain has come to its end."""
        if end is None:
            self.over = True
        else:
            self.ends.append(end)
        self._news.set()
        self._news = asyncio.Event()

    @property
    def last(self) -> int:
        """How far it has come."""
        return self.ends[-1] if self.ends else self.start

    async def beyond(self, place: int) -> None:
        """Wait until it has paused behind this place, or has come to its end."""
        while not self.over and self.last <= place:
            await self._news.wait()

    async def pauses(self, place: int) -> list[int]:
        """All its pauses up to one behind this place; those of the next chain too, where it has gone over into that."""
        await self.beyond(place)
        own = [self.start, *self.ends]
        if self.following is None or self.last > place:
            return own
        return own + [pause for pause in await self.following.pauses(place) if pause > self.last]

    async def followed(self) -> AsyncIterator[int]:
        """Its pauses as they become known."""
        known = 0
        while True:
            while known < len(self.ends):
                yield self.ends[known]
                known += 1
            if self.over:
                return
            await self._news.wait()


async def _run(text: Pausing, chain: Chain, section: int, previous: str, session: Session) -> None:
    """Go on from pause to pause until the next chain is met, or the section ends."""
    start = chain.start
    while start < section:
        met = chain.following if chain.following is not None and start >= chain.following.start else None
        if met is not None and start in await met.pauses(start):
            break
        if met is not None and text.index.count(met.start, start) >= _TO_MEET * text.plan.page_words:
            reach = text.index.after(start, text.plan.page_words)
            end = text.nearest(start, section, [one for one in await met.pauses(reach) if one > start])
        else:
            end = await pause(text, start, section, previous, session)
        previous = text.document.text[start:end]
        chain.add(end)
        start = end
    chain.add(None)


async def _joined(chains: list[Chain]) -> AsyncIterator[int]:
    """The pauses of the chains put together: each from where the one before met it."""
    at = chains[0].start
    for chain in chains:
        if at == chain.start or at in await chain.pauses(at):
            async for end in chain.followed():
                if end > at:
                    yield end
                    at = end


async def pause(text: Pausing, start: int, section: int, previous: str, session: Session) -> int:
    """The offset at which the page that begins at ``start`` ends, ``section`` being the end of its section."""
    places, ask_about = text.legal(start, section)
    if len(places) == 1 or not ask_about:
        return places[-1]
    pieces = text.pieces(start, places, section)
    labels = tuple(str(label) for label in range(1, len(places) + 1))
    passage = "".join(f"{piece}\n<{label}>\n" for piece, label in zip(pieces, labels, strict=False))
    passage = (passage + "".join(pieces[len(labels) :])).strip()
    prompt = _prompt(session, passage, previous.strip() if session.plan.show_previous else "")
    if prompt is None:
        session.fell_back(Fallback("paginate", "the passage does not fit the window", "last label", at=start))
        return places[-1]
    ask = Ask("paginate", prompt, Choice(labels, cues=_CUES), Material(passages=tuple(pieces)))
    (label,) = await session.decide(ask, lambda: labels[-1:], at=start)
    return places[int(label) - 1]


def _prompt(session: Session, passage: str, previous: str) -> str | None:
    """The prompt, without the page before where there is no room for it; None where there is no room at all."""
    before = session.prompts.fill("previous", previous=previous) if previous else ""
    for context in dict.fromkeys((before, "")):
        prompt = session.prompts.fill("paginate", passage=passage, previous=context)
        if session.window.fits(prompt):
            return prompt
    return None
