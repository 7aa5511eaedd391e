"""What commands that need a model work with: an agent for the one in the settings, and the memory that is meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import click

from readagent.cli.options import plan_of, says_how_to_read, settings_of
from readagent.cli.progress import Progress
from readagent.cli.shelf import document_of, library_of
from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.sync import ReadAgent


@contextmanager
def agent_for(flags: dict[str, Any]) -> Iterator[tuple[ReadAgent, Library]]:
    """An agent for the model that the flags name, with the user's library."""
    settings = settings_of(flags)
    named = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "home"}
    source, model = (settings.base_url, settings.model) if settings.base_url else (settings.model, "")
    del named["model"], named["base_url"]
    with library_of(settings) as library:
        agent = ReadAgent(source, model=model, library=library, plan=plan_of(flags, settings), **named)
        with agent:
            try:
                yield agent, library
            except KeyboardInterrupt:
                if sys.stderr is not None and sys.stderr.isatty():
                    click.echo(
                        "stopping: calls under way are waited for, and kept; Ctrl-C again to drop them", err=True
                    )
                raise


def memory_of(name: str, flags: dict[str, Any], agent: ReadAgent, library: Library) -> GistMemory:
    """The memory of the document that is meant by a file's path or by a name in the library; read now if need be."""
    document = document_of(name, library)
    with Progress() as progress:
        if not says_how_to_read(flags):
            memory = agent.recall(document.id, listen=progress)
            if memory is not None:
                return memory
        return agent.read(document, listen=progress)
