"""The order in which the entries of a folder are read: by name, and source code from the outside in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from readagent.loaders.code.languages import language_of

_FIRST = re.compile(r"(?i)(?:readme|index|_?toc|contents)(?:\.\w+)?")
_MANIFESTS = frozenset({
    "pyproject.toml", "setup.py", "package.json", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
    "CMakeLists.txt", "go.mod",
})  # fmt: skip
_ENTRY = re.compile(r"(?:__init__|__main__|main|mod|lib|app)\.\w+")
_AUXILIARY = re.compile(r"(?i)(?:tests?|specs?|docs?|examples?|demos?|benchmarks?|vendor|third[_-]party)")
_DATA = frozenset({"CSS", "INI", "JSON", "JSON lines", "Less", "Sass", "TOML", "XML", "YAML"})


def ordered(entries: Iterable[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    """Return the entries of one folder as a person would read them: README and the like first, then by name.

    In a folder of source code the project file and the entry points come next, then the other files, then the
    subfolders, and last those with tests, documentation and examples.
    """
    listed = list(entries)
    if not _is_source_folder(listed):
        return sorted(listed, key=_by_name)
    return sorted(listed, key=lambda entry: (_rank(entry), _by_name(entry)))


def _is_source_folder(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Whether a folder contains a project file, or more source code than anything else."""
    files = [entry.name for entry in entries if not _is_folder(entry)]
    return not _MANIFESTS.isdisjoint(files) or 2 * sum(map(_is_source, files)) > len(files)


def _is_source(name: str) -> bool:
    language = language_of(name)
    return bool(language) and language not in _DATA


def _rank(entry: os.DirEntry[str]) -> int:
    if _FIRST.fullmatch(entry.name):
        return 0
    if _is_folder(entry):
        return 5 if _AUXILIARY.fullmatch(entry.name) else 4
    return 1 if entry.name in _MANIFESTS else 2 if _ENTRY.fullmatch(entry.name) else 3


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _by_name(entry: os.DirEntry[str]) -> tuple[bool, list[str | int], str]:
    """Return a sort key that treats numbers as numbers: chapter 2 before chapter 10."""
    parts: list[str | int] = [
        int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", entry.name.casefold())
    ]
    return not _FIRST.fullmatch(entry.name), parts, entry.name
