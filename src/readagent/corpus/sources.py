"""What a corpus is made of: folders, files, archives, manifests, web addresses and stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from readagent.core.document import Document
from readagent.corpus import archives, manifests, remote
from readagent.errors import LoadError, UsageError
from readagent.library.corpus_rows import Entry, SourceRow
from readagent.loaders import is_address, is_folder, load, load_bytes
from readagent.loaders.sources.folder import walk


def entries(source: str, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Iterator[Entry]:
    """Yield the documents that a source stands for, one at a time. Nothing is loaded.

    ``include`` and ``exclude`` are patterns for the files of a folder, as in .gitignore.
    """
    if is_address(source):
        yield Entry(source)
    elif remote.is_remote(source):
        yield from remote.files_at(source)
    elif "://" in source[:20]:
        raise LoadError(f"{source} is not a supported address", hint="use https://, s3://, gs://, az:// or abfs://")
    elif source == "-":
        raise UsageError("a corpus cannot read standard input", hint="give a folder, an archive or a manifest")
    elif is_folder(source):
        for file in walk(Path(source).expanduser().resolve(), include=include, exclude=exclude):
            try:
                yield from _file(file.path)
            except LoadError:
                yield Entry(str(file.path))  # an archive that is damaged: reading it will say so
    else:
        path = Path(source).expanduser()
        if not path.is_file():
            raise LoadError(f"there is no file or folder {source}", hint="check the path")
        path = path.resolve()
        if manifests.is_manifest(path):
            yield from manifests.sources_in(path)
        else:
            yield from _file(path)


def _file(path: Path) -> Iterator[Entry]:
    if archives.is_archive(path):
        yield from archives.files_in(path)
        return
    try:
        changed = path.stat()
    except OSError:
        yield Entry(str(path))  # reading it will say what is wrong
        return
    yield Entry(str(path), stamp=f"{changed.st_mtime_ns} {changed.st_size}")


def load_source(row: SourceRow) -> Document:
    """Load the document of a source, in the sandbox where its format needs that, with the metadata of its manifest."""
    source = row.source
    if not is_address(source) and remote.is_remote(source):
        data, name = remote.read_file(source)
        document = load_bytes(data, name, source=source)
    elif archives.INSIDE in source and archives.is_archive(Path(source.partition(archives.INSIDE)[0])):
        data, name = archives.read_file(source)
        document = load_bytes(data, name, source=source)
    else:
        document = load(source)
    given = dict(row.metadata)
    title = given.pop("title", "")
    return replace(document, title=title or document.title, metadata={**document.metadata, **given})
