"""Visit: the steps and the outcome of a task on a web site, and the limits on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from readagent.core.question import Answer
from readagent.core.trace import Trace
from readagent.errors import ActionFailedError, UsageError
from readagent_browse.goal import Action

_MOST_EVENTS = 6  # of a step
Ended = Literal["done", "steps", "stuck", "unconfirmed", "failed"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a visit: the number of steps, and seconds to wait for a page or an action."""

    steps: int = 20
    load: float = 30.0  # for a page to load
    idle: float = 5.0  # for a loaded page to stop changing
    act: float = 5.0  # for one action


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class VisitStep:
    """One step of a visit: the page, the snippets that were opened, and the action, described in one line.

    ``action`` is None if the model named none. ``context`` is the text around its element. ``error``
    says why the action failed. ``events`` are things the page did of its own accord, such as a dialog.
    ``compression`` is the share of the page that the model did not see; ``largest_prompt`` is the estimated number of
    tokens of the longest prompt.
    """

    number: int
    url: str
    title: str
    action: Action | None
    description: str
    opened: tuple[int, ...]
    context: str
    page_words: int
    compression: float
    largest_prompt: int
    events: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """A task, the steps taken for it, and how it ended; ``reason`` explains that in words.

    ``answer`` is what the model said at the end, if anything, with quotes from the pages that it saw; the place of a
    quote is the address of its page. ``blocked_hosts`` are the hosts from which scripts, pictures and the like were not
    loaded.
    """

    url: str
    instruction: str
    steps: tuple[VisitStep, ...]
    ended: Ended
    reason: str
    trace: Trace
    folder: Path | None = None
    answer: Answer | None = None
    blocked_hosts: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the model said that the task is done."""
        return self.ended == "done"


def few(events: Sequence[str]) -> tuple[str, ...]:
    """Return the events of a step to show: a page can cause any number of them, mostly requests that were refused."""
    if len(events) <= _MOST_EVENTS:
        return tuple(events)
    refused = [event for event in events if event.startswith(("blocked: ", "not sent: ", "not opened: "))]
    others = [event for event in events if event not in refused][: _MOST_EVENTS - 2]
    kept = {*others, *refused[: _MOST_EVENTS - 1 - len(others)]}
    shown = [event for event in events if event in kept]
    return (*shown, f"... and {len(events) - len(shown)} more")


Confirm = Callable[[str], bool]
OnStep = Callable[[VisitStep], None]


def refuse(question: str) -> bool:
    """Confirm nothing."""
    return False


def agree(question: str) -> bool:
    """Confirm everything."""
    return True


_MOST = 20  # files that prompts name


class Uploads:
    """The files directly in some folders, by name. Links that lead out of their folder are left out."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._files: dict[str, Path] = {}
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(
                    f"{folder} is not a folder", hint="`upload` takes the folders with the files to upload"
                )
            root = folder.resolve()
            for file in sorted(root.iterdir()):
                if file.is_file() and file.resolve().is_relative_to(root) and not file.name.startswith("."):
                    self._files.setdefault(file.name, file.resolve())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files, as many as prompts name."""
        return tuple(self._files)[:_MOST]

    def path(self, name: str) -> Path:
        """Return the path of a file; ActionFailedError if it is none of these."""
        if name not in self._files:
            raise ActionFailedError(f"there is no file {name!r} to upload")
        return self._files[name]
