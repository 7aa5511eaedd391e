"""The files that commands write: `-o FILE` and `--force`. A file is replaced only on request, a source never."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from readagent.cli.screen import echo
from readagent.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
_FORCE = "readagent.force"  # the key in the context of the command
_HINT = "give another name, or --force to replace it"


def _keep_force(context: click.Context, _: click.Parameter, force: bool) -> None:
    context.meta[_FORCE] = force


def output_options(about: str, check: Callable[[click.Context, Path], None] | None = None) -> Callable[[F], F]:
    """Return a decorator that adds `-o FILE`, with this help text, and `--force` to a command.

    A file that exists, or that ``check`` refuses, is an error before anything is read or spent.
    """

    def checked(context: click.Context, _: click.Parameter, output: Path | None) -> Path | None:
        if output is not None and check is not None:
            check(context, output)
        if output is not None and output.exists() and not context.meta.get(_FORCE):
            raise UsageError(f"{output} exists", hint=_HINT)
        return output

    output = click.option(
        "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", callback=checked, help=about
    )
    force = click.option(
        "--force", is_flag=True, is_eager=True, expose_value=False, callback=_keep_force,
        help="Replace FILE if it exists. The source of a document is never replaced.",
    )  # fmt: skip
    return lambda command: output(force(command))


def write_file(output: Path, data: bytes, sources: Iterable[str]) -> None:
    """Write a file and say so. Raise UsageError if it is one of the ``sources``, or exists without ``--force``."""
    context = click.get_current_context()
    given = context.params.get("documents") or (context.params.get("document"),)
    if any(_is_same(output, source) for source in (*sources, *given) if source):
        raise UsageError(f"{output} is the source of the document", hint="give another name")
    try:
        with output.open("wb" if context.meta.get(_FORCE) else "xb") as file:
            file.write(data)
    except FileExistsError:
        raise UsageError(f"{output} exists", hint=_HINT) from None
    except OSError as error:
        raise UsageError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None
    echo(f"wrote {output}", err=True)


def _is_same(output: Path, source: str) -> bool:
    try:
        return output.samefile(source)
    except (OSError, ValueError):
        return False
