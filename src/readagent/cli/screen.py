"""The only way to the terminal. Control characters in texts, names and messages that are not ours are made visible.

A terminal obeys escape sequences: they can set the clipboard, forge links, clear the screen or hide what stands there.
So every control character but tab and line feed is replaced by its picture (``␛``), and invisible characters are left
out, such as those that turn the direction of text, or hide a text in a text.
Only our own styles reach the terminal; a random mark tells them from what a text contains.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from typing import Any

import click

from readagent.cli.wrapping import columns_of, width_of, wrap_lines
from readagent.core.escaping import visible

_JOINERS = "\u200c\u200d"
_MARK = f"\x00{os.urandom(8).hex()}"
_STYLE = re.compile(re.escape(_MARK) + r"(\[[0-9;]*m)")


def echo(text: object = "", *, err: bool = False, nl: bool = True, wrap: bool = True) -> None:
    """Print a text with our styles and nothing else that a terminal would obey, wrapped at words on a terminal.

    A piece of a line, without ``nl``, is not wrapped.
    """
    columns = columns_of(sys.stderr if err else sys.stdout) if nl and wrap else 0
    click.echo(_rendered(wrap_lines(str(text), columns, _width) if columns else str(text)), err=err, nl=nl)


def echo_line(text: str, *, err: bool = False) -> None:
    """Print a text on one line, also where a name in it has line feeds."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    echo(indent + " ".join(text.split()), err=err)


def echo_paged(text: str) -> None:
    """Print a text; through the pager if it is longer than the screen."""
    columns = columns_of(sys.stdout)
    shown = wrap_lines(text, columns, _width) if columns else text
    if columns and shown.count("\n") + 2 > shutil.get_terminal_size().lines:
        click.echo_via_pager(_rendered(shown) + "\n")
    else:
        echo(shown, wrap=False)


def _rendered(text: str) -> str:
    pieces = _STYLE.split(text)  # text and style in turn
    return "".join(f"\x1b{one}" if place % 2 else safe(one) for place, one in enumerate(pieces))


def unstyled(text: str) -> str:
    """Return a text for a file: without our styles, and with pictures in place of control characters."""
    return safe(_STYLE.sub("", text))


def _width(text: str) -> int:
    return width_of(_STYLE.sub("", text))


def echo_data(text: str) -> None:
    """Print a safe text in UTF-8, whatever encoding the terminal has."""
    click.echo(text.encode("utf-8", "replace"))


def redraws(stream: Any) -> bool:
    """Whether a stream goes to a terminal on which a line can be drawn again."""
    return stream is not None and bool(stream.isatty()) and not _is_dumb()


def _is_dumb() -> bool:
    return os.environ.get("TERM") == "dumb"


def style(text: str, **styles: Any) -> str:
    """Return a text in a style, see ``click.style``, to be printed with ``echo``; plain, if the user wants no colours.

    ``NO_COLOR`` says that, and so does ``TERM=dumb``.
    """
    if os.environ.get("NO_COLOR") or _is_dumb():
        return text
    opening = click.style("", reset=False, **styles).replace("\x1b", _MARK)
    return f"{opening}{text}{_MARK}[0m"


def confirm(question: str, *, abort: bool = False, err: bool = False) -> bool:
    """Ask a person to confirm; return whether they did."""
    try:
        return click.confirm(safe(question), abort=abort, err=err)
    except click.Abort as stopped:
        if isinstance(stopped.__context__, KeyboardInterrupt | EOFError):
            echo("", err=err)  # what is said next gets a line of its own
        raise


def safe(text: str) -> str:
    """Return a text with pictures in place of control characters."""
    return visible(text)


def safe_json(text: str) -> str:
    """Return the same JSON value with characters escaped that are not shown as they are."""
    if visible(text) == text:
        return text
    return "".join(one if visible(one) == one or one in _JOINERS else json.dumps(one)[1:-1] for one in text)
