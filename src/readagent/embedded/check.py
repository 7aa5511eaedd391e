"""Check the offline reader: its packages, its weights, its vectors, and whether its language model answers."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

from readagent.embedded.embedder import MiniLMEmbedder
from readagent.embedded.weights import COMMAND, State, folder, verify
from readagent.errors import ReadAgentError

PACKAGES = ("numpy", "xllamacpp")
AskModel = Callable[[Path], Awaitable[str]]
_INSTALL = "install readagent with the extra local (docs/install.md)"
_WEIGHTS: dict[State, str] = {
    "absent": "not downloaded",
    "partial": "partly downloaded",
    "damaged": "damaged: wrong SHA-256",
    "ready": "complete",
}
_PASSAGE = "The bridge over the river was built in 1911 by Tomas Brandt."
_QUESTION = "Who built the bridge?"
_TIMEOUT = 180.0  # seconds for the language model to load and answer
_SENTENCES = ("The ship went down in the storm.", "The vessel sank in the gale.", "Bread is made of flour.")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was checked: a few words about its state, and a hint if something has to be done.

    ``seconds`` is how long the language model took to load and answer.
    """

    name: str
    works: bool
    detail: str
    hint: str = ""
    seconds: float | None = None


async def check(home: Path, ask: AskModel | None = None) -> list[Part]:
    """Check every part. A failure is part of the report and is not raised.

    ``ask`` gets the folder of the language model and returns its answer; None skips that check.
    """
    packages = [_package(name) for name in PACKAGES]
    states = verify(home)
    weights = [
        Part(f"{name} weights", state == "ready", _WEIGHTS[state], "" if state == "ready" else f"run: {COMMAND}")
        for name, state in states.items()
    ]
    parts = [*packages, *weights]
    if states["minilm"] == "ready" and packages[0].works:
        parts.append(await _vectors(folder(home, "minilm")))
    if ask is not None:
        parts.append(await _language_model(folder(home, "smollm2"), ask, states["smollm2"] == "ready", packages[-1]))
    return parts


async def small_question(place: Path) -> str:
    """Return the answer of the language model to a question about one sentence; empty if it makes something up."""
    from readagent.embedded.engine import Engine
    from readagent.embedded.small_model import SmallModel

    model = SmallModel(Engine(place / "model.gguf", window=2048, parallel=1))
    try:
        return await model.answer(_QUESTION, [_PASSAGE])
    finally:
        await model.aclose()


async def check_writer(path: Path) -> Part:
    """Check that a GGUF model words the answer to a question about one sentence."""
    return await _language_model(path, worded_answer, True, _package(PACKAGES[-1]), "wording")


async def worded_answer(path: Path) -> str:
    """Return the answer that the model in a GGUF file words from one extract."""
    from readagent.embedded.wording import writer_of

    writer = writer_of(path)
    try:
        return await writer.word(_QUESTION, [_PASSAGE])
    finally:
        await writer.aclose()


def _package(name: str) -> Part:
    try:
        import_module(name)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        reason = "not installed" if missing else f"could not be loaded: {' '.join(str(error).split())}"
        return Part(name, False, reason, _INSTALL)
    try:
        return Part(name, True, version(name))
    except PackageNotFoundError:
        return Part(name, True, "installed")


async def _vectors(place: Path) -> Part:
    """Check that two sentences with the same meaning are closer than two with different meanings."""
    embedder = MiniLMEmbedder(place)
    try:
        vectors = await embedder.embed(_SENTENCES)
    except ReadAgentError as error:
        return Part("vectors", False, str(error), error.hint)
    finally:
        embedder.close()
    values = array("f", vectors.data)
    first, same, other = (values[row * vectors.width : (row + 1) * vectors.width] for row in range(3))
    near, far = (sum(a * b for a, b in zip(first, row, strict=True)) for row in (same, other))
    if near > far + 0.2:
        return Part("vectors", True, f"similarity {near:.2f} for the same meaning, {far:.2f} for another")
    return Part("vectors", False, "they do not distinguish meanings", "please report this as a bug, with your platform")


async def _language_model(place: Path, ask: AskModel, ready: bool, engine: Part, name: str = "language model") -> Part:
    if not ready or not engine.works:
        missing = f"without {engine.name}" if ready else "without its weights"
        return Part(name, False, f"cannot run {missing}; answers are quotes only")
    began = monotonic()
    try:
        async with asyncio.timeout(_TIMEOUT):
            text = await ask(place)
    except ReadAgentError as error:
        return Part(name, False, str(error), error.hint)
    except TimeoutError:
        return Part(name, False, f"no answer within {_TIMEOUT:.0f} seconds", "try again when the computer is less busy")
    answer = " ".join(text.split())
    detail = f"answers: {answer[:60]}" if answer else "gives no answer"
    return Part(name, bool(answer), detail, seconds=monotonic() - began)
