"""Other ways to make a conversation fit a window: keep its end, leave out its middle, summarise its beginning."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from proxy_talk import REPLY, SUMMARY_WORDS, WINDOW, Message, size

Ask = Callable[[list[Message]], Awaitable[str]]
ROOM = WINDOW - REPLY - 256
_CHARACTERS = 4  # of a token
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


class RollingSummary:
    """Keeps the last messages, and a summary of those before, which is written anew from itself and what has gone."""

    def __init__(self) -> None:
        self._summary, self._gone, self._at = "", 1, 0  # messages in the summary; characters of a message cut in pieces

    async def __call__(self, messages: list[Message], ask: Ask) -> list[Message]:
        """Return the messages to send."""
        recent = ROOM - 2 * SUMMARY_WORDS - size(messages[:1])
        if size(messages[self._gone :]) > recent:
            keep = len(messages) - 1
            while keep > self._gone and size(messages[keep - 1 :]) <= recent // 2:
                keep -= 1
            await self._fold(messages[self._gone : keep], ask)
            self._gone = keep
        told = [{"role": "user", "content": f"What was said before: {self._summary}"}] if self._summary else []
        return [messages[0], *told, *messages[self._gone :]]

    async def _fold(self, messages: list[Message], ask: Ask) -> None:
        text = "\n\n".join(f"{one['role']}: {one['content']}" for one in messages)
        step = _CHARACTERS * (ROOM - 3 * SUMMARY_WORDS)
        for start in range(0, len(text), step):
            whole = f"Before: {self._summary}\n\n{text[start : start + step]}"
            prompt = _PROMPT.format(words=SUMMARY_WORDS, text=whole)
            self._summary = await ask([{"role": "user", "content": prompt}])
