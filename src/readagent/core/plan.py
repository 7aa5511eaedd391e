"""Plan: the numbers of a reading, and the named presets with the figures of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from readagent.errors import UsageError

Pauses = Literal["model", "uniform"]
LookUp = Literal["parallel", "sequential", "auto", "none"]
Expand = Literal["in place", "after"]
Mode = Literal["paper", "fast"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read and how to look up again.

    ``page_words`` and ``min_page_words`` bound a page; ``gist_words``, if not 0, is the most words of a gist.
    ``mode`` is how the text is gone through: as the ``paper`` does, pause by pause and gist by gist, or ``fast``, in
    one pass. ``chains`` is at how many places of a long section pausing begins at once, where it goes by the paper.
    ``pauses`` is who decides where a page ends: the model, or nobody (``uniform``: pages of about ``page_words``).
    ``show_previous`` shows the page before while deciding. ``task`` makes gists for one task; ``instructions`` say what
    gists of this kind of text must keep. ``look_up`` and ``max_pages`` say how pages are reopened; ``by_importance``
    asks for the most needed page first; ``nudge`` closes the look-up prompt with a word of encouragement, which helped
    on stories. ``quotes`` asks for quotes below a free answer. ``hints`` shows beside the memory which pages a search
    finds; ``keywords`` adds to each gist up to so many words of the names and numbers it lost. ``expand`` is where
    reopened pages stand: in place of their gists, or after them all. ``recent``, if not 0, is how many of the newest
    pages keep their whole gists; older ones are shortened as they age, never below ``floor_words``. ``scale`` lets the
    sizes of pages and gists follow from the text's length and the room for its memory, which is ``memory_words``, if
    not 0, and what the model's window leaves.
    """

    page_words: int = 600
    min_page_words: int = 280
    pauses: Pauses = "model"
    show_previous: bool = False
    task: str = ""
    instructions: str = ""
    look_up: LookUp = "parallel"
    max_pages: int = 6
    by_importance: bool = False
    nudge: bool = False
    quotes: bool = True
    hints: bool = False
    keywords: int = 0
    expand: Expand = "in place"
    gist_words: int = 0
    mode: Mode = "paper"
    recent: int = 0
    floor_words: int = 25
    scale: bool = False
    memory_words: int = 0
    chains: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.min_page_words <= self.page_words:
            raise UsageError(
                f"a page cannot have between {self.min_page_words} and {self.page_words} words",
                hint="min_page_words must be at least 1 and at most page_words",
            )
        if self.chains < 1:
            raise UsageError(f"a text cannot be paused in by {self.chains} chains", hint="give 1 or more")
        if self.max_pages < 0:
            raise UsageError(f"{self.max_pages} pages cannot be looked up", hint="give 0 or more")
        if min(self.gist_words, self.recent, self.floor_words, self.memory_words) < 0:
            raise UsageError("words and pages cannot be fewer than none", hint="give 0 or more")
        if self.keywords < 0:
            raise UsageError(f"{self.keywords} words cannot be added to a gist", hint="give 0 or more")

    def reading(self) -> dict[str, Any]:
        """The part that determines the memory; two plans that agree on it share one."""
        fields = asdict(self)
        later = {name: fields[name] for name, usual in _READING_LATER.items() if fields[name] != usual}
        return {name: fields[name] for name in _READING} | later

    def scaled(self, page_words: int) -> Plan:
        """The same plan with pages of another size; ``min_page_words`` scales along."""
        return replace(
            self,
            page_words=page_words,
            min_page_words=max(1, round(self.min_page_words * page_words / self.page_words)),
        )


_READING = ("page_words", "min_page_words", "pauses", "show_previous", "task", "instructions")
_READING_LATER = {"gist_words": 0, "memory_words": 0, "mode": "paper", "chains": 1}  # told if unusual: older keys stay

PRESETS: Mapping[str, Plan] = {
    "auto": Plan(page_words=600, min_page_words=280, max_pages=6, nudge=True, scale=True),
    "articles": Plan(page_words=600, min_page_words=280, max_pages=6, nudge=True),
    "meetings": Plan(page_words=600, min_page_words=280, max_pages=6, show_previous=True),
    "books": Plan(page_words=3000, min_page_words=500, max_pages=3, by_importance=True),
    "scripts": Plan(page_words=1000, min_page_words=600, max_pages=3, by_importance=True),
}


def preset(name: str) -> Plan:
    """The plan of that name."""
    try:
        return PRESETS[name]
    except KeyError:
        raise UsageError(f"there is no preset {name!r}", hint=f"presets: {', '.join(PRESETS)}") from None
