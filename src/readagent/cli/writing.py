"""The files that commands write, and the question before something is replaced or removed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from readagent.cli.options import settings_of
from readagent.cli.screen import confirm, echo
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.own_files import is_own_file, is_same_file
from readagent.library.postgres_url import url_or_path

F = TypeVar("F", bound=Callable[..., Any])
_FORCE, _OUTPUT, _FOLDER = "readagent.force", "readagent.output", "readagent.folder"  # in the context of the command
_HINT = "give another name, or --force to replace it"
_OTHER_NAME = "give another name"
_STANDARD = Path("-")  # standard output


def _keep_force(context: click.Context, _: click.Parameter, force: bool) -> None:
    context.meta[_FORCE] = force


def keep_folder(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Return the value of an option with which `-o` names a folder, whose files are checked when they are written."""
    context.meta[_FOLDER] = value is not None
    return value


def refuse_own_files(output: Path) -> None:
    """Raise UsageError if a file is the library, belongs to it, or is one of the program's files in the home folder."""
    settings = settings_of({})
    home, place = settings.home, url_or_path(settings.library or settings.home)
    kept = [home / "config.toml", *(home.iterdir() if output.exists() and home.is_dir() else ())]
    if any(is_same_file(one, output) for one in kept):
        raise UsageError(f"{output} is in the home folder of readagent, which keeps its own files", hint=_OTHER_NAME)
    library = Library(place).path if isinstance(place, Path) else None
    if library is not None and is_own_file(library, output):
        raise UsageError(f"{output} is a file of the library", hint=_OTHER_NAME)


def output_options(about: str, check: Callable[[click.Context, Path], None] | None = None) -> Callable[[F], F]:
    """Return a decorator that adds `-o FILE`, with this help text, and `--force` to a command.

    A file that may not be replaced, or that ``check`` refuses, is an error before anything is read or spent. `-o -` is
    standard output.
    """

    def checked(context: click.Context, option: click.Parameter, output: Path | None) -> Path | None:
        if output == _STANDARD:
            return None
        if output is None or context.meta.get(_FOLDER):
            return output
        _check_kind(output)
        if check is not None:
            check(context, output)
        if output.exists() and not context.meta.get(_FORCE):
            raise UsageError(f"{output} exists", hint=_HINT)
        context.meta[_OUTPUT] = output
        return output

    output = click.option(
        "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", callback=checked, help=about
    )
    force = click.option(
        "--force", is_flag=True, is_eager=True, expose_value=False, callback=_keep_force,
        help="Replace FILE if it exists. The source of a document is never replaced.",
    )  # fmt: skip
    return lambda command: output(force(command))


def refuse_sources(library: Library, source: str, output: Path | None = None) -> None:
    """Raise UsageError if this command is to write to this source, or to that of any document in the library.

    A file in a folder that was read as one document is a source too. ``output`` is what `-o` names, if not given.
    """
    output = output or click.get_current_context().meta.get(_OUTPUT)
    if output is None or not output.exists():
        return
    known = (location for row in library.documents() for location in row.locations)
    if any(_is_same(output, one) for one in (source, *known) if one):
        raise UsageError(f"{output} is the source of a document", hint=_OTHER_NAME)


def write_file(output: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file, at once or in pieces, and say so.

    Raise UsageError if it cannot be written, is a file of the program, or exists without ``--force``.
    """
    refuse_own_files(output)
    force = click.get_current_context().meta.get(_FORCE)
    try:
        with output.open("wb" if force else "xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
    except FileExistsError:
        raise UsageError(f"{output} exists", hint=_HINT) from None
    except OSError as error:
        raise UsageError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None
    echo(f"wrote {output}", err=True)


def _check_kind(output: Path) -> None:
    """Raise UsageError for what not even --force replaces: folders, devices, pipes, and the program's own files."""
    if output.is_dir():
        raise UsageError(f"{output} is a folder", hint="give the name of a file in it")
    if not output.parent.exists():
        raise UsageError(f"there is no folder {output.parent}", hint="make it first, or give another name")
    if output.exists() and not output.is_file():
        raise UsageError(f"{output} is not a file", hint="give the name of a file, or leave out -o to print")
    refuse_own_files(output)


def _is_same(output: Path, source: str) -> bool:
    """Whether the output is the source, or in the folder that is the source."""
    try:
        place = Path(source)
        return output.samefile(place) or (place.is_dir() and output.resolve().is_relative_to(place.resolve()))
    except (OSError, ValueError):
        return False


def may_remove(what: str, size: str, *, yes: bool) -> bool:
    """Return whether something may be removed: with ``yes``, or if a person confirms it."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"cannot ask for confirmation to remove {what}: not a terminal", hint="use --yes")
    if confirm(f"Remove {what} ({size})?"):
        return True
    echo(f"{what} was not removed", err=True)
    return False
