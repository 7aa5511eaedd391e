"""Make a request fit the window: gists for what is old or long, and the pages that the last message is about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from readagent.core.session import Session
from readagent.core.tokens import TokenEstimate
from readagent.core.window import Window
from readagent.errors import ReadAgentError
from readagent.proxy.chat import ChatRequest, Message, request_tokens, role_of, text_of
from readagent.proxy.layout import Layout, lay_out
from readagent.proxy.lookup import Finders, pages_for
from readagent.proxy.memory import KnownGists, PageMemory
from readagent.proxy.paging import as_text, split_ends
from readagent.proxy.sizes import careful_room, reply_room

_NOTED = "Noted."  # templates of some models require that user and assistant alternate
_MARGIN = 50  # parts of the window; one of them is left free, because an estimate may be a little low
_SPARE = 64  # tokens that are not given to opened pages
_MOST_NAMES = 5  # of fields in a reason
_LONGEST_NAME = 30  # characters
_COUNTED = 4096  # texts whose tokens are remembered while a request is made to fit
_EARLIER = 4  # messages before the last one that a look-up sees


class TooLongError(ReadAgentError):
    """A request that does not fit, whatever is put away."""


@dataclass(frozen=True, slots=True)
class Compressed:
    """A request that fits: its body, and what became of the original.

    ``without_gist`` counts the pages that are known by their opening only. ``problem`` says why no gists were asked for
    from some page on, if that is so.
    """

    body: Mapping[str, Any]
    messages: Sequence[Message]
    tokens: int
    pages: int
    opened: tuple[int, ...]
    without_gist: int = 0
    problem: str = ""


async def compress(
    chat: ChatRequest,
    session: Session,
    known: KnownGists,
    by: Finders = "both",
    *,
    window: Window | None = None,
    more: int = 0,
) -> Compressed:
    """Return a request that fits the ``window``, or else that of the session. Raise TooLongError if there is none.

    What is sent begins in the same way from one request of a conversation to the next: system prompt, gists in order,
    recent turns. Pages are only opened in the last message of the user. ``known`` are gists that were made before,
    and ``by`` is what finds these pages. The prompt is known to have ``more`` tokens than are counted.
    """
    window, count = window or session.window, session.window.count
    assert window.tokens is not None
    # what was learnt since must not move the pages; the same texts are counted again and again
    steady = lru_cache(_COUNTED)(TokenEstimate(window.counter.family).count)
    reply = reply_room(window.tokens, chat.longest_reply)
    besides = chat.besides()
    taken = reply + more + (steady(besides) if besides else 0)
    layout = await asyncio.to_thread(lay_out, chat.messages, window.tokens, taken, steady)
    if layout is None:
        raise TooLongError(f"{_kept(chat)} and the reply leave no room in the window")
    most = window.tokens - reply - more - window.tokens // _MARGIN
    limit = min(most, careful_room(window.tokens - more, chat.longest_reply))
    if not layout.pages:
        return _fitting(chat, layout, None, limit, most, session)
    memory = await asyncio.to_thread(PageMemory, layout.pages, layout.sizes, session, steady, known)
    await memory.read()
    rough = _fitting(chat, layout, memory, limit, most, session)
    question, history = _asked(layout, session.window.question, session)
    room = limit - rough.tokens - _SPARE
    has_place = bool(layout.recent())  # a system prompt alone has no message that pages could be put into
    opened = await pages_for(memory, question, history, room, count, by) if has_place else []
    rough = replace(rough, without_gist=memory.without_gist, problem=memory.problem)
    while opened:
        messages = _messages(layout, memory, None, opened)
        tokens = request_tokens(chat, count, messages)
        if tokens <= limit:
            body = chat.with_messages(messages)
            return replace(rough, body=body, messages=messages, tokens=tokens, opened=tuple(sorted(opened)))
        opened.pop()
    return rough


def _kept(chat: ChatRequest) -> str:
    """Return what cannot be put away, by the names of its fields, unless these are odd."""
    fields = chat.fields_besides()
    names = [f"`{name}`" for name in fields if len(name) <= _LONGEST_NAME and name.isidentifier() and name.isascii()]
    named = names[:_MOST_NAMES] + ["other fields"] * (len(fields) > len(names[:_MOST_NAMES]))
    return ", ".join(["the system prompt", *named])


def _fitting(
    chat: ChatRequest, layout: Layout, memory: PageMemory | None, limit: int, most: int, session: Session
) -> Compressed:
    """Return the request without opened pages, and with as many gists as fit: all of them, if possible.

    Where no more than a few would fit the limit, it may have the ``most`` tokens.
    """
    entries = memory.entries if memory is not None else 0
    for room, fewest in ((limit, (entries + 1) // 2), (most, 0)):
        for shown in range(entries, fewest - 1, -1):
            messages = _messages(layout, memory if shown else None, shown)
            tokens = request_tokens(chat, session.window.count, messages)
            if tokens <= room:
                return Compressed(chat.with_messages(messages), messages, tokens, len(layout.pages), ())
    raise TooLongError("the newest messages alone are too long for the window")


def _messages(layout: Layout, memory: PageMemory | None, most: int | None, opened: Sequence[int] = ()) -> list[Message]:
    """Return the messages to send."""
    record: list[Message] = []
    if memory is not None:
        record = [{"role": "user", "content": memory.message(most)}, {"role": "assistant", "content": _NOTED}]
    recent = layout.recent()
    if opened and memory is not None:
        at = _last_of_user(recent)
        recent[at] = _with_pages(recent[at], memory.opened(opened))
    return [*layout.head, *record, *recent]


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
