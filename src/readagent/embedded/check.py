"""Checking the offline reader: its packages, its weights, its vectors, and whether its language model answers."""

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
Speak = Callable[[Path], Awaitable[str]]
_INSTALL = "pip install 'readagent[local]'"
_WEIGHTS: dict[State, str] = {
    "absent": "not fetched yet",
    "partial": "only partly fetched",
    "damaged": "damaged: their SHA-256 is wrong",
    "ready": "whole",
}
_PASSAGE = "The bridge over the river was built in 1911 by Tomas Brandt."
_QUESTION = "Who built the bridge?"
_PATIENCE = 180.0  # seconds for the language model to load and to answer
_SENTENCES = ("The ship went down in the storm.", "The vessel sank in the gale.", "Bread is made of flour.")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was looked at; ``told`` says in a few words how it stands, ``hint`` what to do about it.

    ``seconds`` is how long the language model took to load and to answer.
    """

    name: str
    works: bool
    told: str
    hint: str = ""
    seconds: float | None = None


async def check(home: Path, speak: Speak | None = None) -> list[Part]:
    """Every part in turn; a failure is part of the report.

    ``speak`` asks the language model whose folder it gets for a few words; where it is None that is left out.
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
    if speak is not None:
        parts.append(await _spoken(folder(home, "smollm2"), speak, states["smollm2"] == "ready", packages[-1]))
    return parts


async def small_question(place: Path) -> str:
    """What the language model in this folder answers to one small question on one sentence; nothing, if nonsense."""
    from readagent.embedded.engine import Engine
    from readagent.embedded.wording import SmallModel

    model = SmallModel(Engine(place / "model.gguf", window=2048, parallel=1))
    try:
        return await model.answer(_QUESTION, [_PASSAGE])
    finally:
        await model.aclose()


def _package(name: str) -> Part:
    try:
        import_module(name)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        reason = "not installed" if missing else f"cannot be loaded: {' '.join(str(error).split())}"
        return Part(name, False, reason, _INSTALL)
    try:
        return Part(name, True, version(name))
    except PackageNotFoundError:
        return Part(name, True, "installed")


async def _vectors(place: Path) -> Part:
    """Two sentences that mean the same must be nearer than two that do not."""
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
        return Part("vectors", True, f"likeness {near:.2f} for the same meaning, {far:.2f} for another")
    return Part(
        "vectors", False, "they do not tell meanings apart", "please report this, with the kind of machine it is"
    )


async def _spoken(place: Path, speak: Speak, ready: bool, engine: Part) -> Part:
    name = "language model"
    if not ready or not engine.works:
        missing = f"without {engine.name}" if ready else "without its weights"
        return Part(name, False, f"cannot run {missing}; until then answers are quotes alone")
    began = monotonic()
    try:
        async with asyncio.timeout(_PATIENCE):
            text = await speak(place)
    except ReadAgentError as error:
        return Part(name, False, str(error), error.hint)
    except TimeoutError:
        return Part(
            name, False, f"no answer within {_PATIENCE:.0f} seconds", "try again when the computer is less busy"
        )
    said = " ".join(text.split())
    told = f"answers: {said[:60]}" if said else "says nothing"
    return Part(name, bool(said), told, seconds=monotonic() - began)
