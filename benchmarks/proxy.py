"""Requests longer than the window: do facts of 400 turns, or of a pasted text of 100,000 words, reach an 8k model?

The scripted model answers only from what it is shown, and its server refuses prompts of more than 8,192 tokens. Each
conversation is sent as clients do: from its first message on, all of it with each new message. Then questions are asked
about 10 or 50 facts that were told at known places, in the words in which they were told. `readagent proxy` is compared
with keeping the last messages, alone or with what a search by words finds, leaving out the middle, and a rolling
summary that the same model writes. Models that summarise are tried twice: with sentences from all parts of the
text, as in gists, and attentive, where a summary begins with all that the user asked to note. Shared tokens are those
at the start of a prompt that the prompt before it had as well, which a server need not compute again. The time of a
turn is told in short requests without a proxy, one of which is sent after each turn: both are measured while the
machine is as busy. A last table says what finds the pages: the model's choice from the gists, the search, or both.
"""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from time import perf_counter, sleep

import httpx2
from common import Value, arguments, environment, manifest, print_figures, table, workplace, write_results
from proxy_methods import RollingSummary, keep_last, keep_last_and_search, middle_out
from proxy_talk import WINDOW, Fact, Message, answer, attentive, conversation, facts, is_answer, pasted, size

from readagent.library import Library
from readagent.proxy.callers import Caller
from readagent.proxy.chat import ChatRequest
from readagent.proxy.compress import compress
from readagent.proxy.lookup import Finders
from readagent.proxy.readers import Readers
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest, tokens

Send = Callable[[list[Message]], Awaitable[int]]
_GROWN = 12  # further turns at the end, which tokens and times are measured at
_FEW, _MANY = 10, 50  # facts
_SHARE = "facts that reach the model, %"
_METHODS = {"last messages": keep_last, "last messages and search": keep_last_and_search, "middle left out": middle_out}
_FOUND_BY: dict[str, Finders] = {"both": "both", "the search alone": "search", "the model's choice alone": "model"}


