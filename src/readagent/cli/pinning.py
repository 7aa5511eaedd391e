"""Editing and pinning gists with `readagent show`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from readagent.cli.output import counted
from readagent.cli.pages import is_pinned
from readagent.cli.screen import echo
from readagent.core.memory import GistMemory, user_gist
from readagent.errors import UsageError
from readagent.library import Library
from readagent.private import write_private

_SCISSORS = "# ------------------------ >8 ------------------------"
_BELOW = f"""{_SCISSORS}
# The gist is above this line. Leave it unchanged, or empty, to change nothing.
# Page {{number}} is below, for reference.

{{page}}
"""
_REFUSED = "gist.txt"  # an edited gist that was rejected


def check(asked: dict[str, bool], pages: Sequence[str]) -> None:
    """Allow one of these options at a time, and only with --page or --at."""
    given = [option for option, wanted in asked.items() if wanted]
    if len(given) > 1:
        raise click.UsageError(f"{given[0]} and {given[1]} cannot be used together.")
    if given and not pages:
        raise click.UsageError(f"{given[0]} requires --page or --at.")


def only(numbers: Sequence[int]) -> int:
    """Return the one page to edit."""
    if len(numbers) > 1:
        raise click.UsageError("Only one gist can be edited at a time.")
    return numbers[0]


def edit(memory: GistMemory, number: int, library: Library, home: Path) -> GistMemory:
    """Return the memory with the gist that the user wrote in an editor. A rejected gist is saved to a file."""
    text = _edited(memory, number)
    try:
        return rewrite(memory, number, text, library)
    except UsageError as error:
        refused = home / _REFUSED
        write_private(refused, text.encode("utf-8", "replace").decode())
        raise UsageError(str(error), hint=f"your text is saved in {refused}") from None


def rewrite(memory: GistMemory, number: int, text: str, library: Library) -> GistMemory:
    """Return the memory with this gist, pinned. An empty or unchanged gist changes nothing."""
    if text.strip() in ("", memory.gists[number].text.strip()):
        echo(f"page {number + 1}: nothing changed", err=True)
        return memory
    gist = user_gist(memory, number, text)
    changed = library.pin(memory, {number: gist})
    echo(f"page {number + 1}: pinned your gist of {counted(gist.words, 'word')}", err=True)
    return changed


def given_text(text: str) -> str:
    """Return the gist given on the command line or on standard input."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig") if sys.stdin is not None else ""
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def pin(memory: GistMemory, numbers: Sequence[int], library: Library) -> GistMemory:
    """Pin the gists of these pages, so that they stay when the document is read again."""
    pinned = library.pinned(memory.document.id, task=memory.plan.task)
    for number in numbers:
        already = " already" if is_pinned(memory, number, pinned) else ""
        echo(f"page {number + 1}: pinned{already}", err=True)
    return library.pin(memory, {number: memory.gists[number] for number in numbers})


def unpin(memory: GistMemory, numbers: Sequence[int], library: Library) -> GistMemory:
    """Return the memory with the gists that these pages had before they were pinned."""
    pinned = library.pinned(memory.document.id, task=memory.plan.task)
    for number in numbers:
        let_go = "unpinned; the previous gist is restored" if is_pinned(memory, number, pinned) else "not pinned"
        echo(f"page {number + 1}: {let_go}", err=True)
    return library.unpin(memory, numbers)


def _edited(memory: GistMemory, number: int) -> str:
    """Return the gist as the user edited it; empty if nothing was saved."""
    gist, page = memory.gists[number].text, memory.page_text(number).strip()
    shown = f"{gist}\n\n{_BELOW.format(number=number + 1, page=page)}".encode("utf-8", "replace").decode()
    try:
        text = click.edit(shown)
    except click.ClickException as error:
        raise UsageError(
            f"the editor failed: {error.format_message()}", hint="set EDITOR to a working editor, or use --gist TEXT"
        ) from None
    except UnicodeDecodeError:
        raise UsageError("what the editor saved is not UTF-8 text") from None
    return "" if text is None else text.partition(_SCISSORS)[0].strip()
