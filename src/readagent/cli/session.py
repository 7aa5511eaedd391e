"""What commands that need a model work with: an agent for the one in the settings, and the memory that is meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import click

from readagent.cli.known import document_of, library_of, tell_tasks
from readagent.cli.options import plan_of, says_how_to_read, settings_of
from readagent.cli.progress import Progress
from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.settings import Settings
from readagent.sync import ReadAgent


def named_settings(settings: Settings) -> tuple[str, dict[str, Any]]:
    """What an agent is made of for these settings: its source, and the rest by name.

    The domain is in the plan already, and is not to be put into one that does without.
    """
    named = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "home"}
    named["domain"] = ""
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
