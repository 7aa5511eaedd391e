"""`readagent export --shelf`: a file for each document of a shelf, and one with the answers from the shelf."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from readagent.cli.output import counted
from readagent.cli.screen import echo
from readagent.cli.writing import refuse_sources, write_file
from readagent.core.memory import GistMemory
from readagent.errors import UsageError
from readagent.library import KeptAnswer, Library
from readagent.library.own_titles import with_title_of
from readagent.library.pack import to_json
from readagent.library.shelf_markdown import as_shelf_markdown
from readagent.records.answers import shelf_answer_record

_LONGEST = 80  # characters of a file name, without its suffix
_UNSAFE = re.compile(r"[^\w.()-]+")
Write = Callable[[GistMemory, Sequence[KeptAnswer]], bytes]


def export_shelf(name: str, library: Library, folder: Path, write: Write, suffix: str) -> None:
    """Write each document of a shelf into a folder, and the answers from the shelf as JSON or Markdown.

    A document that is being read again has no memory, and is named.
    """
    found = library.shelves.find(name).name
    cards = library.shelves.cards(found)
    if not cards:
        raise UsageError(f"there are no documents on the shelf {found}", hint=f"readagent shelf add {found} FILE")
    files: dict[Path, bytes] = {}
    missing: list[str] = []
    for card in cards:
        memory = library.memory(card.document)
        if memory is None:
            missing.append(card.title)
            continue
        data = write(with_title_of(card, memory), library.answers_to(memory))
        files[_free(folder, card.title or card.document, suffix, files)] = data
    if answers := library.shelves.answers(found):
        as_json = suffix == ".json"
        records = [shelf_answer_record(found, kept) for kept in reversed(answers)]
        data = to_json(records) if as_json else as_shelf_markdown(found, answers).encode()
        files[_free(folder, "answers", suffix if as_json else ".md", files)] = data
    for file in files:
        refuse_sources(library, "", file)
    _make(folder)
    for file, data in files.items():
        write_file(file, data)
    if missing:
        echo(f"note: {counted(len(missing), 'document')} not read completely: {'; '.join(missing)}", err=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} is not a folder", hint="with --shelf, -o names a folder") from None
    except OSError as error:
        raise UsageError(f"cannot make {folder}: {(error.strerror or str(error)).lower()}") from None


def _free(folder: Path, title: str, suffix: str, taken: dict[Path, bytes]) -> Path:
    """Return a file named after a title that no other document has, also where names have no capital letters."""
    stem = _UNSAFE.sub("-", title).strip("-. ")[:_LONGEST].rstrip("-. ") or "document"
    names = {path.name.casefold() for path in taken}
    number = 1
    while f"{(name := stem if number == 1 else f'{stem}-{number}')}{suffix}".casefold() in names:
        number += 1
    return folder / f"{name}{suffix}"
