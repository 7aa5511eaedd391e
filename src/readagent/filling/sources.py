"""What a shelf is filled from: folders, files, archives, manifests, web addresses and stores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from readagent.core.document import Document
from readagent.errors import LoadError, UsageError
from readagent.filling import archives, manifests, remote
from readagent.filling.archives import OnSkip, ignore_skipped
from readagent.library.corpus_rows import Entry, SourceRow
from readagent.loaders import Skipped, is_address, is_folder, load, load_bytes
from readagent.loaders.formats import LEFT_OUT, NOT_READ, READ_AS
from readagent.loaders.sources.folder import UnreadableFolder, walk
from readagent.loaders.speech.export import is_export

# metadata that says how a text is treated
_OURS = frozenset({"kind", "code", "appended", "file", "files", LEFT_OUT, NOT_READ, READ_AS})


def entries(
    source: str, *, include: Sequence[str] = (), exclude: Sequence[str] = (), on_skip: OnSkip = ignore_skipped
) -> Iterator[Entry]:
    """Yield the documents that a source stands for, one at a time. Nothing is loaded.

    ``include`` and ``exclude`` are patterns for the files of a folder, as in .gitignore. Without them, the folder of an
    exported chat is one document. ``on_skip`` is called for each
    file of an archive that is skipped, each subfolder that cannot be opened, and each source that a manifest repeats.
    """
    if is_address(source):
        yield Entry(source)
    elif remote.is_remote(source):
        yield from remote.files_at(source)
    elif "://" in source[:20]:
        raise LoadError(f"{source} is not a supported address", hint="use https://, s3://, gs://, az:// or abfs://")
    elif source == "-":
        raise UsageError("standard input cannot be read by several workers", hint="give a folder, or a file")
    elif is_folder(source):
        folder = Path(source).expanduser().resolve()

        def skip(one: UnreadableFolder) -> None:
            on_skip(Skipped(str(folder / one.name), f"could not be opened: {one.reason}"))

        exports = _Exports(folder)
        for file in walk(folder, include=include, exclude=exclude, on_unreadable=skip):
            if not (include or exclude) and exports.have(file.path):
                continue
            try:
                yield from _file(file.path, on_skip)
            except LoadError:
                yield Entry(str(file.path))  # an archive that is damaged: reading it will say so
        yield from exports.entries()
    else:
        path = Path(source).expanduser()
        if not path.is_file():
            raise LoadError(f"there is no file or folder {source}", hint="check the path")
        path = path.resolve()
        if manifests.is_manifest(path):
            yield from manifests.sources_in(path, on_skip)
        else:
            yield from _file(path, on_skip)


class _Exports:
    """The exported chats in a folder: each is one document, which changes when one of its files does."""

    def __init__(self, folder: Path) -> None:
        self._above: dict[Path, Path | None] = {folder.parent: None}
        self._stamps: dict[Path, tuple[int, int]] = {}

    def have(self, file: Path) -> bool:
        """Whether a file is part of an exported chat."""
        if (top := self._export(file.parent)) is None:
            return False
        newest, size = self._stamps.get(top, (0, 0))
        with suppress(OSError):  # reading the chat will say what is wrong
            changed = file.stat()
            newest, size = max(newest, changed.st_mtime_ns), size + changed.st_size
        self._stamps[top] = newest, size
        return True

    def _export(self, folder: Path) -> Path | None:
        """Return the exported chat that a folder is, or is in."""
        if folder not in self._above:
            self._above[folder] = self._export(folder.parent) or (folder if is_export(folder) else None)
        return self._above[folder]

    def entries(self) -> Iterator[Entry]:
        """Yield the chats of which there were files."""
        for top, (newest, size) in self._stamps.items():
            yield Entry(str(top), stamp=f"{newest} {size}")


def gone_from(source: str, known: Iterator[SourceRow]) -> Iterator[Entry]:
    """Yield those of the known documents whose files were in a folder, and are not there now."""
    if is_address(source) or remote.is_remote(source) or not is_folder(source):
        return
    below = str(Path(source).expanduser().resolve()) + os.sep
    for row in known:
        if row.source.startswith(below) and _is_gone(row.source.partition(archives.INSIDE)[0]):
            yield Entry(row.source, missing=True)


def _is_gone(file: str) -> bool:
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # such as one that cannot be looked at
        return False
    return False


def is_many(source: str) -> bool:
    """Whether a source stands for many documents: a folder, an archive, a manifest, or a place in a store."""
    if is_address(source) or "://" in source[:20]:
        return not is_address(source)
    path = Path(source).expanduser()
    return is_folder(source) or (path.is_file() and (archives.is_archive(path) or manifests.is_manifest(path)))


def check(source: str) -> None:
    """Raise an error if a source cannot be listed, as far as that can be said without a store or the web."""
    if is_address(source) or remote.is_remote(source) or is_folder(source):
        return
    if (manifest := manifest_of(source)) is not None:
        manifests.check(manifest)
    else:
        next(entries(source), None)


def manifest_of(source: str) -> Path | None:
    """Return the file of a source that is a manifest."""
    if is_address(source) or "://" in source[:20]:
        return None
    path = Path(source).expanduser()
    return path.resolve() if path.is_file() and manifests.is_manifest(path) else None


def _file(path: Path, on_skip: OnSkip) -> Iterator[Entry]:
    if archives.is_archive(path):
        yield from archives.files_in(path, on_skip)
        return
    try:
        changed = path.stat()
    except OSError:
        yield Entry(str(path), missing=True)  # reading it will say what is wrong
        return
    yield Entry(str(path), stamp=f"{changed.st_mtime_ns} {changed.st_size}")


def load_source(row: SourceRow, **how: Any) -> Document:
    """Load the document of a source, in the sandbox where its format needs that, with the metadata of its manifest.

    ``how`` are options of ``load``, for files and addresses. Columns with names that ReadAgent uses itself stay with
    the source only.
    """
    source = row.source
    if not is_address(source) and remote.is_remote(source):
        data, name = remote.read_file(source)
        document = load_bytes(data, name, source=source)
    elif archives.INSIDE in source and archives.is_archive(Path(source.partition(archives.INSIDE)[0])):
        data, name = archives.read_file(source)
        document = load_bytes(data, name, source=source)
    else:
        document = load(source, **how)
    given = {name: value for name, value in row.metadata.items() if name not in _OURS}
    title = given.pop("title", "")
    return replace(document, title=title or document.title, metadata={**document.metadata, **given})
