"""Check the offline reader and who words its answers, and measure how fast a model runs on this computer."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

from readagent.embedded.engine import Engine
from readagent.embedded.networks import PassageReader
from readagent.embedded.weights import COMMAND, State, folder, install_hint, verify
from readagent.errors import BadReplyError, ReadAgentError
from readagent.library import Library

PACKAGES, ENGINE = ("numpy",), "xllamacpp"
_WEIGHTS: dict[State, str] = {
    "absent": "not downloaded",
    "partial": "partly downloaded",
    "damaged": "damaged: wrong SHA-256",
    "ready": "complete",
}
_PASSAGE = "The bridge over the river was built in 1911 by Tomas Brandt."
_QUESTION, _ANSWER = "Who built the bridge?", "Tomas Brandt"
_TIMEOUT = 180.0  # seconds for a language model to load and answer


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was checked: a few words about its state, and a hint if something has to be done.

    ``seconds`` is how long the reader, or the language model, took to load and answer.
    """

    name: str
    works: bool
    detail: str
    hint: str = ""
    seconds: float | None = None


async def check(home: Path) -> list[Part]:
    """Check every part. A failure is part of the report and is not raised."""
    packages = [_package(name) for name in PACKAGES]
    states = verify(home)
    weights = [
        Part(f"{name} weights", state == "ready", _WEIGHTS[state], "" if state == "ready" else f"run: {COMMAND}")
        for name, state in states.items()
    ]
    parts = [*packages, *weights]
    if states["minilm"] == "ready" and packages[0].works:
        parts.append(await _reader(folder(home, "minilm")))
    return parts


async def check_writer(path: Path) -> Part:
    """Check that a GGUF model words the answer to a question about one sentence."""
    engine, name, began = _package(ENGINE), "wording", monotonic()
    if not engine.works:
        return Part(name, False, f"cannot run without {engine.name}", engine.hint)
    try:
        async with asyncio.timeout(_TIMEOUT):
            answer = await worded_answer(path)
    except ReadAgentError as error:
        return Part(name, False, str(error), error.hint)
    except TimeoutError:
        return Part(name, False, f"no answer within {_TIMEOUT:.0f} seconds", "try again when the computer is less busy")
    detail = f"answers: {answer[:60]}" if answer else "gives no answer"
    return Part(name, bool(answer), detail, seconds=monotonic() - began)


async def worded_answer(path: Path) -> str:
    """Return the answer that the model in a GGUF file words from one extract, on one line."""
    from readagent.embedded.wording import writer_of

    writer = writer_of(path)
    try:
        return " ".join((await writer.word(_QUESTION, [_PASSAGE])).text.split())
    finally:
        await writer.aclose()


def _package(name: str) -> Part:
    try:
        import_module(name)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        reason = "not installed" if missing else f"could not be loaded: {' '.join(str(error).split())}"
        return Part(name, False, reason, install_hint())
    try:
        return Part(name, True, version(name))
    except PackageNotFoundError:
        return Part(name, True, "installed")


async def _reader(place: Path) -> Part:
    """Check that the reader finds the answer to a question in a sentence."""
    name, began, reader = "reader", monotonic(), PassageReader(place)
    try:
        (found,) = await reader.find(_QUESTION, [_PASSAGE])
    except ReadAgentError as error:
        return Part(name, False, str(error), error.hint)
    finally:
        reader.close()
    answer = _PASSAGE[found.start : found.end]
    hint = "" if answer == _ANSWER else "please report this as a bug, with your platform"
    return Part(name, answer == _ANSWER, f"answers: {answer}", hint, monotonic() - began)


_TEXT = "The ferry left the harbour at six, and the children on the quay counted the lights of the far shore. " * 6
_REPLY_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that a token of a prompt takes, and a token of a reply."""

    prompt: float
    reply: float

    @property
    def tokens_per_second(self) -> dict[str, float]:
        """The same as tokens of a prompt and of a reply in a second."""
        return {"prompt": round(1 / self.prompt, 1), "reply": round(1 / self.reply, 1)}

    def seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Return how long a call takes if no part of its prompt was evaluated before."""
        return prompt_tokens * self.prompt + reply_tokens * self.reply


async def measure_pace(engine: Engine) -> Pace:
    """Run a prompt of about 150 tokens and a reply of 16. Loading the model does not count."""
    asked = {
        "messages": [{"role": "user", "content": _TEXT}],
        "max_tokens": _REPLY_TOKENS,
        "ignore_eos": True,
        "temperature": 0,
        "cache_prompt": False,
    }
    reply = await engine.post("/chat/completions", asked)
    try:
        found = reply["timings"]
        return Pace(float(found["prompt_per_token_ms"]) / 1000, float(found["predicted_per_token_ms"]) / 1000)
    except (KeyError, TypeError, ValueError):
        raise BadReplyError("the reply of the engine contains no timings") from None


def known_pace(library: Library, engine: Engine) -> Pace | None:
    """Return the pace that was measured before, or None."""
    data = library.facts(_key(engine))
    try:
        found = json.loads(data) if data else None
        return None if found is None else Pace(float(found["prompt"]), float(found["reply"]))
    except (ValueError, KeyError, TypeError):
        return None


def keep_pace(library: Library, engine: Engine, pace: Pace) -> None:
    """Keep a pace for later estimates, in place of an earlier one."""
    library.keep_facts(_key(engine), json.dumps({"prompt": pace.prompt, "reply": pace.reply}).encode())


def _key(engine: Engine) -> str:
    return f"pace of {engine.identity}"
