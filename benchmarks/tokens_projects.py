"""Texts by kind and project for `tokens.py`; no rate was fitted to these projects."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tokens_generated import generate
from tokens_languages import translations
from tokens_texts import capitals, read, stripped

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
_PROJECT = re.compile(r"^\w+/(@?[^/]*)")


def to_measure(packages: Path, data: Path | None, seed: int) -> Projects:
    """Return the texts. ``data`` is the folder of data sets."""
    dice = random.Random(seed)
    found: Projects = {"English, stories": _stories(data) if data else {}}
    for kind, patterns in _FILES.items():
        found[kind] = {_PROJECT.findall(one)[0]: _files(packages, one, kind, dice) for one in patterns}
    for kind, texts in translations(packages).items():
        found[kind] = {project: [text] for project, text in texts.items()}
    found["licenses in capitals"] = {
        project: ["\n\n".join(capitals(read(file)) for file in files)] for project, files in _licenses(packages)
    }
    emoji = json.loads(read(packages / "npm/emojibase-data/en/data.json"))
    stories = [text for texts in found["English, stories"].values() for text in texts]
    for kind, made in generate(dice, [one["emoji"] for one in emoji], stories).items():
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