@contextmanager
def process(home: Path, url: str) -> Iterator[str]:
    """Start `readagent proxy` in front of the model's server, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "readagent", "proxy", "--port", port, "--base-url", url, "--model", "skimmer"]
    running = subprocess.Popen(
        command, cwd=home, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            with suppress(httpx2.TransportError):
                httpx2.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
                break
            sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.terminate()
        running.wait()


@asynccontextmanager
async def method(name: str, url: str, home: Path) -> AsyncIterator[Send]:
    """Yield a function that sends a conversation in one way, and returns the status of the reply."""
    async with httpx2.AsyncClient(timeout=900) as http:

        async def send(messages: list[Message], base: str = url) -> httpx2.Response:
            return await http.post(f"{base}/chat/completions", json={"model": "skimmer", "messages": messages})

        async def ask(messages: list[Message]) -> str:
            return str((await send(messages)).json()["choices"][0]["message"]["content"])

        if name == "readagent proxy":
            with process(home, url) as base:

                async def through(messages: list[Message]) -> int:
                    return (await send(messages, base)).status_code

                yield through
            return
        shorten = _METHODS.get(name) or RollingSummary()

        async def shortened(messages: list[Message]) -> int:
            return (await send(await shorten(messages, ask))).status_code

        yield shortened


def shared(one: ReceivedRequest, other: ReceivedRequest) -> int:
    """Return the tokens that two prompts begin with in common."""
    pairs = zip(one.prompt, other.prompt, strict=False)
    same = next((at for at, (left, right) in enumerate(pairs) if left != right), len(one.prompt))
    return tokens(one.prompt[:same])


def accepted(request: ReceivedRequest) -> bool:
    """Whether the server took a request; whether it has ended is noted too late to be asked here."""
    return tokens(request.prompt) <= WINDOW


def in_pairs(messages: list[Message]) -> list[tuple[Message, Message]]:
    """Return the turns of a conversation."""
    return list(zip(messages[::2], messages[1::2], strict=True))


async def short_request(http: httpx2.AsyncClient, url: str) -> float:
    """Return the seconds that a short request takes without a proxy."""
    body = {"model": "skimmer", "messages": [{"role": "user", "content": "Hello"}]}
    began = perf_counter()
    (await http.post(f"{url}/chat/completions", json=body)).raise_for_status()
    return perf_counter() - began


async def measured(name: str, start: list[Message], planted: list[Fact], more: list[Message]) -> dict[str, Value]:
    """Return what a method does with a conversation."""
    with workplace() as home:
        respond = attentive if name.endswith("attentive") else answer
        async with AsyncExitStack() as stack:
            model = stack.enter_context(LoopbackServer(respond, window=WINDOW).in_thread())
            send = await stack.enter_async_context(method(name, model.base_url, home))
            other = stack.enter_context(LoopbackServer(answer, window=WINDOW, keep_requests=False).in_thread())
            http = await stack.enter_async_context(httpx2.AsyncClient(timeout=60))
            messages, seconds, statuses = start[:1], list[float](), list[int]()
            short = list[float]()
            for said, replied in in_pairs([*start[1:], *more]):
                messages.append(said)
                began = perf_counter()
                statuses.append(await send(messages))
                seconds.append(perf_counter() - began)
                short.append(await short_request(http, other.base_url))
                messages.append(replied)
            talked = list(model.requests)
            reached = 0
            for fact in planted:
                before = len(model.requests)
                statuses.append(await send([*messages, {"role": "user", "content": fact.question}]))
                shown = [one.prompt for one in model.requests[before:] if is_answer(one) and accepted(one)]
                reached += any(fact.told in prompt for prompt in shown)
    asked = [one for one in talked if is_answer(one) and accepted(one)]
    last = asked[-_GROWN:]
    common = [shared(before, after) for before, after in pairwise(last)]
    return {
        "method": name,
        _SHARE: round(100 * reached / len(planted)),
        "answered, %": round(100 * sum(status == 200 for status in statuses) / len(statuses)),
        "tokens of a prompt": round(fmean(tokens(one.prompt) for one in last)) if last else 0,
        "of these shared": round(fmean(common)) if common else 0,
        "calls a turn": len(talked) / len(seconds),
        "tokens in all, thousands": round(sum(tokens(one.prompt) for one in talked if accepted(one)) / 1000),
        "time of a turn, in short requests": round(median(seconds[-_GROWN:]) / median(short[-_GROWN:]), 1),
    }


async def found_by(start: list[Message], planted: list[Fact]) -> list[dict[str, Value]]:
    """Return the share of facts that the proxy shows, by what chooses the pages to open."""
    rows: list[dict[str, Value]] = []
    with workplace() as home, Library(home / "library.db") as library:
        async with LoopbackServer(answer, window=WINDOW) as model:
            readers = Readers(load_settings({"model": "skimmer", "base_url": model.base_url}), library)
            async with readers.reader(Caller("benchmark"), "skimmer") as reader:
                for name, by in _FOUND_BY.items():
                    reached = 0
                    for fact in planted:
                        messages = (*start, {"role": "user", "content": fact.question})
                        chat = ChatRequest({"model": "skimmer", "messages": list(messages)}, messages)
                        made = await compress(chat, reader.session(await reader.window.now()), reader.known, by)
                        reached += any(fact.told in str(one["content"]) for one in made.body["messages"])
                    rows.append({"pages are found by": name, _SHARE: round(100 * reached / len(planted))})
            await readers.aclose()
    return rows


def main() -> None:
    given = arguments(__doc__)
    lengths, words = ([20], 12_000) if given.quick else ([20, 100, 400], 100_000)
    names = ["readagent proxy", *_METHODS, "rolling summary", "rolling summary, attentive"]
    talks: dict[str, tuple[list[Message], list[Fact]]] = {}
    for turns in lengths:
        planted = facts(_FEW if turns < _MANY else _MANY, turns)
        talks[f"{turns} turns"] = conversation(turns, planted), planted
    planted = facts(_FEW if given.quick else _MANY, 1.0)
    talks[f"a text of {words:,} words"] = pasted(words, planted), planted
    more = conversation(_GROWN, [], 60)[1:]
    rows: dict[str, list[dict[str, Value]]] = {}
    for title, (start, planted) in talks.items():
        rows[title] = [asyncio.run(measured(name, start, planted, more)) for name in names]
    tables = {
        f"{title}, {len(talks[title][1])} facts: {size(talks[title][0]):,} tokens": some for title, some in rows.items()
    }
    longest = list(talks)[-1]
    finders = asyncio.run(found_by(*talks[longest]))
    if not given.quick:
        about = manifest(window=WINDOW, turns_after=_GROWN, model="scripted, on loopback")
        parts = {**tables, f"What finds the pages, {longest}": finders}
        write_results("proxy", "Requests that are longer than the window", parts, about)
    figures: dict[str, Value] = {}
    for title, some in rows.items():
        for row in some:
            key = re.sub(r"\W+", "_", f"{row['method']}_{title}")
            figures[f"{key}_facts_percent"] = row[_SHARE]
    ours = [row for some in rows.values() for row in some if row["method"] == "readagent proxy"]
    figures["not_answered"] = sum(row["answered, %"] != 100 for row in ours)
    figures |= {f"found_by_{_FOUND_BY[str(row['pages are found by'])]}_percent": row[_SHARE] for row in finders}
    for title, some in {**tables, "What finds the pages": finders}.items():
        print(f"\n{title}\n\n{table(some)}")
    print_figures(figures)


if __name__ == "__main__":
    main()
