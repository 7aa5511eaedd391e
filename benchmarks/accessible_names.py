"""Names and roles of elements on real pages: what the agent calls them, and what Playwright's snapshot calls them.

Every element that the agent can act on is compared with the line that Playwright's accessibility snapshot has for it.
Names are compared without case, spaces, punctuation and the characters of icon fonts; ours have at most 12 words.
*Same* are equal names; *ours only* are elements for which Playwright has no name, and ours is that of an icon, a title,
a class or a field; *theirs only* is the reverse, *other* are two different names. *Same role* counts elements whose tag
or role says what Playwright says; *no role* are those that Playwright does not list at all, such as a plain ``div``
that listens to clicks. *Missed* are links, buttons, fields and the like in Playwright's snapshot that have no id of
ours, and neither has anything around or in them.

The pages are those of applications started here (Django's admin, Datasette) and, with ``--cache FOLDER``, of packages
of npm and Debian: admin templates on Bootstrap 4, UIkit's and jQuery UI's components, Shoelace's, TodoMVC, Python's
documentation. ``--files`` prints every difference.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results

from readagent.errors import UsageError
from readagent_bench.web.miniwob import served
from readagent_browse.dom import Element
from readagent_browse.live.browser import find_browser, launch
from readagent_browse.live.browser_tab import BrowserTab, open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import Limits, agree
from readagent_browse.snapshot import ID_ATTRIBUTE

sys.path.insert(0, str(ROOT))
from benchmarks.applications.flows import PASSWORD
from benchmarks.applications.sites import component_page, datasette, django_admin, fetched

LIMITS = Limits(load=20.0, idle=3.0, act=5.0)
_LINE = re.compile(r'^\s*- (?P<role>[a-z]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?')
_REF = re.compile(r"\[ref=(\w+)\]")
_ICONS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_USABLE = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider"
    " spinbutton switch tab textbox treeitem".split()
)
_INPUTS = {"checkbox": "checkbox", "radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox",
           "submit": "button", "button": "button", "reset": "button", "image": "button", "file": "button",
           "color": "textbox"}  # fmt: skip
_TAGS = {"a": "link", "area": "link", "button": "button", "textarea": "textbox", "li": "listitem", "tr": "row",
         "td": "cell", "th": "columnheader", "img": "img", "label": "text", "p": "paragraph"}  # fmt: skip
_MARKED = f"""element => Boolean(element.closest('[{ID_ATTRIBUTE}]') || element.querySelector('[{ID_ATTRIBUTE}]') ||
  element.labels && [...element.labels].some((label) => label.hasAttribute('{ID_ATTRIBUTE}')) ||
  element.tagName === 'OPTION' || element.disabled || element.closest('[aria-disabled=true], fieldset[disabled]') ||
  element.shadowRoot && element.shadowRoot.querySelector('[{ID_ATTRIBUTE}]'))"""
_LOG_IN = f"""document.querySelector('#id_username').value = 'mira';
document.querySelector('#id_password').value = '{PASSWORD}'; document.querySelector('#login-form').submit()"""


@dataclass(slots=True)
class Compared:
    """The counts of one collection of pages, and the differences as texts."""

    pages: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Collection:
    """Pages of one application or library: how it is started, and their addresses; ``before`` is run on the first."""

    name: str
    site: Callable[[Path, Path], AbstractContextManager[str]]
    paths: Callable[[Path], Sequence[str]]
    fetches: bool = True
    before: str = ""


def _folder(name: str) -> Callable[[Path, Path], AbstractContextManager[str]]:
    return lambda cache, run: served(fetched(name, cache))


def _pages(name: str, pattern: str) -> Callable[[Path], Sequence[str]]:
    def paths(cache: Path) -> list[str]:
        root = fetched(name, cache)
        return [f"/{path.relative_to(root)}" for path in sorted(root.glob(pattern))]

    return paths


def _listed(*paths: str) -> Callable[[Path], Sequence[str]]:
    return lambda cache: paths


COLLECTIONS = (
    Collection("Django admin", lambda cache, run: django_admin(run),
               _listed("/admin/", "/admin/auth/user/", "/admin/auth/user/add/", "/admin/auth/user/1/change/",
                       "/admin/auth/group/add/"), fetches=False, before=_LOG_IN),
    Collection("Datasette", lambda cache, run: datasette(run), _listed("/", "/lamps", "/lamps/lamps"), fetches=False),
    Collection("TodoMVC", _folder("todomvc"), _listed("/vue/", "/angularjs/", "/emberjs/", "/backbone/")),
    Collection("Shoelace", lambda cache, run: component_page(cache), _listed("/")),
    Collection("jQuery UI", _folder("jquery-ui"), _listed("/index.html")),
    Collection("UIkit", _folder("uikit"), _pages("uikit", "tests/*.html")),
    Collection("SB Admin 2 (Bootstrap)", _folder("sb-admin"), _pages("sb-admin", "*.html")),
    Collection("AdminLTE (Bootstrap)", _folder("admin-lte"), _pages("admin-lte", "pages/[UfmtU]*/*.html")),
    Collection("Python documentation", _folder("python-doc"), _listed("/index.html", "/library/index.html",
               "/library/asyncio-task.html", "/search.html", "/tutorial/index.html")),
)  # fmt: skip


def same(ours: str, theirs: str) -> bool:
    """Return whether two names are equal, as far as ours goes."""
    one, other = _letters(ours), _letters(theirs)
    return one == other or ((len(ours.split()) >= 12 or len(ours) >= 100) and other.startswith(one))


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", _ICONS.sub("", name).casefold())


def role_of(element: Element) -> str:
    """Return the role that a reader of our rendering would give to an element."""
    if role := element.attributes.get("role", ""):
        return role.split()[0]
    if element.tag == "input":
        return _INPUTS.get(element.attributes.get("type", "text").lower(), "textbox")
    if element.tag == "select":
        return "listbox" if "multiple" in element.attributes else "combobox"
    return "textbox" if "contenteditable" in element.attributes else _TAGS.get(element.tag, "")


async def compare(tab: BrowserTab, into: Compared, place: str) -> None:
    """Compare the elements of the page that is shown."""
    seen = await observe(tab, Secrets())
    page: Any = tab.tabs.shown.page
    into.pages += 1
    for element in seen.snapshot.elements:
        found = page.locator(f'[{ID_ATTRIBUTE}="{element.id}"]').first
        line = _LINE.match(await found.aria_snapshot(timeout=5000))
        role, name = (line["role"], line["name"] or "") if line else ("", "")
        named = bool(_letters(name))
        is_named = element.label != element.tag
        kind = "same" if named and same(element.label, name) else "other" if named and is_named else \
            "theirs only" if named else "ours only" if is_named else "no name"  # fmt: skip
        into.counts.update(["elements", kind])
        if not role or role in ("text", "generic"):
            into.counts["no role"] += 1
        elif role_of(element) == role:
            into.counts["same role"] += 1
        else:
            into.counts["other role"] += 1
            into.differences.append(f"{place} role: ours {element.tag} {role_of(element)!r}, theirs {role!r} {name!r}")
        if kind in ("other", "theirs only"):
            into.differences.append(f"{place} {kind}: ours {element.label!r}, theirs {role} {name!r}")
    await _count_missed(page, into, place)


async def _count_missed(page: Any, into: Compared, place: str) -> None:
    listing = await page.locator("body").aria_snapshot(mode="ai", timeout=10_000)
    for text in listing.splitlines():
        line, ref = _LINE.match(text), _REF.search(text)
        if not line or not ref or line["role"] not in _USABLE or "[disabled]" in text:
            continue
        into.counts["usable for Playwright"] += 1
        if not await page.locator(f"aria-ref={ref[1]}").evaluate(_MARKED):
            into.counts["missed"] += 1
            into.differences.append(f"{place} missed: {text.strip()}")


async def measured(collection: Collection, cache: Path, most: int) -> Compared:
    """Compare the pages of one collection."""
    into = Compared()
    with TemporaryDirectory() as run, collection.site(cache, Path(run)) as root:
        guard = NetworkGuard(root)
        async with launch() as browser, open_tab(browser, guard, LIMITS, Consent(agree)) as tab:
            paths = collection.paths(cache)[:most]
            if collection.before:
                await tab.open(f"{root}{paths[0]}")
                await compare(tab, into, "login")
                await tab.evaluate(collection.before)
                await tab.wait_until_idle()
            for path in paths:
                await tab.open(f"{root}{path}")
                await compare(tab, into, path)
    return into


def row(name: str, found: Compared) -> dict[str, Value]:
    """Return the line of one collection, or of all."""
    counts = found.counts
    named = sum(counts[kind] for kind in ("same", "other", "theirs only"))
    roles = counts["same role"] + counts["other role"]
    return {
        "pages of": name, "pages": found.pages, "elements": counts["elements"],
        "same name %": round(100 * counts["same"] / max(1, named), 1), "other": counts["other"],
        "theirs only": counts["theirs only"], "ours only": counts["ours only"], "no name": counts["no name"],
        "same role %": round(100 * counts["same role"] / max(1, roles), 1), "no role": counts["no role"],
        "usable for Playwright": counts["usable for Playwright"], "missed": counts["missed"],
    }  # fmt: skip


@contextmanager
def _total(every: Sequence[Compared]) -> Iterator[Compared]:
    whole = Compared(sum(one.pages for one in every))
    for one in every:
        whole.counts.update(one.counts)
    yield whole


def main() -> None:
    """Compare if there is a browser."""
    made = parser(__doc__)
    made.add_argument("--files", action="store_true", help="print every difference")
    made.add_argument("--only", default="", help="only collections with this in their name; writes no result file")
    options = made.parse_args()
    try:
        find_browser()
    except UsageError as error:
        print(f"not measured: {error}; {error.hint}")
        print_figures({"elements": 0})
        return
    whole = options.cache is not None and not options.quick
    chosen = [one for one in COLLECTIONS if (whole or not one.fetches) and options.only in one.name]
    found: dict[str, Compared] = {}
    for collection in chosen:
        found[collection.name] = asyncio.run(measured(collection, options.cache or Path(), 1 if options.quick else 60))
        print(collection.name, dict(found[collection.name].counts), file=sys.stderr)
        if options.files:
            print(*found[collection.name].differences, sep="\n")
    with _total([*found.values()]) as everything:
        lines = [*(row(name, one) for name, one in found.items()), row("all", everything)]
    print(table(lines))
    if whole and not options.only:
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        parts: dict[str, Rows | str] = {"What is measured": about, "Pages": lines}
        write_results(
            "accessible_names", "Names and roles of elements", parts, manifest(playwright=version("playwright"))
        )
    print_figures({name.replace(" ", "_").replace("_%", ""): value for name, value in lines[-1].items()
                   if name not in ("pages of", "elements")} | {"elements": lines[-1]["elements"]})  # fmt: skip


if __name__ == "__main__":
    main()
