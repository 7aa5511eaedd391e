"""Other ways to make a conversation fit a window: keep its end, leave out its middle, search or summarise the rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from proxy_talk import REPLY, SUMMARY_WORDS, WINDOW, Message, size

from readagent.proxy.paging import pages_of
from readagent.retrieval.bm25 import Bm25

Ask = Callable[[list[Message]], Awaitable[str]]
ROOM = WINDOW - REPLY - 256
_CHARACTERS = 4  # of a token
_PAGE = 600  # tokens
_BEFORE = "What was said before: "
_PROMPT = "Summarise the conversation below in at most {words} words. Keep names, numbers and decisions.\n\n{text}"


async def keep_last(messages: list[Message], ask: Ask) -> list[Message]:
    """Keep the system prompt and as many of the last messages as fit; a longer one is cut at its start."""
    kept: list[Message] = []
    left = ROOM - size(messages[:1])
    for message in reversed(messages[1:]):
        content = message["content"]
        if size([message]) > left:
            if left > 50:
                kept.insert(0, {**message, "content": content[len(content) - _CHARACTERS * (left - 10) :]})
            break
        kept.insert(0, message)
        left -= size([message]) + 1
    return [messages[0], *kept]


async def middle_out(messages: list[Message], ask: Ask) -> list[Message]:
    """Leave out the middle: of the conversation, and of messages that are longer than half of the room."""
    half = ROOM // 2 - size(messages[:1])
    shortened = [_without_middle(one, half // 2) for one in messages[1:]]
    first, last = list[Message](), list[Message]()
    left = half
    for message in shortened:
        left -= size([message]) + 1
        if left < 0:
            break
        first.append(message)
    left = half
    for message in reversed(shortened[len(first) :]):
        left -= size([message]) + 1
        if left < 0:
            break
        last.insert(0, message)
    return [messages[0], *first, *last]


def _without_middle(message: Message, limit: int) -> Message:
    content, most = message["content"], _CHARACTERS * limit
    return message if len(content) <= most else {**message, "content": content[: most // 2] + content[-(most // 2) :]}


async def keep_last_and_search(messages: list[Message], ask: Ask) -> list[Message]:
    """Keep the last messages in half of the room, and fill the rest with what a search by words finds in the others.

    There are no gists and no calls; the search is the one of the proxy.
    """
    half, last = ROOM // 2, messages[-1]
    shortened = [_without_middle(one, half // 2) for one in messages[1:]]
    kept = list[Message]()
    for message in reversed(shortened):
        if size([message, *kept]) > half:
            break
        kept.insert(0, message)
    pages = [
        page
        for one in messages[1:-1]
        for page in pages_of(str(one["content"]), _PAGE, lambda text: size([{"content": text}]))
    ]
    scores = Bm25(pages).scores(str(last["content"])[-2000:])
    found, left = list[int](), half - 64
    for at in sorted(range(len(pages)), key=lambda at: -scores[at]):
        left -= size([{"content": pages[at]}]) + 1
        if left < 0 or not scores[at]:
            break
        found.append(at)
    shown = "\n\n".join(pages[at] for at in sorted(found))
    told = [{"role": "user", "content": f"From before:\n\n{shown}"}] if found else []
    return [messages[0], *told, *kept]


class RollingSummary:
    """Keeps the last messages, and a summary of those before, which is written anew from itself and what has gone."""

    def __init__(self) -> None:
        self._summary, self._gone = "", 1  # the messages that are in the summary, or need not be

    async def __call__(self, messages: list[Message], ask: Ask) -> list[Message]:
        """Return the messages to send."""
        recent = ROOM - 2 * SUMMARY_WORDS - size(messages[:1])
        if size(messages[self._gone :]) > recent:
            keep = len(messages) - 1
            while keep > self._gone and size(messages[keep - 1 :]) <= recent // 2:
                keep -= 1
            await self._fold(messages[self._gone : keep], ask)
            self._gone = keep
        if size(messages[self._gone :]) > recent:  # a single message
            await self._fold(messages[self._gone :], ask)
            self._gone = len(messages)
            shortened = _without_middle(messages[-1], recent // 4)
            return [messages[0], {"role": "user", "content": f"{_BEFORE}{self._summary}"}, shortened]
        told = [{"role": "user", "content": f"{_BEFORE}{self._summary}"}] if self._summary else []
        return [messages[0], *told, *messages[self._gone :]]

    async def _fold(self, messages: list[Message], ask: Ask) -> None:
        text = "\n\n".join(f"{one['role']}: {one['content']}" for one in messages)
        step = _CHARACTERS * (ROOM - 3 * SUMMARY_WORDS)
        for start in range(0, len(text), step):
            whole = f"Before: {self._summary}\n\n{text[start : start + step]}"
            prompt = _PROMPT.format(words=SUMMARY_WORDS, text=whole)
            self._summary = await ask([{"role": "user", "content": prompt}])
