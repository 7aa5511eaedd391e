"""Player: plays the model and its server, below everything else. Only this file knows what prompts and replies look like.

A case says what the model decides (a *script*): which pages it opens, what it answers, which quotes it gives, which
persons it lists. What a script leaves open is decided by fixed rules from the text alone. The player finds in a request
which decision is wanted, and words it in the form that the request asks for.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

import httpx2

ADDRESS = "http://127.0.0.1:9/v1"  # nothing listens there
_REFUSAL = "I'm sorry, but I can't help with that."
_SORRY = "Sorry, something went wrong on our end."
_NONSENSE = "Well, that is a good one! Let me think about it some other time."
_TAG = r"^<{tag}>[ \t]*\n(.*?)\n?^</{tag}>[ \t]*$"
_ENTRY = re.compile(r"^[ \t]*<(?:Page|Document) ([\d, ]+)>[ \t]*$", re.M)
_PART = re.compile(r"^[ \t]*<Part \d+, pages \d+ to \d+>[ \t]*\n(?:(?!<Page \d).*\n?)*", re.M)
_TITLE = re.compile(r"^[ \t]*<Document \"(.*)\">[ \t]*\n?", re.M)
_LABEL = re.compile(r"^[ \t]*<(\d+)>[ \t]*$", re.M)
_OPTION = re.compile(r"^\(([A-Z]{1,2})\)[ \t]*(.*)$", re.M)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"”])\s+|(?<=。)|\n+")
_WORD = re.compile(r"[^\W_]{4,}")
_OVERVIEWS = {
    "name | other names": "people", "date |": "timeline", "name | kind": "entities", "term |": "glossary",
    "question |": "questions", "title |": "outline", "number |": "chapters", "Person N:": "same",
}  # fmt: skip
_FIELDS = {
    "people": ("name", "also", "who", "relations"), "timeline": ("date", "when", "what"), "entities": ("name", "kind", "what"),
    "glossary": ("term", "what"), "questions": ("question", "answer"), "outline": ("title", "what"),
    "chapters": ("number", "what"),
}  # fmt: skip


class Player:
    """A model on a server. ``script`` is what it decides; ``calls`` counts the requests that reached the model."""

    def __init__(self, script: Mapping[str, Any]) -> None:
        self.script = dict(script)
        self.calls = 0
        self.interrupted = threading.Event()  # set by whoever handles SIGINT
        self._met: dict[int, int] = {}  # how often each fault was due

    # --- the server ---

    async def handle(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request; it replaces the transport of httpx2, whose responses are streams."""
        made = await self._response(request)
        return httpx2.Response(made.status_code, headers=made.headers, stream=_Stream(made.content))

    async def _response(self, request: httpx2.Request) -> httpx2.Response:
        if str(request.url).partition("/v1")[0] != ADDRESS.partition("/v1")[0]:
            raise httpx2.ConnectError("there is no other server")
        path, body = request.url.path, b"".join([piece async for piece in request.stream])  # type: ignore[union-attr]
        if path == "/v1/models":
            window = None if self.script.get("secret") else self.script.get("window")
            return _json(200, {"data": [{"id": "player", **({"max_model_len": window} if window else {})}]})
        if path != "/v1/chat/completions":
            return _error(404, f"Invalid URL ({request.method} {path})")
        sent = json.loads(body)
        if not sent.get("messages"):
            return _error(400, "Missing required parameter: 'messages'.")
        if sent["model"] != "player":
            return _error(404, f"The model `{sent['model']}` does not exist", code="model_not_found")
        self.calls += 1
        prompt = "\n\n".join(_content(message) for message in sent["messages"])
        own = len(sent["messages"]) == 1 and bool(re.search(r"^<(passage|memory|statements|cards)>", prompt, re.M))
        step, word = self._decide(prompt) if own else ("chat", lambda schema: self._chat(prompt))
        if os.environ.get("SHOW_PROMPTS"):  # to see what a new form looks like
            print(f"--- {step}\n{prompt}\n--- {word(_schema(sent))}", file=sys.__stderr__)
        fault = self._fault(step, prompt)
        window = self.script.get("window")
        if fault == "overflow" or (window and _tokens(prompt) > window):
            size = _tokens(prompt)
            message = f"This model's maximum context length is {window or size - 1} tokens. However, your messages resulted in {size} tokens."
            return _error(400, message, code="context_length_exceeded")
        if fault == "kill":
            os._exit(137)
        if fault == "interrupt":
            await self._interrupt()
        if (failed := _FAILURES.get(fault)) is not None:
            return failed()
        text = _WORDINGS[fault] if fault in _WORDINGS else word(_schema(sent))
        finish = "length" if fault == "cut short" else "stop"
        return _completion(text[: len(text) // 2] if fault == "cut short" else text, finish, sent, _tokens(prompt))

    async def _interrupt(self) -> None:
        """Press Ctrl-C, and reply once the command has noticed it: what is under way is finished and kept."""
        self.interrupted.clear()
        os.kill(os.getpid(), signal.SIGINT)
        while not self.interrupted.is_set():  # noqa: ASYNC110 - it is set on another thread
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)  # the exception was raised in the other thread; it cancels the work at once

    def _fault(self, step: str, prompt: str) -> str:
        """Return the fault that is due: {"fault": ..., "on": step, "with": words, "after": n, "times": n}."""
        for place, one in enumerate(self.script.get("faults", ())):
            if one.get("on", step) != step or one.get("with", "") not in prompt:
                continue
            self._met[place] = met = self._met.get(place, 0) + 1
            if one.get("after", 0) < met <= one.get("after", 0) + one.get("times", 1):
                return str(one["fault"])
        return ""

    # --- which decision is wanted ---

    def _decide(self, prompt: str) -> tuple[str, Callable[[Any], str]]:
        """Return the name of the step, and what words the decision in the form of a schema, or as text."""
        part = {
            tag: (_tagged(prompt, tag) or [""])[-1] for tag in ("memory", "statements", "quotes", "cards", "passage")
        }
        asked = (_tagged(prompt, "question") or _tagged(prompt, "claim") or [""])[-1]
        frame = prompt
        opened = _tagged(prompt, "opened")
        for text in (*part.values(), *opened, asked, *_tagged(prompt, "history"), *_tagged(prompt, "earlier")):
            frame = frame.replace(text, "") if text else frame
        if part["statements"]:
            return "check", lambda schema: _lines(self._checks(part["statements"], part["quotes"]), schema)
        if kind := next(
            (kind for form, kind in _OVERVIEWS.items() if re.search(f"^{re.escape(form)}", frame, re.M)), ""
        ):
            return "overview", lambda schema: self._overview(kind, part["memory"], part["cards"], schema)
        if part["memory"] and re.search(r"\.\.\. \[Page 7\]", frame):
            return "overview", lambda schema: self._statements(part["memory"], asked, frame)
        if part["cards"]:
            numbers = self._documents(part["cards"], asked)
            return "documents", lambda schema: _numbers(numbers, schema, "Documents")
        if part["memory"]:
            below = "\n\n".join(_PART.sub("", text) for text in (part["memory"], *opened))
            return self._on_memory(below, asked, frame, bool(opened))
        assert part["passage"], f"the player does not know what is asked here:\n{prompt}"
        labels = [int(label) for label in _LABEL.findall(part["passage"])]
        if sizes := re.search(r"page has (\d+) to (\d+) words", frame, re.I):
            return "read", lambda schema: self._pages(part["passage"], int(sizes[1]), int(sizes[2]), frame, schema)
        if labels and "Break point: " in frame:
            chosen = str(self._pause(part["passage"], labels))
            return "pause", lambda schema: json.dumps({"answer": chosen}) if schema else f"Break point: {chosen}"
        return "gist", lambda schema: f"Gist: {self._gist(part['passage'], frame)}"

    def _on_memory(self, memory: str, asked: str, frame: str, looked: bool) -> tuple[str, Callable[[Any], str]]:
        if "STOP" in frame:
            return "look_up", lambda schema: self._next(memory, asked, frame, schema)
        may_answer = "Answer:" in frame
        if "WHOLE TEXT" in frame and self._entry(asked).get("whole"):
            return "look_up", lambda schema: json.dumps({"answer": ["WHOLE TEXT"]}) if schema else "WHOLE TEXT"
        if "Pages: number" in frame and not looked and (pages := self._to_open(memory, asked, frame)):
            return "look_up", lambda schema: (
                json.dumps({"pages": pages, "answer": ""}) if _has(schema, "answer", "pages")
                else _numbers(pages, schema, "Pages")
            )  # fmt: skip
        if "Pages: number" in frame and not may_answer:
            return "look_up", lambda schema: _numbers([], schema, "Pages")
        return "answer", lambda schema: self._answer(memory, asked, frame, schema)

    # --- reading ---

    def _pages(self, passage: str, least: int, most: int, frame: str, schema: Any) -> str:
        parts = _LABEL.split(passage)
        pieces, labels = parts[0::2], [int(label) for label in parts[1::2]]
        breaks = set(map(int, re.findall(r"\d+", " ".join(re.findall(r"pages also end at ([<>\d, ]+)", frame)))))
        pages, first, start = [], 0, 0
        while first < len(labels):
            end = next(at for at in range(first, len(labels)) if labels[at] in breaks or at == len(labels) - 1)
            legal = [at for at in range(first, end + 1) if least <= labels[at] - start <= most]
            legal = [at for at in legal if labels[end] - labels[at] >= least] or legal[-1:]
            marked = [at for at in legal if self._marked(pieces[at])]
            last = marked[0] if marked else legal[max(1, round(0.75 * len(legal))) - 1] if legal else end
            pages.append((labels[last], self._gist("".join(pieces[first : last + 1]), frame, most)))
            first, start = last + 1, labels[last]
        if schema:
            return json.dumps({"pages": [{"end": end, "gist": gist} for end, gist in pages]})
        return "\n\n".join(f"<{end}> {gist}" for end, gist in pages)

    def _pause(self, passage: str, labels: Sequence[int]) -> int:
        pieces = _LABEL.split(passage)[0::2]
        marked = [label for label, piece in zip(labels, pieces, strict=False) if self._marked(piece)]
        return marked[0] if marked else labels[max(1, round(0.75 * len(labels))) - 1]

    def _marked(self, piece: str) -> bool:
        return any(piece.rstrip().endswith(end) for end in self.script.get("pauses", ()))

    def _gist(self, text: str, frame: str, most: int = 0) -> str:
        """Return the gist of a page: scripted, or its first sentence, and the last one if there is room."""
        for words, gist in self.script.get("gists", {}).items():
            if words in text:
                return str(gist)
        count = len(text.split())
        room = max(6, round(count * self.script.get("share", 0.2)))
        if limit := re.search(r"\b(?:at most|aim at about) (\d+) words", frame, re.I):
            room = min(room, int(limit[1]) * count // max(most, count))
        found = [" ".join(one.split()) for one in _SENTENCE.split(text)]
        first, *rest = [one for one in found if one and one[-1] in '.!?"”。'] or [text.strip()]
        while rest and len(first.split()) + min(len(rest[-1].split()), room) < room // 4:  # too short to say anything
            first, rest = f"{first} {rest[0]}", rest[1:]
        if len(first.split()) + 4 <= room and rest:
            return f"{first} {_cut(rest[-1], room - len(first.split()))}"
        return _cut(first, room)

    # --- questions ---

    def _entry(self, asked: str) -> Mapping[str, Any]:
        """Return what the script says about a question."""
        found = (entry for words, entry in self.script.get("answers", {}).items() if words in asked)
        return next(found, {})

    def _wanted(self, memory: str, asked: str) -> list[int]:
        """Return all numbers in a memory, those first that share most words with the question and its answer."""
        entry = self._entry(asked)
        words = _words(" ".join([asked, *entry.get("quotes", ())]))
        pages = [(number, _words(text)) for number, text in _entries(memory)]
        return [number for number, _ in sorted(pages, key=lambda page: (-len(page[1] & words), page[0]))]

    def _to_open(self, memory: str, asked: str, frame: str) -> list[int]:
        """Return the pages to open: none, if all quotes are in sight."""
        entry = self._entry(asked)
        shown = _plain(memory)
        if not entry or (entry.get("quotes") and all(_plain(quote) in shown for quote in entry["quotes"])):
            return []
        limit = re.search(r"at most (\d+) of the pages", frame)
        most = int(limit[1]) if limit else 1
        if "open" in entry:
            known = {number for number, _ in _entries(memory)}
            opened = [page - 1 for page in entry["open"] if page - 1 in known or entry.get("anyway")]
            return opened[:most] if limit else opened
        return self._wanted(memory, asked)[: min(2, most)]

    def _next(self, memory: str, asked: str, frame: str, schema: Any) -> str:
        told = re.findall(r"\b(?:already|again|open)\b[^:.\n]*:([^.\n]*)", frame, re.I)
        opened = {int(number) for listed in told for number in re.findall(r"\d+", listed)}
        pages = [page for page in self._to_open(memory, asked, frame) if page not in opened]
        value = str(pages[0]) if pages else "STOP"
        return json.dumps({"answer": value}) if schema else value if value == "STOP" else f"Page: {value}"

    def _answer(self, memory: str, asked: str, frame: str, schema: Any) -> str:
        entry = self._entry(asked)
        if options := _OPTION.findall(asked):
            letter, text = next(((name, text) for name, text in options if text == entry.get("option")), options[0])
            return _chosen(letter, schema, f"Answer: ({letter}) {text}")
        if "Answer: true" in frame or "claim" in entry:
            verdict = str(bool(entry.get("claim"))).lower()
            return _chosen(verdict, schema, f"Answer: {verdict}")
        if "reply" in entry:  # word for word, whatever was asked for
            return str(entry["reply"])
        quotes = list(self._quoted(entry, memory))
        if entry.get("answer") is None or (entry.get("quotes") and not quotes):  # it sees nothing that it could quote
            return "NOT IN THE TEXT"
        return "\n".join([f"Answer: {entry['answer']}", *(quotes if "Page N:" in frame else ())])

    def _quoted(self, entry: Mapping[str, Any], memory: str) -> Iterator[str]:
        """Yield the quotes that are in sight, or all of them where the script says that it quotes them anyway."""
        for quote in entry.get("quotes", ()):
            found = [number for number, text in _entries(memory) if _plain(quote) in _plain(text)]
            if found or entry.get("anyway"):
                yield f'Page {[*found, 0][0]}: "{quote}"'

    def _checks(self, statements: str, quotes: str) -> str:
        """Say of each statement that it is true, by the quote that is nearest to it, unless the script doubts it."""
        lines, quoted = [], [_words(quote) for quote in quotes.splitlines()]
        for number, statement in enumerate(statements.splitlines(), 1):
            nearest = max(range(len(quoted)), key=lambda at: (len(_words(statement) & quoted[at]), -at), default=0) + 1
            doubted = any(doubt in statement for doubt in self.script.get("doubts", ()))
            lines.append(f"{number}: no" if doubted else f"{number}: yes [{nearest}]" if quotes else f"{number}: yes")
        return "\n".join(lines)

    def _documents(self, cards: str, asked: str) -> list[int]:
        named = self._entry(asked).get("documents")
        numbers = [number for number, text in _entries(cards) if named and any(title in text for title in named)]
        return numbers or self._wanted(cards, asked)[:1]

    def _chat(self, prompt: str) -> str:
        """Reply to a chat of somebody else's client: scripted by words that must be in sight."""
        found = (reply for words, reply in self.script.get("chat", {}).items() if words in prompt)
        return next(found, "I do not know.")

    # --- overviews ---

    def _overview(self, kind: str, memory: str, cards: str, schema: Any) -> str:
        if kind == "same":
            return "\n".join(f"Person {one}: {other}" for one, other in self._same(cards)) or "NONE"
        shown = dict(_entries(memory))
        items = [item for item in self.script.get(kind, ()) if any(page - 1 in shown for page in item["pages"])]
        if kind == "chapters":
            numbered = re.findall(r"^(\d+): .*?(\d+)(?: to (\d+))?\)$", cards, re.M)
            own = {int(number): range(int(first), int(last or first) + 1) for number, first, last in numbered}
            items = [{"number": number, "what": _first(shown[page]), "pages": [page + 1]} for number, pages in own.items()
                     for page in [next((page for page in pages if page in shown), min(shown))]]  # fmt: skip
        rows = []
        for item in items:
            fields = [str(item.get(name) or "-").replace("|", "/") for name in _FIELDS[kind]]
            pages = [page - 1 for page in item["pages"] if kind == "outline" or page - 1 in shown]
            rows.append((fields, list(range(pages[0], pages[-1] + 1)) if kind == "outline" else pages))
        if schema:
            keys = schema["properties"]["rows"]["items"]["required"]
            return json.dumps({"rows": [dict(zip(keys, [*fields, pages], strict=True)) for fields, pages in rows]})
        return "\n".join(" | ".join([*fields, ", ".join(map(str, pages))]) for fields, pages in rows) or "NONE"

    def _same(self, cards: str) -> Iterator[tuple[str, str]]:
        numbers = {
            name: number for number, name in re.findall(r"^\W*(\d+)\W+([^|;(\n]+?)\s*(?:[|;(].*)?$", cards, re.M)
        }
        for one, other in self.script.get("same", ()):
            if one in numbers and other in numbers:
                yield numbers[one], numbers[other]

    def _statements(self, memory: str, asked: str, frame: str) -> str:
        """Write statements with their pages: those of the script, or the first sentence of each page in sight."""
        shown = list(_entries(memory))
        known = {page for page, _ in shown}
        notes = (told for words, told in self.script.get("notes", {}).items() if words in asked)
        scripted = next(notes, None) if asked else self.script.get("summary")
        if scripted is None and asked:
            return "NOT IN THE TEXT" if "NOT IN THE TEXT" in frame else "NONE"
        if scripted is None:
            scripted = [{"what": _first(text), "pages": [page + 1]} for page, text in shown]
        told = [one for one in scripted if any(page - 1 in known for page in one["pages"])]
        lines = [
            f"{one['what'].rstrip('.')} [Page {', '.join(str(page - 1) for page in one['pages'])}]" for one in told
        ]
        prose = "connected prose" in frame
        return ". ".join([*lines, ""]).strip() if prose else "\n".join(lines) or "NONE"


# --- words and forms ---


def _tagged(prompt: str, tag: str) -> list[str]:
    return re.findall(_TAG.format(tag=tag), prompt, re.S | re.M)


def _entries(memory: str) -> list[tuple[int, str]]:
    """Return the numbers and texts in a memory. An entry on several pages has the number of the first."""
    parts = _ENTRY.split(_TITLE.sub(lambda title: title[1] + "\n", memory))
    return [
        (int(re.findall(r"\d+", pages)[0]), text.strip()) for pages, text in zip(parts[1::2], parts[2::2], strict=True)
    ]


def _first(text: str) -> str:
    return next(
        (" ".join(one.split()[:20]) for one in _SENTENCE.split(text.strip()) if len(one.split()) > 2), "-"
    ).replace("|", "/")


def _cut(sentence: str, room: int) -> str:
    words = sentence.split()
    return sentence if len(words) <= room else " ".join(words[: max(1, room)]).rstrip(",;:") + "."


def _plain(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> set[str]:
    return {word[:6] for word in _WORD.findall(text.lower())}


def _has(schema: Any, *fields: str) -> bool:
    return bool(schema) and set(fields) <= set(schema.get("properties", ()))


def _lines(text: str, schema: Any) -> str:
    """Return numbered lines as they are, or in the JSON that a schema of lines asks for."""
    if "lines" not in (schema or {}).get("properties", {}):
        return text
    rows = (line.partition(": ") for line in text.splitlines())
    return json.dumps({"lines": [{"number": number, "text": said} for number, _, said in rows]})


def _numbers(numbers: Sequence[int], schema: Any, label: str) -> str:
    if schema:
        return json.dumps({"answer": [str(number) for number in numbers]})
    return f"{label}: {', '.join(map(str, numbers)) or 'none'}"


def _chosen(value: str, schema: Any, text: str) -> str:
    if not schema:
        return text
    return json.dumps({"pages": [], "answer": value} if _has(schema, "pages") else {"answer": value})


def _schema(sent: Mapping[str, Any]) -> Any:
    return sent["response_format"]["json_schema"]["schema"] if "response_format" in sent else None


# --- the wire ---


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, content: bytes) -> None:
        self._content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(str(part.get("text", "")) for part in content)


def _tokens(text: str) -> int:
    return -(-len(text) // 4)


def _json(status: int, body: Any, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json=body, headers=headers)


def _error(status: int, message: str, **fields: str) -> httpx2.Response:
    return _json(status, {"error": {"message": message, "type": "invalid_request_error", **fields}})


def _lost() -> httpx2.Response:
    raise httpx2.ReadError("the connection was lost")


def _unreachable() -> httpx2.Response:
    raise httpx2.ConnectError("refused")


_FAILURES: dict[str, Callable[[], httpx2.Response]] = {
    "429": lambda: httpx2.Response(429, json={"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, headers={"retry-after": "2"}),
    "500": lambda: _error(500, "The server had an error while processing your request"),
    "key": lambda: _error(401, "Incorrect API key provided.", code="invalid_api_key"),
    "blocked": lambda: _error(400, "Your input was flagged by moderation.", code="content_policy_violation"),
    "malformed": lambda: httpx2.Response(200, content=b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess'),
    "html": lambda: httpx2.Response(502, content=b"<html><body><h1>502 Bad Gateway</h1></body></html>"),
    "lost": _lost,
    "unreachable": _unreachable,
}  # fmt: skip
_WORDINGS = {"empty": "", "refusal": _REFUSAL, "sorry": _SORRY, "nonsense": _NONSENSE}


def _completion(text: str, finish: str, sent: Mapping[str, Any], size: int) -> httpx2.Response:
    usage = {"prompt_tokens": size, "completion_tokens": _tokens(text), "total_tokens": size + _tokens(text)}
    head = {"id": "chatcmpl-1", "created": 0, "model": "player"}
    if not sent.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return _json(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
    pieces = re.findall(r"\s*\S+\s*", text) or [text]
    deltas = [({"content": piece}, None) for piece in pieces] + [({}, finish)]
    chunks: list[Any] = [{**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
                         for delta, end in deltas]  # fmt: skip
    if (sent.get("stream_options") or {}).get("include_usage"):
        chunks.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return httpx2.Response(200, content=events.encode(), headers={"content-type": "text/event-stream"})
