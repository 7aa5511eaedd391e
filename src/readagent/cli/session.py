"""What commands that need a model work with: an agent for the one in the settings, and the memory that is meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import click

from readagent.cli.known import document_of, library_of
from readagent.cli.options import plan_of, says_how_to_read, settings_of
from readagent.cli.progress import Progress
from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.settings import Settings
from readagent.sync import ReadAgent


def named_settings(settings: Settings) -> tuple[str, dict[str, Any]]:
    """What an agent is made of for these settings: its source, and the rest by name."""
    named = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "home"}
    model, base_url = named.pop("model"), named.pop("base_url")
    return (base_url, {**named, "model": model}) if base_url else (model, named)


@contextmanager
def agent_for(flags: dict[str, Any]) -> Iterator[tuple[ReadAgent, Library]]:
    """An agent for the model that the flags name, with the user's library."""
    settings = settings_of(flags)
    source, named = named_settings(settings)
    with (
        library_of(settings) as library,
        ReadAgent(source, library=library, plan=plan_of(flags, settings), **named) as agent,
    ):
        try:
            yield agent, library
        except KeyboardInterrupt:
            if sys.stderr is not None and sys.stderr.isatty():
                click.echo("stopping: calls under way are waited for, and kept; Ctrl-C again to drop them", err=True)
            raise


def memory_of(
    name: str, flags: dict[str, Any], agent: ReadAgent, library: Library, *, merge: bool = True
) -> GistMemory:
    """The memory of the document that is meant by a file's path or by a name in the library; read now if need be."""
    document = document_of(name, library)
    with Progress() as progress:
        if not says_how_to_read(flags):
            memory = agent.recall(document.id, merge=merge, listen=progress)
            if memory is not None:
                return memory
        return agent.read(document, merge=merge, listen=progress)
