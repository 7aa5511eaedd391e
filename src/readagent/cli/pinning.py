"""Fixing gists with `readagent show`: written in an editor, given as a text, pinned as they are, or let go."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from readagent.cli.output import counted
from readagent.cli.pages import is_pinned
from readagent.core.gists.pinning import written
from readagent.core.memory import GistMemory
from readagent.errors import UsageError
from readagent.library import Library

_SCISSORS = "# ------------------------ >8 ------------------------"
_BELOW = f"""{_SCISSORS}
# Above this line is the gist; save an empty one, or leave it as it is, to change nothing.
# Below it is page {{number}}, for you to read. It is not changed.

{{page}}
"""
_REFUSED = "gist.txt"  # what was written in the editor and could not be taken


def check(asked: dict[str, bool], pages: Sequence[str]) -> None:
    """One thing at a time, and of pages that are named."""
    given = [option for option, wanted in asked.items() if wanted]
    if len(given) > 1:
        raise click.UsageError(f"{given[0]} and {given[1]} cannot be given together.")
    if given and not pages:
        raise click.UsageError(f"{given[0]} needs --page.")


def only(numbers: Sequence[int]) -> int:
    """The one page that is edited."""
    if len(numbers) > 1:
        raise click.UsageError("Only one gist can be edited at a time.")
    return numbers[0]


def edit(memory: GistMemory, number: int, library: Library, home: Path) -> GistMemory:
    """The memory with the gist that the user wrote in an editor, which is kept; what cannot be taken is not lost."""
    text = _edited(memory, number)
    try:
        return rewrite(memory, number, text, library)
    except UsageError as error:
        refused = home / _REFUSED
        refused.write_text(text, "utf-8", "replace")
        raise UsageError(str(error), hint=f"what you wrote is in {refused}") from None


def rewrite(memory: GistMemory, number: int, text: str, library: Library) -> GistMemory:
    """The memory with this gist of the user's, which is kept; unless it is empty, or the one there is."""
    if text.strip() in ("", memory.gists[number].text.strip()):
        click.echo(f"page {number}: nothing changed", err=True)
        return memory
    gist = written(memory, number, text)
    changed = library.pin(memory, {number: gist})
    click.echo(f"page {number}: your gist of {counted(gist.words, 'word')} is kept", err=True)
    return changed


def given_text(text: str) -> str:
    """The gist as it was given: in words, or on standard input."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig") if sys.stdin is not None else ""
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def pin(memory: GistMemory, numbers: Sequence[int], library: Library) -> GistMemory:
    """The same memory; the gists of these pages are kept through re-reading from now on."""
    pinned = library.pinned(memory.document.id, task=memory.plan.task)
    for number in numbers:
        already = " already" if is_pinned(memory, number, pinned) else ""
        click.echo(f"page {number}: pinned{already}", err=True)
    return library.pin(memory, {number: memory.gists[number] for number in numbers})


def unpin(memory: GistMemory, numbers: Sequence[int], library: Library) -> GistMemory:
    """The memory with the gists that these pages had before they were fixed."""
    pinned = library.pinned(memory.document.id, task=memory.plan.task)
    for number in numbers:
        let_go = (
            "let go; the gist that it had before is back" if is_pinned(memory, number, pinned) else "was not pinned"
        )
        click.echo(f"page {number}: {let_go}", err=True)
    return library.unpin(memory, numbers)


def _edited(memory: GistMemory, number: int) -> str:
    """What the user made of a gist in an editor; empty where nothing was saved."""
    gist, page = memory.gists[number].text, memory.page_text(number).strip()
    shown = f"{gist}\n\n{_BELOW.format(number=number, page=page)}".encode("utf-8", "replace").decode()
    try:
        text = click.edit(shown)
    except click.ClickException as error:
        raise UsageError(
            f"the editor failed: {error.format_message()}", hint="set EDITOR to one that works, or use --gist TEXT"
        ) from None
    except UnicodeDecodeError:
        raise UsageError("what the editor saved is not UTF-8 text") from None
    return "" if text is None else text.partition(_SCISSORS)[0].strip()
