"""Which files of a folder are to be read, in the order a person would read them: the one door to pathspec.

Left out are hidden files, links, what `.gitignore` files name, and what programs leave behind: packages, builds, locks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from readagent.errors import LoadError
from readagent.loaders.sources.order import ordered

MOST_FILES = 10_000
_MOST_ENTRIES = 500_000  # looked at, with those that are left out
_MOST_RULES = 1000  # of one .gitignore; and such as could take forever to match are left out
_MOST_STARS = 4
_JUNK_FOLDERS = frozenset({"node_modules", "bower_components", "__pycache__", "__MACOSX", "site-packages", "htmlcov"})
_BUILDS = frozenset({"build", "dist", "out", "target", "_build", "venv", "env"})  # where they stand beside a project
_PROJECTS = frozenset({
    "pyproject.toml", "setup.py", "package.json", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
    "CMakeLists.txt", "Makefile", "conf.py", "go.mod", "requirements.txt",
})  # fmt: skip
_JUNK_FILES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "uv.lock",
    "pdm.lock", "Pipfile.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "go.sum", "flake.lock", "Thumbs.db",
    "desktop.ini", "Icon\r",
})  # fmt: skip
_JUNK_ENDS = (".min.js", ".min.css", ".js.map", ".css.map", ".pyc", ".pyo", ".class", ".swp", "~", ".egg-info")
_NARROW = "name a folder within it, or say which files: --include '*.md'"


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a folder, and what it is called within it, with forward slashes."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Unopened:
    """A folder within the folder, and why it could not be looked into."""

    name: str
    reason: str


@dataclass(slots=True)
class Walk:
    """All files to be read, folders that could not be looked into, and how many entries were left out."""

    files: list[Found] = field(default_factory=list)
    unopened: list[Unopened] = field(default_factory=list)
    left_out: int = 0
    looked_at: int = 0


def walk(folder: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Walk:
    """The files of a folder and of those within it. ``include`` and ``exclude`` are patterns as in .gitignore."""
    found = Walk()
    wanted = _rules(include) if include else None
    unwanted = _rules(exclude)
    for entry, name in _entries(folder, found, lambda name: unwanted.match_file(name)):
        if wanted is not None and not wanted.match_file(name):
            found.left_out += 1
            continue
        found.files.append(Found(Path(entry.path), name))
        if len(found.files) > MOST_FILES:
            raise LoadError(f"{folder} holds more than {MOST_FILES:,} files to read", hint=_NARROW)
    return found


def _entries(root: Path, found: Walk, unwanted: Callable[[str], bool]) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Every file that is not left out, in the order of a reader, folder by folder."""
    open_folders: list[tuple[Iterator[os.DirEntry[str]], str, _Ignored]] = []

    def enter(path: str, name: str, above: _Ignored) -> None:
        entries = _listed(path, name, found)
        ignored = above.below(name, entries)
        kept = [entry for entry in entries if not _is_junk(entry, entries)]
        found.left_out += len(entries) - len(kept)
        open_folders.append((iter(ordered(kept)), name, ignored))

    enter(str(root), "", _Ignored())
    while open_folders:
        entries, within, ignored = open_folders[-1]
        entry = next(entries, None)
        if entry is None:
            open_folders.pop()
            continue
        name = within + entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
        if ignored.says(name) or unwanted(name):
            found.left_out += 1
        elif name.endswith("/"):
            enter(entry.path, name, ignored)
        else:
            yield entry, name


def _listed(path: str, name: str, found: Walk) -> list[os.DirEntry[str]]:
    """What stands in a folder; nothing where it cannot be opened, which is noted."""
    try:
        with os.scandir(path) as entries:
            listed = []
            for entry in entries:
                listed.append(entry)
                found.looked_at += 1
                if found.looked_at > _MOST_ENTRIES:
                    raise LoadError(f"there are more than {_MOST_ENTRIES:,} files below {path}", hint=_NARROW)
            return listed
    except OSError as error:
        if not name:
            raise LoadError(f"{path} cannot be looked into: {(error.strerror or str(error)).lower()}") from error
        found.unopened.append(Unopened(name, (error.strerror or str(error)).lower()))
        return []


def _is_junk(entry: os.DirEntry[str], beside: Iterable[os.DirEntry[str]]) -> bool:
    """Whether an entry is hidden, no file and no folder, or left behind by a program."""
    name = entry.name
    if name.startswith((".", "~$")) or name in _JUNK_FILES or name.endswith(_JUNK_ENDS):
        return True
    try:
        if entry.is_dir(follow_symlinks=False):
            return name in _JUNK_FOLDERS or (name in _BUILDS and any(one.name in _PROJECTS for one in beside))
        return not entry.is_file(follow_symlinks=False)
    except OSError:
        return True


class _Ignored:
    """What the .gitignore files say, from the outermost folder to the one that is looked at: the last one decides."""

    def __init__(self, rules: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> None:
        self._rules = rules

    def below(self, within: str, entries: Iterable[os.DirEntry[str]]) -> _Ignored:
        """The same for a folder within, with the rules that stand there."""
        for entry in entries:
            if entry.name == ".gitignore":
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False):
                        text = Path(entry.path).read_bytes()[:1_000_000].decode("utf-8", "replace")
                        return _Ignored((*self._rules, (within, _rules(text.splitlines()))))
        return self

    def says(self, name: str) -> bool:
        """Whether this file, or folder with a slash at its end, is to be ignored."""
        for within, rules in reversed(self._rules):
            verdict = rules.check_file(name.removeprefix(within)).include
            if verdict is not None:
                return verdict
        return False


def _rules(patterns: Iterable[str]) -> GitIgnoreSpec:
    """Patterns as in .gitignore, without those that are none and those that could take forever to match."""
    usable: list[str] = []
    for given in patterns:
        pattern = re.sub(r"/\*\*\s*$", "/*", given)  # all in a folder, but not the folder itself
        if len(usable) < _MOST_RULES and len(re.findall(r"\*+", pattern)) <= _MOST_STARS:
            with suppress(ValueError):  # a pattern that is none; git passes it over too
                GitIgnoreSpec.from_lines([pattern])
                usable.append(pattern)
    return GitIgnoreSpec.from_lines(usable)
