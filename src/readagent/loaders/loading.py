"""Loading: from a file, a folder, a page on the web or standard input to documents, whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import LoadError, UsageError
from readagent.loaders.foreign import ForeignError, refuse_empty
from readagent.loaders.formats import FORMATS, MOST_CHARACTERS, Options, room_of
from readagent.loaders.sniff import format_of
from readagent.loaders.sources.source import Fetched, fetch, fetch_file, is_folder
from readagent.loaders.sources.volume import Part, bound

Tell = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document that was loaded; ``source`` is what its file is called within the folder, or as it was named."""

    document: Document
    source: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that could not be loaded, why, and what to do about it; ``source`` is as in Loaded.

    ``foreign`` says that it is no document of any kind, such as a picture in a folder.
    """

    source: str
    reason: str
    hint: str = ""
    foreign: bool = False


def load(
    source: str | Path,
    *,
    title: str = "",
    whole: bool = False,
    format: str = "",  # noqa: A002
    allow_private: bool = False,
) -> Document:
    """The document in a file, on standard input (``-``), at an address on the web, or in a folder as one volume.

    ``whole`` keeps all the text of a web page, navigation and all. ``format`` says what it is, where that is not to be
    found out. ``allow_private`` allows addresses on this machine and its network.
    """
    options = _options(whole, format)
    if is_folder(source):
        return bind(source, load_all(source, whole=whole, format=format), title=title)
    document = _parsed(fetch(source, allow_private=allow_private), options)
    return replace(document, title=title) if title else document


def load_all(
    source: str | Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    whole: bool = False,
    format: str = "",  # noqa: A002
    allow_private: bool = False,
    tell: Tell | None = None,
) -> Iterator[Loaded | Skipped]:
    """Every file of a folder as a document of its own; of any other source the one document there is.

    ``include`` and ``exclude`` are patterns as in .gitignore, such as ``*.md`` or ``drafts/``. What cannot be loaded
    comes as Skipped, and the rest goes on. ``tell`` hears before each file its number, of how many, and its name.
    """
    return _each(source, include, exclude, _options(whole, format), allow_private, tell or _tell_nobody)


def bind(source: str | Path, items: Iterable[Loaded | Skipped], *, title: str = "") -> Document:
    """The documents of a folder as one: each file's name is a heading, and its own headings stand one level deeper.

    LoadError where there are none, or too much text for one.
    """
    parts, skipped = list[Part](), list[Skipped]()
    size = 0
    for item in items:
        if isinstance(item, Skipped):
            skipped.append(item)
            continue
        parts.append(Part(item.source, item.document))
        size += len(item.document.text)
        if size > MOST_CHARACTERS:
            raise _too_long(str(source), hint="name a folder within it, or leave files out")
    if not parts:
        raise _nothing(str(source), skipped)
    folder = Path(source).expanduser().resolve()
    return bound(parts, title=title or folder.name, source=str(folder))


def _each(
    source: str | Path,
    include: Sequence[str],
    exclude: Sequence[str],
    options: Options,
    allow_private: bool,
    tell: Tell,
) -> Iterator[Loaded | Skipped]:
    if is_folder(source):
        yield from _in_folder(Path(source).expanduser(), include, exclude, options, tell)
        return
    tell(1, 1, str(source))
    try:
        yield Loaded(_parsed(fetch(source, allow_private=allow_private), options), str(source))
    except LoadError as error:
        yield Skipped(str(source), str(error), error.hint)


def _in_folder(
    folder: Path, include: Sequence[str], exclude: Sequence[str], options: Options, tell: Tell
) -> Iterator[Loaded | Skipped]:
    from readagent.loaders.sources.folder import walk

    try:
        found = walk(folder, include=include, exclude=exclude)
    except LoadError as error:
        yield Skipped(str(folder), str(error), error.hint)
        return
    if not found.files and not found.unopened:
        were = "was" if found.left_out == 1 else "were"
        hint = f"{found.left_out} {were} left out: hidden, ignored, a link, or not asked for" if found.left_out else ""
        yield Skipped(str(folder), f"{folder} holds no files to read", hint)
    for number, file in enumerate(found.files, start=1):
        name = file.name.encode("utf-8", "replace").decode()
        tell(number, len(found.files), name)
        try:
            yield Loaded(_parsed(fetch_file(file.path, name), options), name)
        except LoadError as error:
            yield Skipped(name, str(error), error.hint, isinstance(error, ForeignError) and not include)
    for inner in found.unopened:
        yield Skipped(inner.name, f"{inner.name} cannot be looked into: {inner.reason}")


def _tell_nobody(number: int, of: int, name: str) -> None:
    pass


def _parsed(fetched: Fetched, options: Options) -> Document:
    """The document in what was fetched, with its source, and a title in any case."""
    refuse_empty(fetched.data, fetched.name)
    format_name = options.format or format_of(fetched.data, fetched.name, fetched.content_type)
    document = _by_room(format_name, fetched, options)
    refuse_empty(document.text, fetched.name)
    if len(document.text) > MOST_CHARACTERS:
        raise _too_long(fetched.name, hint="cut it into parts and read those")
    kind = "" if document.code else FORMATS[format_name].kind
    known = {"address": fetched.address, **document.metadata} if fetched.address else document.metadata
    title = document.title or fetched.title
    return replace(document, title=title, source=fetched.source, metadata=known, kind=kind)


def _by_room(format_name: str, fetched: Fetched, options: Options) -> Document:
    try:
        if FORMATS[format_name].apart:
            from readagent.loaders.apart.cell import parse_apart

            return parse_apart(format_name, fetched.data, fetched.name, options)
        return room_of(format_name).parse(fetched.data, fetched.name, options)
    except RecursionError as error:
        raise LoadError(f"{fetched.name} is nested too deeply to be read") from error
    except MemoryError as error:
        raise LoadError(f"{fetched.name} is too large for the memory there is") from error


def _options(whole: bool, format_name: str) -> Options:
    if format_name and format_name not in FORMATS:
        raise UsageError(f"there is no format {format_name!r}", hint=f"known are {', '.join(FORMATS)}")
    return Options(whole=whole, format=format_name)


def _too_long(name: str, hint: str) -> LoadError:
    return LoadError(f"{name} holds more than {MOST_CHARACTERS // 1_000_000} million characters of text", hint=hint)


def _nothing(source: str, skipped: Sequence[Skipped]) -> LoadError:
    """The error for a folder of which nothing could be read."""
    if not skipped:
        return LoadError(f"nothing in {source} could be read")
    if len(skipped) == 1:
        return LoadError(skipped[0].reason, hint=skipped[0].hint)
    return LoadError(f"none of the {len(skipped)} files in {source} can be read", hint=f"as {skipped[0].reason}")
