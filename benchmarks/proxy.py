"""Requests longer than the window: do facts of 100 turns, of tools, or of a book of 150,000 words reach an 8k model?

Requests are made to fit as `readagent proxy` does it, in this process; four characters are a token. In each
conversation 15 facts are told, and each is asked about in the same words, in a paraphrase that shares one or two words
with it, and in words of which it has none. A fact has reached the model if its sentence is in the prompt for the
answer. Two scripted models read: an ideal reader, whose gists have every fact and who opens what shows the one that is
asked about; and one whose gists are the first words of each page. Beside them are no gists, as with `--no-gists`, and
the newest messages, alone or with what BM25 finds in the others. Questions are asked when all gists are written. The
first table says what the first request costs before that, and what the gists cost. Shared tokens are those at the start
of a prompt that the prompt before it had as well: from question to question, and from turn to turn in 12 further turns
that ask nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean
from time import process_time
from typing import Any

from common import Value, arguments, manifest, print_figures, table, write_results
from proxy_methods import keep_newest, keep_newest_and_search
from proxy_talk import FACTS, KINDS, WINDOW, Message, Talks, first_words, ideal, size

from readagent.core.model import Ask, Reply
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Trace, Usage
from readagent.core.window import Window
from readagent.proxy.background import write_missing
from readagent.proxy.chat import ChatRequest
from readagent.proxy.compress import Compressed, compress
from readagent.proxy.known_gists import KnownGists
from readagent.testing.loopback.requests import tokens

_READERS = {"ideal reader": ideal, "gists are first words": first_words, "no gists": first_words}
_METHODS = {"BM25 and the newest messages": keep_newest_and_search, "the newest messages": keep_newest}
_GROWN = 12  # further turns, in which what turns share is measured


class ScriptedReader:
    """A model that answers look-ups and writes gists, and what it was asked."""

    name = "scripted"

    def __init__(self, answer: Callable[[str, Any], str], *, gists: bool) -> None:
        self._answer, self._prompts, self._known, self._gists = answer, Prompts.load(), KnownGists(), gists
        self._ratio: float | None = None
        self.asked = list[str]()

    async def complete(self, ask: Ask) -> Reply:
        self.asked.append(ask.prompt)
        return Reply(self._answer(ask.prompt, None), usage=Usage(tokens(ask.prompt), 50))

    async def sent(self, messages: Sequence[Message]) -> tuple[Compressed, str]:
        """Return a request that was made to fit, and its prompt; the next ones are fitted by its count."""
        session = Session(self, self._prompts, window=Window(WINDOW), trace=Trace(keep_text=False))
        chat = ChatRequest({"model": "m", "messages": messages}, tuple(messages))
        made = await compress(chat, session, self._known, ratio=lambda memory: self._ratio)
        prompt = as_prompt(made.messages)
        self._ratio = max(0.6, self._ratio or 0.0, tokens(prompt) / made.tokens)
        return made, prompt

    async def write(self, made: Compressed) -> None:
        if self._gists and made.memory:
            await write_missing(made.memory)


def as_prompt(messages: Sequence[Any]) -> str:
    """Return the text of messages, as the model's server counts it."""
    return "\n\n".join(str(one["content"] or one.get("tool_calls")) for one in messages)


def asking(start: list[Message], text: str) -> list[Message]:
    """Return a conversation with one more message of the user."""
    return [*start, {"role": "user", "content": text}]


def shared(one: str, other: str) -> int:
    """Return the tokens that two prompts begin with in common."""
    pairs = zip(one, other, strict=False)
    return tokens(one[: next((at for at, (left, right) in enumerate(pairs) if left != right), len(one))])


def share(prompts: list[str]) -> Value:
    """Return the percentage of the tokens of prompts that the prompt before each of them begins with, too."""
    common = sum(shared(before, after) for before, after in pairwise(prompts))
    return round(100 * common / sum(map(tokens, prompts[1:]))) if prompts[1:] else ""


