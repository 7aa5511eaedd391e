"""Requests longer than the window: do facts of 100 turns, of tools, or of a book of 150,000 words reach an 8k model?

The server refuses prompts of more than 8,192 tokens. In each conversation 15 facts are told, and each is asked about in
the same words, in a paraphrase that shares one word with it, and in words of which it has none. A fact has reached the
model if its sentence is in the prompt for the answer. Two scripted models read: an ideal reader, whose gists have every
fact and who opens what shows the one that is asked about; and one whose gists are the first words of each page.
`readagent proxy` is compared with keeping the newest messages, alone or with what BM25 finds in the others.

Questions are asked when all gists are written. The first table says what the first request costs before that, and what
the gists cost. Shared tokens are those at the start of a prompt that the prompt before it had as well: from question to
question, and from turn to turn in 12 further turns that ask nothing.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from time import sleep

import httpx2
from common import Value, arguments, environment, manifest, print_figures, table, workplace, write_results
from proxy_methods import keep_newest, keep_newest_and_search
from proxy_talk import (
    FACTS,
    KINDS,
    WINDOW,
    Fact,
    Message,
    Talks,
    first_words,
    ideal,
    is_answer,
    is_lookup,
    size,
)

from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest, tokens

_READERS = {"ideal reader": ideal, "gists are first words": first_words}
_METHODS = {"BM25 and the newest messages": keep_newest_and_search, "the newest messages": keep_newest}
_GROWN = 12  # further turns, in which what turns share is measured
_CALLS = 1000  # that a request may cause, so that the gists are written after the first; by default there are 40


@contextmanager
def process(home: Path, url: str, *options: str) -> Iterator[str]:
    """Start `readagent proxy` in front of the model's server, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "readagent", "proxy", "--port", port, "--base-url", url, "--model", "skimmer"]
    running = subprocess.Popen(
        [*command, *options], cwd=home, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
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


class Client:
    """Sends requests through the proxy, and sees what the model gets."""

    def __init__(self, base: str, model: LoopbackServer) -> None:
        self._base, self._model, self._http = base, model, httpx2.Client(timeout=900)

    def send(self, messages: list[Message]) -> list[ReceivedRequest]:
        """Return what the model was sent for a request before its response."""
        before = len(self._model.requests)
        body = {"model": "skimmer", "messages": messages}
        self._http.post(f"{self._base}/chat/completions", json=body).raise_for_status()
        sent = self._model.requests[before:]
        return sent[: 1 + max(at for at, one in enumerate(sent) if is_answer(one))]

    def settle(self) -> int:
        """Wait until the model gets nothing more, and return how many requests it got."""
        before = -1
        while before != len(self._model.requests):
            before = len(self._model.requests)
            sleep(0.7)
        return before


def question(text: str) -> Message:
    """Return a message with a question."""
    return {"role": "user", "content": text}


def shared(one: ReceivedRequest, other: ReceivedRequest) -> int:
    """Return the tokens that two prompts begin with in common."""
    pairs = zip(one.prompt, other.prompt, strict=False)
    same = next((at for at, (left, right) in enumerate(pairs) if left != right), len(one.prompt))
    return tokens(one.prompt[:same])


def share(prompts: list[ReceivedRequest]) -> int:
    """Return the percentage of the tokens of prompts that the prompt before each of them begins with, too."""
    common = sum(shared(before, after) for before, after in pairwise(prompts))
    return round(100 * common / max(1, sum(tokens(one.prompt) for one in prompts[1:])))


def read_by(reader: str, start: list[Message], more: list[Message]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return what reaches a reader through the proxy, and what the first request costs."""
    with ExitStack() as stack:
        model = stack.enter_context(LoopbackServer(_READERS[reader], window=WINDOW).in_thread())
        home = stack.enter_context(workplace())
        base = stack.enter_context(process(home, model.base_url, "--max-calls", str(_CALLS)))
        client = Client(base, model)
        first = client.send([*start, question(FACTS[0].questions[0])])
        counts = [client.settle()]
        while len(counts) < 2 or (counts[-1] - counts[-2] > 2 and len(counts) < 5):
            client.send([*start, question("Thank you.")])
            counts.append(client.settle())
        own = [one for one in model.requests if not is_answer(one)]
        cost: dict[str, Value] = {
            "calls before its response": len(first) - 1, "its tokens": sum(tokens(one.prompt) for one in first),
            "calls for all gists": len(own), "tokens of these": sum(tokens(one.prompt) for one in own),
        }  # fmt: skip
        seen, reached, calls = list[bool](), dict[str, int](), list[int]()
        prompts = list[ReceivedRequest]()
        for at, kind in enumerate(KINDS):
            reached[kind] = 0
            for fact in FACTS:
                sent = client.send([*start, question(fact.questions[at])])
                prompts.append(sent[-1])
                calls.append(len(sent))
                seen.append(any(fact.told in one.prompt for one in sent if is_lookup(one)))
                reached[kind] += fact.told in sent[-1].prompt
        grown, turns = list(start), list[ReceivedRequest]()
        for said, replied in zip(more[::2], more[1::2], strict=True):
            turns.append(client.send([*grown, said])[-1])
            grown += [said, replied]
            client.settle()
    row: dict[str, Value] = {
        "method": f"readagent proxy, {reader}", **reached, "in a look-up": sum(seen),
        "tokens of a prompt": round(fmean(tokens(one.prompt) for one in prompts)),
        "shared, % of these": share(prompts), "shared in a growing chat, %": share(turns) if turns else "",
        "calls": round(fmean(calls), 1),
    }  # fmt: skip
    return row, {"method": f"readagent proxy, {reader}", **cost}


def kept(name: str, start: list[Message]) -> dict[str, Value]:
    """Return what reaches a model in another way."""
    sent = [[_METHODS[name]([*start, question(fact.questions[at])]) for fact in FACTS] for at in range(len(KINDS))]

    def has(messages: list[Message], fact: Fact) -> bool:
        return any(fact.told in str(one["content"]) for one in messages)

    reached = [sum(has(one, fact) for one, fact in zip(some, FACTS, strict=True)) for some in sent]
    mean = round(fmean(size(one) for some in sent for one in some))
    return {"method": name, **dict(zip(KINDS, reached, strict=True)), "in a look-up": "", "tokens of a prompt": mean,
            "shared, % of these": "", "shared in a growing chat, %": "", "calls": 1}  # fmt: skip


def main() -> None:
    given = arguments(__doc__)
    words, turns, calls = (6_000, 20, 16) if given.quick else (150_000, 100, 60)
    talks = Talks(given.data, words)
    more = talks.chat(3 if given.quick else _GROWN, 60, facts=False)
    found: dict[str, list[dict[str, Value]]] = {}
    costs = list[dict[str, Value]]()
    for title, start in talks.cases(turns, calls).items():
        title = f"{title}: {size(start):,} tokens"
        found[title] = []
        for reader in _READERS if len(found) < 5 else ("ideal reader",):
            row, cost = read_by(reader, start, more if reader == "ideal reader" else [])
            found[title].append(row)
            costs.append({"conversation": title, **cost})
        found[title] += [kept(name, start) for name in _METHODS]
        print(f"\n{title}\n\n{table(found[title])}\n\n{table(costs)}", flush=True)
    if not given.quick:
        about = manifest(window=WINDOW, turns_after=_GROWN, model="scripted, on loopback", texts=talks.source)
        parts = {"What the first request costs": costs, **found}
        write_results("proxy", "Requests that are longer than the window", parts, about)
    figures: dict[str, Value] = {}
    for case, rows in zip(("turns", "tools", "system", "book", "all"), found.values(), strict=True):
        for row in rows:
            name = str(row["method"]).rsplit(", ", 1)[-1].replace(" ", "_")
            figures[f"{case}_{name}"] = "_".join(str(row[kind]) for kind in KINDS)
    figures["most_calls_before_the_first_response"] = max(int(one["calls before its response"]) for one in costs)
    print_figures(figures)


if __name__ == "__main__":
    main()
