"""Load documents from a file, a folder, a web page or standard input, in any supported format."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from readagent.core.document import Document
from readagent.core.escaping import short_repr
from readagent.errors import LoadError, UsageError
from readagent.loaders.formats import FORMATS, MAX_CHARACTERS, Options, too_long
from readagent.loaders.sources.combine import Part, combined
from readagent.loaders.sources.files import MAX_BYTES, OPENING, Fetched, fetch, fetch_file, is_folder, too_large
from readagent.loaders.sources.inside import Inside
from readagent.loaders.unsupported import UnsupportedFormatError, refuse_unsupported

_LANGUAGES = re.compile(r"[A-Za-z]\w+(?:\+[A-Za-z]\w+)*")

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document that was loaded; ``source`` is its path within the folder, or the source as it was given."""

    document: Document
    source: str

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that could not be loaded, why, and what to do about it; ``source`` is as in Loaded.

    ``unsupported`` is true for a file of a kind that is never read, such as a picture in a folder.
    """

    source: str
    reason: str
    hint: str = ""
    unsupported: bool = False

    __repr__ = short_repr


def load(
    source: str | Path,
    *,
    title: str = "",
    whole: bool = False,
    format: str = "",  # noqa: A002
    ocr: str = "",
    allow_private: bool = False,
    inside: Path | None = None,
) -> Document:
    """Load the document in a file, on standard input (``-``), at a web address, or in a folder as one document.

    ``whole`` keeps all text of a web page, navigation included. ``format`` overrides the detected format. ``ocr`` is
    the language of scanned PDFs as Tesseract names it, such as ``eng``: they are then read with Tesseract.
    ``allow_private`` permits addresses on this machine and its local network. ``inside`` is a folder outside of which
    no file is opened, not even through a link that is put in place of the file meanwhile; both paths have no links.
    """
    options = _options(whole, format, ocr)
    only = None if inside is None else Inside(inside)
    if is_folder(source):
        folder = Path(source).expanduser()
        return combine(source, _load_folder(folder, (), (), options, _no_progress, only), title=title)
    document = _parse(fetch(source, allow_private=allow_private, inside=only), options)
    return replace(document, title=title) if title else document


def load_bytes(data: bytes, name: str, *, source: str) -> Document:
    """Load the document in some bytes. ``name`` is that of their file, and ``source`` says where they are from."""
    if len(data) > MAX_BYTES:
        raise too_large(name)
    refuse_unsupported(data[:OPENING], name)
    return _parse(Fetched(data, name, PurePosixPath(name).stem, source), Options())


def load_all(
    source: str | Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    whole: bool = False,
    format: str = "",  # noqa: A002
    ocr: str = "",
    allow_private: bool = False,
    progress: Progress | None = None,
) -> Iterator[Loaded | Skipped]:
    """Load every file of a folder as a document of its own; any other source gives one document.

    ``include`` and ``exclude`` are patterns as in .gitignore, such as ``*.md`` or ``drafts/``. A file that cannot be
    loaded is returned as Skipped, and loading goes on. ``progress`` is called before each file with its number, the
    number of files, and its name.
    """
    return _load_each(source, include, exclude, _options(whole, format, ocr), allow_private, progress or _no_progress)


def combine(source: str | Path, items: Iterable[Loaded | Skipped], *, title: str = "") -> Document:
    """Combine the documents of a folder: each file name becomes a heading, the headings below it one level deeper.

    Raises LoadError if there are no documents, or too much text for one.
    """
    parts, skipped = list[Part](), list[Skipped]()
    size = 0
    for item in items:
        if isinstance(item, Skipped):
            skipped.append(item)
            continue
        parts.append(Part(item.source, item.document))
        size += len(item.document.text)
        if size > MAX_CHARACTERS:
            raise too_long(str(source), MAX_CHARACTERS, hint="choose a subfolder, or exclude some files")
    if not parts:
        raise _nothing_loaded(str(source), skipped)
    folder = Path(source).expanduser().resolve()
    return combined(parts, title=title or folder.name, source=str(folder))


def _load_each(
    source: str | Path,
    include: Sequence[str],
    exclude: Sequence[str],
    options: Options,
    allow_private: bool,
    progress: Progress,
) -> Iterator[Loaded | Skipped]:
    if is_folder(source):
        yield from _load_folder(Path(source).expanduser(), include, exclude, options, progress)
        return
    progress(1, 1, str(source))
    try:
        yield Loaded(_parse(fetch(source, allow_private=allow_private), options), str(source))
    except LoadError as error:
        yield Skipped(str(source), str(error), error.hint)


def _load_folder(
    folder: Path,
    include: Sequence[str],
    exclude: Sequence[str],
    options: Options,
    progress: Progress,
    inside: Inside | None = None,
) -> Iterator[Loaded | Skipped]:
    from readagent.loaders.sources.folder import list_files
    from readagent.loaders.speech.export import together

    try:
        listing = list_files(folder, include=include, exclude=exclude, inside=inside)
    except LoadError as error:
        yield Skipped(str(folder), str(error), error.hint)
        return
    if not listing.files and not listing.unreadable:
        were = "entry was" if listing.left_out == 1 else "entries were"
        hint = f"{listing.left_out} {were} left out: hidden, ignored, a link, or not included"
        yield Skipped(str(folder), f"{folder} contains no files to read", hint if listing.left_out else "")
    files = {file.name.encode("utf-8", "replace").decode(): file.path for file in listing.files}
    texts = list(together(list(files)))
    for number, (of, names) in enumerate(texts, start=1):
        name = of or folder.name
        progress(number, len(texts), name)
        try:
            found = (fetch_file(files[one], one, inside) for one in names)
            yield Loaded(_parse(next(found) if len(names) == 1 else _zipped(found, name), options), name)
        except LoadError as error:
            expected = bool(include) or _is_document(name)
            yield Skipped(name, str(error), error.hint, isinstance(error, UnsupportedFormatError) and not expected)
    for subfolder in listing.unreadable:
        yield Skipped(subfolder.name, f"{subfolder.name} could not be opened: {subfolder.reason}")


def _zipped(files: Iterable[Fetched], name: str) -> Fetched:
    """Return the files of an exported chat as an archive, which is read as one text."""
    packed, size = io.BytesIO(), 0
    with zipfile.ZipFile(packed, "w") as archive:
        for file in files:
            size += len(file.data)
            if size > MAX_BYTES:
                raise too_large(name)
            archive.writestr(file.name, file.data)
    return Fetched(packed.getvalue(), name, PurePosixPath(name).name, "")


def _is_document(name: str) -> bool:
    """Whether the name of a file says that it is a document which can be read."""
    return any(name.lower().endswith(one.suffixes) for one in FORMATS.values())


def _no_progress(number: int, count: int, name: str) -> None:
    pass


def _parse(fetched: Fetched, options: Options) -> Document:
    """Parse what was fetched, and add its source, and if it has no title, the name of its file as one."""
    from readagent.loaders.sandbox.pool import parse_in_sandbox

    document = parse_in_sandbox(fetched.data, fetched.name, options, fetched.sent)
    if not document.text.strip():
        raise LoadError(f"{fetched.name} contains no text", hint="text in images is not read; choose another file")
    if len(document.text) > MAX_CHARACTERS:
        raise too_long(fetched.name, MAX_CHARACTERS)
    metadata = {"address": fetched.address, **document.metadata} if fetched.address else document.metadata
    return replace(document, title=document.title or fetched.title, source=fetched.source, metadata=metadata)


def _options(whole: bool, format_name: str, ocr: str) -> Options:
    if format_name and format_name not in FORMATS:
        raise UsageError(f"unknown format {format_name!r}", hint=f"choose one of {', '.join(FORMATS)}")
    if ocr and not _LANGUAGES.fullmatch(ocr):
        raise UsageError(f"{ocr!r} is no language of Tesseract", hint="name one such as eng, or several: deu+eng")
    return Options(whole=whole, format=format_name, ocr=ocr)


def _nothing_loaded(source: str, skipped: Sequence[Skipped]) -> LoadError:
    """Return the error for a folder in which no file could be read."""
    if not skipped:
        return LoadError(f"nothing in {source} could be read")
    if len(skipped) == 1:
        return LoadError(skipped[0].reason, hint=skipped[0].hint)
    return LoadError(
        f"none of the {len(skipped)} files in {source} could be read", hint=f"for example, {skipped[0].reason}"
    )
