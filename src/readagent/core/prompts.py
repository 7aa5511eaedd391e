"""Prompts: a folder of plain text templates, filled strictly and fingerprinted.

A set needs no more files than it changes: what is missing is taken from the default set, so a user's own folder may
hold a single file. A template may name only what its default names, and must keep what it cannot do without.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from readagent.errors import PromptError

_SETS = Path(__file__).parent.parent / "prompts"
_NAME = re.compile(r"\{(\w+)\}")
_NEEDED = frozenset({"passage", "first", "second", "memory", "cards", "question", "reason"})


class Prompts:
    """A loaded set of templates. ``fingerprint`` changes with any letter of any of them."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self._templates = dict(templates)
        everything = "\0".join(f"{name}\0{text}" for name, text in sorted(templates.items()))
        self.fingerprint = hashlib.sha256(everything.encode()).hexdigest()[:16]

    @classmethod
    def load(cls, source: str | Path = "default") -> Prompts:
        """The set of that name, or the one in that folder."""
        default = _built_in("default")
        if str(source) in _set_names():
            return cls({**default, **_built_in(str(source))})
        folder = Path(source).expanduser()
        if not folder.is_dir():
            raise PromptError(
                f"there is no prompt set {str(source)!r}", hint=f"give a folder, or one of: {', '.join(_set_names())}"
            )
        own = _read(folder)
        for name, text in own.items():
            _check(folder / f"{name}.txt", text, default.get(name))
        return cls({**default, **own})

    @classmethod
    def whole(cls, folder: Path) -> Prompts:
        """A set for other steps than those of reading, with no defaults."""
        return cls(_read(folder))

    def fill(self, name: str, /, **values: object) -> str:
        """The template of that name with every ``{name}`` in it replaced."""

        def value(match: re.Match[str]) -> str:
            if match[1] not in values:
                raise PromptError(f"the prompt {name}.txt names {match[0]}, which this step does not have")
            return str(values[match[1]])

        return _NAME.sub(value, self._templates[name])


@cache
def _built_in(name: str) -> Mapping[str, str]:
    """A set that comes with the program, read once."""
    return _read(_SETS / name)


@cache
def _set_names() -> list[str]:
    return sorted(path.name for path in _SETS.iterdir() if path.is_dir() and not path.name.startswith("_"))


def _read(folder: Path) -> dict[str, str]:
    try:
        return {path.stem: path.read_text("utf-8").rstrip("\n") for path in sorted(folder.glob("*.txt"))}
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the prompt set in {folder} cannot be read: {error}") from None


def _check(path: Path, text: str, default: str | None) -> None:
    if default is None:
        raise PromptError(f"{path} is not a prompt of any step", hint="rename it to the step it is for, or remove it")
    known, named = set(_NAME.findall(default)), set(_NAME.findall(text))
    if unknown := sorted(named - known):
        may = ", ".join(sorted(known)) or "nothing"
        raise PromptError(f"{path} names {{{unknown[0]}}}", hint=f"it may name: {may}")
    if missing := sorted((known & _NEEDED) - named):
        raise PromptError(f"{path} does not show {{{missing[0]}}}", hint="without it the model cannot do this step")
