"""NoCha: pairs of claims about novels, one true and one false. A pair is right only if both verdicts are."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import DatasetError, LoadError
from readagent.loaders import load as load_document
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, listed, missing
from readagent_bench.datasets.records import Record, json_list
from readagent_bench.example import Case, Example

_BOOKS = "classic_books.pkl"
_TITLE = re.compile(r"\s*title:[ \t]*(\S[^\n]*)", re.IGNORECASE)
_BROKEN = (
    OSError, pickle.UnpicklingError, EOFError, ValueError, LookupError, TypeError, AttributeError, OverflowError,
    MemoryError,
)  # fmt: skip
_AS_TEXTS = "put each book there as a text file <book_title>.txt"
_GROUPS = ("genre", "length_group", "length_bucket")


def load(folder: Path, split: str) -> list[Case]:
    """Load the books that have claims, each with all its claims."""
    base = base_folder(folder, "nocha", ("data_sample",))
    files = [base] if base.is_file() else [path for path in listed(base) if path.suffix == ".json"]
    claims: dict[str, list[Record]] = {}
    for claim in (record for path in files for record in json_list(path) if "claim" in record):
        claims.setdefault(claim.text("book_title"), []).append(claim)
    if not claims:
        raise missing(base, "nocha", "no file with claims")
    place = base.parent if base.is_file() else base
    return [Case(title, _book(place, title, found[0]), _examples(title, found)) for title, found in claims.items()]


def _examples(title: str, claims: list[Record]) -> tuple[Example, ...]:
    examples = []
    for claim in claims:
        number, gold = claim.integer("index"), claim.boolean("type")
        group = next((claim.text(name) for name in _GROUPS if name in claim), "")
        question = claim.question(claim.text("claim"), kind="claim")
        pair = f"{title}-{number}"
        examples.append(Example(f"{pair}-{gold}", question, gold=gold, pair=pair, group=group))
    halves = Counter(example.pair for example in examples)
    for claim, example in zip(claims, examples, strict=True):
        if halves[example.pair] != 2:
            raise claim.wrong(f"the pair {claim.integer('index')} has {halves[example.pair]} claims, not 2")
    return tuple(examples)


def _book(base: Path, title: str, claim: Record) -> Document:
    files = [path for path in listed(base) if path.stem == title and path.suffix != ".json"]
    if not files and (base / _BOOKS).is_file():
        text = _packed(base / _BOOKS).get(title, "")
        document = Document.from_text(text)
    elif files:
        try:
            document = load_document(files[0])
        except LoadError as error:
            raise claim.wrong(f"cannot read its book: {error}", hint=error.hint) from error
    else:
        raise claim.wrong(f"no book {title} in {base}", hint=f"put its text there as {title}.txt")
    if not document.text.strip():
        raise claim.wrong(f"the book {title} in {base} is empty")
    named = _TITLE.match(document.text)
    return replace(document, title=named[1].strip() if named else title.replace("_", " "))


class _TextsOnly(pickle.Unpickler):
    """Loads strings and containers only; anything else in a pickle could run code."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"it contains a {module}.{name}")


def _packed(path: Path) -> dict[str, str]:
    """Load the books that the authors publish with the claims: a pickled table from titles to texts."""
    try:
        with path.open("rb") as file:
            books = _TextsOnly(file).load()
    except _BROKEN as error:
        reason = " ".join(str(error).split()) or "it is damaged"
        raise DatasetError(f"{path} is not a table of texts: {reason}", hint=_AS_TEXTS) from error
    if not isinstance(books, dict):
        raise DatasetError(f"{path} is not a table of texts", hint=_AS_TEXTS)
    return {str(title): text for title, text in books.items() if isinstance(text, str)}


DATASET = Dataset(
    name="nocha",
    title="NoCha",
    preset="books",
    measures=("pairs", "accuracy"),
    licence="MIT for the claims that are published; the books in them are out of copyright",
    homepage="https://github.com/marzenakrp/nocha",
    files="a .json file with claims, and for each book_title its text, as <book_title>.txt or in classic_books.pkl",
    splits=("all",),
    default="all",
    load=load,
)
