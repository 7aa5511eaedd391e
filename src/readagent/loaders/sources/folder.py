"""List the files of a folder in reading order. The only module that uses pathspec.

Hidden files, links, files ignored by `.gitignore`, and generated files (packages, builds, lock files) are left out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import AnyStr

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from readagent.errors import LoadError
from readagent.loaders.code import language_of
from readagent.loaders.sources.inside import Inside

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


MAX_FILES = 10_000
_MAX_ENTRIES = 500_000  # scanned, including those left out
_MAX_RULES = 1000  # per .gitignore file
_MAX_STARS = 4  # per pattern; more of them could take long to match
_MAX_ANY_FOLDERS = 2  # places for any number of folders per pattern, such as **/
_MAX_DEPTH = 100  # of folders within each other
_STAR = re.compile(r"\[\^/\]\*((?:(?!\[\^/\]\*|\(\?).)+)(?=\[\^/\]\*)")
_JUNK_FOLDERS = frozenset({"node_modules", "bower_components", "__pycache__", "__MACOSX", "site-packages", "htmlcov"})
_BUILDS = frozenset({"build", "dist", "out", "target", "_build", "venv", "env"})  # left out only next to a project file
_PROJECTS = frozenset({
    "pyproject.toml", "setup.py", "package.json", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
    "CMakeLists.txt", "Makefile", "conf.py", "go.mod", "requirements.txt",
})  # fmt: skip
_JUNK_FILES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "uv.lock",
    "pdm.lock", "Pipfile.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "go.sum", "flake.lock", "Thumbs.db",
    "desktop.ini", "Icon\r",
})  # fmt: skip
_JUNK_SUFFIXES = (".min.js", ".min.css", ".js.map", ".css.map", ".pyc", ".pyo", ".class", ".swp", "~", ".egg-info")
_NARROW = "choose a subfolder, or select files with `include`, such as *.md"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, and its path relative to the folder, with forward slashes."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class UnreadableFolder:
    """A subfolder that could not be opened, and why."""

    name: str
    reason: str


@dataclass(slots=True)
class Listing:
    """All files to read, the subfolders that could not be opened, and how many entries were left out."""

    files: list[FoundFile] = field(default_factory=list)
    unreadable: list[UnreadableFolder] = field(default_factory=list)
    left_out: int = 0
    scanned: int = 0
    most: int = _MAX_ENTRIES


def list_files(
    folder: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = (), inside: Inside | None = None
) -> Listing:
    """List the files of a folder and its subfolders. ``include`` and ``exclude`` are patterns as in .gitignore.

    With ``inside``, a folder that has become a link is not opened.
    """
    found = Listing()
    wanted = _rules(include) if include else None
    unwanted = _rules(exclude)
    for path, name in _entries(folder, found, lambda name: unwanted.match_file(name), inside):
        if wanted is not None and not wanted.match_file(name):
            found.left_out += 1
            continue
        found.files.append(FoundFile(path, name))
        if len(found.files) > MAX_FILES:
            raise LoadError(f"{folder} contains more than {MAX_FILES:,} files to read", hint=_NARROW)
    return found


def walk(
    folder: Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    on_unreadable: Callable[[UnreadableFolder], None] | None = None,
) -> Iterator[FoundFile]:
    """Yield the files that ``list_files`` lists, however many there are; few are held at a time.

    At the end, ``on_unreadable`` is called for each subfolder that could not be opened.
    """
    wanted, unwanted = _rules(include) if include else None, _rules(exclude)
    found = Listing(most=sys.maxsize)
    for path, name in _entries(folder, found, lambda name: unwanted.match_file(name), None):
        if wanted is None or wanted.match_file(name):
            yield FoundFile(path, name)
    if on_unreadable is not None:
        for one in found.unreadable:
            on_unreadable(one)


def _entries(
    root: Path, found: Listing, unwanted: Callable[[str], bool], inside: Inside | None
) -> Iterator[tuple[Path, str]]:
    """Yield the path and name of every file that is not left out, in reading order, folder by folder."""
    open_folders: list[tuple[Path, Iterator[os.DirEntry[str]], str, _Ignored]] = []

    def enter(path: Path, name: str, above: _Ignored) -> None:
        entries = _scan(path, name, found, inside)
        ignored = above.below(path, name, entries, inside)
        kept = [entry for entry in entries if not _is_junk(entry, entries)]
        found.left_out += len(entries) - len(kept)
        open_folders.append((path, iter(ordered(kept)), name, ignored))

    enter(root, "", _Ignored())
    while open_folders:
        folder, entries, prefix, ignored = open_folders[-1]
        entry = next(entries, None)
        if entry is None:
            open_folders.pop()
            continue
        name = prefix + entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
        if ignored.matches(name) or unwanted(name):
            found.left_out += 1
        elif name.endswith("/") and len(open_folders) >= _MAX_DEPTH:
            found.unreadable.append(UnreadableFolder(name, "it is nested too deeply"))
        elif name.endswith("/"):
            enter(folder / entry.name, name, ignored)
        else:
            yield folder / entry.name, name


def _scan(path: Path, name: str, found: Listing, inside: Inside | None) -> list[os.DirEntry[str]]:
    """Return the entries of a folder; a subfolder that cannot be opened is recorded and gives none."""
    scanning: AbstractContextManager[Iterator[os.DirEntry[str]]]
    try:
        scanning = os.scandir(str(path)) if inside is None else inside.scan(path)
        with scanning as entries:
            listed = []
            for entry in entries:
                listed.append(entry)
                found.scanned += 1
                if found.scanned > found.most:
                    raise LoadError(f"{path} contains more than {found.most:,} entries", hint=_NARROW)
            return listed
    except OSError as error:
        if not name:
            raise LoadError(f"{path} could not be opened: {(error.strerror or str(error)).lower()}") from error
        found.unreadable.append(UnreadableFolder(name, (error.strerror or str(error)).lower()))
        return []


def _is_junk(entry: os.DirEntry[str], siblings: Iterable[os.DirEntry[str]]) -> bool:
    """Whether an entry is hidden, generated by a program, or neither a file nor a folder."""
    name = entry.name
    if name.startswith((".", "~$")) or name in _JUNK_FILES or name.endswith(_JUNK_SUFFIXES):
        return True
    try:
        if entry.is_dir(follow_symlinks=False):
            return name in _JUNK_FOLDERS or (name in _BUILDS and any(one.name in _PROJECTS for one in siblings))
        return not entry.is_file(follow_symlinks=False)
    except OSError:
        return True


class _Ignored:
    """The .gitignore rules from the outermost folder to the current one; the innermost rule that matches decides."""

    def __init__(self, rules: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> None:
        self._rules = rules

    def below(self, folder: Path, prefix: str, entries: Iterable[os.DirEntry[str]], inside: Inside | None) -> _Ignored:
        """Return the rules for a subfolder, including those of its own .gitignore."""
        for entry in entries:
            if entry.name == ".gitignore":
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False):
                        text = _opening(folder / entry.name, inside).decode("utf-8", "replace")
                        return _Ignored((*self._rules, (prefix, _rules(text.splitlines()))))
        return self

    def matches(self, name: str) -> bool:
        """Whether this file is ignored; the name of a folder ends with a slash."""
        for prefix, rules in reversed(self._rules):
            verdict = rules.check_file(name.removeprefix(prefix)).include
            if verdict is not None:
                return verdict
        return False


def _opening(path: Path, inside: Inside | None) -> bytes:
    """Return the beginning of a .gitignore file."""
    opener = None if inside is None else lambda _, flags: inside.open(path, flags)
    with open(path, "rb", opener=opener) as file:
        return file.read(1_000_000)


class _Pattern(GitIgnoreSpecPattern):
    """A pattern that takes time in proportion to a name: what follows a star is matched where it first occurs only."""

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        """Return the expression of a pattern, and what it is for; raise ValueError if it may take long."""
        regex, include = super().pattern_to_regex(pattern)
        if not isinstance(regex, str):
            return regex, include
        if regex.count(".+") > _MAX_ANY_FOLDERS:
            raise ValueError(pattern)
        return _STAR.sub(r"(?>[^/]*?\1)", regex), include  # type: ignore[return-value]  # it is a str


def _rules(patterns: Iterable[str]) -> GitIgnoreSpec:
    """Compile patterns as in .gitignore, without invalid ones and those that could take forever to match."""
    usable: list[str] = []
    for given in patterns:
        pattern = re.sub(r"/\*\*\s*$", "/*", given)  # matches everything in the folder, but not the folder itself
        if len(usable) < _MAX_RULES and len(re.findall(r"\*+", pattern)) <= _MAX_STARS:
            with suppress(ValueError):  # an invalid pattern, which git ignores too
                GitIgnoreSpec.from_lines([pattern], pattern_factory=_Pattern)
                usable.append(pattern)
    return GitIgnoreSpec.from_lines(usable, pattern_factory=_Pattern)
