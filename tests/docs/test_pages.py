"""Pages: links, tables, pictures and notebooks agree with the program, and SECURITY.md says what is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import readagent
from docs.pages import PAGES, ROOT, name
from needs import real_weights
from readagent.cli import run
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
from record_demo import COLUMNS, IMAGES, PICTURES, record

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


def test_pages_are_short() -> None:
    assert len(README.splitlines()) < 150
    words = {page: sum(any(map(str.isalnum, word)) for word in page.read_text("utf-8").split()) for page in PAGES}
    assert [name(page) for page, count in words.items() if page.is_relative_to(ROOT / "docs") and count > 2500] == []


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


SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(test_\w+)`", SECURITY)))


def test_every_test_that_is_named_exists() -> None:
    folders = [ROOT / "tests", *(ROOT / "packages").glob("*/tests")]
    tests = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("test_*.py"))
    assert NAMED
    assert [name for name in NAMED if f"def {name}(" not in tests] == []


def test_every_claim_names_a_test() -> None:
    claims = SECURITY.partition("## What the program does")[2].partition("## Known gaps")[0]
    assert [claim for claim in claims.split("\n- ")[1:] if not re.search(r"Tests?:\s+`test_", claim)] == []


@pytest.mark.parametrize("name", ["key", "api_key"])
def test_a_key_is_no_setting(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "readagent.toml").write_text(f'{name} = "sk-secret"', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["list"]) == 1
    said = capsys.readouterr().err
    assert f"unknown setting '{name}'" in said
    assert "sk-secret" not in said


SVG = "{http://www.w3.org/2000/svg}"
every_picture = pytest.mark.parametrize("name", PICTURES)


def drawn(name: str) -> str:
    return (IMAGES / f"{name}.svg").read_text("utf-8")


def rows(name: str) -> list[str]:
    """The rows that stay."""
    groups = ElementTree.fromstring(drawn(name)).iter(f"{SVG}g")
    return ["".join(group.itertext()) for group in groups if "class" not in group.attrib]


@every_picture
def test_it_refers_to_nothing_outside_itself(name: str) -> None:
    allowed = {f"{SVG}{tag}" for tag in ("svg", "title", "desc", "style", "rect", "circle", "g", "text")}
    assert {element.tag for element in ElementTree.fromstring(drawn(name)).iter()} <= allowed
    assert not re.search(r"href|url\(|@import|@font-face|(?<!xmlns=\")https?:", drawn(name))


@every_picture
def test_it_shows_the_commands_of_the_script(name: str) -> None:
    assert [row.removeprefix("$") for row in rows(name) if row.startswith("$")] == [*PICTURES[name], ""]
    assert all(len(f"$ {command}") <= COLUMNS for command in PICTURES[name])


def test_the_quotes_of_the_demo_stand_in_the_story() -> None:
    story = "".join((ROOT / "examples" / "story.txt").read_text("utf-8").split())
    quotes = re.findall(r'"([^"]+)"\(page\d+\)', "".join("".join(rows("demo")).split()))
    assert quotes
    assert all(quote in story for quote in quotes)


@pytest.mark.release
@pytest.mark.weights
@pytest.mark.slow
def test_the_commands_still_print_what_the_picture_shows() -> None:
    now = [span for span in record("places", real_weights("minilm").parent) if span.end is None and span.runs]
    assert ["".join(run.text for run in span.runs) for span in now] == rows("places")
