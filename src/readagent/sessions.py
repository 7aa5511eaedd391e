"""Sessions: what the work of an agent is done with. They share its model, its prompts, its search for hints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readagent.connection import Connection
from readagent.core.model import Hinter
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Modes, Prefixes, Session, Unusable
from readagent.core.trace import Listener, Trace, ignore
from readagent.core.window import Window
from readagent.embedded.local import local_embedder
from readagent.library import Library
from readagent.retrieval.hints import WordHinter
from readagent.settings import Settings


class Sessions:
    """Makes the sessions of one agent. ``hinter`` finds pages for a question: the user's own, or a search by words.

    Where the weights of the built-in embedder are installed, the search is by meaning, too. The offline reader searches
    by itself.
    """

    def __init__(self, settings: Settings, library: Library, connection: Connection, hinter: Hinter | None) -> None:
        self.connection = connection
        self.prompts = Prompts.load(settings.prompts)
        self.parallel = settings.parallel
        self.hinter = hinter or (None if connection.is_local else _search(settings.home, library))
        self._library = library
        self._prefixes = Prefixes()
        self._modes: Modes | None = None

    async def new(
        self, plan: Plan, *, window: Window | None = None, listen: Listener = ignore, keep_text: bool = True
    ) -> Session:
        """Return a session with a trace of its own."""
        model = await self.connection.model()
        window = window or await self.connection.window()
        return Session(
            model,
            self.prompts,
            plan,
            window,
            Trace(keep_text=keep_text),
            listen,
            self.hinter,
            self._prefixes,
            modes=self._modes_of(model.name),
        )

    def _modes_of(self, model: str) -> Modes:
        """Return what is known about reading in one pass with this model and these prompts; the library keeps it."""
        if self._modes is None:
            name = f"one pass with {model}, prompts {self.prompts.fingerprint}"
            failed = self._library.facts(name) or b""
            self._modes = Modes(
                int(failed) if failed.isdigit() else 0,
                lambda failed: self._library.keep_facts(name, str(failed).encode()),
            )
        return self._modes

    async def again(
        self, plan: Plan, window: Window, trace: Trace, listen: Listener, unusable: Unusable = "discard"
    ) -> Session:
        """Return a session for an attempt: what earlier attempts cost stays in the trace, their fallbacks do not.

        That the server has cut a prompt stays, since that is why there is another attempt.
        """
        trace.fallbacks[:] = [fallback for fallback in trace.fallbacks if fallback.step == "window"]
        return replace(await self.new(plan, window=window, listen=listen), trace=trace, unusable=unusable)


def _search(home: Path, library: Library) -> Hinter:
    embedder = local_embedder(home, library)
    if embedder is None:
        return WordHinter()
    from readagent.retrieval.meaning import MeaningHinter  # needs numpy

    return MeaningHinter(embedder)
