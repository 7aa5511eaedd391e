"""The built site: it needs no other host, has every public name, and is there for language models too.

`make docs` builds it; without it these tests are skipped.
"""

from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import readagent
from docs.pages import MODULES, ROOT, public_names
from needs import built_site, docs_python

FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
pytestmark = pytest.mark.slow


@pytest.fixture
def site() -> Path:
    return built_site(readagent.__version__)


class Loaded(HTMLParser):
    """The addresses that a browser fetches in order to show a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if value and FETCHED.get(tag) == name]


def test_a_page_fetches_nothing_from_another_host(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 50
    fetched = {address for page in pages for address in Loaded(page).addresses}
    assert fetched
    assert [address for address in fetched if re.match(r"(?:\w+:)?//", address)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text("utf-8")), sheet.name


def test_every_public_name_has_its_place_in_the_reference(site: Path) -> None:
    reference = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    names = [f"{module}.{name}" for module in MODULES for name in public_names(module)]
    assert [name for name in names if f'id="{name}"' not in reference] == []


def test_llms_full_has_the_pages_and_the_docstrings(site: Path) -> None:
    whole = (site / "llms-full.txt").read_text("utf-8")
    assert (ROOT / "docs" / "overviews.md").read_text("utf-8").partition("\n\n")[0] in whole
    assert (ROOT / "docs" / "usage.md").read_text("utf-8").strip() in whole
    assert "## readagent ask" in whole
    assert "class readagent.testing.Skimmer" in whole


def test_the_links_of_the_markdown_lead_to_files_of_the_site_or_to_the_repository(site: Path) -> None:
    texts = [*site.rglob("*.md"), site / "llms-full.txt"]
    assert len(texts) > 50
    dead = [
        f"{text.relative_to(site)}: {link}"
        for text in texts
        for link in re.findall(
            r"\]\(([^)#\s:]+)[)#]", re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", text.read_text("utf-8"))
        )
        if not (text.parent / link).exists()
    ]
    assert dead == []
    host = f"https://github.com/readagent/readagent/blob/v{readagent.__version__}"
    assert f"({host}/SECURITY.md" in (site / "guides" / "operator.md").read_text("utf-8")
    assert f"({host}/examples/notebooks/book.ipynb)" in (site / "notebooks.md").read_text("utf-8")
    assert "(_images/places.svg)" in (site / "start.md").read_text("utf-8")


def test_broken_links_anchors_and_files_fail_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    body = "\n".join(f"- [a link]({link})" for link in ("missing.md", "#missing", "other.md#missing", "../LICENCE"))
    (docs / "index.md").write_text(f"# Index\n\n- [Other](other.md)\n\n{body}\n", "utf-8")
    (docs / "other.md").write_text("# Other\n\nText.\n", "utf-8")
    options = ["--fail-on-warning", "--keep-going", "--quiet", "-c", ROOT / "docs" / "site"]
    command = [docs_python(), "-m", "sphinx", *options, docs, tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert [line for line in (5, 6, 7, 8) if f"index.md:{line}: WARNING" not in done.stderr] == [], done.stderr
