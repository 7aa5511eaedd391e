"""Other ways to make a conversation fit a window: keep its newest messages, alone or with what BM25 finds."""

from __future__ import annotations

import json

from proxy_talk import REPLY, WINDOW, Message, size

from readagent.core.window import parts
from readagent.retrieval.bm25 import Bm25

ROOM = WINDOW - REPLY - 256
_CHARACTERS = 4  # of a token
_PAGE = 600  # tokens
_LONG = 1000  # tokens of a system prompt that is searched like the rest


def _texts(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """Return the system prompt, if it is short, and the other messages as texts."""
    plain = [{**one, "content": one["content"] or json.dumps(one["tool_calls"])} for one in messages]
    head = plain[: size(plain[:1]) <= _LONG]
    return head, plain[len(head) :]


def keep_newest(messages: list[Message]) -> list[Message]:
    """Keep the system prompt and as many of the newest messages as fit; a longer one is cut at its start."""
    head, rest = _texts(messages)
    kept, left = list[Message](), ROOM - size(head)
    for message in reversed(rest):
        content = message["content"]
        if size([message]) > left:
            if left > 50:
                kept.insert(0, {**message, "content": content[len(content) - _CHARACTERS * (left - 10) :]})
            break
        kept.insert(0, message)
        left -= size([message]) + 1
    return [*head, *kept]


def keep_newest_and_search(messages: list[Message]) -> list[Message]:
    """Keep the newest messages in half of the room, and fill the rest with what a search by words finds in others."""
    head, rest = _texts(messages)
    kept = list[Message]()
    for message in reversed(rest):
        if size([message, *kept]) > ROOM // 2:
            break
        kept.insert(0, message)
    old = "\n\n".join(one["content"] for one in rest[: len(rest) - len(kept)])
    if old not in _SEARCHED:
        _SEARCHED.clear()
        pages = list(parts(old, _PAGE, lambda text: len(text) // _CHARACTERS))
        _SEARCHED[old] = pages, Bm25(pages)
    pages, index = _SEARCHED[old]
    scores, left, found = index.scores(rest[-1]["content"]), ROOM - size([*head, *kept]) - 64, list[int]()
    for at in sorted(range(len(pages)), key=lambda at: -scores[at]):
        left -= size([{"content": pages[at]}]) + 1
        if left < 0 or not scores[at]:
            break
        found.append(at)
    shown = "\n\n".join(pages[at] for at in sorted(found))
    told = [{"role": "user", "content": f"From before:\n\n{shown}"}] if found else []
    return [*head, *told, *kept]


_SEARCHED: dict[str, tuple[list[str], Bm25]] = {}
