"""Plan: the options for reading a text and answering questions about it, with the presets of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from readagent.core.escaping import short_repr
from readagent.core.languages import language_named
from readagent.errors import UsageError

Pauses = Literal["model", "uniform"]
LookUp = Literal["parallel", "sequential", "direct", "none"]
Mode = Literal["auto", "paper", "fast"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a reading. Every field has a default; the presets set those that suit a kind of text."""

    # Pages
    page_words: int = 600  # maximum words per page
    min_page_words: int = 0  # minimum words per page, but for the last; 0 is 280 for pages of 600, in proportion
    pauses: Pauses = "model"  # "model" chooses where pages end; "uniform" cuts equal lengths without asking
    show_previous: bool = False  # show the previous page while the model chooses a pause
    mode: Mode = "paper"  # "paper": pauses and gists in two steps; "fast": both in one pass; "auto": fast if it works

    # Gists
    task: str = ""  # write the gists for this task
    instructions: str = ""  # what gists of this kind of text must keep
    gist_words: int = 0  # maximum words for the gist of a page of page_words, less for shorter ones; 0 is no limit
    aim: bool = True  # without a limit, name the words to aim at: as many as the gists in the paper have
    gist_language: str = ""  # write the gists in this language, such as "German"; "" is the language of the text
    recent: int = 0  # the newest pages that keep their full gists while older ones are shortened; 0 shortens none
    floor_words: int = 25  # an older gist is never shortened below this

    # Look-up and answer
    look_up: LookUp = "parallel"  # "direct": answer or ask for pages; "parallel", "sequential": as in the paper
    max_pages: int = 6  # maximum pages opened per question
    by_importance: bool = False  # ask for the most important page first, so that the rest can be dropped
    nudge: bool = False  # end the look-up prompt with an encouragement, which helped on stories in the paper
    quotes: bool = True  # ask for verbatim quotes with free answers
    check: bool = True  # ask the model once more which statements of an answer its quotes support

    # Size of the memory
    scale: bool = False  # derive page and gist sizes from the length of the text and the model's window
    memory_words: int = 0  # maximum words of all gists together; 0 is what the window allows

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            if field.type == "int" and (not isinstance(given, int) or isinstance(given, bool)):
                raise UsageError(f"{field.name} must be a whole number, not {given!r}", hint=_usual(field.name))
        if self.page_words < 1:
            raise UsageError(f"page_words must be at least 1, not {self.page_words}", hint=_usual("page_words"))
        if self.min_page_words == 0:
            object.__setattr__(self, "min_page_words", max(1, round(self.page_words * 280 / 600)))
        for name, valid in (("pauses", Pauses), ("mode", Mode), ("look_up", LookUp)):
            if getattr(self, name) not in get_args(valid):
                allowed = ", ".join(get_args(valid))
                raise UsageError(f"{name} must be one of {allowed}, not {getattr(self, name)!r}", hint=_usual(name))
        if not 0 < self.min_page_words <= self.page_words:
            raise UsageError(
                f"min_page_words must be between 1 and page_words ({self.page_words}), not {self.min_page_words}",
                hint="leave it out: it follows from `page_words`",
            )
        object.__setattr__(self, "gist_language", language_named(self.gist_language))
        if len(self.gist_language) in (1, 2) and self.gist_language.isascii():
            raise UsageError(f"unknown language {self.gist_language!r}", hint="give its name, such as German")
        for name in ("max_pages", "gist_words", "recent", "floor_words", "memory_words"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must be at least 0, not {getattr(self, name)}", hint=_usual(name))

    def reading(self) -> dict[str, Any]:
        """Return the fields that determine the memory; two plans that agree on them share one."""
        later = {name: getattr(self, name) for name, usual in _READING_LATER.items() if getattr(self, name) != usual}
        return {name: getattr(self, name) for name in _READING} | later

    def scaled(self, page_words: int) -> Plan:
        """Return the same plan with pages of another size; ``min_page_words`` scales with it."""
        smallest = max(1, round(self.min_page_words * page_words / self.page_words))
        return replace(self, page_words=page_words, min_page_words=smallest)


_READING = ("page_words", "min_page_words", "pauses", "show_previous", "task", "instructions")
_READING_LATER = {  # only where changed, so that the keys of earlier readings stay
    "gist_words": 0, "memory_words": 0, "mode": "paper", "aim": True, "gist_language": "",
}  # fmt: skip

PRESETS: Mapping[str, Plan] = {
    "auto": Plan(nudge=True, scale=True, look_up="direct", mode="auto"),
    "articles": Plan(nudge=True),
    "meetings": Plan(show_previous=True),
    "books": Plan(page_words=3000, min_page_words=500, max_pages=3, by_importance=True),
    "scripts": Plan(page_words=1000, min_page_words=600, max_pages=3, by_importance=True),
}


def preset(name: str) -> Plan:
    """Return the preset of that name."""
    try:
        return PRESETS[name]
    except KeyError:
        raise UsageError(f"unknown preset {name!r}", hint=f"presets: {', '.join(PRESETS)}") from None


def _usual(name: str) -> str:
    """Return the hint that names the default of a field."""
    default = next(one.default for one in fields(Plan) if one.name == name)
    return f"the usual value is {default!r}"
