"""What commands that need a model work with: an agent for the one in the settings, and the memory that is meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from readagent.cli.known import document_of, library_of, tell_tasks
from readagent.cli.options import plan_of, says_how_to_read, settings_of
from readagent.cli.progress import Progress
from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.sync import ReadAgent


@contextmanager
def agent_for(flags: dict[str, Any]) -> Iterator[tuple[ReadAgent, Library]]:
    """An agent for the model that the flags name, with the user's library."""
    settings = settings_of(flags)
    with (
        library_of(settings) as library,
        ReadAgent.from_settings(settings, library=library, plan=plan_of(flags, settings)) as agent,
    ):
        try:
            yield agent, library
        except KeyboardInterrupt:
            if sys.stderr is not None and sys.stderr.isatty():
                click.echo("stopping: calls under way are waited for, and kept; Ctrl-C again to drop them", err=True)
            raise


def memory_of(name: str, flags: dict[str, Any], agent: ReadAgent, library: Library) -> GistMemory:
    """The whole memory of the document that a file's path or a name in the library means; read now if need be."""
    document = document_of(name, library)
    with Progress() as progress:
        if not says_how_to_read(flags):
            task = agent.plan.task
            memory = agent.recall(document.id, task=task, merge=False, listen=progress)
            if memory is not None:
                return memory
            if not task:
                tell_tasks(name, library.row(document.id))
            earlier = library.beginning(document)  # of a file that has grown, which goes on as it was read
            begun = library.memory(earlier, task=task) if earlier is not None else None
            if begun is not None:
                return agent.read(document, plan=begun.plan, merge=False, listen=progress)
        return agent.read(document, merge=False, listen=progress)
