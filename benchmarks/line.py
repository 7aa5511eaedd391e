"""The line to servers: what comes of recorded refusals, small windows and faults, over real sockets.

The first table sends every recorded refusal (tests/fixtures/refusals) through a server and says what was understood.
The second reads texts of several kinds in a window of 8,192 tokens that servers announce, refuse with numbers, or
refuse without; with ``--packages`` (see tokens.py) tokens are counted by a real tokenizer, else by a strict rule. The
third reads a story from a server with one fault at a time. Waits pass at once on a clock of their own.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from common import ROOT, SEED, STORY, Rows, Value, generated, manifest, parser, print_figures, write_results
from tokens_count import tokenizers

from readagent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.plan import preset
from readagent.core.trace import Event, Waiting
from readagent.errors import ContextOverflowError, ModelError, ReadAgentError
from readagent.models.endpoint import Endpoint
from readagent.testing import Fault, Faults, LoopbackServer, no_waiting, skim

WINDOW = 8_192
END = 600.0  # seconds that a storm lasts
REFUSALS = ROOT / "tests" / "fixtures" / "refusals"
_PLAN = replace(preset("auto"), mode="paper")
Counts = Literal["prompt", "request", "vague"]


# Refusals


async def refusals() -> Rows:
    """One row for each recorded refusal: what the server said, and what we made of it."""
    records = [one for path in sorted(REFUSALS.glob("*.json")) for one in json.loads(path.read_text("utf-8"))]
    return [await _refused(record) for record in records]


async def _refused(record: dict[str, Any]) -> dict[str, Value]:
    body = record["body"] if isinstance(record["body"], str) else json.dumps(record["body"])
    async with _Constant(record["status"], record.get("headers", {}), body.encode()) as url:
        endpoint = Endpoint(url, "m")
        try:
            await endpoint.complete(Ask("gist", "word " * record.get("window", 1)))
            error: ModelError | None = None
        except ModelError as raised:
            error = raised
        finally:
            await endpoint.aclose()
    window, after = getattr(error, "window", None), getattr(error, "retry_after", None)
    told_window = window == record.get("window") or not isinstance(error, ContextOverflowError)
    told_after = after == record.get("retry_after") or after is None
    return {
        "server": record["server"],
        "wording": "public" if record["recorded"] else "ours",
        "status": record["status"],
        "it said": _cut(body),
        "understood as": type(error).__name__ if error else "no error",
        "window": window or "",
        "retry after": after or "",
        "right": "yes" if error and told_window and told_after else "no",
    }


class _Constant:
    """A server that answers every request with the same bytes."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Content-Type: application/json"]
        lines = [*head, *(f"{name}: {value}" for name, value in headers.items()), "Connection: close", "", ""]
        self._reply = "\r\n".join(lines).encode() + body

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aexit__(self, *error: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        await reader.readexactly(int(length[1]) if length else 0)
        writer.write(self._reply)
        await writer.drain()
        writer.close()


def _cut(body: str) -> str:
    text = " ".join(re.sub(r"[|`<>]", " ", body).split())
    return text if len(text) <= 90 else f"{text[:89]}…"


# Windows


def kinds(words: int) -> dict[str, str]:
    """Texts of several kinds, generated, of about this many words of prose or four times as many characters."""
    dice = random.Random(SEED)
    rows = [[dice.randint(0, 10**6), round(dice.random() * 1000, 3), dice.choice("ABCDEF")] for _ in range(words // 2)]
    data = dice.randbytes(words)
    return {
        "prose": generated(words),
        "CSV": "id,value,group\n" + "\n".join(",".join(map(str, row)) for row in rows),
        "JSON, one line": json.dumps([dict(zip(("id", "value", "group"), row, strict=True)) for row in rows]),
        "log": "\n".join(_log_line(dice) for _ in range(words // 6)),
        "hex": "\n".join(data[i : i + 32].hex(" ") for i in range(0, len(data), 32)),
        "hex, one line": data.hex(),
        "number table": "\n".join(" ".join(f"{dice.gauss(0, 50):.4f}" for _ in range(8)) for _ in range(words // 12)),
    }


def _log_line(dice: random.Random) -> str:
    time = f"2026-03-{dice.randint(1, 28):02}T{dice.randint(0, 23):02}:{dice.randint(0, 59):02}:07Z"
    return f"{time} [{dice.choice(('INFO', 'WARN'))}] req={dice.randbytes(6).hex()} took={dice.randint(1, 9999)}ms"


async def windows(words: int, counters: dict[str, tuple[str, Callable[[str], int]]]) -> Rows:
    """One row for each text, way of refusing and tokenizer."""
    ways: tuple[Counts, ...] = ("prompt", "request", "vague")
    return [
        {"tokenizer": tokenizer, "text": kind, **await _read_within(text, model, count, counts)}
        for tokenizer, (model, count) in counters.items()
        for kind, text in kinds(words).items()
        for counts in ways
    ]


async def _read_within(text: str, model: str, count: Callable[[str], int], counts: Counts) -> dict[str, Value]:
    async with (
        LoopbackServer(window=WINDOW, counts=counts, count=count, models=(model,)) as server,
        AsyncReadAgent(model, base_url=server.base_url) as agent,
    ):
        document = Document.from_text(text)
        try:
            memory = await agent.read(document, plan=_PLAN)
            came = _came(memory)
        except ReadAgentError as error:
            came = f"{type(error).__name__}: {error}"
        refused = sum(not request.finished for request in server.requests)
        longest = max((count(request.prompt) for request in server.requests if request.finished), default=0)
    return {
        "window": {"prompt": "announced", "request": "announced, with the reply", "vague": "not told"}[counts],
        "requests": len(server.requests), "refused": refused, "longest prompt": longest, "what came of it": came,
    }  # fmt: skip


def _came(memory: GistMemory) -> str:
    whole = memory.whole
    said = f"{len(whole.pages)} pages, {whole.compression:.0%} shorter"
    return f"{said}; warned: {memory.warnings[0]}" if memory.warnings else said


# Faults


class _Storm(Faults):
    """The same fault for every request from the third on, until a time on the clock."""

    def __init__(self, now: Callable[[], float], kind: Fault) -> None:
        super().__init__()
        self._now, self._kind, self.given, self._seen = now, kind, 0, 0

    def next(self, prompt: str) -> Fault | None:
        self._seen += 1
        if self._seen <= 2 or self._now() >= END:
            return None
        self.given += 1
        return self._kind


class _OnePage(Faults):
    """A fault for every prompt that holds a sentence of one page, and for no other."""

    def __init__(self, sentence: str, kind: Fault) -> None:
        super().__init__()
        self._sentence, self._kind = sentence, kind

    def next(self, prompt: str) -> Fault | None:
        return self._kind if self._sentence in prompt and prompt.startswith("Shorten") else None


async def faults(text: str) -> Rows:
    """One row for each fault: what became of a reading, compared with one from a server without faults."""
    usual = await _read_with(text, lambda now: Faults())
    sentence = text[len(text) // 2 :].split(". ")[1][:60]
    rows: list[dict[str, Value]] = []
    for kind, after in (("429", 40), ("429", ""), ("429", 0), ("html", ""), ("cut", "")):
        name = f"ten minutes of {kind}, Retry-After {after if after != '' else 'not sent'}"
        rows.append(
            _row(name, await _read_with(text, lambda now, kind=kind: _Storm(now, kind), retry_after=after), usual)
        )
    for kind in ("blocked", "500", "refusal", "empty", "length", "malformed"):
        made = await _read_with(text, lambda now, kind=kind: _OnePage(sentence, kind))
        rows.append(_row(f"{kind} on one page, always", made, usual))
    for kind in ("drip", "endless", "comments", "silence", "huge", "bomb", "long line", "stall"):
        made = await _read_with(
            text, lambda now, kind=kind: Faults(planned=[None, None, kind]), timeout=1.0, silence=0.3
        )
        rows.append(_row(f"{kind}, once", made, usual))
    made = await _read_with(text, lambda now: Faults(0.2, SEED))
    rows.append(_row("a fifth of all requests fail, mixed", made, usual))
    for reply in (
        "I'm not able to help with this request.",
        "Error: upstream rate limit exceeded.",
        "banana <999999> [[[",
    ):
        made = await _read_with(
            text, lambda now: Faults(), answer=lambda prompt, form, reply=reply: _failing(prompt, form, reply)
        )
        rows.append(_row(f"every second gist is {reply!r}", made, usual))
    return rows


def _failing(prompt: str, form: dict[str, Any] | None, reply: str) -> str:
    return reply if prompt.startswith("Shorten") and len(prompt) % 2 else skim(prompt, form)


async def _read_with(
    text: str,
    faults_of: Callable[[Callable[[], float]], Faults],
    *,
    retry_after: float | str = 0,
    timeout: float = 600.0,
    silence: float = 60.0,
    answer: Callable[[str, dict[str, Any] | None], str] | None = None,
) -> tuple[GistMemory | ReadAgentError, Sequence[Event], LoopbackServer, float, float]:
    heard: list[Event] = []
    with no_waiting() as clock:
        server = LoopbackServer(answer, faults=faults_of(clock.now), retry_after=retry_after)
        tracemalloc.start()
        async with (
            server,
            AsyncReadAgent("skimmer", base_url=server.base_url, timeout=timeout, silence=silence) as agent,
        ):
            try:
                made: GistMemory | ReadAgentError = await agent.read(
                    Document.from_text(text), plan=_PLAN, listen=heard.append
                )
            except ReadAgentError as error:
                made = error
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        return made, heard, server, clock.now(), peak


def _row(name: str, run: tuple[Any, ...], usual: tuple[Any, ...]) -> dict[str, Value]:
    made, heard, server, seconds, peak = run
    row: dict[str, Value] = {
        "fault": name,
        "requests": len(server.requests),
        "without the fault": len(usual[2].requests),
        "waited, s": round(seconds),
        "waits told": sum(isinstance(event, Waiting) for event in heard),
        "peak MB": round(peak),
    }
    if isinstance(made, ReadAgentError):
        return {**row, "what came of it": f"{type(made).__name__}: {made}"}
    leads = len(made.leads)
    same = made.gists == usual[0].gists
    return {**row, "what came of it": "the same memory" if same else f"{len(made.pages)} pages, {leads} marked leads"}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--packages", type=Path, help="a folder of packages with tokenizers, as in tokens.py")
    given = options.parse_args()
    strict = {"strict rule": ("m", _strict)}
    counters = _real(given.packages) if given.packages else strict
    text = " ".join(STORY.read_text("utf-8").split(" ")[:1500]) if given.quick else STORY.read_text("utf-8")
    refused = asyncio.run(refusals())
    within = asyncio.run(windows(600 if given.quick else 4_000, counters))
    failed = asyncio.run(faults(text))
    parts = {"Refusals": refused, "Windows": within, "Faults": failed}
    if not given.quick:
        write_results("line", "The line to servers", parts, manifest(tokenizers=", ".join(counters)))
    print_figures({
        "refusals": len(refused),
        "refusals_not_understood": sum(row["right"] != "yes" for row in refused),
        "readings_in_8k": len(within),
        "readings_in_8k_that_ended": sum("Error" in str(row["what came of it"]) for row in within),
        "requests_refused_in_8k": sum(int(row["refused"]) for row in within),
        "faults": len(failed),
        "faults_with_the_same_memory": sum(row["what came of it"] == "the same memory" for row in failed),
        "faults_that_ended_the_reading": sum("Error" in str(row["what came of it"]) for row in failed),
        "most_memory_mb": max(int(row["peak MB"]) for row in failed),
    })  # fmt: skip


def _strict(text: str) -> int:
    """Count a token for each digit and mark, and for every three other characters."""
    marks = sum(not (character.isalpha() or character.isspace()) for character in text)
    return marks + (len(text) - marks) // 3


def _real(packages: Path) -> dict[str, tuple[str, Callable[[str], int]]]:
    """Return real tokenizers with the name of a model that has each."""
    models = {"cl100k": "gpt-4", "o200k": "gpt-4o", "qwen": "qwen3", "llama3": "llama-3.1-8b"}
    found = tokenizers(packages)
    return {name: (model, found[name]) for name, model in models.items()}


if __name__ == "__main__":
    main()
