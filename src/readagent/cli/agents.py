"""What commands that need a model work with: an agent for the settings, and what is said before a text is sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from readagent.cli.documents import document_of, existing_library, is_source, library_of, report_tasks
from readagent.cli.offline import report_text_language
from readagent.cli.options import plan_of, says_how_to_read
from readagent.cli.output import report_fallbacks, report_loading
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, redraws
from readagent.cli.start import settings_with_model
from readagent.cli.writing import refuse_sources
from readagent.connection import is_local, price_of, server_of
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.window import Window
from readagent.errors import LiveRequestError
from readagent.library import Library
from readagent.models.hosts import check_allowed
from readagent.settings import Settings
from readagent.sync import ReadAgent

_SMALL = 4096  # tokens


class Announcement:
    """Says once, on standard error, which server gets a text; nothing if there is none, or if it may not be called."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._due = True

    def __call__(self) -> None:
        """Print it, unless it was printed before."""
        if not self._due:
            return
        self._due = False
        settings = self._settings
        server = server_of(settings)
        if server and _may_be_called(server):
            if redraws(sys.stderr):
                sys.stderr.write("\r\x1b[K")  # in place of the progress line
            echo(f"sending the text to {server}", err=True)
        if not is_local(settings) and price_of(settings) is None:
            model = settings.model or settings.base_url
            echo(f"price unknown: add the price of {model} under [prices] in the settings to see costs", err=True)

    def leave_out(self, model: str) -> None:
        """Do not print it if the server is that of this model, which has read the text."""
        self._due = self._due and model.partition(" ")[0] != server_of(self._settings)


def announcement_of(agent: ReadAgent) -> Announcement:
    """Return the announcement of an agent, which is made before its first call."""
    if not isinstance(agent.connection.on_send, Announcement):
        agent.connection.on_send = Announcement(agent.settings)
    return agent.connection.on_send


def report_small_window(settings: Settings, tokens: int | None) -> None:
    """Say how to give a model of Ollama a larger window: its own is often 4,096 tokens, whatever the model can do."""
    is_ollama = settings.model.lower().startswith("ollama/") or ":11434" in server_of(settings)
    if is_ollama and settings.window is None and tokens is not None and tokens <= _SMALL:
        echo(
            f"note: Ollama runs this model with a window of {tokens:,} tokens; for a larger one, start it with: "
            f"OLLAMA_CONTEXT_LENGTH={4 * _SMALL} ollama serve",
            err=True,
        )


def _may_be_called(server: str) -> bool:
    try:
        check_allowed(server)
    except LiveRequestError:  # the reading will say so
        return False
    return True


@contextmanager
def agent_for(flags: dict[str, Any], *, existing: bool = False) -> Iterator[tuple[ReadAgent, Library]]:
    """Yield an agent for the model that the flags name, and the user's library; ``existing`` never creates one."""
    settings = settings_with_model(flags)
    with (
        (existing_library if existing else library_of)(settings) as library,
        ReadAgent.from_settings(settings, library=library, plan=plan_of(flags, settings)) as agent,
    ):
        announcement_of(agent)
        try:
            yield agent, library
        except KeyboardInterrupt:
            say_stopping()
            raise


def agent_for_documents(*names: str, flags: dict[str, Any]) -> AbstractContextManager[tuple[ReadAgent, Library]]:
    """Return an agent and the library, which is created only if there is a path or a URL among the names."""
    return agent_for(flags, existing=not any(is_source(name) for name in names))


def say_stopping() -> None:
    """Tell the person at the terminal why a command does not end at once after Ctrl-C."""
    if sys.stderr is not None and sys.stderr.isatty():
        echo("stopping: waiting for calls in flight, which are kept; press Ctrl-C again to drop them", err=True)


def memory_of(
    name: str, flags: dict[str, Any], agent: ReadAgent, library: Library, *, whole: bool = False
) -> GistMemory:
    """Return the memory of a document, given by path, URL or name in the library; read it now if needed.

    ``whole`` keeps all text of a web page, whatever was read before.
    """
    document = document_of(name, library, whole=whole)
    refuse_sources(library, document.source)
    if agent.is_local:
        report_text_language(document.text)
    with Progress() as progress:
        if not says_how_to_read(flags):
            task = agent.plan.task
            memory = agent.recall(document.id, task=task)
            if memory is not None:
                announcement_of(agent).leave_out(memory.model)
                return memory
            if not task:
                with progress.aside():
                    report_tasks(name, library.row(document.id))
            earlier = library.beginning(document)  # a file that has grown continues as it was begun
            begun = library.memory(earlier, task=task) if earlier is not None else None
            if begun is not None:
                with progress.aside():
                    report_loading(document)
                return _reported(agent.read(document, plan=begun.plan, listen=progress), progress)
        row = library.row(document.id)
        with progress.aside():
            report_loading(document)
            if (row is None or row.state != "done") and document.words:
                _estimate(document, agent)
        return _reported(agent.read(document, listen=progress), progress)


def _reported(memory: GistMemory, progress: Progress) -> GistMemory:
    """Return the memory. It is said if the server has cut a prompt meanwhile, which concerns the question as well."""
    with progress.aside():
        report_fallbacks([fallback for fallback in memory.trace.fallbacks if fallback.step == "window"])
    return memory


def _estimate(document: Document, agent: ReadAgent) -> None:
    """Say which server gets the text, and what reading it takes."""
    from readagent.cli.commands.estimate import print_estimate

    announcement_of(agent)()
    window = agent.window()
    report_small_window(agent.settings, window)
    print_estimate(document, agent.plan_for(document), Window(window), agent.settings)
