"""What commands that need a model work with: an agent for the settings, and the memory of a document."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from readagent.cli.announce import announcement_of, report_small_window
from readagent.cli.documents import document_of, existing_library, is_source, library_of, report_tasks
from readagent.cli.offline import report_text_language
from readagent.cli.options import plan_of, says_how_to_read
from readagent.cli.output import report_left_out
from readagent.cli.own_server import settings_with_model
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.cli.writing import refuse_sources
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.window import Window
from readagent.library import Library
from readagent.sync import ReadAgent


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
            memory = agent.recall(document.id, task=task, merge=False, listen=progress)
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
                    report_left_out(document)
                return agent.read(document, plan=begun.plan, merge=False, listen=progress)
        row = library.row(document.id)
        with progress.aside():
            report_left_out(document)
            if (row is None or row.state != "done") and document.words:
                _estimate(document, agent)
        return agent.read(document, merge=False, listen=progress)


def _estimate(document: Document, agent: ReadAgent) -> None:
    """Say which server gets the text, and what reading it takes."""
    from readagent.cli.commands.estimate import print_estimate

    announcement_of(agent)()
    window = agent.window()
    report_small_window(agent.settings, window)
    print_estimate(document, agent.plan_for(document), Window(window), agent.settings)
