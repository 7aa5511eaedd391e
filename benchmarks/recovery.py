"""How much of our own texts is recovered from files that real programs wrote: words in order, headings, paragraphs.

Every fixture of ``tests/fixtures`` is loaded and compared with its source. *Words* is the share of the words of the
source (text and headings in order, then notes) in the longest common subsequence of the words of source and document;
*foreign* is the share of the words of the document that are not: page headers, numbers, navigation, broken words.
*Headings* are those of the source that are found as headings of the same relative level; *paragraphs* are the
paragraphs and list items that start and end as in the source. ``tests/fixtures/recovered.py`` defines a word.
``--quick`` loads one fixture of each format.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from common import ROOT, Rows, Value, arguments, manifest, print_figures, table, write_results

from readagent.errors import LoadError
from readagent.loaders import load

sys.path.insert(0, str(ROOT / "tests"))
from fixtures.recovered import HERE, Recovery, expected_for, recovery

AIMS = {".epub": 0.99, ".docx": 0.99, ".html": 0.99, ".md": 0.99, ".pdf": 0.97}
_REFUSED = {"locked.pdf", "scanned.pdf"}
_LIBRARIES = ("selectolax", "pypdfium2", "mammoth", "markdown-it-py", "charset-normalizer")


def fixtures() -> list[Path]:
    """Return the files to load, sorted by format."""
    files = (path for path in HERE.iterdir() if path.is_file() and path.name not in {"README.md", *_REFUSED})
    texts = (path for path in files if path.suffix not in {".py", ".gz"})
    return sorted(texts, key=lambda path: (path.suffix, path.name))


def first_of_each(files: list[Path]) -> list[Path]:
    """Return one file of each format."""
    return list({path.suffix: path for path in reversed(files)}.values())


def measured(path: Path) -> Recovery | str:
    """Return what was recovered from a file, or why it could not be loaded."""
    try:
        return recovery(load(path), expected_for(path.name))
    except LoadError as error:
        return str(error)


def row_of(path: Path, found: Recovery | str) -> dict[str, Value]:
    """Return a line of the table, in per cent; a source without headings has no share of them."""
    if isinstance(found, str):
        return {"file": path.name, "words": found.replace(str(path), path.name)}
    return {
        "file": path.name,
        "aim": percent(AIMS[path.suffix]) if path.suffix in AIMS else "",
        "words": percent(found.words),
        "foreign": percent(found.foreign),
        "headings": percent(found.headings) if has_headings(path) else "",
        "invented headings": found.invented,
        "paragraphs": percent(found.paragraphs),
    }


def has_headings(path: Path) -> bool:
    """Return whether the source has headings."""
    return any(block["kind"] == "heading" for block in expected_for(path.name)["blocks"])


def percent(share: float) -> str:
    """Return a share in per cent, with one digit more than the aims."""
    return f"{100 * share:.2f}"


def figures_of(results: dict[Path, Recovery | str]) -> dict[str, Value]:
    """Return the mean and least share of words per format, and how far the aims are met."""
    good = {path: found for path, found in results.items() if isinstance(found, Recovery)}
    figures: dict[str, Value] = {"files": len(results), "files_not_loaded": len(results) - len(good)}
    for suffix in sorted({path.suffix for path in good}):
        shares = [found.words for path, found in good.items() if path.suffix == suffix]
        figures[f"{suffix[1:]}_words"] = percent(mean(shares))
        figures[f"{suffix[1:]}_words_least"] = percent(min(shares))
    short = [
        path for path in results if path.suffix in AIMS and (path not in good or good[path].words < AIMS[path.suffix])
    ]
    figures["files_below_their_aim"] = len(short)
    figures["foreign_most"] = percent(max((found.foreign for found in good.values()), default=0.0))
    headed = [found.headings for path, found in good.items() if has_headings(path)]
    figures["headings_least"] = percent(min(headed, default=0.0))
    figures["paragraphs_mean"] = percent(mean(found.paragraphs for found in good.values()) if good else 0.0)
    return figures


def main() -> None:
    options = arguments(__doc__)
    files = first_of_each(fixtures()) if options.quick else fixtures()
    results = {path: measured(path) for path in files}
    rows = [row_of(path, found) for path, found in results.items()]
    print(table(rows))
    figures = figures_of(results)
    if not options.quick:
        parts: dict[str, Rows | str] = {
            "What is measured": (__doc__ or "")
            .split("\n\n", 1)[1]
            .rsplit("``--quick``", 1)[0]
            .strip()
            .replace("``", "`"),
            "Files, in per cent": rows,
            "Figures": [{"figure": key, "value": value} for key, value in figures.items()],
        }
        libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
        write_results("recovery", "Texts recovered from files", parts, manifest(libraries=libraries))
    print_figures(figures)


if __name__ == "__main__":
    main()
