"""The offline reader for the embedded benchmark, with a cache of vectors and wordings, and a count of decisions.

Vectors and the replies of the language model are kept in one library file (``--cache``), which saves minutes on a
second run. The code of the wording is part of the key: after a change of a prompt there, the model is asked again.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from common import ROOT

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Embedder, Reply
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.embedded import scoring, small_model
from readagent.embedded.embedder import MiniLMEmbedder
from readagent.embedded.engine import Engine
from readagent.embedded.model import LocalModel
from readagent.embedded.small_model import SmallModel
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder
from readagent.settings import load_settings

DECISIONS = ("paginate", "merge", "look_up", "respond")
_FILES = ("minilm/model.safetensors", "minilm/vocab.txt", "smollm2/model.gguf")
_SHORT = 5000  # words under which a book is read with the pages of an article


def weights() -> Path | None:
    """Return the folder with both sets of weights; None if there is none."""
    named = os.environ.get("READAGENT_TEST_WEIGHTS")
    places = [Path(named)] if named else [load_settings({}).home / "models", ROOT / ".weights" / "models"]
    return next((place.resolve() for place in places if all((place / name).is_file() for name in _FILES)), None)


class KeptWording:
    """A small model whose answers and likelihoods are cached in a library."""

    def __init__(self, model: SmallModel, library: Library) -> None:
        self._model = model
        self._library = library
        self._code = _code(small_model) + _code(scoring)

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, question: str, passages: Sequence[str]) -> str:
        key = self._key("answer", question, passages)
        kept = self._library.get(key)
        if kept is None:
            kept = self._keep(key, await self._model.answer(question, passages))
        return kept.text

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]:
        key = self._key("likelihoods", question, passages, options)
        kept = self._library.get(key)
        if kept is None:
            kept = self._keep(key, json.dumps(await self._model.likelihoods(question, passages, options)))
        found: list[float] = json.loads(kept.text)
        return found

    async def likelihood_gain(self, before: str, text: str) -> float:
        key = self._key("follows", before, text)
        kept = self._library.get(key)
        if kept is None:
            kept = self._keep(key, json.dumps(await self._model.likelihood_gain(before, text)))
        return float(kept.text)

    async def aclose(self) -> None:
        await self._model.aclose()

    def _key(self, *asked: object) -> str:
        return hashlib.sha256(json.dumps([self.name, self._code, *asked]).encode()).hexdigest()

    def _keep(self, key: str, text: str) -> Reply:
        reply = Reply(text)
        self._library.put(key, self.name, Ask("respond", "a benchmark's own"), reply)
        return reply


def _code(module: ModuleType) -> str:
    """Return the code of a module without its docstrings."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = node.body[ast.get_docstring(node) is not None :]
    return ast.dump(tree)


@dataclass(slots=True)
class Setup:
    """The embedded reader, with and without (``quoting``) its language model, and a count of their decisions."""

    embedder: Embedder
    model: LocalModel
    quoting: LocalModel
    wording: KeptWording
    prompts: Prompts = field(default_factory=Prompts.load)
    decided: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    @classmethod
    def open(cls, folder: Path, library: Library) -> Setup:
        """Return a setup with the weights of a folder and a library as cache."""
        embedder = CachedEmbedder(MiniLMEmbedder(folder / "minilm"), library)
        small = SmallModel(Engine(folder / "smollm2" / "model.gguf", window=2048, parallel=1))
        wording = KeptWording(small, library)
        return cls(embedder, LocalModel(embedder, wording), LocalModel(embedder), wording)

    def session(self, plan: str, window: int | None = None, *, worded: bool = True) -> Session:
        """Return a session with the preset of that name; pass it to ``count`` when it is done."""
        model = self.model if worded else self.quoting
        return Session(model, self.prompts, preset(plan), Window(window), Trace(keep_text=False))

    def count(self, session: Session) -> None:
        """Add the decisions of a session to the count."""
        self.decided += Counter(call.step for call in session.trace.calls)
        self.failed += Counter(fallback.step for fallback in session.trace.fallbacks)

    async def read(self, text: str, plan: str, window: int | None = None) -> GistMemory:
        """Read a text and return its memory."""
        session = self.session(plan, window)
        memory = await fit(await read(Document.from_text(text), session), session)
        self.count(session)
        return memory

    async def ask(self, memory: GistMemory, question: Question, plan: str, *, worded: bool = True) -> Answer:
        """Answer a question."""
        session = self.session(plan, worded=worded)
        answer = await ask(memory, question, session)
        self.count(session)
        return answer


def plan_for(text: str) -> str:
    """Return the preset for a text: books, or articles for a short one."""
    return "books" if len(text.split()) >= _SHORT else "articles"