async def read_by(name: str, start: list[Message], more: list[Message]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return what reaches a reader, and what the first request and all gists cost."""
    reader, method = ScriptedReader(_READERS[name], gists=name != "no gists"), f"readagent proxy, {name}"
    made, prompt = await reader.sent(asking(start, FACTS[0].questions[0]))
    before = len(reader.asked)
    await reader.write(made)
    cost: dict[str, Value] = {
        "method": method, "pages": made.pages, "calls before the first response": before,
        "tokens of its prompt": tokens(prompt), "calls for all gists": len(reader.asked) - before,
        "tokens of these": sum(map(tokens, reader.asked)),
    }  # fmt: skip
    seen, calls, began, prompts, reached = 0, list[int](), process_time(), list[str](), dict[str, Value]()
    for at, kind in enumerate(KINDS):
        found = 0
        for fact in FACTS:
            reader.asked.clear()
            _, prompt = await reader.sent(asking(start, fact.questions[at]))
            prompts.append(prompt)
            calls.append(1 + len(reader.asked))
            seen += any(fact.told in one for one in reader.asked)
            found += fact.told in prompt
        reached[kind] = found
    seconds = (process_time() - began) / len(prompts)
    grown, turns = list(start), list[str]()
    for said, replied in zip(more[::2], more[1::2], strict=True):
        made, prompt = await reader.sent([*grown, said])
        turns.append(prompt)
        grown += [said, replied]
        await reader.write(made)
    return {
        "method": method, **reached, "of 45 in a look-up": seen,
        "tokens of a prompt": round(fmean(map(tokens, prompts))),
        "shared with the last question, %": share(prompts), "shared in a growing chat, %": share(turns),
        "calls": round(fmean(calls), 1), "own CPU, s": round(seconds, 2),
    }, cost  # fmt: skip


def kept(name: str, start: list[Message]) -> dict[str, Value]:
    """Return what reaches a model in another way."""
    sent = [[_METHODS[name](asking(start, fact.questions[at])) for fact in FACTS] for at in range(len(KINDS))]
    prompts = [[as_prompt(one) for one in some] for some in sent]
    reached = [sum(fact.told in one for one, fact in zip(some, FACTS, strict=True)) for some in prompts]
    every = [one for some in prompts for one in some]
    return {
        "method": name, **dict(zip(KINDS, reached, strict=True)), "of 45 in a look-up": "",
        "tokens of a prompt": round(fmean(map(tokens, every))), "shared with the last question, %": share(every),
        "shared in a growing chat, %": "", "calls": 1, "own CPU, s": "",
    }  # fmt: skip


def main() -> None:
    given = arguments(__doc__)
    words, turns, calls = (6_000, 20, 16) if given.quick else (150_000, 100, 60)
    talks = Talks(given.data, words)
    more = talks.chat(3 if given.quick else _GROWN, 60, facts=False)
    found: dict[str, list[dict[str, Value]]] = {}
    costs = list[dict[str, Value]]()
    for name, start in talks.cases(turns, calls).items():
        title = f"{name}: {size(start):,} tokens"
        read = [asyncio.run(read_by(reader, start, more)) for reader in _READERS]
        found[title] = [*(row for row, _ in read), *(kept(method, start) for method in _METHODS)]
        costs += [{"conversation": name, **cost} for _, cost in read]
        print(f"\n{title}\n\n{table(found[title])}\n\n{table(costs[-len(read) :])}", flush=True)
    if not given.quick:
        about = manifest(window=WINDOW, turns_after=_GROWN, model="scripted, in this process", texts=talks.source)
        parts = {"What the first request costs, and all gists": costs, **found}
        write_results("proxy", "Requests that are longer than the window", parts, about)
    most = max(int(one["calls before the first response"]) for one in costs)
    figures = dict[str, Value](most_calls_before_a_first_response=most)
    for case, rows in zip(("book", "turns", "tools", "all", "system"), found.values(), strict=True):
        for row in rows:
            name = str(row["method"]).rsplit(", ", 1)[-1].replace(" ", "_")
            figures[f"{case}_{name}"] = "_".join(str(row[kind]) for kind in KINDS)
    print_figures(figures)


if __name__ == "__main__":
    main()
