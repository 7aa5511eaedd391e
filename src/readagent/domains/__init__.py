"""Domains: named text files that say what gists of a kind of text must keep."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from readagent.core.words import count_words
from readagent.errors import UsageError

MOST_WORDS = 400  # because they are in the prompt of every gist
_MOST_BYTES = 50_000
_HERE = Path(__file__).parent


def domains(home: Path | None = None) -> Mapping[str, Path]:
    """Return the file of every domain by its name: the built-in ones, and those in this home folder, which win."""
    found = {path.stem: path for path in _HERE.glob("*.txt")}
    if home is not None:
        own = (path for path in (home / "domains").glob("*.txt") if not path.name.startswith("."))
        found |= {path.stem: path for path in own}
    return dict(sorted(found.items()))


def domain(name: str, home: Path | None = None) -> str:
    """Return the instructions of the domain of this name, or in the text file at this path; "" for an empty name."""
    if not name:
        return ""
    known = domains(home)
    if name in known:
        return _text(known[name])
    try:
        path = Path(name).expanduser()
        if path.is_file() or path.suffix or os.sep in name or "/" in name:
            return _text(path)
    except (ValueError, RuntimeError):  # the name cannot be a path
        pass
    raise UsageError(f"there is no domain {name!r}", hint=_nearest(name, known))


def domain_of(instructions: str, home: Path | None = None) -> str:
    """Return the name of the domain with exactly these instructions, or "" if there is none."""
    for name, path in domains(home).items() if instructions else ():
        try:
            if _text(path) == instructions:
                return name
        except UsageError:  # an invalid file of the user is reported when it is used
            continue
    return ""


def _text(path: Path) -> str:
    """Return the text of a file; raise UsageError if it cannot be used."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"the domain file {path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(data) > _MOST_BYTES:
        raise _too_long(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the domain file {path} is not UTF-8 (byte {error.start + 1})", hint="save it as UTF-8"
        ) from None
    if count_words(text) > MOST_WORDS:
        raise _too_long(path)
    if not text.strip():
        raise UsageError(f"the domain file {path} is empty", hint="write down what gists of such texts must keep")
    return "\n".join(text.splitlines()).strip()


def _too_long(path: Path) -> UsageError:
    return UsageError(
        f"the domain file {path} has more than {MOST_WORDS} words",
        hint="it is part of the prompt of every gist: say in a few sentences what to keep",
    )


def _nearest(name: str, known: Mapping[str, Path]) -> str:
    near = difflib.get_close_matches(name.casefold(), known, 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}domains: {', '.join(known)}; or give the path of a text file"


__all__ = ["domain", "domain_of", "domains"]
