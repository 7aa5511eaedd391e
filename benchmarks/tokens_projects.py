"""Texts by kind and project for `tokens.py`: some to fit the rates to, those of other projects to measure them on."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tokens_generated import generate
from tokens_languages import TO_FIT, TO_MEASURE, translations
from tokens_texts import Texts, capitals, read, stripped

_FILES = {  # kind: patterns, each of one project
    "English, manuals": ("debian/python3.11-doc/**/howto/*.html", "debian/linux-doc-6.1/**/Documentation/*/*.rst.gz",
                         "debian/aptitude-doc-*/**/en/*.html"),
    "Python": ("pypi/flask/**/*.py", "pypi/sqlalchemy/**/*.py", "pypi/homeassistant/**/*.py", "pypi/rich/**/*.py"),
    "JavaScript": ("npm/lodash/*.js", "npm/express/lib/**/*.js", "npm/react-dom/cjs/*development.js",
                   "npm/eslint/lib/**/*.js"),
    "C": ("npm/leveldown/deps/**/*.c*",),
    "Markdown": ("npm/eslint/README.md", "npm/katex/README.md", "npm/marked/README.md", "npm/us-atlas/README.md"),
    "HTML": ("debian/python3.11-doc/**/library/*.html",),
    "JSON, prose": ("pypi/homeassistant/**/strings.json",
                    "pypi/home-assistant-frontend/**/translations/en-????????*.json"),
    "CSV": ("pypi/bokeh-sampledata/**/*.csv",),
    "JSON, numbers": ("npm/us-atlas/*.json", "npm/@highcharts/map-collection/**/*.geo.json"),
    "LaTeX": ("debian/texlive-science-doc/**/*.tex",),
}  # fmt: skip
Projects = dict[str, dict[str, list[str]]]  # texts by kind and project
_MOST = 40  # files of a project
_LONG = 100_000  # characters of a story that sentences are taken from
_SENTENCES = 160
_PROJECT = re.compile(r"^\w+/(@?[^/]*)")


def to_fit(packages: Path, data: Path | None, seed: int) -> Projects:
    """Return the texts to fit the rates to. ``data`` is the folder of data sets."""
    texts = Texts(packages, data, seed)
    found: Projects = {}
    for name, known in (("first", texts.first), ("second", texts.second)):
        for kind, of_kind in known.items():
            found.setdefault(kind, {})[name] = of_kind
    stories = found["English, stories"]
    found["English, typographic"] = {name: list(map(_typographic, texts)) for name, texts in stories.items()}
    found["single sentences"] = {"first": single_sentences(stories["first"] + stories["second"], random.Random(seed))}
    for kind, projects in translations(packages, TO_FIT).items():
        found.setdefault(kind, {}).update({project: [text] for project, text in projects.items()})
    return found


def to_measure(packages: Path, data: Path | None, seed: int) -> Projects:
    """Return the texts of projects that no rate was fitted to."""
    dice = random.Random(seed)
    found: Projects = {"English, stories": _stories(data) if data else {}}
    for kind, patterns in _FILES.items():
        found[kind] = {_PROJECT.findall(one)[0]: _files(packages, one, kind, dice) for one in patterns}
    for kind, texts in translations(packages, TO_MEASURE).items():
        found[kind] = {project: [text] for project, text in texts.items()}
    found["licenses in capitals"] = {
        project: ["\n\n".join(capitals(read(file)) for file in files)] for project, files in _licenses(packages)
    }
    emoji = json.loads(read(packages / "npm/emojibase-data/en/data.json"))
    stories = [text for texts in found["English, stories"].values() for text in texts]
    for kind, made in generate(dice, 2, [one["emoji"] for one in emoji], stories).items():
        found.setdefault(kind, {})["generated"] = made
    return {kind: projects for kind, projects in found.items() if any(projects.values())}


def _files(packages: Path, pattern: str, kind: str, dice: random.Random) -> list[str]:
    files = [file for file in sorted(packages.glob(pattern)) if file.is_file() and file.stat().st_size > 1500]
    texts = map(read, dice.sample(files, min(_MOST, len(files))))
    return [stripped(text) if kind == "English, manuals" and "<p>" in text else text for text in texts]


def _stories(data: Path) -> dict[str, list[str]]:
    nocha = [file.read_text("utf-8") for file in data.glob("nocha/*.txt")]
    lines = (data / "narrativeqa/sample.jsonl").read_text("utf-8").splitlines()
    return {"nocha": nocha, "narrativeqa": ["\n\n".join(json.loads(line)["paragraphs"]) for line in lines]}


def _typographic(text: str) -> str:
    """Return the text with the quotes and dashes of printed books."""
    text = re.sub(r"(?<!\S)\"|(?<=[(\[—-])\"", "“", text).replace('"', "”").replace("--", "—")
    return re.sub(r"(?<!\S)'", "‘", text).replace("'", "’")


def single_sentences(texts: list[str], dice: random.Random) -> list[str]:
    """Return texts that are one sentence each, many times: they tell the rates of letters and marks apart."""
    found = [part for text in texts for part in re.split(r"(?<=[.?!]) |\n+", text[:_LONG]) if 15 < len(part) < 200]
    return [f"{part} " * (1500 // len(part) + 1) for part in dice.sample(found, min(_SENTENCES, len(found)))]


def _licenses(packages: Path) -> Iterator[tuple[str, list[Path]]]:
    names = (
        "flask",
        "spacy",
        "homeassistant",
        "bokeh-sampledata",
        "logparser3",
        "eslint",
        "katex",
        "leveldown",
        "lodash",
    )
    files = [file for name in names for file in sorted(packages.glob(f"*/{name}/**/LICEN*")) if file.is_file()]
    return ((name, list(same)) for name, same in groupby(files, lambda file: file.relative_to(packages).parts[1]))
