"""Make a request fit the window: gists for what is old or long, and what of it the last message is about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from readagent.core.session import Session
from readagent.core.tokens import TokenEstimate
from readagent.core.window import Window
from readagent.errors import ReadAgentError
from readagent.proxy.chat import ChatRequest, Count, Message, message_tokens, request_tokens, role_of, text_of
from readagent.proxy.known_gists import KnownGists
from readagent.proxy.layout import Layout, lay_out
from readagent.proxy.lookup import Found, find
from readagent.proxy.memory import PageMemory
from readagent.proxy.paging import as_text, split_ends
from readagent.proxy.sizes import DOUBT, careful_room, reply_room

_NOTED = "Noted."  # templates of some models require that user and assistant alternate
_MARGIN = 50  # parts of the window; one of them is left free, because an estimate may be a little low
_SPARE = 64  # tokens that are not given to what is found
_AIM = 1.05  # times the tokens that a server has counted in such a request: what the next one may have
_COUNTED = 4096  # texts whose tokens are remembered while a request is made to fit
_EARLIER = 4  # messages before the last one that a look-up sees

Ratio = Callable[[PageMemory], float | None]


class TooLongError(ReadAgentError):
    """A request that does not fit, whatever is put away."""


@dataclass(frozen=True, slots=True)
class Compressed:
    """A request that fits: its body, and what became of the original.

    ``opened`` are the pages that are shown in full or in part. ``memory`` has all pages, if there are any, and
    ``likely`` are those whose gists are of most use.
    """

    body: Mapping[str, Any]
    messages: Sequence[Message]
    tokens: int
    pages: int
    opened: tuple[int, ...] = ()
    memory: PageMemory | None = None
    likely: tuple[int, ...] = ()

    @property
    def without_gist(self) -> int:
        """How many pages have no gist by a model."""
        return 0 if self.memory is None else self.memory.without_gist


async def compress(
    chat: ChatRequest,
    session: Session,
    known: KnownGists,
    *,
    window: Window | None = None,
    more: int = 0,
    ratio: Ratio = lambda memory: None,
    ask: bool = True,
) -> Compressed:
    """Return a request that fits the ``window``, or else that of the session. Raise TooLongError if there is none.

    What is sent begins in the same way from one request of a conversation to the next: system prompt, memory, recent
    turns. What is found is only shown in the last message of the user. ``known`` are gists that were made before; none
    is made here. The prompt is known to have ``more`` tokens than are counted, and ``ratio`` returns how many tokens
    the server counts for each estimated one in such a conversation, if it has counted any. Without ``ask`` the model
    is not asked for pages.
    """
    window = window or session.window
    assert window.tokens is not None
    # what was learnt since must not move the pages; the same texts are counted again and again
    steady = lru_cache(_COUNTED)(TokenEstimate(window.counter.family).count)
    reply = reply_room(window.tokens, chat.longest_reply)
    besides = chat.besides()
    taken = reply + more + (steady(besides) if besides else 0)
    layout = await asyncio.to_thread(lay_out, chat.messages, window.tokens, taken, steady)
    if layout is None:
        raise TooLongError("the system prompt, the tools and the reply leave no room in the window")
    memory = await asyncio.to_thread(PageMemory, layout.pages, layout.sizes, session, steady, known)
    most = window.tokens - reply - more - window.tokens // _MARGIN
    count, seen = session.window.count, ratio(memory) if layout.pages else None
    if seen is None:
        limit = min(most, careful_room(window.tokens - more, chat.longest_reply))
    else:  # what is new may be in another language
        count, new = steady, sum(message_tokens(one, steady) for one in layout.newest())
        limit = most = int((most - DOUBT * new) / (seen * _AIM)) + new
    draft = _Draft(chat, layout, memory, count)
    bare = draft.tokens("")
    recent = sum(message_tokens(one, count) for one in layout.recent())
    grows = layout.first > 0
    room = layout.sizes.memory(limit - bare + recent, recent, grows=grows)
    record, full = memory.message(room, count, grows=grows) if layout.pages else ("", frozenset())
    left = limit - draft.tokens(record)
    found = Found()
    if layout.pages and layout.recent():  # a system prompt alone has no message that pages could be put into
        question, history = _asked(layout, session.window.question, session)
        rooms = left - _SPARE, min(left, layout.sizes.found(limit - bare + recent)) - _SPARE
        found = await find(memory, question, history, rooms, count, full, ask=ask)
    for text, shown in ((record, found), (record, Found(found.opened)), (record, Found()), ("", Found())):
        messages = draft.messages(text, shown)
        tokens = request_tokens(chat, count, messages)
        if tokens <= (limit if text else most):
            opened = tuple(sorted({*shown.opened, *shown.passages}))
            body = chat.with_messages(messages)
            return Compressed(body, messages, tokens, len(layout.pages), opened, memory, found.likely)
    raise TooLongError("the newest messages alone are too long for the window")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A request while it is made to fit."""

    chat: ChatRequest
    layout: Layout
    memory: PageMemory
    count: Count

    def messages(self, record: str, found: Found) -> list[Message]:
        """Return the messages to send, with the text of the memory and what was found."""
        told: list[Message] = []
        if record:
            told = [{"role": "user", "content": record}, {"role": "assistant", "content": _NOTED}]
        recent = self.layout.recent()
        if found.opened or found.passages:
            at = _last_of_user(recent)
            recent[at] = _with_pages(recent[at], self.memory.opened(found.opened, found.passages))
        return [*self.layout.head, *told, *recent]

    def tokens(self, record: str) -> int:
        """Return the tokens of the request with this memory, and with nothing found."""
        return request_tokens(self.chat, self.count, self.messages(record, Found()))


def _last_of_user(messages: Sequence[Message]) -> int:
    """Return the index of the last message of the user, or of the last message if the user has said nothing."""
    return max((at for at, one in enumerate(messages) if role_of(one) == "user"), default=len(messages) - 1)


def _with_pages(message: Message, pages: str) -> Message:
    """Return a message with pages before its text."""
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [{"type": "text", "text": pages}, *content]}
    return {**message, "content": f"{pages}\n\n{content or ''}"}


def _asked(layout: Layout, limit: int, session: Session) -> tuple[str, str]:
    """Return what the user said last, and what was said just before and since; both are shortened to fit a prompt."""
    recent = layout.recent()
    if not recent:
        return "", ""
    at = _last_of_user(recent)
    question = _cut(text_of(recent[at]), limit // 2, session)
    around = [*recent[max(0, at - _EARLIER) : at], *recent[at + 1 :][-_EARLIER:]]
    said = filter(None, map(as_text, around))
    return question.strip(), _cut("\n\n".join(said), limit // 2, session)


def _cut(text: str, limit: int, session: Session) -> str:
    """Return a text, or its start and its end if it is longer than the limit."""
    count = session.window.count
    if count(text) <= limit:
        return text
    first, _, last = split_ends(text, limit // 2, count)
    return f"{first}\n…\n{last}"
