"""The commands of a conversation: `/help`, `/pages`, `/page`, `/quote`, `/cost`, `/up-to` and `/export`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from readagent.cli.output import spent
from readagent.cli.screen import echo
from readagent.cli.talk import Said, Subject
from readagent.core.question import Question, Turn
from readagent.errors import UsageError

ENDS = ("exit", "quit", "/exit", "/quit", "/q")
_HELP = {
    "/pages": "list the pages with their gists; of a shelf, its documents",
    "/page N": "show page N, or the pages at a place such as p. 57",
    "/quote [N]": "show the quotes of the last answer, or only number N, with the text around them",
    "/cost": "show calls, tokens and cost of this conversation",
    "/up-to [POSITION]": "use the text only up to a page, a heading or 40%; without a position, use all of it",
    "/export FILE.md": "write this conversation to a Markdown file",
    "/help": "show this list",
    "exit": "end the conversation, as Ctrl-D does",
}
NAMES = (*(name.split()[0] for name in _HELP),)
HINT = "Type a question and press Enter. /help lists commands, exit or Ctrl-D ends."


@dataclass(slots=True)
class Talk:
    """A conversation so far: what was ``said``, also in the conversation that is continued.

    ``asked`` makes the question of a line. With ``as_json``, standard output has answers only, and what commands print
    goes to standard error. ``stopped`` counts the answers that the user stopped.
    """

    subject: Subject
    asked: Callable[[str], Question]
    said: list[Said] = field(default_factory=list)
    up_to: str | None = None
    as_json: bool = False
    stopped: int = 0

    @property
    def history(self) -> list[Turn]:
        """The questions and answers so far."""
        return [one.turn for one in self.said]

    def ask(self, line: str) -> None:
        """Answer a question, and remember it."""
        try:
            self.said.append(self.subject.ask(self.asked(line), self.history, self.up_to))
        except KeyboardInterrupt:
            self.stopped += 1
            raise

    def obey(self, line: str) -> None:
        """Carry out a command. Raises UsageError if it cannot be carried out."""
        name, _, rest = line.partition(" ")
        rest = rest.strip()
        match name:
            case "/pages":
                for shown in self.subject.pages(self.up_to):
                    self._show(shown)
            case "/page":
                self._show(self.subject.page(rest, self.up_to))
            case "/quote" | "/quotes":
                self._quotes(rest)
            case "/cost":
                self._show(spent(self.subject.calls, self.stopped))
            case "/up-to":
                self._limit(rest)
            case "/export":
                self._export(rest)
            case "/help":
                formatter = click.HelpFormatter(width=shutil.get_terminal_size().columns - 1)
                formatter.write_dl(list(_HELP.items()))
                echo(formatter.getvalue(), err=True, nl=False)
            case _:
                raise UsageError(f"there is no command {name}", hint="/help lists the commands")

    def _show(self, text: str) -> None:
        echo(text, err=self.as_json)

    def _quotes(self, number: str) -> None:
        passages = self.said[-1].passages if self.said else ()
        if not passages:
            raise UsageError("the last answer has no quotes" if self.said else "nothing has been asked yet")
        if number.isdecimal() and not 0 < int(number) <= len(passages):
            raise UsageError(f"there is no quote {number}", hint=f"give 1 to {len(passages)}")
        if self.said[-1].nearest:
            self._show(self.said[-1].nearest)
        for place in [int(number) - 1] if number.isdecimal() else range(len(passages)):
            passage = passages[place]
            where = ", ".join(filter(None, [passage.title, passage.quote.where]))
            self._show(f"{place + 1} ({where}): {passage.around}")

    def _limit(self, up_to: str) -> None:
        if up_to:
            self.subject.position(up_to)
        self.up_to = up_to or None
        echo(f"the text is used up to {up_to}" if up_to else "the whole text is used", err=True)

    def _export(self, name: str) -> None:
        if not name.lower().endswith(".md"):
            raise UsageError("the conversation is written as Markdown", hint="give a name that ends in .md")
        if not self.said:
            raise UsageError("there is nothing to write yet")
        file = Path(name).expanduser()
        try:
            with file.open("x", encoding="utf-8") as stream:
                stream.write(self._markdown())
        except FileExistsError:
            raise UsageError(f"{name} exists", hint="give another name") from None
        except OSError as error:
            raise UsageError(f"cannot write {name}: {(error.strerror or str(error)).lower()}") from None
        echo(f"wrote {name}", err=True)

    def _markdown(self) -> str:
        parts = [f"# {self.subject.title}"]
        for one in self.said:
            parts += [f"## {one.turn.question}", one.turn.answer, *([f"*{one.nearest}*"] if one.nearest else [])]
            for passage in one.passages:
                where = ", ".join(filter(None, [passage.title, passage.quote.where]))
                parts.append(f"> {' '.join(passage.quote.text.split())} ({where})")
        return "\n\n".join(parts) + "\n"
