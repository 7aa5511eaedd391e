"""Links lead somewhere, the map of the house is complete, and tables agree with the program."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import readagent
from docs.pages import PAGES, ROOT, name
from readagent.core.plan import PRESETS
from readagent.models.providers import PROVIDERS
from readagent.records.answers import NewAnswer
from readagent.records.documents import (
    EstimatesRecord,
    GrowthRecord,
    HitRecord,
    ListedDocument,
    MemoryRecord,
    PageRecord,
)
from readagent.settings import _TYPES

_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.M)
README = (ROOT / "README.md").read_text("utf-8")


def anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_between_pages_lead_somewhere() -> None:
    for page, link in ((one, link) for one in PAGES for link in _LINK.findall(one.read_text("utf-8"))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}"
        assert not anchor or anchor in anchors(target), f"{name(page)} links to {link}"


def test_every_page_is_reached_from_an_index() -> None:
    indices = [ROOT / "docs" / "index.md", ROOT / "docs" / "decisions" / "index.md"]
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for index in indices for link in _LINK.findall(index.read_text("utf-8"))
    }  # fmt: skip
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {indices[0]} <= linked


def test_the_map_names_every_package_on_a_dozen_lines() -> None:
    drawn = README.partition("## Map")[2].partition("```text\n")[2].partition("```")[0]
    package = Path(readagent.__file__).parent
    folders = [entry for entry in package.iterdir() if (entry / "__init__.py").exists() or entry.name == "prompts"]
    assert [folder.name for folder in folders if f"{folder.name}/" not in drawn] == []
    assert len(drawn.splitlines()) <= 13
    named = re.findall(r"\b(\w+)\.py\b", drawn)
    assert [file for file in named if not list(package.rglob(f"{file}.py"))] == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 150


def test_the_presets_are_told_with_their_numbers() -> None:
    page = (ROOT / "docs" / "how-it-reads.md").read_text("utf-8")
    for called, plan in PRESETS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{called}`"))
        assert [int(cell) for cell in re.findall(r"(?<=\| )\d+(?= \|)", row)] == [
            plan.page_words,
            plan.min_page_words,
            plan.max_pages,
        ]


def test_every_short_name_is_told_with_its_server_and_key() -> None:
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    for called, provider in PROVIDERS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{called}/"))
        assert provider.base_url in row
        assert provider.key_name in row


def test_every_setting_is_told() -> None:
    page = (ROOT / "docs" / "usage.md").read_text("utf-8")
    assert [setting for setting in _TYPES if f"| `{setting}` |" not in page] == []


def test_every_key_of_the_json_is_told() -> None:
    page = (ROOT / "docs" / "usage.md").read_text("utf-8").partition("\n## JSON")[2]
    printed = (NewAnswer, MemoryRecord, GrowthRecord, PageRecord, ListedDocument, HitRecord, EstimatesRecord)
    named = {key for record in printed for key in record.__struct_fields__}
    assert sorted(key for key in named if f"`{key}`" not in page) == []


def test_every_prompt_is_told() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text("utf-8")
    for file in (Path(readagent.__file__).parent / "prompts" / "default").glob("*.txt"):
        row = next((line for line in page.splitlines() if line.startswith(f"| `{file.name}`")), "")
        named = set(re.findall(r"\{(\w+)\}|\[\[if (\w+)\]\]", file.read_text("utf-8")))
        assert row, file.name
        told = re.findall(r"\{(\w+)\}|`(\w+)`", row)
        assert {a or b for a, b in named} == {a or b for a, b in told}, file.name


def test_the_citation_agrees_with_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {project['version']}" in citation
    assert f"license: {project['license']}" in citation
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_packages_have_one_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    files = list((ROOT / "packages").glob("*/pyproject.toml"))
    assert len(files) == 2
    for file in files:
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        needed = [one.partition("==") for one in project["dependencies"] if one.startswith("readagent")]
        assert {project["version"], *(exact for _, _, exact in needed)} == {version}


def test_the_licence_is_complete() -> None:
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
