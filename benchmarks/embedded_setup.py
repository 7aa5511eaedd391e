"""The offline reader for the benchmarks, with a cache of vectors.

Vectors are kept in one library file (``--cache``), which saves minutes on a second run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from common import ROOT

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.memory import GistMemory
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.embedded.minilm import WordVectors
from readagent.embedded.model import LocalModel
from readagent.embedded.networks import MiniLMEmbedder, PassageReader
from readagent.embedded.shorten import KeptVectors
from readagent.library import Library
from readagent.settings import load_settings

_FILES = ("minilm/model.safetensors", "minilm/vocab.txt")
_SHORT = 5000  # words under which a book is read with the pages of an article


def weights() -> Path | None:
    """Return the folder with the weights; None if there is none."""
    named = os.environ.get("READAGENT_TEST_WEIGHTS")
    places = [Path(named)] if named else [load_settings({}).home / "models", ROOT / ".weights" / "models"]
    return next((place.resolve() for place in places if all((place / name).is_file() for name in _FILES)), None)


@dataclass(slots=True)
class Setup:
    """The embedded reader."""

    embedder: KeptVectors
    model: LocalModel
    prompts: Prompts = field(default_factory=Prompts.load)

    @classmethod
    def open(cls, folder: Path, library: Library) -> Setup:
        """Return a setup with the weights of a folder and a library as cache."""
        embedder = KeptVectors(MiniLMEmbedder(folder / "minilm"), library)
        place = folder / "minilm"
        return cls(embedder, LocalModel(embedder, PassageReader(place), WordVectors(place)))

    def session(self, plan: str) -> Session:
        """Return a session with the preset of that name."""
        return Session(self.model, self.prompts, preset(plan), Window(None), Trace(keep_text=False))

    async def read(self, text: str, plan: str) -> GistMemory:
        """Read a text and return its memory."""
        session = self.session(plan)
        return await fit(await read(Document.from_text(text), session), session)

    async def ask(self, memory: GistMemory, question: Question, plan: str) -> Answer:
        """Answer a question."""
        return await ask(memory, question, self.session(plan))


def plan_for(text: str) -> str:
    """Return the preset for a text: books, or articles for a short one."""
    return "books" if len(text.split()) >= _SHORT else "articles"
