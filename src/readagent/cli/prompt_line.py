"""The line that a person types a question on: with editing, history and completion of commands on a terminal.

prompt_toolkit is imported only on a terminal: that takes about 0.1 s.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from readagent.cli.screen import echo
from readagent.cli.signals import is_ending

_PROMPT = "> "


def is_person() -> bool:
    """Whether questions are typed on a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


class PromptLine:
    """Reads lines: from a person, or from standard input where it is no terminal.

    ``earlier`` are questions that the arrow keys bring back, and ``commands`` the words that Tab completes.
    """

    def __init__(self, earlier: Sequence[str], commands: Sequence[str]) -> None:
        self._read = _editor(earlier, commands) if _can_edit() else _plain
        self._stopped = False  # by Ctrl-C, at the last prompt

    def next(self) -> str | None:
        """Return the next line, or None at the end. Ctrl-C discards a line, and twice in a row it ends the command."""
        while True:
            try:
                line = self._read()
            except (EOFError, RuntimeError):  # RuntimeError if there is no standard input
                echo(err=True, nl=is_person())
                return None
            except KeyboardInterrupt:
                echo(err=True, nl=is_person())
                if not is_person() or is_ending() or self._stopped:
                    raise click.Abort from None
                self._stopped = True
                echo("exit or Ctrl-D ends the conversation, and so does Ctrl-C once more", err=True)
                continue
            self._stopped = False
            return line.strip()


def _can_edit() -> bool:
    out = sys.stdout is not None and sys.stdout.isatty()
    return is_person() and out and os.environ.get("TERM", "") not in ("", "dumb")


def _plain() -> str:
    return input(_PROMPT if is_person() else "")


def _editor(earlier: Sequence[str], commands: Sequence[str]) -> Callable[[], str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import InMemoryHistory

    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory(earlier),
        completer=WordCompleter(list(commands), sentence=True),
        complete_while_typing=False,
        enable_suspend=True,
    )
    return lambda: session.prompt(_PROMPT)
